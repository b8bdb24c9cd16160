// Rows of a table as readers produce them, written by hand.
#pragma once

#include <string>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

class TableRows final : public RowBlock {
 public:
  TableRows() { named = true; }
  std::string name(std::size_t i) const override { return names_[i]; }

  // A text for a category, a number for a numeric column.
  struct Value {
    Value(const char* column, const char* text) : name(std::string(column) + "=" + text) {}
    Value(const char* column, const std::string& text) : name(std::string(column) + "=" + text) {}
    Value(const char* column, double number) : name(column), number(static_cast<float>(number)) {}
    std::string name;
    float number = 1.0f;
  };

  void add(std::vector<Value> row, int label = 0, float weight = -1) {
    for (const Value& value : row) {
      keys.push_back(key_of_name(value.name));
      values.push_back(value.number);
      names_.push_back(value.name);
    }
    starts.push_back(static_cast<std::int64_t>(keys.size()));
    if (label != 0) labels.push_back(static_cast<std::int8_t>(label));
    if (weight >= 0) weights.push_back(weight);
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace wmsketch
