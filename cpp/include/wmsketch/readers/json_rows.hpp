// JSON documents as JSON Lines: each object that is a row gets its own line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wmsketch {

// The rows are the objects of a document's outer array; of an array inside its outer object, like the features of
// GeoJSON; or the outer objects themselves, which may span several lines.
enum class JsonRows : std::uint8_t { objects, array, inner_array };

class JsonRowSplitter {
 public:
  explicit JsonRowSplitter(JsonRows rows) : rows_(rows), base_(static_cast<std::uint32_t>(rows)) {}

  std::string feed(std::string_view chunk);

 private:
  bool is_row_level() const { return depth_ == base_ && (base_ < 2 || (in_array_ && !done_)); }

  JsonRows rows_;
  std::uint32_t base_;  // depth of the rows
  std::uint32_t depth_ = 0;
  bool in_string_ = false, escaped_ = false, in_row_ = false, wrote_ = false;
  bool in_array_ = false;  // the container at depth 2 is an array
  bool found_ = false;     // it has rows
  bool done_ = false;      // the array with rows has ended
};

}  // namespace wmsketch
