// Where the cells of the next rows of a table end. Rows without quotes are split many at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wmsketch {

// Finds delimiters and line ends in a stretch of text, 64 characters at a time. Rows with a quote are left to others.
class CellMarks {
 public:
  // A row: where its cells begin and end, counted from `text`. The last cell ends at the line end.
  struct Row {
    const char* text;
    std::uint32_t* marks;  // marks[0] is before the first cell, marks[i + 1] behind cell i
    std::size_t n_cells;

    const char* begin() const { return text + (marks[0] + 1); }
    const char* line_end() const { return text + marks[n_cells]; }
    std::string_view cell(std::size_t i) const {
      const std::uint32_t from = marks[i] + 1;
      return {text + from, marks[i + 1] - from};
    }
  };

  // The whole row at `at`, or one without cells if it has a quote that matters, no line end before `end`, or very many
  // cells. 64 characters must be readable behind the end.
  Row row_at(const char* at, const char* end, char delimiter, bool quotes_matter) {
    if (at != next_) find(at, end, delimiter, quotes_matter);
    if (row_ == n_rows_) {
      if (at == from_) return {};
      find(at, end, delimiter, quotes_matter);
      if (n_rows_ == 0) return {};
    }
    const std::uint32_t first = row_ == 0 ? 0 : last_[row_ - 1];
    const Row row{from_, &marks_[first], last_[row_] - first};
    row.marks[0] = static_cast<std::uint32_t>(at - from_) - 1;
    ++row_;
    next_ = row.line_end() + 1;
    return row;
  }
  void forget() {
    next_ = from_ = nullptr;
    row_ = n_rows_ = 0;
  }

  static constexpr std::size_t kMost = 1024;  // cells that are found at once, and up to 63 more

 private:
  void find(const char* at, const char* end, char delimiter, bool quotes_matter);

  const char* from_ = nullptr;
  const char* next_ = nullptr;  // where the next row begins
  std::size_t row_ = 0, n_rows_ = 0;
  std::array<std::uint32_t, kMost + 68> marks_;  // the first stands before the text
  std::array<std::uint32_t, kMost + 64> last_;   // the number of ends up to that of each row
};

}  // namespace wmsketch
