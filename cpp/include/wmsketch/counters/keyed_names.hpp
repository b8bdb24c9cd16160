// A counter whose names are hashed with a secret, as in the learners.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

template <class Counter>
class KeyedNames : public Counter {
 public:
  KeyedNames(Counter counter, const NameSecret& secret) : Counter(std::move(counter)), secret_(secret) {}

  Key key_of(std::string_view name) const { return key_of_name(name, secret_); }
  template <class... Amounts>
  void update_named(std::string_view name, Amounts... amounts) {
    Counter::update(key_of(name), name, amounts...);
  }
  template <class... Amounts>
  void update_many_named(std::span<const std::string_view> names, std::span<const Amounts>... amounts) {
    std::vector<Key> keys(names.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(names[i]);
    Counter::update_many(keys, names, amounts...);
  }
  void merge(const KeyedNames& other) {  // on failure this counter is unchanged
    if (secret_ != other.secret_) throw merge_error("seed", "the names are hashed with different seeds");
    Counter merged = *this;
    merged.merge(other);
    static_cast<Counter&>(*this) = std::move(merged);
  }

 private:
  NameSecret secret_;
};

}  // namespace wmsketch
