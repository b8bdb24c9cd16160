#include "wmsketch/stores/make_store.hpp"

#include <stdexcept>

namespace wmsketch {

// Each is in the source file of its kind.
StoreClass wm_store(const StoreChoice& choice);
StoreClass awm_store(const StoreChoice& choice);
StoreClass hashed_store(const StoreChoice& choice);
StoreClass dense_store(const StoreChoice& choice);
StoreClass map_store(const StoreChoice& choice);
StoreClass truncated_store(const StoreChoice& choice);
StoreClass probabilistic_store(const StoreChoice& choice);
StoreClass space_saving_store(const StoreChoice& choice);
StoreClass count_min_store(const StoreChoice& choice);
StoreClass probabilistic_product_store(const StoreChoice& choice);
StoreClass space_saving_one_store(const StoreChoice& choice);
StoreClass mission_store(const StoreChoice& choice);

namespace {

StoreClass class_of(StoreKind kind, bool exact_set, const StepRule& step) {
  const StoreChoice choice{exact_set, step.adaptive()};
  switch (kind) {
    case StoreKind::wm:
      return wm_store(choice);
    case StoreKind::awm:
      return awm_store(choice);
    case StoreKind::hashed:
      return hashed_store(choice);
    case StoreKind::dense:
      return dense_store(choice);
    case StoreKind::map:
      return map_store(choice);
    case StoreKind::truncated:
      return truncated_store(choice);
    case StoreKind::probabilistic:
      return probabilistic_store(choice);
    case StoreKind::space_saving:
      return space_saving_store(choice);
    case StoreKind::count_min:
      return count_min_store(choice);
    case StoreKind::probabilistic_product:
      return probabilistic_product_store(choice);
    case StoreKind::space_saving_one:
      return space_saving_one_store(choice);
    case StoreKind::mission:
      return mission_store(choice);
  }
  throw std::invalid_argument("unknown kind of store");
}

}  // namespace

std::unique_ptr<WeightStore> make_store(StoreKind kind, bool exact_set, const StoreConfig& config,
                                        const StepRule& step) {
  return class_of(kind, exact_set, step).make(config);
}

std::size_t store_bytes(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step) {
  return class_of(kind, exact_set, step).bytes(config);
}

}  // namespace wmsketch
