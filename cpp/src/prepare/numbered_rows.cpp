#include "wmsketch/prepare/numbered_rows.hpp"

#include <cmath>
#include <limits>

namespace wmsketch {

void NumberedRows::assign(const RowBatch& batch, const Schema& schema) {
  clear();
  std::vector<std::uint16_t> centred;
  for (std::size_t i = 0; i < schema.size(); ++i)
    if (schema.is_centred(i)) centred.push_back(static_cast<std::uint16_t>(i));
  std::vector<std::size_t> row_of(schema.size(), 0);  // the last row that has the column, counted from 1
  std::vector<std::size_t> number_of(schema.size());  // and where, in numbers
  constexpr auto kMissing = std::numeric_limits<std::size_t>::max();
  const std::size_t n = batch.keys.size() + batch.size() * centred.size();
  keys.reserve(n);
  values.reserve(n);
  numbers.reserve(n);
  const auto add = [&](Key key, float value) {
    keys.push_back(key);
    values.push_back(value);
  };
  const auto add_number = [&](std::uint16_t column, double value, std::size_t row) {
    row_of[column] = row;
    number_of[column] = numbers.size();
    numbers.push_back({value, static_cast<std::uint32_t>(keys.size())});
    add(schema.key(column), 0);
  };
  for (std::size_t row = 1; row <= batch.size(); ++row) {
    for (auto i = static_cast<std::size_t>(batch.starts[row - 1]); i < static_cast<std::size_t>(batch.starts[row]);
         ++i) {
      const std::uint16_t column = schema.place_of(batch.keys[i]);
      const double value = batch.wide.empty() ? batch.values[i] : batch.wide[i];
      if (column == Schema::kNone) {
        add(batch.keys[i], schema.without_scale(batch.values[i]));
      } else if (std::isnan(value)) {  // missing, which is not 0
        row_of[column] = row;
        number_of[column] = kMissing;
      } else if (row_of[column] == row && number_of[column] != kMissing) {
        numbers[number_of[column]].value += value;
      } else if (value != 0 || schema.is_centred(column)) {
        add_number(column, value, row);
      }
    }
    for (const std::uint16_t column : centred)
      if (row_of[column] != row) add_number(column, 0, row);
    starts.push_back(static_cast<std::int64_t>(keys.size()));
  }
}

RowBatch NumberedRows::labelled_as(const RowBatch& batch) const {
  RowBatch labelled = this->batch();
  labelled.labels = batch.labels;
  labelled.weights = batch.weights;
  labelled.times = batch.times;
  labelled.classes = batch.classes;
  labelled.targets = batch.targets;
  labelled.streamed = batch.streamed;
  return labelled;
}

}  // namespace wmsketch
