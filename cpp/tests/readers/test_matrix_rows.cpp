#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "wmsketch/data/error.hpp"
#include "wmsketch/readers/matrix_rows.hpp"

namespace wmsketch {
namespace {

struct Entry {
  std::size_t row;
  Key key;
  float value;
  std::string name;
  bool operator==(const Entry&) const = default;
};

// All entries of all batches, and the number of batches.
std::vector<Entry> entries_of(const MatrixRows& rows, std::size_t& n_batches) {
  std::vector<Entry> entries;
  n_batches = 0;
  std::size_t next = 0;
  rows.for_each_batch([&](const RowBatch& batch, std::size_t first) {
    EXPECT_EQ(first, next);
    next += batch.size();
    ++n_batches;
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const SparseRow row = batch.row(r);
      for (std::size_t i = 0; i < row.size; ++i)
        entries.push_back({first + r, row.keys[i], row.values[i], row.name(i)});
    }
  });
  EXPECT_EQ(next, rows.size());
  return entries;
}

template <class Index, class Value>
struct Csr {
  std::vector<Index> starts{0}, indices;
  std::vector<Value> values;
  CsrRows<Index, Value> rows() const { return {starts, indices, values}; }
};

// 300 rows of 0 to 999 features: several chunks if they are converted.
template <class Index, class Value>
Csr<Index, Value> large() {
  Csr<Index, Value> csr;
  for (int row = 0; row < 300; ++row) {
    for (int i = 0; i < row * 37 % 1000; ++i) {
      csr.indices.push_back(static_cast<Index>(row * i % 5000));
      csr.values.push_back(static_cast<Value>(i) / 4);
    }
    csr.starts.push_back(static_cast<Index>(csr.indices.size()));
  }
  return csr;
}

TEST(CsrRows, AllTypesGiveTheSameRows) {
  std::size_t one = 0, several = 0;
  const auto in_place = large<std::int32_t, float>();
  const auto expected = entries_of(in_place.rows(), one);
  EXPECT_EQ(one, 1u);
  EXPECT_EQ(entries_of(large<std::int32_t, double>().rows(), several), expected);
  EXPECT_GT(several, 1u);
  EXPECT_EQ(entries_of(large<std::int64_t, float>().rows(), several), expected);
  EXPECT_EQ(entries_of(large<std::int64_t, double>().rows(), several), expected);
}

TEST(CsrRows, ARowLongerThanAChunkStaysWhole) {
  Csr<std::int64_t, double> csr;
  csr.indices.assign(3 * kEntriesPerBatch, 1);
  csr.values.assign(3 * kEntriesPerBatch, 1);
  csr.starts = {0, 1, static_cast<std::int64_t>(3 * kEntriesPerBatch)};
  std::size_t n_batches = 0;
  EXPECT_EQ(entries_of(csr.rows(), n_batches).size(), 3 * kEntriesPerBatch);
  EXPECT_EQ(n_batches, 2u);
}

TEST(CsrRows, RejectsInvalidMatrices) {
  using Broken = Csr<std::int32_t, float>;
  EXPECT_THROW((Broken{{}, {}, {}}.rows()), std::invalid_argument);
  EXPECT_THROW((Broken{{-1, 0}, {}, {}}.rows()), std::invalid_argument);
  EXPECT_THROW((Broken{{0, 2, 1}, {1, 2}, {1, 1}}.rows()), BadRow);
  EXPECT_THROW((Broken{{0, 3}, {1, 2}, {1, 1}}.rows()), std::invalid_argument);
  EXPECT_THROW((Broken{{0, 1}, {1}, {}}.rows()), std::invalid_argument);
}

TEST(CsrRows, NamesTheRowOfABadId) {
  const auto row_of = [](auto csr) -> std::optional<std::size_t> {
    try {
      csr.rows();
    } catch (const BadRow& bad) {
      return bad.row;
    }
    return std::nullopt;
  };
  EXPECT_EQ(row_of(Csr<std::int32_t, float>{{0, 1, 2}, {7, -3}, {1, 1}}), 1u);
  EXPECT_EQ(row_of(Csr<std::int64_t, float>{{0, 1, 1, 2}, {7, std::int64_t{1} << 32}, {1, 1}}), 2u);
  EXPECT_EQ(row_of(Csr<std::int64_t, float>{{0, 1}, {0xffffffff}, {1}}), std::nullopt);
}

TEST(DenseRows, SkipsZerosAndKeepsNames) {
  const std::vector<double> values{1, 0, 2, 0, 0, 0, 0, -1, 0};
  std::size_t n_batches = 0;
  const DenseRows<double> plain(values.data(), 3, 3, std::nullopt, {});
  EXPECT_EQ(entries_of(plain, n_batches), (std::vector<Entry>{{0, 0, 1, ""}, {0, 2, 2, ""}, {2, 1, -1, ""}}));
  const DenseRows<double> named(values.data(), 3, 3, std::vector<std::string>{"a", "b", "c"}, {});
  EXPECT_EQ(entries_of(named, n_batches),
            (std::vector<Entry>{
                {0, key_of_name("a"), 1, "a"}, {0, key_of_name("c"), 2, "c"}, {2, key_of_name("b"), -1, "b"}}));
  EXPECT_THROW(DenseRows<double>(values.data(), 3, 3, std::vector<std::string>{"a"}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
