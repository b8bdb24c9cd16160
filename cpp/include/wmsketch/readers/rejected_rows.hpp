// Rows that cannot be read: the first one ends the input, or they are passed over and counted.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wmsketch {

// What is wrong with a row, by which a caller can say the way out. `file`: no row is to blame, as for a bad header.
// `value`: a value contradicts the kind of its column. `code`: it does, because it is a code and no number. `label`:
// there is none. `third_label`: there were two others. `which_positive`: nobody can tell which label is the positive
// one.
enum class Fault : std::uint8_t { file, row, value, code, label, encoding, third_label, which_positive };

// Where the input broke the format, and how. Lines, rows and columns count from 1; columns count characters.
struct RejectedRow {
  std::uint64_t line = 0, column = 0;  // of formats without lines: the number of the row, and 0
  std::string message{};
  Fault fault = Fault::row;
  std::string name{}, value{};  // of a value: its column, where it may be read in another way, and what it is
  std::string text{};           // the line as it stands in the file
};

// A value that its column cannot take. Whoever reads the file knows the place.
struct BadValue {
  std::string message;
  Fault fault = Fault::row;
  std::string name{}, value{};
};

struct RejectOptions {
  bool skip_bad = false;      // pass over rows that cannot be read
  bool skip_missing = false;  // pass over rows without a label
  bool keep_all = false;      // remember every row that was passed over, not only the first
};

// Those that were passed over since the last `take`.
class RejectedRows {
 public:
  void set_options(RejectOptions options) { options_ = options; }
  bool skips_bad() const { return options_.skip_bad; }
  bool passes_over(Fault fault) const {
    return fault == Fault::label ? options_.skip_missing : fault != Fault::file && options_.skip_bad;
  }
  void add(RejectedRow row) {
    std::uint64_t& n = row.fault == Fault::label ? counts_.n_missing : counts_.n_bad;
    if (++n == 1 || options_.keep_all) counts_.rows.push_back(std::move(row));
  }

  void leave_out() { ++counts_.n_left_out; }  // a sound row, of which nothing else is told

  struct Counts {
    std::uint64_t n_bad = 0, n_missing = 0, n_left_out = 0;
    std::vector<RejectedRow> rows{};  // in their order
  };
  Counts take() { return std::exchange(counts_, {}); }

 private:
  RejectOptions options_;
  Counts counts_;
};

}  // namespace wmsketch
