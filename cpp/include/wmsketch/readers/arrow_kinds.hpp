// The kind of an Arrow column by its first values: texts and numbers may be times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/readers/arrow_values.hpp"
#include "wmsketch/readers/row_encoder.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch::arrow {

inline bool is_null_at(const ArrowArray& array, std::int64_t i) {  // counted from the offset on
  return array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] && !bit(array.buffers[0], i);
}

// The kind of a column of texts or whole numbers by its first rows: they may be times.
inline constexpr std::int64_t kMostJudged = 10'000;
inline constexpr std::uint64_t kFewestJudged = 16;
inline ColumnKind kind_of_texts(Kind kind, const ArrowArray& array) {
  TimeGuess times;
  std::uint64_t n = 0;
  for (std::int64_t i = array.offset; i < array.offset + std::min(array.length, kMostJudged); ++i) {
    if (is_null_at(array, i)) continue;
    const std::string_view text = kind == Kind::text         ? text_at<std::int32_t>(array, i)
                                  : kind == Kind::large_text ? text_at<std::int64_t>(array, i)
                                                             : view_at(array, i);
    if (is_missing(text)) continue;
    times.add(text);
    if (++n >= kFewestJudged && 2 * times.n() < n) break;
  }
  return n == 0 ? ColumnKind::text : times.kind(n);
}
inline bool all_are_epochs(Kind kind, const ArrowArray& array) {
  bool any = false;
  for (std::int64_t i = array.offset; i < array.offset + std::min(array.length, kMostJudged); ++i) {
    if (is_null_at(array, i)) continue;
    const double value =
        kind == Kind::float64 ? at<double>(array, 1, i) : static_cast<double>(index_at(kind, array, i));
    if (std::isnan(value)) continue;
    if (!epoch_seconds(value)) return false;
    any = true;
  }
  return any;
}
// Texts and numbers that are times; otherwise the kind itself.
inline ColumnKind kind_by_values(ColumnKind kind, Kind of, std::string_view name, const ArrowArray& array) {
  if (kind == ColumnKind::text) return kind_of_texts(of, array);
  const bool may_be_epoch = kind == ColumnKind::number && names_epoch(name) && (is_index(of) || of == Kind::float64);
  return may_be_epoch && all_are_epochs(of, array) ? ColumnKind::time : kind;
}

}  // namespace wmsketch::arrow
