// Splits the input of a fuzzer into choices, and damages the state of a model accordingly.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>

#include "memory_archive.hpp"

namespace wmsketch {

// Reads values from the input; zeros when it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return empty() ? 0 : *at_++; }
  std::uint32_t two() { return byte() | std::uint32_t{byte()} << 8; }

 private:
  const std::uint8_t *at_, *end_;
};

inline void put(StoredArray& array, std::size_t at, const void* value, std::size_t size) {
  if (array.bytes.empty()) return;
  at %= array.bytes.size();
  std::memcpy(array.bytes.data() + at, value, std::min(size, array.bytes.size() - at));
}

// Writes a number that is likely to break checks or arithmetic, in the width of the array.
inline void put_strange_number(StoredArray& array, std::size_t entry, std::uint8_t choice) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 8> kReals = {0.0,       -0.0,       -1.0,   std::numeric_limits<double>::quiet_NaN(),
                                            kInfinite, -kInfinite, 3.4e38, 1e-40};
  constexpr std::array<std::uint64_t, 8> kWholes = {0, 1, 15, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 63, ~0ull};
  const std::size_t at = entry * size_of(array.type);
  if (array.type == ArrayType::float64) {
    put(array, at, &kReals[choice % 8], 8);
  } else if (array.type == ArrayType::float32) {
    const auto real = static_cast<float>(kReals[choice % 8]);
    put(array, at, &real, 4);
  } else {
    put(array, at, &kWholes[choice % 8], size_of(array.type));
  }
}

inline void damage(StoredState& state, Input& input) {
  auto chosen = state.begin();
  std::advance(chosen, input.byte() % state.size());
  StoredArray& array = chosen->second;
  const std::uint8_t how = input.byte();
  const std::uint32_t where = input.two();
  switch (how % 6) {
    case 0: {
      const std::uint8_t value = input.byte();
      return put(array, where, &value, 1);
    }
    case 1:
      return put_strange_number(array, where, input.byte());
    case 2:
      return array.bytes.resize(where % 512 * size_of(array.type), input.byte());
    case 3:
      array.type = static_cast<ArrayType>(where % 7);
      return;
    case 4:
      for (std::uint8_t& byte : array.bytes) byte = input.byte();
      return;
    default:
      if (where % 16 == 0) state.erase(chosen);
  }
}

// Loads the state of `origin` with damage. Returns false if it was rejected. Otherwise the loaded model is saved,
// loaded and saved again, which must give the same arrays.
template <class Model>
bool load_damaged(Model& origin, Model& loaded, Model& twin, Input& input) {
  const StoredState saved = state_of(origin);
  StoredState state = saved;
  while (!input.empty() && !state.empty() && input.byte() % 4 != 0) damage(state, input);
  try {
    StateReader reader(state);
    loaded.archive(reader);
  } catch (const std::invalid_argument&) {
    if (state == saved) std::abort();  // a model must be able to load what it saved
    return false;
  }
  const StoredState again = state_of(loaded);
  StateReader reader(again);
  twin.archive(reader);
  if (!(state_of(twin) == again)) std::abort();
  return true;
}

// Learns with the loaded model. It stops if huge weights from the file overflow.
template <class Learn>
void learn_in_range(Learn learn) {
  try {
    learn();
  } catch (const BadRow&) {
  }
}

}  // namespace wmsketch
