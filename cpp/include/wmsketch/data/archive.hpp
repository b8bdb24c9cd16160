// Saving and loading share one list of a model's state. Each part passes its named arrays to the archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wmsketch/data/error.hpp"

namespace wmsketch {

enum class ArrayType : std::uint8_t { float32, float64, uint32, uint64, int64, uint8, uint16, int32 };

inline std::size_t size_of(ArrayType type) {
  switch (type) {
    case ArrayType::uint8:
      return 1;
    case ArrayType::uint16:
      return 2;
    case ArrayType::float32:
    case ArrayType::uint32:
    case ArrayType::int32:
      return 4;
    default:
      return 8;
  }
}

template <class T>
constexpr ArrayType array_type() {
  if constexpr (std::is_same_v<T, float>) return ArrayType::float32;
  if constexpr (std::is_same_v<T, double>) return ArrayType::float64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ArrayType::uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ArrayType::uint64;
  if constexpr (std::is_same_v<T, std::int64_t>) return ArrayType::int64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ArrayType::uint8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return ArrayType::uint16;
  if constexpr (std::is_same_v<T, std::int32_t>) return ArrayType::int32;
}

// Saving reads through the pointers, loading writes through them. Loading throws std::invalid_argument if a name is
// missing or if a type or length is not what the model expects.
class Archive {
 public:
  virtual ~Archive() = default;
  virtual bool loading() const = 0;

  template <class T>
  void fixed(std::string_view name, T* data, std::size_t count) {
    visit(name, array_type<T>(), data, count);
  }
  template <class T>
  void value(std::string_view name, T& single) {
    visit(name, array_type<T>(), &single, 1);
  }
  // An array whose length is part of the state. `most` limits how much memory a damaged file can make us allocate.
  template <class T>
  void growing(std::string_view name, std::vector<T>& data, std::size_t most) {
    if (loading()) {
      const std::size_t stored = length(name);
      if (stored > most)
        throw Error(ErrorCode::damaged, std::string(name) + " has " + std::to_string(stored) +
                                            " entries, the model allows at most " + std::to_string(most));
      data.resize(stored);
    }
    visit(name, array_type<T>(), data.data(), data.size());
  }

 protected:
  virtual void visit(std::string_view name, ArrayType type, void* data, std::size_t count) = 0;
  virtual std::size_t length(std::string_view name) const = 0;
};

inline void require_state(bool holds, const char* rule) {
  if (!holds) throw Error(ErrorCode::damaged, std::string("the saved state is damaged: ") + rule);
}

}  // namespace wmsketch
