// A saved multiclass model may contain anything. Loading either throws, or gives a model that answers, learns and
// merges.
#include <cmath>
#include <cstdlib>

#include "../tests/multiclass_of.hpp"
#include "damage.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/models/multiclass.hpp"

namespace {

using namespace wmsketch;

Multiclass fresh(std::uint8_t flags, std::uint8_t shape) {
  StoreConfig store;
  store.width = 1 + shape % 61;
  store.active_set_size = 16 + shape % 2 * 8;
  store.name_bytes = 8 * store.active_set_size;
  MulticlassConfig config;
  config.max_classes = 2 + shape % 5;
  config.negatives = flags % 3;
  config.fit_intercept = flags & 4;
  config.balanced = flags & 8;
  if ((flags & 48) == 16) config.half_life.examples = 3;
  if (flags & 32) config.half_life.seconds = 5;
  if (!(flags & 64)) store.width = 8 * (1 + shape % 7);
  return multiclass_of(store, config, flags & 64 ? StepKind::plain : StepKind::adaptive);
}

class Rows final : public RowBlock {
 public:
  Rows(Input& input, std::uint32_t n_classes, bool timed) {
    named = true;
    for (int n_rows = input.byte() % 8; n_rows > 0; --n_rows) {
      for (int n = input.byte() % 4; n > 0; --n) {
        keys.push_back(input.two() * 2654435761u);
        values.push_back(static_cast<float>(input.byte()) / 16 - 8);
      }
      add_class("label " + std::to_string(input.byte() % n_classes));
      if (timed) times.push_back(input.byte());
      starts.push_back(static_cast<std::int64_t>(keys.size()));
    }
  }
  std::string name(std::size_t i) const override { return "name of " + std::to_string(keys[i]); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t flags = input.byte(), shape = input.byte();
  Multiclass origin = fresh(flags, shape), loaded = fresh(flags, shape), twin = fresh(flags, shape);
  learn(origin, Rows(input, 2, flags & 32));
  if (!load_damaged(origin, loaded, twin, input)) return 0;
  const Rows rows(input, 2, flags & 32);
  std::vector<double> margins(rows.size() * loaded.classes().size());
  loaded.margins(rows.batch(), margins);
  loaded.top(5);
  try {
    learn_in_range([&] { learn(loaded, rows); });
    loaded.merge(twin);
  } catch (const std::invalid_argument&) {  // no room for more classes
  }
  return 0;
}
