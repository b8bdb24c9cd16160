// A model's arrays may hold anything: loading them refuses with std::invalid_argument, or gives a learner that answers,
// learns, merges and is saved again without a step outside its memory, and with the same arrays.
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "memory_archive.hpp"
#include "wmsketch/learner.hpp"
#include "wmsketch/row_block.hpp"

namespace {

using namespace wmsketch;

// Takes the input apart; zeros when it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return empty() ? 0 : *at_++; }
  std::uint32_t two() { return byte() | std::uint32_t{byte()} << 8; }

 private:
  const std::uint8_t *at_, *end_;
};

constexpr std::uint8_t kKinds = static_cast<std::uint8_t>(StoreKind::adaptive_map) + 1;

std::unique_ptr<Learner> fresh(std::uint8_t kind_byte, std::uint8_t flags, std::uint8_t shape) {
  const auto kind = static_cast<StoreKind>(kind_byte % kKinds);
  const bool adaptive = kind == StoreKind::adaptive_awm;
  StoreConfig store;
  store.depth = adaptive ? 1 : 1 + shape % 3;
  store.width = 1 + shape % 37;
  store.active_set_size = 16 + shape % 2 * 8;
  store.name_bytes = (flags & 1) ? 6 * store.active_set_size : 0;
  store.n_features = 1 + shape;
  store.eviction = !adaptive && (flags & 2) ? Eviction::drop : Eviction::paper;
  store.hash_family = (flags & 4) ? HashFamily::polynomial : HashFamily::mixer;
  store.averaged = kind == StoreKind::wm && (flags & 8);
  LearnerConfig rule;
  rule.l1 = !store.averaged && (flags & 16) ? 1e-3 : 0;
  rule.radius = store.averaged && (flags & 16) ? 3 : 0;
  rule.balanced = flags & 32;
  return make_learner(kind, !adaptive && (flags & 64), store, rule);
}

class NamedRows final : public RowBlock {
 public:
  NamedRows(Input& input, std::uint32_t key_limit) {
    named = true;
    for (int n_rows = input.byte() % 8; n_rows > 0; --n_rows) {
      for (int n = input.byte() % 4; n > 0; --n) {
        keys.push_back(input.two() * 2654435761u % key_limit);
        values.push_back(static_cast<float>(input.byte()) / 16 - 8);
      }
      labels.push_back(input.byte() % 2 ? 1 : -1);
      starts.push_back(static_cast<std::int64_t>(keys.size()));
    }
  }
  std::string name(std::size_t i) const override { return "name of " + std::to_string(keys[i]); }
};

void put(StoredArray& array, std::size_t at, const void* value, std::size_t size) {
  if (array.bytes.empty()) return;
  at %= array.bytes.size();
  std::memcpy(array.bytes.data() + at, value, std::min(size, array.bytes.size() - at));
}

// Numbers that checks and arithmetic trip over, in the width of the array.
void put_strange_number(StoredArray& array, std::size_t entry, std::uint8_t choice) {
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

void damage(StoredState& state, Input& input) {
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

void use(Learner& learner, Input& input, std::uint32_t key_limit) {
  const NamedRows rows(input, key_limit);
  std::vector<double> margins(rows.size());
  learner.margins(rows.batch(), margins);
  for (std::uint32_t key = 0; key < std::min(key_limit, 20u); ++key) {
    if (std::isnan(learner.weight(key))) std::abort();
    learner.deviation(key);
  }
  if (learner.keeps_keys())
    for (const HeavyFeature& feature : learner.top(5))
      if (std::isnan(feature.weight)) std::abort();
  learner.names_shortened();
  learner.nbytes();
  learner.learn(rows.batch());
  const std::unique_ptr<Learner> twin = learner.copy();
  twin->learn(rows.batch());
  learner.merge(*twin);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t kind = input.byte(), flags = input.byte(), shape = input.byte();
  const bool dense = static_cast<StoreKind>(kind % kKinds) == StoreKind::dense ||
                     static_cast<StoreKind>(kind % kKinds) == StoreKind::adaptive_dense;
  const std::uint32_t key_limit = dense ? 1u + shape : 1u << 31;
  const std::unique_ptr<Learner> origin = fresh(kind, flags, shape), loaded = fresh(kind, flags, shape);
  const NamedRows rows(input, key_limit);
  origin->learn(rows.batch());
  StateWriter saved;
  origin->archive(saved);
  StoredState state = saved.state;
  while (!input.empty() && !state.empty() && input.byte() % 4 != 0) damage(state, input);
  try {
    StateReader reader(state);
    loaded->archive(reader);
  } catch (const std::invalid_argument&) {
    if (state == saved.state) std::abort();  // what a learner saves, it can load
    return 0;
  }
  StateWriter again;
  loaded->archive(again);
  const std::unique_ptr<Learner> twin = fresh(kind, flags, shape);
  StateReader reader(again.state);
  twin->archive(reader);
  StateWriter third;
  twin->archive(third);
  if (!(again.state == third.state)) std::abort();
  use(*loaded, input, key_limit);
  return 0;
}
