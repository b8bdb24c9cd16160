// Numbers in the units of their columns.
#include <algorithm>
#include <cmath>

#include "wmsketch/prepare/schema.hpp"

namespace wmsketch {
namespace {

// A number of a column whose scale is not known: its size must not drown all other columns.
float within_one(double value) { return static_cast<float>(value / (1 + std::abs(value))); }

}  // namespace

void Schema::fade(std::span<const double> times, std::size_t row) {
  double kept = options_.half_life.kept_by_example();
  if (options_.half_life.seconds > 0 && !times.empty()) {
    if (times[row] > time_ && std::isfinite(time_)) kept *= options_.half_life.kept_after(times[row] - time_);
    time_ = std::max(time_, times[row]);
  }
  if (kept < 1)
    for (NumberScale& scale : scales_) scale.fade(kept);
}

void Schema::multiply(const RowBlock& block, std::vector<float>& values) const {
  constexpr float kMost = 1e15f;
  for (const auto& [place, left, right] : block.products)
    values[place] = std::clamp(values[left] * values[right], -kMost, kMost);
}

void Schema::learn(const RowBlock& block, std::span<const float> weights, std::span<const double> times,
                   std::vector<float>& values) {
  values = block.values;
  auto number = std::lower_bound(block.numbers.begin(), block.numbers.end(), block.starts.front(),
                                 [](const RowBlock::Number& each, std::int64_t start) { return each.place < start; });
  const auto unscaled = [&](double value, float given) {
    return options_.numbers == Numbers::raw ? given : within_one(value);
  };
  const bool forgets = options_.half_life.examples > 0 || options_.half_life.seconds > 0;
  for (std::size_t row = 0; row < block.size(); ++row) {
    const bool learned = weights.empty() || weights[row] != 0;
    if (learned && forgets) fade(times, row);
    for (; number != block.numbers.end() && number->place < block.starts[row + 1]; ++number) {
      const std::uint16_t place = place_of(block.keys[number->place]);
      float& value = values[number->place];
      if (place == kNone) {
        value = unscaled(number->value, value);
        continue;
      }
      const bool usual = !learned || add_to_scale(place, number->value);
      value = usual ? scaled(place, number->value) : 0.0f;
    }
    if (learned && first_rows_left_ > 0) --first_rows_left_;
  }
  multiply(block, values);
  others_ |= block.more_new_kinds;
  std::size_t next = 0;  // columns mostly come in the order of the schema
  for (const auto& [column, kind] : block.new_kinds) {
    const std::size_t i = place_of_name(column, next);
    others_ |= i == size();
    if (i == size()) continue;
    entries_[i].kind = joined(entries_[i].kind, kind);
    next = i + 1;
  }
}

void Schema::apply(const RowBlock& block, std::vector<float>& values) const {
  values = block.values;
  for (const auto& [value, place] : block.numbers) {
    const std::uint16_t column = place_of(block.keys[place]);
    if (column != kNone)
      values[place] = scaled(column, value);
    else if (is_table() && options_.numbers != Numbers::raw)
      values[place] = within_one(value);
  }
  multiply(block, values);
}

// Returns false for an absurd value. The rows that decided about the schema are compared with one another, later ones
// with the scale.
bool Schema::add_to_scale(std::size_t i, double value) {
  Entry& entry = entries_[i];
  NumberScale& scale = scales_[entry.scale];
  if (first_rows_left_ > 0 ? !first_ranges_[entry.scale].contains(value) : scale.is_absurd(value)) {
    if (++entry.absurd < kNewScale) return false;
    scale = NumberScale{};
  }
  entry.absurd = 0;
  scale.add(value);
  return true;
}

float Schema::scaled(std::size_t i, double value) const {
  const NumberScale& scale = scales_[entries_[i].scale];
  if (scale.is_absurd(value)) return 0;
  return is_centred(i) ? scale.scaled(value) : scale.scaled_from_zero(value);
}

void Schema::set_first_ranges(const HeldRows& held, const RowBlock* block, std::span<const float> weights) {
  std::vector<std::vector<double>> values(scales_.size());
  first_rows_left_ = 0;
  const auto add = [&](const RowBlock& rows, std::span<const float> of_rows) {
    auto number = rows.numbers.begin();
    for (std::size_t row = 0; row < rows.size() && first_rows_left_ < kFirstRows; ++row) {
      const bool learned = of_rows.empty() || of_rows[row] != 0;
      for (; number != rows.numbers.end() && number->place < rows.starts[row + 1]; ++number)
        if (const std::uint16_t column = place_of(rows.keys[number->place]);
            learned && column != kNone && !std::isnan(number->value))
          values[entries_[column].scale].push_back(number->value);
      first_rows_left_ += learned;
    }
  };
  add(held, held.weights);
  if (block) add(*block, weights);
  first_ranges_.clear();
  for (auto& of_column : values) first_ranges_.push_back(UsualRange::of_first(of_column));
}

}  // namespace wmsketch
