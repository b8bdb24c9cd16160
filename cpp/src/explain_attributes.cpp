#include "wmsketch/apps/explain_attributes.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "wmsketch/hashing.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

using Part = AttributeBlock::Part;

constexpr std::uint32_t kStart = ExplainColumns::kNone - 1;  // no column yet: the search begins at the first
constexpr std::size_t kMostExamples = 1 << 18;               // of a block: conjunctions of many columns are many
constexpr double kMostWeight = 10;  // of a row in the learner, in mean rows: one step must not undo all others

// What the condition itself takes, beside its percentiles, is within the bytes too.
std::size_t room_for_columns(const AttributeOptions& options, const Condition& condition) {
  const std::size_t all = options.quantile_bytes + options.column_bytes;
  return all - std::min(all, condition.nbytes());
}

void append_letter(std::string& text, std::uint32_t column) {
  const std::uint32_t letter = 0x100 + column;
  text += static_cast<char>(0xc0 | (letter >> 6));
  text += static_cast<char>(0x80 | (letter & 0x3f));
}

template <class Read>
void with_place(std::uint64_t rows_before, Read read) {
  try {
    read();
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument("row " + std::to_string(rows_before + 1) + ": " + problem.what());
  }
}

std::int8_t sign(bool outlier) { return outlier ? std::int8_t{1} : std::int8_t{-1}; }

}  // namespace

std::string AttributeBlock::value_of(const Part& part) const {
  const ExplainColumn& column = columns_[part.column];
  if (part.binned) return column.bin_label(part.feature);
  const std::string name = rows_.name(part.feature);
  if (name.size() < column.prefix.size()) return short_number(rows_.values[part.feature]);
  return name.substr(column.prefix.size());
}

std::string AttributeBlock::name(std::size_t i) const {
  std::string letters, values;
  for (const std::uint32_t part : parts_of_.at(i)) {
    if (part == kNoPart) break;
    append_letter(letters, parts_[part].column);
    std::string value = value_of(parts_[part]);
    std::replace(value.begin(), value.end(), kSeparator, ' ');
    values += kSeparator + value;
  }
  return letters + values;
}

AttributeEncoder::AttributeEncoder(AttributeOptions options)
    : options_(std::move(options)),
      condition_(options_.condition, options_.quantile_bytes, options_.seed),
      columns_(room_for_columns(options_, condition_)) {
  if (options_.order < 1 || options_.order > AttributeBlock::kMostOrder)
    throw std::invalid_argument("order must be from 1 to 3, got " + std::to_string(options_.order));
  if (options_.bins < 2) throw std::invalid_argument("bins must be at least 2, got " + std::to_string(options_.bins));
  for (const Comparison& each : options_.condition)
    if (add_column(each.column, kStart) == ExplainColumns::kNone)
      throw std::invalid_argument("budget is too small for the columns of the condition");
}

std::uint32_t AttributeEncoder::add_column(std::string_view name, std::uint32_t last) {
  const std::size_t before = columns_.size();
  const std::uint32_t id = columns_.find(name, last);
  if (columns_.size() == before) return id;
  ExplainColumn& column = columns_[id];
  for (std::uint32_t i = 0; i < condition_.size(); ++i)
    if (condition_.comparison(i).column == column.name()) column.comparisons.push_back(i);
  const auto& asked = options_.attributes;
  // the reader leaves out what was not asked for, but for the condition's own columns
  const auto covers = [&](const std::string& outer) {
    return column.name() == outer || column.name().starts_with(outer + '.');
  };
  column.attribute = asked.empty() ? column.comparisons.empty() : std::any_of(asked.begin(), asked.end(), covers);
  return id;
}

void AttributeEncoder::read_row(const RowBlock& rows, std::size_t row, std::vector<Part>* parts) {
  condition_.start_row();
  std::uint32_t last = kStart;
  const auto end = static_cast<std::size_t>(rows.starts[row + 1]);
  for (auto i = static_cast<std::size_t>(rows.starts[row]); i < end; ++i) {
    const std::string name = rows.name(i);
    const std::uint32_t column = add_column(name, last);
    if (column == ExplainColumns::kNone) continue;
    last = column;
    read_value(rows, i, name, column, parts);
  }
}

void AttributeEncoder::read_value(const RowBlock& rows, std::size_t i, std::string_view name, std::uint32_t id,
                                  std::vector<Part>* parts) {
  ExplainColumn& column = columns_[id];
  const bool is_number = name.size() < column.prefix.size();
  const std::string_view word = is_number ? std::string_view() : name.substr(column.prefix.size());
  std::optional<double> number;
  if (is_number) number = rows.values[i];
  if (!column.comparisons.empty()) {
    if (!number) number = number_in(word);  // the condition's columns come as text, which is exact
    for (const std::uint32_t comparison : column.comparisons) condition_.set(comparison, word, number);
  }
  if (!column.attribute) return;
  if (parts == nullptr) {
    if (number) column.first_values.push_back(*number);
  } else if (number && !column.edges.empty()) {
    const std::size_t bin = column.bin_of(*number);
    parts->push_back({id, static_cast<std::uint32_t>(bin), true, column.bin_keys[bin]});
  } else {
    const Key key = is_number ? key_of_name(column.prefix + short_number(*number)) : rows.keys[i];
    parts->push_back({id, static_cast<std::uint32_t>(i), false, key});
  }
}

bool AttributeEncoder::observe(const RowBlock& rows) {
  for (std::size_t row = 0; row < rows.size() && n_observed_ < options_.warm_up; ++row, ++n_observed_) {
    with_place(n_observed_, [&] { read_row(rows, row, nullptr); });
    if (condition_.complete()) condition_.observe();
  }
  return n_observed_ >= options_.warm_up;
}

void AttributeEncoder::finish_warm_up() {
  warm_ = true;
  condition_.refresh();
  columns_.choose_edges(options_.bins);
}

float AttributeEncoder::learning_weight(double amount) const {
  const double mean = (counts_.outlier_amount + counts_.inlier_amount) / static_cast<double>(counts_.rows);
  return mean > 0 ? static_cast<float>(std::min(kMostWeight, amount / mean)) : 0.0f;
}

std::unique_ptr<AttributeBlock> AttributeEncoder::encode(const RowBlock& rows, std::size_t first, std::size_t last) {
  if (!warm_) throw std::invalid_argument("finish the warm-up before encoding");
  if (condition_.size() == 0 && rows.labels.size() != rows.size())
    throw std::invalid_argument("the rows have no labels, and there is no condition");
  auto block = std::make_unique<AttributeBlock>(rows, columns_);
  std::size_t row = first;
  for (; row < std::min(last, rows.size()) && block->keys.size() < kMostExamples; ++row) {
    const std::size_t first_part = block->parts_.size();
    with_place(n_encoded_, [&] { read_row(rows, row, &block->parts_); });
    if (n_encoded_++ >= n_observed_ && condition_.complete()) condition_.observe();
    if (!condition_.complete()) {
      ++counts_.skipped;
      block->parts_.resize(first_part);
      continue;
    }
    const auto begin = block->parts_.begin() + static_cast<std::ptrdiff_t>(first_part);
    std::sort(begin, block->parts_.end());
    block->parts_.erase(std::unique(begin, block->parts_.end()), block->parts_.end());
    const bool outlier = condition_.size() == 0 ? rows.labels[row] > 0 : condition_.holds();
    const float amount = rows.weights.empty() ? 1.0f : rows.weights[row];
    ++counts_.rows;
    counts_.outliers += outlier ? 1 : 0;
    (outlier ? counts_.outlier_amount : counts_.inlier_amount) += amount;
    counts_.squared_amount += double{amount} * amount;
    emit(*block, first_part, sign(outlier), rows.weights.empty() ? 1.0f : learning_weight(amount), amount);
  }
  block->next_row = row;
  block->values.assign(block->keys.size(), 1.0f);
  if (rows.weights.empty()) {
    block->weights.clear();
    block->amounts.clear();
  }
  return block;
}

void AttributeEncoder::emit(AttributeBlock& block, std::size_t first_part, std::int8_t label, float weight,
                            float amount) const {
  const auto end_example = [&] {
    block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
    block.labels.push_back(label);
    block.weights.push_back(weight);
    block.amounts.push_back(amount);
  };
  const auto add = [&](Key key, AttributeBlock::Parts parts) {
    block.keys.push_back(key);
    block.parts_of_.push_back(parts);
    if (!options_.whole_rows) end_example();
  };
  const auto& parts = block.parts_;
  const auto n = static_cast<std::uint32_t>(parts.size());
  for (auto a = static_cast<std::uint32_t>(first_part); a < n; ++a) {
    add(parts[a].key, {a, AttributeBlock::kNoPart, AttributeBlock::kNoPart});
    for (std::uint32_t b = a + 1; options_.order > 1 && b < n; ++b) {
      const Key pair = combine_keys(parts[a].key, parts[b].key);
      add(pair, {a, b, AttributeBlock::kNoPart});
      for (std::uint32_t c = b + 1; options_.order > 2 && c < n; ++c) add(combine_keys(pair, parts[c].key), {a, b, c});
    }
  }
  if (options_.whole_rows) end_example();
}

}  // namespace wmsketch
