// A counter that hashes names under its secret, as learners do.
#pragma once

#include <string_view>
#include <utility>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

template <class Counter>
class KeyedNames : public Counter {
 public:
  KeyedNames(Counter counter, const NameSecret& secret) : Counter(std::move(counter)), secret_(secret) {}

  Key key_of(std::string_view name) const { return key_of_name(name, secret_); }
  void merge(const KeyedNames& other) {
    if (secret_ != other.secret_) throw merge_error("seed", "names are hashed under different seeds");
    Counter::merge(other);
  }

 private:
  NameSecret secret_;
};

}  // namespace wmsketch
