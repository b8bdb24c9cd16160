// A saved model may contain anything. Loading either throws std::invalid_argument, or gives a learner that answers,
// learns, merges and saves the same arrays without a memory error.
#include <cmath>
#include <cstdlib>

#include "damage.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/rule/learner.hpp"

namespace {

using namespace wmsketch;

constexpr std::uint8_t kKinds = static_cast<std::uint8_t>(StoreKind::bear) + 1, kSteps = 2;

StoreKind store_of(std::uint8_t kind_byte) { return static_cast<StoreKind>(kind_byte % kKinds); }

std::unique_ptr<Learner> fresh(std::uint8_t kind_byte, std::uint8_t flags, std::uint8_t shape) {
  const StoreKind kind = store_of(kind_byte);
  StoreConfig store;
  store.depth = 1 + shape % 3;
  store.width = 1 + shape % 37;
  store.active_set_size = 16 + shape % 2 * 8;
  store.name_bytes = (flags & 1) ? 6 * store.active_set_size : 0;
  store.n_features = 1 + shape;
  store.eviction = (flags & 2) ? Eviction::drop : Eviction::paper;
  store.hash_family = (flags & 4) ? HashFamily::polynomial : HashFamily::mixer;
  LearnerConfig rule;
  if (kind != StoreKind::bear) rule.step.kind = static_cast<StepKind>(kind_byte / kKinds % kSteps);
  store.averaged = kind == StoreKind::wm && !rule.step.adaptive() && (flags & 8);
  rule.l1 = !store.averaged && (flags & 16) ? 1e-3 : 0;
  rule.radius = store.averaged && (flags & 16) ? 3 : 0;
  rule.balanced = flags & 32;
  if (kind == StoreKind::awm && rule.step.adaptive()) {
    store.depth = 1;
    store.width = 8 * (1 + shape % 5);
    store.hash_family = HashFamily::mixer;
  }
  return make_learner(kind, flags & 64, store, rule);
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
  learn_in_range([&] { learner.learn(rows.batch()); });
  const std::unique_ptr<Learner> twin = learner.copy();
  learn_in_range([&] { twin->learn(rows.batch()); });
  learner.merge(*twin);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t kind = input.byte(), flags = input.byte(), shape = input.byte();
  const std::uint32_t key_limit = store_of(kind) == StoreKind::dense ? 1u + shape : 1u << 31;
  const std::unique_ptr<Learner> origin = fresh(kind, flags, shape), loaded = fresh(kind, flags, shape),
                                 twin = fresh(kind, flags, shape);
  const NamedRows rows(input, key_limit);
  origin->learn(rows.batch());
  if (!load_damaged(*origin, *loaded, *twin, input)) return 0;
  use(*loaded, input, key_limit);
  return 0;
}
