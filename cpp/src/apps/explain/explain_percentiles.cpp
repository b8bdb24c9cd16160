// Percentiles of rows that can be read before they are counted, and columns that are left out.
#include <algorithm>
#include <string>
#include <vector>

#include "wmsketch/apps/explain/explain_stream.hpp"
#include "wmsketch/readers/number_style.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

std::vector<std::vector<double>> AttributeStream::percentile_numbers(const RowBlock& rows, Which which,
                                                                     bool observing) {
  Condition& asked = conditions_[which];
  std::vector<std::vector<double>> found(asked.percentiles().size());
  std::string scratch;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (Condition& condition : conditions_) condition.start_row();
    for (auto i = static_cast<std::size_t>(rows.starts[row]); i < static_cast<std::size_t>(rows.starts[row + 1]); ++i) {
      const RowBlock::Cell cell = rows.cell(i, scratch);
      for (Condition& condition : conditions_)
        for (std::size_t c = 0; c < condition.size(); ++c) {
          if (condition.comparison(c).column != cell.column) continue;
          const std::optional<double> number =
              cell.is_number ? std::optional(number_at(rows, i)) : number_or_amount_in(cell.word);
          // what cannot be compared is an error when the row is learned
          if (number || !condition.compares_numbers(c)) condition.set(c, cell.word, number);
        }
    }
    if (which == of_outlier && conditions_[of_where].truth() != Truth::yes) continue;
    asked.each_percentile_number([&](std::size_t place, double number) { found[place].push_back(number); });
    if (observing) asked.add_to_percentiles();
  }
  return found;
}

void AttributeStream::release_percentiles() {
  for (Condition& condition : conditions_) condition.release();
}

void AttributeStream::refresh_percentiles() {
  for (Condition& condition : conditions_) condition.refresh();
}

void AttributeStream::leave_out(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (std::find(names.begin(), names.end(), columns_[i].name()) != names.end()) columns_[i].attribute = false;
}

}  // namespace wmsketch
