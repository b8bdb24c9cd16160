#include "wmsketch/stores/make_store.hpp"

#include <stdexcept>
#include <type_traits>

#include "wmsketch/stores/awm.hpp"
#include "wmsketch/stores/dense.hpp"
#include "wmsketch/stores/frequent.hpp"
#include "wmsketch/stores/hashed.hpp"
#include "wmsketch/stores/map.hpp"
#include "wmsketch/stores/truncated.hpp"
#include "wmsketch/stores/wm.hpp"

namespace wmsketch {
namespace {

// Calls use(std::type_identity<Store>{}) with the class for this kind, set, cells and steps.
template <class Use>
auto with_store(StoreKind kind, bool exact_set, Cells cells, bool adaptive, Use use) {
  const auto either = [&]<class Plain, class Adaptive>(std::type_identity<Plain> a, std::type_identity<Adaptive> b) {
    return adaptive ? use(b) : use(a);
  };
  using std::type_identity;
  switch (kind) {
    case StoreKind::wm:
      return exact_set ? either(type_identity<WmStore<ExactSet<FloatSlot>, FloatCell>>{},
                                type_identity<WmStore<ExactSet<FloatSlot>, BfloatCell>>{})
                       : either(type_identity<WmStore<LineSet<FloatSlot>, FloatCell>>{},
                                type_identity<WmStore<LineSet<FloatSlot>, BfloatCell>>{});
    case StoreKind::awm:
      if (cells == Cells::tagged)
        return exact_set ? use(type_identity<AwmStore<ExactSet<PackedSlot>, TaggedCell>>{})
                         : use(type_identity<AwmStore<LineSet<PackedSlot>, TaggedCell>>{});
      return exact_set ? either(type_identity<AwmStore<ExactSet<FloatSlot>, FloatCell>>{},
                                type_identity<AwmStore<ExactSet<PackedSlot>, PackedCell>>{})
                       : either(type_identity<AwmStore<LineSet<FloatSlot>, FloatCell>>{},
                                type_identity<AwmStore<LineSet<PackedSlot>, PackedCell>>{});
    case StoreKind::hashed:
      return either(type_identity<HashedStore<FloatCell>>{}, type_identity<HashedStore<BfloatCell>>{});
    case StoreKind::dense:
      return either(type_identity<DenseStore<FloatSlots>>{}, type_identity<DenseStore<FloatPairSlots>>{});
    case StoreKind::map:
      return either(type_identity<MapStore<FloatSlots>>{}, type_identity<MapStore<FloatPairSlots>>{});
    case StoreKind::truncated:
      return either(type_identity<TruncatedStore<FloatSlots, Priority::magnitude>>{},
                    type_identity<TruncatedStore<FloatPairSlots, Priority::magnitude>>{});
    case StoreKind::probabilistic:
      return either(type_identity<TruncatedStore<FloatSlots, Priority::quotient>>{},
                    type_identity<TruncatedStore<FloatPairSlots, Priority::quotient>>{});
    case StoreKind::probabilistic_product:
      return either(type_identity<TruncatedStore<FloatSlots, Priority::product>>{},
                    type_identity<TruncatedStore<FloatPairSlots, Priority::product>>{});
    case StoreKind::space_saving:
      return either(type_identity<FrequentStore<SpaceSavingCounter<false>, FloatSlots>>{},
                    type_identity<FrequentStore<SpaceSavingCounter<false>, FloatPairSlots>>{});
    case StoreKind::space_saving_one:
      return either(type_identity<FrequentStore<SpaceSavingCounter<true>, FloatSlots>>{},
                    type_identity<FrequentStore<SpaceSavingCounter<true>, FloatPairSlots>>{});
    case StoreKind::count_min:
      return either(type_identity<FrequentStore<CountMinCounter, FloatSlots>>{},
                    type_identity<FrequentStore<CountMinCounter, FloatPairSlots>>{});
    case StoreKind::mission:
      return either(type_identity<WmStore<ExactSet<FloatSlot>, FloatCell, Predicts::from_set>>{},
                    type_identity<WmStore<ExactSet<FloatSlot>, BfloatCell, Predicts::from_set>>{});
  }
  throw std::invalid_argument("unknown kind of store");
}

}  // namespace

std::unique_ptr<WeightStore> make_store(StoreKind kind, bool exact_set, const StoreConfig& config,
                                        const StepRule& step) {
  return with_store(kind, exact_set, config.cells, step.adaptive(),
                    [&]<class Store>(std::type_identity<Store>) -> std::unique_ptr<WeightStore> {
                      return std::make_unique<Store>(config);
                    });
}

std::size_t store_bytes(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step) {
  return with_store(kind, exact_set, config.cells, step.adaptive(),
                    [&]<class Store>(std::type_identity<Store>) { return Store::bytes_for(config); });
}

}  // namespace wmsketch
