#include <gtest/gtest.h>

#include "wmsketch/prepare/rekeyed_rows.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

std::unique_ptr<RowBlock> rows_under(const NameSecret& secret) {
  RowEncoder encoder({.interactions = {{"c", "n"}}, .secret = secret});
  for (const char* city : {"Rome", "Oslo", ""}) {
    encoder.add_text(encoder.column("c"), city);
    encoder.add_number(encoder.column("n"), 2, "2");
    encoder.end_row();
  }
  return encoder.take();
}

TEST(RekeyedRows, EqualRowsReadWithTheSecret) {
  const NameSecret secret = secret_of_seed(3);
  const auto plain = rows_under({}), wanted = rows_under(secret);
  EXPECT_NE(plain->keys, wanted->keys);
  const RekeyedRows rekeyed(*plain, secret);
  EXPECT_EQ(rekeyed.keys, wanted->keys);
  EXPECT_EQ(rekeyed.values, wanted->values);
  EXPECT_EQ(rekeyed.starts, wanted->starts);
  EXPECT_EQ(rekeyed.secret, secret);
  for (std::size_t i = 0; i < rekeyed.keys.size(); ++i) EXPECT_EQ(rekeyed.name(i), wanted->name(i));
}

TEST(RekeyedRows, AreMadeOnlyIfNeeded) {
  const auto rows = rows_under({});
  with_keys_under({}, *rows, [&](const RowBlock& used) { EXPECT_EQ(&used, rows.get()); });
  with_keys_under(secret_of_seed(1), *rows, [&](const RowBlock& used) { EXPECT_NE(&used, rows.get()); });
  RowBlock numbers;
  numbers.keys = {7};
  with_keys_under(secret_of_seed(1), numbers, [&](const RowBlock& used) { EXPECT_EQ(&used, &numbers); });
}

}  // namespace
}  // namespace wmsketch
