// How the adaptive AWM-Sketch steps: short loops over whole vectors, and only writing takes a feature at a time. A part
// of kernels.inl.

// A copy of what a step needs: of what lies elsewhere, the compiler would think that a store may change it.
struct PackedStep {
  RowStep step;
  PackedCells cells;
  LocatedPacked at;
};

// A weight and the sum of its squares as a cell, as PackedCell::rounded_at_random.
static inline Words pack_cells(Floats weight, Floats sum_in_units, Words random) {
  constexpr std::uint32_t kLeast = kBelowLeastCell + (1u << 17), kMost = kBelowLeastCell + (0x7ffu << 17);
  const Words bits = reinterpret_cast<Words>(weight), size = bits & ~kSignBit, noise = random & 0x1ffffu;
  const Words sum = size + noise, rounded = sum < kMost ? sum : Words{} + kMost;
  const Floats least = Floats{} + float_of(kLeast);
  const Floats raised = reinterpret_cast<Floats>(size) +
                        __builtin_convertvector(reinterpret_cast<Ints>(noise), Floats) * (0x1p-17f * least);
  const Words small = raised >= least ? Words{} + kLeast : Words{} + kBelowLeastCell;
  const Words code = ((size < kLeast ? small : rounded) - kBelowLeastCell) >> 17 << 20;
  const Words level = ((reinterpret_cast<Words>(sum_in_units + 1.0f) + (random >> 17 << 8)) >> 23) - 127u;
  return (bits & kSignBit) | code | ((level < 15u ? level : Words{} + 15u) << 16);
}

// What one vector of features is after this example's step, rounded at random; the bits that round depend on a key, not
// on its place in the row. Rates as of RowStep::rate_for and tail_rate_for.
template <bool kNewton, bool kTail>
[[gnu::always_inline]] static inline void adapt_lanes(std::size_t i, const PackedStep& all) {
  const RowStep& step = all.step;
  const LocatedPacked& at = all.at;
  const Words bits = mix_one(load_lanes<Words>(at.hash + i), MixerSeeds{step.seed_low, step.seed_high});
  const auto tail = load_lanes<Words>(at.word + i) >= all.cells.first;
  const Floats speed = kTail ? (tail ? Floats{} + step.tail_speed : Floats{} + step.speed) : Floats{} + step.speed;
  const Floats gradient = step.gradient * load_lanes<Floats>(at.signed_value + i), square = gradient * gradient;
  const Floats sum = load_lanes<Floats>(at.squares + i) + (kNewton ? square * step.per_weight : square);
  const Floats base = sum + step.prior;
  const Floats own = speed / (kNewton ? base : root_of(base + base * base * step.per_settled));
  const Floats rate = kNewton ? own : own > step.least_rate ? own : Floats{} + step.least_rate;
  const Floats weight = load_lanes<Floats>(at.raw + i) - (rate * gradient) * step.per_scale;
  const Words slot = ((reinterpret_cast<Words>(weight) + (bits & ~kPackedWeight)) & kPackedWeight) |
                     ((reinterpret_cast<Words>(sum) + (bits >> (32 - kPackedSumShift))) >> kPackedSumShift);
  if constexpr (kTail) {
    const Words cell = pack_cells(weight, sum * (1.0f / all.cells.unit), bits);
    store_lanes(at.stepped + i, weight);
    store_lanes(at.after + i, tail ? cell : slot);
  } else {
    store_lanes(at.after + i, slot);
  }
}

template <bool kTail>
static inline void adapt(std::size_t n, const PackedStep& all) {
  if (all.step.newton)
    for (std::size_t i = 0; i < n; i += kLanes) adapt_lanes<true, kTail>(i, all);
  else
    for (std::size_t i = 0; i < n; i += kLanes) adapt_lanes<false, kTail>(i, all);
}

// The smallest magnitude of the weights in a key's line; positive floats are ordered as their bits are.
static inline void find_lightest(const std::uint16_t* half_words, std::uint32_t cells_at, std::size_t n,
                                 const LocatedPacked& at) {
#if defined(__AVX2__)
  const __m256i magnitudes = in_all_lanes(kPackedMagnitude);
  const __m256i infinite = in_all_lanes(0x7f800000), first_cell = in_all_lanes(cells_at);
  for (std::size_t i = 0; i < n; i += 8) {
    // eight lines at once: the least of each pair of neighbours of two lines in one vector, and so on
    const auto line = [&](std::size_t l) {
      const auto* slots = reinterpret_cast<const __m256i*>(half_words + at.line[i + l] + 2 * kWays);
      return _mm256_and_si256(_mm256_load_si256(slots), magnitudes);
    };
    const auto of_two = [&](std::size_t l) {
      const __m256i a = line(l), b = line(l + 1);
      return _mm256_min_epu32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    };
    const auto of_four = [&](std::size_t l) {
      const __m256i a = of_two(l), b = of_two(l + 2);
      return _mm256_min_epu32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    };
    const __m256i a = of_four(0), b = of_four(4);
    const __m256i least =
        _mm256_min_epu32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
    const __m256i word = load_eight(at.word + i);
    const __m256i tail = _mm256_cmpeq_epi32(_mm256_max_epu32(word, first_cell), word);
    _mm256_storeu_ps(at.lightest + i, _mm256_castsi256_ps(_mm256_blendv_epi8(infinite, least, tail)));
  }
#else
  for (std::size_t i = 0; i < n; ++i) {
    // the lowest bits of a slot do not change which weight is the lightest
    const float least = lightest_of(reinterpret_cast<const float*>(half_words + at.line[i] + 2 * kWays));
    const std::uint32_t active = all_ones_if(at.word[i] < cells_at);
    at.lightest[i] = float_of((bits_of(least) & kPackedMagnitude & ~active) | (0x7f800000u & active));
  }
#endif
}

// Lists the features of the tail that are heavier than the lightest of their line.
static inline std::size_t find_heavier(const float* weight, const float* lightest, std::size_t n,
                                       std::uint32_t* candidates) {
  std::size_t found = 0;
#if defined(__AVX2__)
  const __m256 positive = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256 size = _mm256_and_ps(_mm256_loadu_ps(weight + i), positive);
    found = list_lanes(_mm256_cmp_ps(size, _mm256_loadu_ps(lightest + i), _CMP_GT_OQ), i, n, candidates, found);
  }
#else
  for (std::size_t i = 0; i < n; ++i) {
    candidates[found] = static_cast<std::uint32_t>(i);
    found += magnitude(weight[i]) > lightest[i];
  }
#endif
  return found;
}

// The cell of a feature after its step, if another one of this row has stepped it before.
[[gnu::noinline]] static std::uint32_t step_again(std::uint32_t cell, std::size_t i, float unit,
                                                  const RowStep& step, const LocatedPacked& at) {
  const float gradient = step.gradient * at.signed_value[i], square = gradient * gradient * step.per_weight;
  const float weight = cell_weight(cell) + (at.stepped[i] - at.raw[i]), sum = cell_sum(cell) + square / unit;
  const std::uint32_t random = mix_one(at.hash[i], MixerSeeds{step.seed_low, step.seed_high});
  return pack_cells(Floats{} + weight, Floats{} + sum, Words{} + random)[0];
}

// A cell is read and written with the half below it, because that is how the next row will read it.
static inline void write_packed(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                const LocatedPacked& at) {
  const std::uint32_t *const word = at.word, *const before = at.before, *const after = at.after;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t* const half = half_words + word[i] - 1;
    std::uint32_t now, next = after[i];
    __builtin_memcpy(&now, half, sizeof now);
    if (((now ^ before[i]) & kCellBits) != 0) [[unlikely]]
      next = step_again(now, i, cells.unit, step, at);
    const std::uint32_t below = ~kCellBits & ~all_ones_if(word[i] < cells.first);
    next |= now & below;
    __builtin_memcpy(half, &next, sizeof next);
  }
}

static inline void step_slots(std::uint16_t* half_words, std::size_t n, const RowStep& step, const LocatedPacked& at) {
  adapt<false>(n, {step, {}, at});
  const std::uint32_t *const word = at.word, *const after = at.after;
  for (std::size_t i = 0; i < n; ++i) __builtin_memcpy(half_words + word[i] - 1, after + i, sizeof after[i]);
}

static inline std::size_t step_packed(std::uint16_t* half_words, PackedCells cells, std::size_t n,
                                      const RowStep& step, const LocatedPacked& at) {
  adapt<true>(n, {step, cells, at});
  find_lightest(half_words, cells.first, n, at);
  const std::size_t found = find_heavier(at.stepped, at.lightest, n, at.candidates);
  write_packed(half_words, cells, n, step, at);
  return found;
}
