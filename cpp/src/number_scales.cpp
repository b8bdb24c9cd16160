#include "wmsketch/number_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wmsketch {
namespace {

constexpr std::size_t kNotAsked = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kNone = kNotAsked - 1;

// Calls use(number, row) for all numbers of the block's rows, in order.
template <class Use>
void for_each_number(const RowBlock& block, Use use) {
  auto number = std::lower_bound(block.numbers.begin(), block.numbers.end(), block.starts.front(),
                                 [](const RowBlock::Number& each, std::int64_t start) { return each.place < start; });
  for (std::size_t row = 0; row < block.size(); ++row)
    for (; number != block.numbers.end() && number->place < block.starts[row + 1]; ++number) use(*number, row);
}

}  // namespace

void NumberScales::Column::add(double value) {
  ++count;
  const double distance = value - mean;
  mean += distance / static_cast<double>(count);
  squares += distance * (value - mean);
}

void NumberScales::Column::add(const Column& other) {
  if (other.count == 0) return;
  const double n = static_cast<double>(count), more = static_cast<double>(other.count);
  const double distance = other.mean - mean;
  mean += distance * (more / (n + more));
  squares += other.squares + distance * distance * (n * more / (n + more));
  count += other.count;
}

float NumberScales::Column::scaled(double value) const {
  if (!(squares > 0)) return 0;
  const double deviation = std::sqrt(squares / static_cast<double>(count));
  constexpr double kMost = std::numeric_limits<float>::max();
  return deviation > 0 ? static_cast<float>(std::clamp((value - mean) / deviation, -kMost, kMost)) : 0.0f;
}

void NumberScales::learn(RowBlock& block, std::span<const float> weights) {
  if (weights.empty()) weights = block.weights;
  std::vector<std::size_t> places(block.number_columns.size(), kNotAsked);
  for_each_number(block, [&](const RowBlock::Number& number, std::size_t row) {
    const bool learned = weights.empty() || weights[row] != 0;
    std::size_t& place = places[number.column];
    if (place == kNotAsked) {
      const std::string& name = block.number_columns[number.column];
      if (const auto found = places_.find(name); found != places_.end()) {
        place = found->second;
      } else if (columns_.size() >= kMostColumns) {
        place = kNone;
      } else if (learned) {  // else a later row may bring it in
        place = places_.emplace(name, columns_.size()).first->second;
        columns_.emplace_back(name, Column{});
      }
    }
    if (place == kNone) return;
    float& value = block.values[number.place];
    if (place == kNotAsked) {
      value = 0;
      return;
    }
    Column& column = columns_[place].second;
    if (learned) column.add(number.value);
    value = column.scaled(number.value);
  });
  block.multiply_pairs();
}

void NumberScales::apply(RowBlock& block) const {
  const Column unknown, *const raw = nullptr;
  std::vector<const Column*> columns;
  for (const std::string& name : block.number_columns) {
    const auto found = places_.find(name);
    if (found != places_.end())
      columns.push_back(&columns_[found->second].second);
    else
      columns.push_back(columns_.size() < kMostColumns ? &unknown : raw);
  }
  for_each_number(block, [&](const RowBlock::Number& number, std::size_t) {
    const Column* const column = columns[number.column];
    block.values[number.place] = column ? column->scaled(number.value) : static_cast<float>(number.value);
  });
  block.multiply_pairs();
}

void NumberScales::join(std::string_view name, const Column& column) {
  const auto [found, is_new] = places_.try_emplace(std::string(name), columns_.size());
  if (is_new) columns_.emplace_back(name, Column{});
  columns_[found->second].second.add(column);
}

}  // namespace wmsketch
