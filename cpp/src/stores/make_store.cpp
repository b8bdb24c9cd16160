#include "wmsketch/stores/make_store.hpp"

#include <stdexcept>

namespace wmsketch {

#define WMSKETCH_KIND(name) StoreClass name##_store(const StoreChoice& choice);
WMSKETCH_STORE_KINDS(WMSKETCH_KIND)
#undef WMSKETCH_KIND

namespace {

StoreClass class_of(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step) {
  const StoreChoice choice{exact_set, config.cells, step.adaptive()};
  switch (kind) {
#define WMSKETCH_KIND(name) \
  case StoreKind::name:     \
    return name##_store(choice);
    WMSKETCH_STORE_KINDS(WMSKETCH_KIND)
#undef WMSKETCH_KIND
  }
  throw std::invalid_argument("unknown kind of store");
}

}  // namespace

std::unique_ptr<WeightStore> make_store(StoreKind kind, bool exact_set, const StoreConfig& config,
                                        const StepRule& step) {
  return class_of(kind, exact_set, config, step).make(config);
}

std::size_t store_bytes(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step) {
  return class_of(kind, exact_set, config, step).bytes(config);
}

}  // namespace wmsketch
