// The hash function of all in-memory tables. It is random in each process, so that nobody can choose keys that collide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// Tabulation hashing with tables drawn from the system's random source at start. With linear probing, lookups take
// constant expected time for any keys (Patrascu and Thorup, 2012). The hash must never influence results or files.
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

  std::array<std::array<std::uint64_t, 256>, 8> tables_;  // 16 KiB, once per process
  NameSecret secret_;
};

extern const TableHash table_hash;

// For the containers of the standard library.
struct SeededHash {
  std::size_t operator()(const auto& key) const { return table_hash(key); }
};

}  // namespace wmsketch
