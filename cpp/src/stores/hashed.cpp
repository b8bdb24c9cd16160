#include "wmsketch/stores/hashed.hpp"

#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {

StoreClass hashed_store(const StoreChoice& choice) {
  return choice.either<HashedStore<FloatCell>, HashedStore<BfloatCell>>();
}

}  // namespace wmsketch
