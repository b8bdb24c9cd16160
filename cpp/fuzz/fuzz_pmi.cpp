// Saved pairs may contain anything. Loading either throws std::invalid_argument, or gives a learner that answers,
// learns, merges and saves the same arrays without a memory error.
#include <cmath>

#include "damage.hpp"
#include "wmsketch/apps/pmi/pmi.hpp"

namespace {

using namespace wmsketch;

PairLearner fresh(std::uint8_t flags, std::uint8_t shape) {
  PmiConfig config;
  config.window = 1 + shape % 4;
  config.negatives = 1 + shape / 4 % 3;
  config.reservoir = 1 + shape % 9;
  config.item_width = 8;
  config.lines = 1 + shape % 3;
  config.bound_width = 4;
  config.names = 4 + shape % 13;
  config.name_bytes = 6 * config.names;
  config.half_life = (flags & 1) ? 5 : 0;
  config.directed = flags & 2;
  config.subsample = (flags & 4) ? 0.1 : 0;
  config.window_seconds = (flags & 8) ? 2 : 0;
  config.groups = (flags & 16) ? 3 : 1;
  StoreConfig store;
  store.depth = 1;
  store.width = 16;
  store.active_set_size = 16;
  return PairLearner(config, store, LearnerConfig{});
}

void learn(PairLearner& learner, Input& input) {
  for (int n = input.byte() % 64; n > 0; --n) {
    const std::uint8_t item = input.byte();
    if (item & 64) learner.choose_group(item);
    if (item & 128) learner.end_sequence();
    learner.add((item & 32 ? "a long name of " : "") + std::to_string(item % 16), n / 8.0);
  }
}

void use(PairLearner& learner, const PairLearner& other, Input& input) {
  for (const PairLearner::Row& row : learner.top(1000, 0, static_cast<PairOrder>(input.byte() % 5)))
    learner.row(row.u, row.v);
  learner.n_exact();
  learner.row("1", "never seen");
  learner.distinct_in_sample();
  learner.nbytes();
  try {
    learner.merge(other);
  } catch (const std::invalid_argument&) {  // counts that would be too large
  }
  learn_in_range([&] { learn(learner, input); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t flags = input.byte(), shape = input.byte();
  PairLearner origin = fresh(flags, shape), loaded = fresh(flags, shape), twin = fresh(flags, shape);
  learn(origin, input);
  if (load_damaged(origin, loaded, twin, input)) use(loaded, (flags & 32) ? twin : origin, input);
  return 0;
}
