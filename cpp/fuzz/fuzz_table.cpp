// Rows of a table with any columns and values, through the encoder and the schema. Values must be finite, rows must be
// the same one by one and together, and a damaged schema must be rejected or work.
#include <cmath>

#include "damage.hpp"
#include "wmsketch/prepare/rekeyed_rows.hpp"
#include "wmsketch/prepare/schema.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace {

using namespace wmsketch;

EncoderOptions options(std::uint8_t choice) {
  EncoderOptions options;
  options.require_labels = false;
  options.label = (choice & 1) ? "y" : "";
  if (choice & 2) options.text = {"t"};
  if (choice & 4) options.interactions = {{"a", "b"}, {"a", "t"}};
  if (choice & 8) options.numeric = {"b"};
  options.word_values = static_cast<WordValues>(choice / 16 % 3);
  options.ngrams = 1 + choice / 64 % 2;
  options.count_missing = choice & 128;
  options.na = {"-", "9"};
  return options;
}

constexpr double kNumbers[] = {0, -0.0, 1, -1, 9, 1e-300, 1e15, 1e30, 3e38, 1e300, NAN, INFINITY, 0.1, 2.5, 1e-40, 7};
constexpr const char* kNames[] = {"a", "b", "t", "y", "", "a.b", "c", "d"};

// One byte per value: its column and kind. A text takes the following bytes.
void add_value(RowEncoder& encoder, Input& input) {
  const std::uint8_t what = input.byte();
  const RowEncoder::ColumnId column = encoder.column(kNames[what % 8]);
  switch (what / 8 % 6) {
    case 0:
      return encoder.add_missing(column);
    case 1:
      return encoder.add_bool(column, what & 128, what & 128 ? "true" : "false");
    case 2:
    case 3:
      return encoder.add_number(column, kNumbers[input.byte() % 16], "7");
    case 4:
      return encoder.add_nothing(column);
    default: {
      std::string text;
      for (int n = input.byte() % 24; n > 0; --n) text += static_cast<char>(input.byte());
      encoder.add_text(column, text);
    }
  }
}

std::unique_ptr<RowBlock> rows_of(RowEncoder& encoder, Input& input) {
  for (int n = input.byte() % 24; n > 0; --n) {
    try {
      for (int values = input.byte() % 8; values > 0; --values) add_value(encoder, input);
      encoder.end_row();
    } catch (const BadValue&) {
      encoder.drop_row();
    }
  }
  return encoder.take();
}

void check(const RowBlock& block, const std::vector<float>& values) {
  std::string scratch;
  for (std::size_t i = 0; i < block.keys.size(); ++i) {
    if (!std::isfinite(values[i])) std::abort();
    if (block.name(i) != block.name_view(i, scratch)) std::abort();
  }
  // hashed with a seed and back again
  const RekeyedRows away(block, secret_of_seed(7)), back(away, block.secret);
  if (back.keys != block.keys) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t choice = input.byte(), scaling = input.byte();
  RowEncoder encoder(options(choice));
  const std::unique_ptr<RowBlock> first = rows_of(encoder, input), more = rows_of(encoder, input);
  SchemaOptions rules;
  rules.numbers = static_cast<Numbers>(scaling % 3);
  rules.half_life.examples = (scaling & 4) ? 3 : 0;
  Schema held(rules);
  HeldRows& rows = held.held();
  rows.add_features(*first);
  Schema schema = held.decided_now();
  std::vector<float> values;
  schema.learn(*first, {}, {}, values);
  check(*first, values);
  schema.learn(*more, {}, {}, values);
  check(*more, values);
  schema.apply(*first, values);
  check(*first, values);
  Schema loaded(rules), twin(rules);
  if (!load_damaged(schema, loaded, twin, input)) return 0;
  try {
    loaded.merge(schema);
  } catch (const std::invalid_argument&) {  // other columns
  }
  loaded.nbytes();
  loaded.learn(*more, {}, {}, values);
  for (const float value : values)
    if (std::isnan(value)) std::abort();
  return 0;
}
