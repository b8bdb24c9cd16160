#include "wmsketch/data/table_hash.hpp"

#include <chrono>
#include <exception>
#include <random>

#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

std::uint64_t drawn_from_the_system() {
  try {
    std::random_device source;
    return std::uint64_t{source()} << 32 | source();
  } catch (const std::exception&) {  // no random source: less secret, but still different each time
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
}

}  // namespace

TableHash::TableHash() {
  Random random(drawn_from_the_system());
  for (auto& table : tables_)
    for (std::uint64_t& entry : table) entry = random.next();
  secret_ = {random.next(), random.next(), random.next()};
}

const TableHash table_hash;

}  // namespace wmsketch
