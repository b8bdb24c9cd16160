// The whole state of a learner as bytes, by name. Two learners are the same if these are equal.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "wmsketch/models/learner.hpp"

namespace wmsketch {

class StateBytes final : public Archive {
 public:
  bool loading() const override { return false; }
  std::map<std::string, std::string> arrays;

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    arrays[std::string(name)] = std::string(static_cast<const char*>(data), size_of(type) * count);
  }
  std::size_t length(std::string_view) const override { return 0; }
  bool has(std::string_view) const override { return false; }
};

inline std::map<std::string, std::string> state_of(Learner& learner) {
  StateBytes bytes;
  learner.archive(bytes);
  return bytes.arrays;
}

}  // namespace wmsketch
