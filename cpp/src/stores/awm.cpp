#include "wmsketch/stores/awm.hpp"

#include "wmsketch/stores/awm_adaptive.hpp"
#include "wmsketch/stores/awm_plain.hpp"
#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {

// Computes where each key may be stored, for many keys at once, and prefetches that memory. The places do not change
// while these keys are learned.
template <class Set, class Cell>
bool AwmStore<Set, Cell>::find_rows(const Key* keys, std::size_t n, KeyRows& rows) const {
  if constexpr (!kAdaptive && !Set::kIsExact) {
    if (sketch_.depth() > 1) return false;
    std::fill(std::copy_n(keys, n, rows.key), std::end(rows.key), 0);
    hasher_.hash_all(0, rows.key, KeyRows::kPadded, rows.hash);
    const std::uint32_t lines = set_.lines(), width = sketch_.width();
    for (std::size_t i = 0; i < KeyRows::kPadded; ++i) {
      rows.line[i] = bucket_of(second_hash(rows.hash[i]), lines) * kLineWords;
      rows.cell[i] = cells_at_ + bucket_of(rows.hash[i], width);
    }
    for (std::size_t i = 0; i < n; ++i) {
      __builtin_prefetch(buffer_.data() + rows.line[i]);
      __builtin_prefetch(buffer_.data() + rows.cell[i], 1);
    }
    return true;
  }
  return false;
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::read_rows(KeyRows& rows, std::size_t first) const {
  if constexpr (!kAdaptive && !Set::kIsExact) kernels().read_keys(buffer_.data(), rows, first);
}

template <class Set, class Cell>
std::size_t AwmStore<Set, Cell>::step_rows(const KeyRows& rows, std::size_t first, std::size_t most, bool& enters) {
  if constexpr (!kAdaptive && !Set::kIsExact) return kernels().step_keys(buffer_.data(), rows, first, most, enters);
  return 0;
}

StoreClass awm_store(const StoreChoice& choice) {
  if (choice.exact_set)
    return choice.either<AwmStore<ExactSet<FloatSlot>, FloatCell>, AwmStore<ExactSet<PackedSlot>, PackedCell>>();
  return choice.either<AwmStore<LineSet<FloatSlot>, FloatCell>, AwmStore<LineSet<PackedSlot>, PackedCell>>();
}

}  // namespace wmsketch
