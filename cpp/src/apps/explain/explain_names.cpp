// Counts the rows of a block by the numbers of its names. So a value is looked up once in a block, not in every row.
#include <algorithm>
#include <array>

#include "wmsketch/apps/explain/explain_stream.hpp"
#include "wmsketch/readers/number_style.hpp"

namespace wmsketch {

void AttributeStream::learn(const RowBlock& rows) {
  if (!warm_) throw std::invalid_argument("learn needs a finished warm-up: call finish_warm_up first");
  if (conditions_[1].size() == 0 && rows.labels.size() != rows.size())
    throw std::invalid_argument("the rows must have labels if there is no outlier condition");
  columns_.start_block();
  ++n_blocks_;
  if (known_.empty() && rows.size() >= kLongBlock) known_.resize(std::size_t{1} << kKnownBits);
  const std::size_t first = counts_by_name(rows) ? learn_by_name(rows) : 0;
  for (std::size_t row = first; row < rows.size(); ++row) {
    if (row % kRowsAhead == 0 || row == first) look_ahead(rows, row);
    learn_row(rows, row);
  }
}

// Sums of rows that count 1 each do not depend on their order. So if all values have room, the state after the block is
// the same as if its rows were counted one after the other. Values enter in the order in which they first occur.
bool AttributeStream::counts_by_name(const RowBlock& rows) const {
  const RowBlock::NumberedNames names = rows.numbered_names();
  const bool all_count_1 = rows.weights.empty() && !fades() && counts_.squared == static_cast<double>(counts_.rows);
  return all_count_1 && uses_cells() && !options_.only_outliers && metric_.size() == 0 && rows.size() >= kLongBlock &&
         !names.of_features.empty() && table_.takes_all(names.size + columns_.size() + kMostMissing);
}

// Learns rows until too many were not usual. Returns the first row that is left.
std::size_t AttributeStream::learn_by_name(const RowBlock& rows) {
  constexpr std::size_t kMostUnusual = 64;
  const RowBlock::NumberedNames names = rows.numbered_names();
  names_.assign(names.size + kMostMissing, {});
  counted_.clear();
  ahead_.clear();
  std::size_t row = 0;
  try {
    for (std::size_t n_unusual = 0; row < rows.size() && n_unusual <= kMostUnusual; ++row) {
      bool learned = false;
      with_place(n_read_, [&] { learned = learn_row_by_name(rows, row, names); });
      if (learned) continue;
      ++n_unusual;
      enter_names(rows);
      learn_row(rows, row);
    }
  } catch (...) {  // the rows before this one count
    enter_names(rows);
    throw;
  }
  enter_names(rows);
  return row;
}

// Returns false, and does nothing, if the row is not usual: one with several values in a column, or with the first
// value of its column in this block.
bool AttributeStream::learn_row_by_name(const RowBlock& rows, std::size_t row, const RowBlock::NumberedNames& names) {
  const auto begin = static_cast<std::size_t>(rows.starts[row]), end = static_cast<std::size_t>(rows.starts[row + 1]);
  const std::uint32_t* const numbers = names.of_features.data();
  repeats_ = false;
  n_given_ = 0;
  bool is_usual = true;
  for (std::size_t i = begin; i < end && is_usual; ++i) {
    NameRows& name = names_[numbers[i]];
    if (name.use == NameUse::unread) read_name(rows, i, name);
    is_usual = name.use != NameUse::unread;
    if (is_usual) give(columns_[name.column]);
  }
  if (!is_usual || repeats_) {
    columns_.forget_row();
    return false;
  }
  std::uint32_t sum = 0;
  row_names_.clear();
  row_cells_.clear();
  for (Condition& condition : conditions_) condition.start_row();
  for (std::size_t i = begin; i < end; ++i) {
    const NameRows& name = names_[numbers[i]];
    if (name.use == NameUse::value) {
      row_names_.push_back(numbers[i]);
      sum += rows.keys[i];
    } else if (name.use != NameUse::none) {
      sum += read_by_name(rows, i, name.column, numbers[i]);
    }
  }
  if (n_given_ < columns_.size() && columns_.size() <= kMostMissing)
    for (std::uint32_t id = 0; id < columns_.size(); ++id) {
      if (!columns_[id].attribute || columns_[id].row == n_read_ + 1) continue;
      names_[names.size + id].column = id;
      row_names_.push_back(static_cast<std::uint32_t>(names.size + id));
      sum += columns_[id].missing_key;
    }
  bool outlier = false;
  if (take_row(rows, row, outlier)) {
    const std::uint32_t row_hash = count_row(outlier, 1, sum);
    for (const auto& [column, number] : row_cells_) columns_[column].cells.add(number, outlier, 1, row_hash);
    for (const std::uint32_t number : row_names_) {
      NameRows& name = names_[number];
      if (name.rows[0] + name.rows[1] == 0) counted_.push_back(number);
      ++name.rows[outlier];
      name.fingerprint += row_hash;
    }
  }
  ++n_read_;
  return true;
}

// Says what to do with features of this name. It stays unread if the general way has to see more first: the column, or
// a number of it.
void AttributeStream::read_name(const RowBlock& rows, std::size_t i, NameRows& name) {
  const RowBlock::Cell cell = rows.cell(i, scratch_);
  const std::uint32_t id = cell.id == RowBlock::kNoColumn ? ExplainColumns::kNone : columns_.found(cell.id);
  if (id == ExplainColumns::kNone) return;
  const ExplainColumn& column = columns_[id];
  const bool compared = !column.comparisons.empty();
  const bool is_number = cell.is_number || (compared && column.attribute && number_or_amount_in(cell.word));
  name.column = id;
  name.feature = static_cast<std::uint32_t>(i);
  if (!compared && !column.attribute)
    name.use = NameUse::none;
  else if (!column.attribute || !is_number || column.cells.used())
    name.use = compared || is_number ? NameUse::read : NameUse::value;
}

// Compares a value, or takes a number for the cells of its column. Returns what it adds to the sum of the row's keys.
std::uint32_t AttributeStream::read_by_name(const RowBlock& rows, std::size_t i, std::uint32_t id,
                                            std::uint32_t number_of_name) {
  ExplainColumn& column = columns_[id];
  const RowBlock::Cell cell = rows.cell(i, scratch_);
  const auto number = cell.is_number ? std::optional(number_at(rows, i)) : number_or_amount_in(cell.word);
  for (const auto& [which, place] : column.comparisons) conditions_[which].set(place, cell.word, number);
  if (!column.attribute) return 0;
  if (!number) {
    row_names_.push_back(number_of_name);
    return rows.keys[i];
  }
  column.cells.see(*number);
  row_cells_.emplace_back(id, NumberCells::rounded_down(*number));
  return key_of_cell(id, row_cells_.back().second);
}

// Adds the rows that were counted so far. The places of many values are asked for before they are needed.
void AttributeStream::enter_names(const RowBlock& rows) {
  constexpr std::size_t kAhead = 64;
  std::array<AttributeId, kAhead> ids;
  for (std::size_t first = 0; first < counted_.size(); first += kAhead) {
    const std::size_t n = std::min(kAhead, counted_.size() - first);
    for (std::size_t i = 0; i < n; ++i) {
      const NameRows& name = names_[counted_[first + i]];
      ids[i] = attribute_id(columns_[name.column].missing_key, 0);
      if (name.use == NameUse::unread) continue;  // no name: a missing value
      const std::string_view word = rows.cell(name.feature, scratch_).word;
      ids[i] = attribute_id(rows.keys[name.feature], static_cast<std::uint32_t>(hash_name(word, options_.secret)));
      table_.prefetch_index(ids[i]);
    }
    for (std::size_t i = 0; i < n; ++i) table_.prefetch_slot(ids[i]);
    for (std::size_t i = 0; i < n; ++i) {
      NameRows& name = names_[counted_[first + i]];
      const Amounts amounts{static_cast<double>(name.rows[0]), static_cast<double>(name.rows[1])};
      if (!table_.add(ids[i], amounts, name.fingerprint)) {
        const PartKind kind = name.use == NameUse::unread ? PartKind::missing : PartKind::value;
        table_.enter(ids[i], name.column, value_of(rows, {name.column, 0, 0, name.feature, kind}), amounts,
                     name.fingerprint);
      }
      name.rows = {};
      name.fingerprint = 0;
    }
  }
  counted_.clear();
}

}  // namespace wmsketch
