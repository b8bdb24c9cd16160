// The state of a model in memory, like a file: arrays by name, which a fuzzer can damage.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"

namespace wmsketch {

struct StoredArray {
  ArrayType type;
  std::vector<std::uint8_t> bytes;

  bool operator==(const StoredArray&) const = default;
};
using StoredState = std::map<std::string, StoredArray, std::less<>>;

class StateWriter final : public Archive {
 public:
  bool loading() const override { return false; }
  StoredState state;

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    const auto* const bytes = static_cast<const std::uint8_t*>(data);
    state[std::string(name)] = {type, {bytes, bytes + count * size_of(type)}};
  }
  std::size_t length(std::string_view) const override { return 0; }
};

class StateReader final : public Archive {
 public:
  explicit StateReader(const StoredState& state) : state_(state) {}
  bool loading() const override { return true; }

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    const StoredArray& array = find(name);
    if (array.type != type || array.bytes.size() != count * size_of(type))
      throw std::invalid_argument("another type or length");
    if (count > 0) std::memcpy(data, array.bytes.data(), array.bytes.size());
  }
  std::size_t length(std::string_view name) const override {
    const StoredArray& array = find(name);
    return array.bytes.size() / size_of(array.type);
  }

 private:
  const StoredArray& find(std::string_view name) const {
    const auto found = state_.find(name);
    if (found == state_.end()) throw std::invalid_argument("missing");
    return found->second;
  }
  const StoredState& state_;
};

template <class Model>
StoredState state_of(Model& model) {
  StateWriter writer;
  model.archive(writer);
  return writer.state;
}

}  // namespace wmsketch
