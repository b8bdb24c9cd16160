// Where the features of the adaptive AWM-Sketch live; its slots and cells are smaller than a float32. A part of
// kernels.inl.

// The bits of a slot and of a cell, as packed_slot.hpp and packed_cell.hpp packs them; a cell is the upper half of a word.
static constexpr std::uint32_t kPackedWeight = 0xfffff000u, kPackedSumShift = 19;
static constexpr std::uint32_t kPackedMagnitude = kPackedWeight & 0x7fffffffu;
static constexpr std::uint32_t kSignBit = 0x80000000u, kCellBits = 0xffff0000u, kCellMagnitude = 0x7ff00000u;
static constexpr std::uint32_t kBelowLeastCell = 107u << 23;

static inline float cell_weight(std::uint32_t word) {
  const std::uint32_t magnitude = word & kCellMagnitude, sign = word & kSignBit;
  return float_of(magnitude == 0 ? 0 : sign | ((magnitude >> 3) + kBelowLeastCell));
}
static inline float cell_sum(std::uint32_t word) {  // in units
  return float_of((127u + ((word >> 16) & 15u)) << 23) - 1.0f;
}

// All ones or none: a choice by it cannot become a branch, which would be mispredicted.
static inline std::uint32_t all_ones_if(bool holds) { return -static_cast<std::uint32_t>(holds); }

#if defined(__AVX2__)
static inline __m256i in_all_lanes(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
static inline __m256i load_eight(const std::uint32_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
static inline void store_eight(std::uint32_t* at, __m256i eight) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), eight);
}

static inline __m256i eight_buckets(__m256i hash, __m256i width) {  // as wmsketch::bucket_of
  const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(hash, width), 32);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(hash, 32), width);
  return _mm256_blend_epi32(even, odd, 0xaa);
}

// One more than the way of each key in its line, or 0. At most one way matches: flags become bytes, then their numbers.
static inline __m256i eight_ways(const std::uint16_t* half_words, const std::uint32_t* line, const Key* keys) {
  const auto same = [&](std::size_t i) {
    return _mm256_cmpeq_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(half_words + line[i])),
                              in_all_lanes(keys[i]));
  };
  const auto of_four = [&](std::size_t i) {
    return _mm256_packs_epi16(_mm256_packs_epi32(same(i), same(i + 1)), _mm256_packs_epi32(same(i + 2), same(i + 3)));
  };
  const __m256i a = of_four(0), b = of_four(4);
  const __m256i low = _mm256_and_si256(_mm256_permute2x128_si256(a, b, 0x20), in_all_lanes(0x04030201));
  const __m256i high = _mm256_and_si256(_mm256_permute2x128_si256(a, b, 0x31), in_all_lanes(0x08070605));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_or_si256(low, high), _mm256_set1_epi8(1));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

// Not 0 if a word of these is a cell's. A loop of its own: in the one below, no register is left for it.
static inline std::uint32_t any_cell(const std::uint32_t* word, std::size_t n, __m256i cells_at) {
  __m256i any = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n; i += 8) {
    any = _mm256_max_epu32(any, _mm256_and_si256(load_eight(word + i), first_lanes(n - i)));
  }
  const __m256i is_cell = _mm256_cmpeq_epi32(_mm256_max_epu32(any, cells_at), any);
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(is_cell)));
}

static inline __m256 eight_cell_weights(__m256i word) {  // as cell_weight
  const __m256i magnitude = _mm256_and_si256(word, in_all_lanes(kCellMagnitude));
  const __m256i bits = _mm256_add_epi32(_mm256_srli_epi32(magnitude, 3), in_all_lanes(kBelowLeastCell));
  const __m256i sign = _mm256_and_si256(word, in_all_lanes(kSignBit));
  const __m256i none = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
  return _mm256_castsi256_ps(_mm256_andnot_si256(none, _mm256_or_si256(bits, sign)));
}
static inline __m256 eight_cell_sums(__m256i word) {  // as cell_sum
  const __m256i level = _mm256_and_si256(_mm256_slli_epi32(word, 7), in_all_lanes(15u << 23));
  const __m256i power = _mm256_add_epi32(level, in_all_lanes(127u << 23));
  return _mm256_sub_ps(_mm256_castsi256_ps(power), _mm256_set1_ps(1));
}

// Eight features at once. Numbers that go from a feature at a time to a vector do so in registers: a vector that is
// read where single numbers have just been written waits for all of them.
static inline LocatedRow locate_packed(PackedBuffer buffer, const Key* keys, const float* values, std::size_t n,
                                       const LocatedPacked& out) {
  const std::uint16_t* half_words = buffer.half_words;
  std::uint32_t *const lines_at = out.line, *const words_at = out.word;  // or they would be read again after a store
  const __m256i lines = in_all_lanes(buffer.lines);
  const __m256i width = in_all_lanes(buffer.width);
  const __m256i cells_at = _mm256_slli_epi32(lines, 5);
  static_assert(kLineHalfWords == 32);
  __m256 dots = _mm256_setzero_ps(), energies = _mm256_setzero_ps();
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256i inside = first_lanes(n - i);
    const __m256i hash = load_eight(out.hash + i);
    const __m256i second = _mm256_mullo_epi32(hash, in_all_lanes(0x9e3779b1u));
    const __m256i line = _mm256_slli_epi32(eight_buckets(second, lines), 5);
    store_eight(lines_at + i, line);
    std::uint32_t eight[8];  // keys end where the row ends
    store_eight(eight, _mm256_maskload_epi32(reinterpret_cast<const int*>(keys + i), inside));
    const __m256i way = eight_ways(half_words, lines_at + i, eight);
    const __m256i tail = _mm256_cmpeq_epi32(way, _mm256_setzero_si256());
    const __m256i weight =
        _mm256_add_epi32(_mm256_add_epi32(line, _mm256_add_epi32(way, way)), in_all_lanes(2 * kWays - 1));
    const __m256i cell = _mm256_add_epi32(cells_at, eight_buckets(hash, width));
    store_eight(words_at + i, _mm256_blendv_epi8(weight, cell, tail));
    const auto both = [&](std::size_t l) {  // a weight is the upper half of what begins one half before it
      int both;
      __builtin_memcpy(&both, half_words + words_at[i + l] - 1, sizeof both);
      return both;
    };
    const __m256i slot = _mm256_setr_epi32(both(0), both(1), both(2), both(3), both(4), both(5), both(6), both(7));
    const __m256 raw = _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_and_si256(slot, in_all_lanes(kPackedWeight))),
                                        eight_cell_weights(slot), _mm256_castsi256_ps(tail));
    const __m256 sum =
        _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_andnot_si256(in_all_lanes(kPackedWeight), slot), kPackedSumShift));
    const __m256 cell_sum = _mm256_mul_ps(eight_cell_sums(slot), _mm256_set1_ps(buffer.unit));
    const __m256i sign = _mm256_and_si256(_mm256_slli_epi32(hash, 31), tail);
    const __m256 given = _mm256_maskload_ps(values + i, inside);
    energies = _mm256_add_ps(energies, _mm256_mul_ps(given, given));
    n_values += count_of_lanes(_mm256_cmp_ps(given, _mm256_setzero_ps(), _CMP_NEQ_UQ));
    const __m256 value = _mm256_xor_ps(given, _mm256_castsi256_ps(sign));
    _mm256_storeu_ps(out.raw + i, raw);
    _mm256_storeu_ps(out.squares + i, _mm256_blendv_ps(sum, cell_sum, _mm256_castsi256_ps(tail)));
    store_eight(out.before + i, slot);
    _mm256_storeu_ps(out.signed_value + i, value);
    // lanes beyond the end add 0, which changes no sum
    dots = _mm256_add_ps(dots, _mm256_mul_ps(_mm256_and_ps(raw, _mm256_castsi256_ps(inside)), value));
  }
  return {sum_of_lanes(dots), any_cell(out.word, n, cells_at), {sum_of_lanes(energies), n_values}};
}
#else
static inline LocatedRow locate_packed(PackedBuffer buffer, const Key* keys, const float* values, std::size_t n,
                                       const LocatedPacked& out) {
  const std::uint16_t* half_words = buffer.half_words;
  const std::uint32_t cells_at = buffer.lines * kLineHalfWords;
  std::uint32_t any_tail = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t hash = out.hash[i], second = hash * 0x9e3779b1u;
    const std::uint32_t line = static_cast<std::uint32_t>((std::uint64_t{second} * buffer.lines) >> 32) * kLineHalfWords;
    const std::uint32_t cell = cells_at + static_cast<std::uint32_t>((std::uint64_t{hash} * buffer.width) >> 32);
    const std::uint32_t hit = matches(reinterpret_cast<const float*>(half_words + line), keys[i]);
    const std::uint32_t weight = line + 2 * kWays + 2 * static_cast<std::uint32_t>(__builtin_ctz(hit | 0x100u)) + 1;
    const std::uint32_t active = all_ones_if(hit != 0), place = (weight & active) | (cell & ~active);
    any_tail |= ~active;
    std::uint32_t slot;  // a weight is the upper half of what begins one half before it
    __builtin_memcpy(&slot, half_words + place - 1, sizeof slot);
    out.line[i] = line;
    out.word[i] = place;
    out.before[i] = slot;
    out.raw[i] = hit ? float_of(slot & kPackedWeight) : cell_weight(slot);
    out.squares[i] = hit ? float_of((slot & ~kPackedWeight) << kPackedSumShift) : cell_sum(slot) * buffer.unit;
    out.signed_value[i] = float_of(bits_of(values[i]) ^ ((hash << 31) & ~active));
  }
  return {dot(out.raw, out.signed_value, n), any_tail, energy_of(values, n)};
}
#endif
