// The values of the next rows are looked up together, so that their memory is waited for at once.
#include <algorithm>

#include "wmsketch/apps/explain/explain_stream.hpp"

namespace wmsketch {

void AttributeStream::look_ahead(const RowBlock& rows, std::size_t row) {
  ahead_.clear();
  if (known_.empty()) return;
  const auto end = static_cast<std::size_t>(rows.starts[std::min(rows.size(), row + kRowsAhead)]);
  ahead_from_ = static_cast<std::size_t>(rows.starts[row]);
  new_ahead_.clear();
  for (std::size_t i = ahead_from_; i < end; ++i) {
    Ahead& ahead = ahead_.emplace_back();
    const RowBlock::Cell cell = rows.cell(i, scratch_);
    if (cell.is_number || cell.id == RowBlock::kNoColumn) continue;
    KnownValue& value = *known_at(cell.word);
    if (is_known(value, cell.word)) {
      table_.prefetch(value.slot);
    } else {
      const std::uint32_t column = columns_.found(cell.id);
      if (column == ExplainColumns::kNone) continue;
      if (!columns_[column].attribute || !columns_[column].comparisons.empty()) continue;
      const auto more = static_cast<std::uint32_t>(hash_name(cell.word, options_.secret));
      const auto size = static_cast<std::uint32_t>(cell.word.size());
      value = {cell.word.data(), size, column, more, AttributeTable::kNone, n_blocks_};
      new_ahead_.push_back(attribute_id(rows.keys[i], more));
      table_.prefetch_index(new_ahead_.back());
    }
    ahead = {value.column, value.more, &value.slot};
  }
  for (const AttributeId id : new_ahead_) table_.prefetch_slot(id);
}

}  // namespace wmsketch
