// The hash of tables in this process: no choice of keys can make them collide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// Tabulation hashing with tables drawn from the system when the process starts: with linear probing a lookup takes
// constant expected time, whatever keys a stream or a file holds. Never a part of results or of files.
class TableHash {
 public:
  TableHash();

  std::size_t operator()(std::uint32_t key) const { return of_bytes<4>(key); }
  std::size_t operator()(std::uint64_t key) const { return of_bytes<8>(key); }
  std::size_t operator()(std::string_view name) const { return static_cast<std::size_t>(hash_name(name, secret_)); }

 private:
  template <std::size_t kBytes>
  std::size_t of_bytes(std::uint64_t key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < kBytes; ++i) hash ^= tables_[i][key >> (8 * i) & 255];
    return static_cast<std::size_t>(hash);
  }

  std::array<std::array<std::uint64_t, 256>, 8> tables_;  // 16 KiB of the process
  NameSecret secret_;
};

extern const TableHash table_hash;

// For the containers of the standard library.
struct SeededHash {
  std::size_t operator()(const auto& key) const { return table_hash(key); }
};

}  // namespace wmsketch
