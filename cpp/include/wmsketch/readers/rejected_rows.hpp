// Rows that cannot be read: the first one ends the input, or all are skipped and counted.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wmsketch {

// The kind of problem, from which the caller suggests a remedy. `file`: the problem is not in a row, for example a bad
// header. `value`: a value does not fit its column. `shape`: a line that is no row of the table, for example because it
// has too many cells. `label`: the label is missing. `third_label`: two other labels were seen before.
// `which_positive`: it is unclear which label is positive.
enum class Fault : std::uint8_t { file, row, value, shape, label, encoding, third_label, which_positive };

// Where and how the input violates the format. Lines, rows and columns count from 1. Columns count characters.
struct RejectedRow {
  std::uint64_t line = 0, column = 0;  // for formats without lines: the row number, and 0
  std::string message{};
  Fault fault = Fault::row;
  std::string name{}, value{};  // for Fault::value: the column, and the text of the value
  std::string text{};           // the line as in the file, if every row is recorded
};

// A value that does not fit its column. The caller knows the position.
struct BadValue {
  std::string message;
  Fault fault = Fault::row;
  std::string name{}, value{};
};

// A row to predict that has columns, but none that the model knows.
struct NoKnownColumn : BadValue {};

struct RejectOptions {
  bool skip_bad = false;  // skip rows that cannot be read
  // skip lines that are no rows of the table, complete short rows, and read bytes that are not UTF-8 as cp1252
  bool tolerate = false;
  bool skip_missing = false;  // skip rows without a label
  bool keep_all = false;      // record every skipped row with its text, not only the first
};

// The rows skipped since the last `take`.
class RejectedRows {
 public:
  void set_options(RejectOptions options) { options_ = options; }
  bool skips_bad() const { return options_.skip_bad || options_.tolerate; }
  bool tolerates() const { return options_.tolerate; }
  bool keeps_all() const { return options_.keep_all; }
  bool passes_over(Fault fault) const {
    if (fault == Fault::label) return options_.skip_missing;
    return fault != Fault::file && (options_.skip_bad || (fault == Fault::shape && options_.tolerate));
  }
  void add(RejectedRow row) {
    std::uint64_t& n = row.fault == Fault::label ? counts_.n_missing : counts_.n_bad;
    if (++n == 1 || options_.keep_all) counts_.rows.push_back(std::move(row));
  }

  void leave_out() { ++counts_.n_left_out; }  // a valid row that does not meet the condition

  struct Counts {
    std::uint64_t n_bad = 0, n_missing = 0, n_left_out = 0;
    std::vector<RejectedRow> rows{};  // in input order
  };
  Counts take() { return std::exchange(counts_, {}); }

 private:
  RejectOptions options_;
  Counts counts_;
};

}  // namespace wmsketch
