// How the adaptive AWM-Sketch steps: short loops over whole vectors, and only writing takes a feature at a time. A part
// of kernels.inl.

// The slots after this example's step, as if every feature were active, rounded at random. Rates as of
// AdaptiveStep::rate_for.
template <bool kNewton>
static inline void adapt(std::size_t n, const AdaptiveStep& step, const LocatedHalves& at) {
  // by name: after a store, the compiler would read step and at again
  const auto everywhere = [](float x) { return Floats{} + x; };
  const Floats gradient_of_one = everywhere(step.gradient), least = everywhere(step.rate),
               speed = everywhere(step.speed);
  const Floats prior = everywhere(step.prior), per_settled = everywhere(step.per_settled);
  const Floats per_scale = everywhere(step.per_scale), per_weight = everywhere(step.per_weight);
  const MixerSeeds seeds{step.seed_low, step.seed_high};
  const std::uint32_t* const hash = at.hash;
  const float *const raw = at.raw, *const squares = at.squares, *const value = at.signed_value;
  std::uint32_t *const slots = at.slots, *const random = at.random;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words bits = mix_one(load_lanes<Words>(hash + i), seeds);
    const Floats gradient = gradient_of_one * load_lanes<Floats>(value + i), square = gradient * gradient;
    const Floats sum = load_lanes<Floats>(squares + i) + (kNewton ? square * per_weight : square), base = sum + prior;
    const Floats own = speed / (kNewton ? base : root_of(base + base * base * per_settled));
    const Floats rate = kNewton ? own : own > least ? own : least;
    const Floats weight = load_lanes<Floats>(raw + i) - (rate * gradient) * per_scale;
    store_lanes(random + i, bits);
    store_lanes(slots + i, ((reinterpret_cast<Words>(weight) + (bits & ~kPackedWeight)) & kPackedWeight) |
                               ((reinterpret_cast<Words>(sum) + (bits >> (32 - kPackedSumShift))) >> kPackedSumShift));
  }
}

// The smallest magnitude of the weights in a key's line; positive floats are ordered as their bits are.
static inline void find_lightest(const std::uint16_t* halves, std::uint32_t cells_at, std::size_t n,
                                 const LocatedHalves& at) {
#if defined(__AVX2__)
  const __m256i magnitudes = in_all_lanes(kPackedMagnitude);
  const __m256i infinite = in_all_lanes(0x7f800000), first_cell = in_all_lanes(cells_at);
  for (std::size_t i = 0; i < n; i += 8) {
    // eight lines at once: the least of each pair of neighbours of two lines in one vector, and so on
    const auto line = [&](std::size_t l) {
      const auto* slots = reinterpret_cast<const __m256i*>(halves + at.line[i + l] + 2 * kWays);
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
    const float least = lightest_of(reinterpret_cast<const float*>(halves + at.line[i] + 2 * kWays));
    const std::uint32_t active = all_ones_if(at.word[i] < cells_at);
    at.lightest[i] = float_of((bits_of(least) & kPackedMagnitude & ~active) | (0x7f800000u & active));
  }
#endif
}

// Both steps are taken, and one is kept. A cell is read and written with the half below it, because that is how the
// next row will read it.
static inline void write_halves(std::uint16_t* halves, std::uint32_t cells_at, std::size_t n, const LocatedHalves& at) {
  const std::uint32_t* __restrict word = at.word;
  const std::uint32_t* __restrict slots = at.slots;
  const std::uint32_t* __restrict random = at.random;
  const float* __restrict delta = at.delta;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t* const half = halves + word[i] - 1;
    std::uint32_t both;
    __builtin_memcpy(&both, half, sizeof both);
    const std::uint32_t cell = bits_of(float_of(both & kHalfBits) + delta[i]) + (random[i] & ~kHalfBits);
    const std::uint32_t stepped = (cell & kHalfBits) | (both & ~kHalfBits);
    const std::uint32_t active = all_ones_if(word[i] < cells_at);
    const std::uint32_t slot = (slots[i] & active) | (stepped & ~active);
    __builtin_memcpy(half, &slot, sizeof slot);
  }
}

static inline void adapt_all(std::size_t n, const AdaptiveStep& step, const LocatedHalves& at) {
  step.newton ? adapt<true>(n, step, at) : adapt<false>(n, step, at);
}

static inline void step_slots(std::uint16_t* halves, std::size_t n, const AdaptiveStep& step, const LocatedHalves& at) {
  adapt_all(n, step, at);
  const std::uint32_t *const word = at.word, *const slots = at.slots;
  for (std::size_t i = 0; i < n; ++i) __builtin_memcpy(halves + word[i] - 1, slots + i, sizeof slots[i]);
}

static inline std::size_t step_halves(std::uint16_t* halves, std::uint32_t cells_at, std::size_t n,
                                      const AdaptiveStep& step, TailSteps tail, const LocatedHalves& at) {
  adapt_all(n, step, at);
  find_lightest(halves, cells_at, n, at);
  const std::size_t found =
      find_candidates(at.raw, at.signed_value, tail.entering, at.lightest, n, at.delta, at.candidates);
  if (step.newton)  // those that stay in the tail take another step than those that enter
    for (std::size_t i = 0; i < n; ++i) at.delta[i] = tail.staying * at.signed_value[i];
  for (std::size_t c = 0; c < found; ++c) at.delta[at.candidates[c]] = 0.0f;
  write_halves(halves, cells_at, n, at);
  return found;
}
