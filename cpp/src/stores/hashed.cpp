#include "wmsketch/stores/hashed.hpp"

namespace wmsketch {

template class HashedStore<FloatCell>;
template class HashedStore<BfloatCell>;

}  // namespace wmsketch
