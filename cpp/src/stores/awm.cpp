#include "wmsketch/stores/awm.hpp"

namespace wmsketch {

namespace inlined {  // for keys that come one at a time, without a call
#include "wmsketch/simd/lanes_portable.inl"
// behind the lanes
#include "wmsketch/simd/lines.inl"
}  // namespace inlined

// First where keys may live, for many at once; it stays so, and memory is asked for it.
template <class Set, class Cell>
bool AwmStore<Set, Cell>::find_rows(const Key* keys, std::size_t n, KeyRows& rows) const {
  if constexpr (!kAdaptive && !Set::kIsExact) {
    if (sketch_.depth() > 1) return false;
    std::fill(std::copy_n(keys, n, rows.key.begin()), rows.key.end(), 0);
    hasher_.hash_all(0, rows.key.data(), KeyRows::kPadded, rows.hash.data());
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
  if constexpr (!kAdaptive && !Set::kIsExact) {
    for (std::size_t l = 0; l < kRowsAtOnce; ++l) {
      const std::size_t i = first + l;
      const std::uint32_t line = rows.line[i], hit = inlined::matches(buffer_.data() + line, rows.key[i]);
      const std::uint32_t active = -static_cast<std::uint32_t>(hit != 0);
      const std::uint32_t weight = line + kWays + static_cast<std::uint32_t>(__builtin_ctz(hit | 1u << kWays));
      const std::uint32_t word = (weight & active) | (rows.cell[i] & ~active);
      rows.word[l] = word;
      rows.line_read[l] = line;
      rows.active[l] = active;
      rows.raw[l] = buffer_[word];
      rows.sign[l] = inlined::float_of(0x3f800000u ^ (sign_bit_of(rows.hash[i]) & ~active));
    }
  }
}

template <class Set, class Cell>
std::size_t AwmStore<Set, Cell>::step_rows(const KeyRows& rows, const float* raw_steps, std::size_t most,
                                           bool& enters) {
  enters = false;
  std::size_t l = 0;
  if constexpr (!kAdaptive && !Set::kIsExact) {
    const auto stepped_already = [&](std::size_t at) {  // the weight of a row before
      bool meets = false;
      for (std::size_t j = 0; j < at; ++j) meets |= rows.word[j] == rows.word[at];
      return meets;
    };
    do {
      const float delta = raw_steps[l] * rows.sign[l];
      const float* line = buffer_.data() + rows.line_read[l] + kWays;
      const std::uint32_t lightest = inlined::bits_of(inlined::lightest_of(line)), active = rows.active[l];
      enters = std::abs(rows.raw[l] + delta) > inlined::float_of((lightest & ~active) | (0x7f800000u & active));
      if (!enters) buffer_[rows.word[l]] = rows.raw[l] + delta;
    } while (++l < most && !enters && !stepped_already(l));
  }
  return l;
}

template class AwmStore<LineSet<FloatSlot>, FloatCell>;
template class AwmStore<LineSet<PackedSlot>, PackedCell>;
template class AwmStore<ExactSet<FloatSlot>, FloatCell>;
template class AwmStore<ExactSet<PackedSlot>, PackedCell>;
template class AwmStore<LineSet<PackedSlot>, TaggedCell>;
template class AwmStore<ExactSet<PackedSlot>, TaggedCell>;

}  // namespace wmsketch
