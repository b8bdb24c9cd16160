// The kernels of the adaptive AWM-Sketch, whose slots and cells are smaller than a float32. A part of kernels.inl.
//
// What must go through memory a feature at a time - finding keys, writing - is kept to the least; all else is done for
// whole vectors, in loops short enough for the compiler.

// The bits of a weight in a slot and of a cell, as half.hpp packs them.
static constexpr std::uint32_t kPackedWeight = 0xfffff000u, kPackedSumShift = 19, kHalfBits = 0xffff0000u;
static constexpr std::uint32_t kPackedMagnitude = kPackedWeight & 0x7fffffffu;

// All ones or none: a choice by it cannot become a branch, which would be mispredicted.
static inline std::uint32_t all_ones_if(bool holds) { return -static_cast<std::uint32_t>(holds); }

static inline void copy_to_whole_vectors(const float* values, std::size_t n, float* __restrict out) {
  std::size_t i = 0;
#if defined(__AVX2__)
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(out + i, _mm256_loadu_ps(values + i));
  if (i < n) _mm256_storeu_ps(out + i, _mm256_maskload_ps(values + i, first_lanes(n - i)));
#else
  for (; i < n; ++i) out[i] = values[i];
  for (; i < whole_vectors(n); ++i) out[i] = 0.0f;
#endif
}

static inline void find_halves(HalfBuffer buffer, const Key* keys, std::size_t n, const LocatedHalves& out) {
  const std::uint16_t* halves = buffer.halves;
  const std::uint32_t* __restrict hash = out.hash;
  std::uint32_t* __restrict line = out.line;
  std::uint32_t* __restrict word = out.word;
  std::uint32_t* __restrict slots = out.slots;
  const std::uint64_t lines = buffer.lines, width = buffer.width;
  const std::uint32_t cells_at = buffer.lines * kLineHalves;
  for (std::size_t i = 0; i < whole_vectors(n); ++i) {
    const std::uint32_t second = hash[i] * 0x9e3779b1u;
    line[i] = static_cast<std::uint32_t>((second * lines) >> 32) * kLineHalves;
    word[i] = cells_at + static_cast<std::uint32_t>((hash[i] * width) >> 32);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t hit = matches(reinterpret_cast<const float*>(halves + line[i]), keys[i]);
    const std::uint32_t weight =
        line[i] + 2 * kWays + 2 * static_cast<std::uint32_t>(__builtin_ctz(hit | 0x100u)) + 1;
    const std::uint32_t active = all_ones_if(hit != 0), place = (weight & active) | (word[i] & ~active);
    word[i] = place;
    // the weight is the upper half of what begins one half before it
    __builtin_memcpy(&slots[i], halves + place - 1, sizeof slots[i]);
  }
}

// A cell has no squares, and its values take its sign.
static inline void unpack(std::uint32_t cells_at, std::size_t n, const LocatedHalves& out) {
  const std::uint32_t* __restrict hash = out.hash;
  const std::uint32_t* __restrict word = out.word;
  const std::uint32_t* __restrict slots = out.slots;
  float* __restrict raw = out.raw;
  float* __restrict squares = out.squares;
  float* __restrict signed_value = out.signed_value;
  for (std::size_t i = 0; i < whole_vectors(n); ++i) {
    const std::uint32_t active = all_ones_if(word[i] < cells_at);
    raw[i] = float_of(slots[i] & (kHalfBits | (kPackedWeight & active)));
    squares[i] = float_of(((slots[i] & ~kPackedWeight) << kPackedSumShift) & active);
    signed_value[i] = float_of(bits_of(signed_value[i]) ^ ((hash[i] << 31) & ~active));
  }
}

// The sum of squares of the values that fall into cells.
static inline float tail_energy(const std::uint32_t* word, std::uint32_t cells_at, const float* value, std::size_t n) {
#if defined(__AVX2__)
  const __m256i last_active = _mm256_set1_epi32(static_cast<int>(cells_at) - 1);
  __m256 sums = _mm256_setzero_ps();
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256i tail = _mm256_cmpgt_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(word + i)), last_active);
    const __m256 one = _mm256_and_ps(_mm256_loadu_ps(value + i), _mm256_castsi256_ps(tail));
    sums = _mm256_add_ps(sums, _mm256_mul_ps(one, one));
  }
  return sum_of_lanes(sums);
#else
  float lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < n; ++i)
    if (word[i] >= cells_at) lanes[i % 8] += value[i] * value[i];
  return sum_of_lanes(lanes);
#endif
}

static inline RowSums locate_halves(HalfBuffer buffer, const Key* keys, const float* values, std::size_t n,
                                    const LocatedHalves& out) {
  const std::uint32_t cells_at = buffer.lines * kLineHalves;
  copy_to_whole_vectors(values, n, out.signed_value);
  find_halves(buffer, keys, n, out);
  unpack(cells_at, n, out);
  return {dot(out.raw, out.signed_value, n), tail_energy(out.word, cells_at, out.signed_value, n)};
}

// The slots after this example's step, as if every feature were active, rounded at random.
static inline void adapt(std::size_t n, const AdaptiveStep& step, const LocatedHalves& at) {
  const std::uint32_t* __restrict hash = at.hash;
  const float* __restrict raw = at.raw;
  const float* __restrict squares = at.squares;
  const float* __restrict signed_value = at.signed_value;
  std::uint32_t* __restrict slots = at.slots;
  std::uint32_t* __restrict random = at.random;
  const AdaptiveStep s = step;
  const MixerSeeds seeds{s.seed_low, s.seed_high};
  const float least = s.newton ? 0.0f : s.rate;
  for (std::size_t i = 0; i < whole_vectors(n); ++i) {
    random[i] = mix_one(hash[i], seeds);
    const float gradient = s.gradient * signed_value[i];
    const float sum = squares[i] + gradient * gradient * s.per_weight;
    const float base = sum + s.prior;
    const float own = s.speed / (s.newton ? base : __builtin_sqrtf(base));  // as AdaptiveStep::rate_for
    const float rate = own > least ? own : least;
    const float weight = raw[i] - (rate * gradient) * s.per_scale;
    slots[i] = ((bits_of(weight) + (random[i] & ~kPackedWeight)) & kPackedWeight) |
               ((bits_of(sum) + (random[i] >> (32 - kPackedSumShift))) >> kPackedSumShift);
  }
}

// The smallest magnitude of the weights in a key's line; positive floats are ordered as their bits are.
static inline void find_lightest(const std::uint16_t* halves, std::uint32_t cells_at, std::size_t n,
                                 const LocatedHalves& at) {
#if defined(__AVX2__)
  const __m256i magnitudes = _mm256_set1_epi32(static_cast<int>(kPackedMagnitude));
  const __m256i infinite = _mm256_set1_epi32(0x7f800000), first_cell = _mm256_set1_epi32(static_cast<int>(cells_at));
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
    const __m256i least = _mm256_min_epu32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
    const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at.word + i));
    const __m256i active = _mm256_cmpgt_epi32(first_cell, word);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at.lightest + i), _mm256_blendv_epi8(least, infinite, active));
  }
#else
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t least = 0x7f800000u;  // an active feature is never a candidate
    for (std::uint32_t w = 0; w < kWays && at.word[i] >= cells_at; ++w) {
      std::uint32_t slot;
      __builtin_memcpy(&slot, halves + at.line[i] + 2 * (kWays + w), sizeof slot);
      least = (slot & kPackedMagnitude) < least ? slot & kPackedMagnitude : least;
    }
    at.lightest[i] = float_of(least);
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

static inline std::size_t step_halves(std::uint16_t* halves, std::uint32_t cells_at, std::size_t n,
                                      const AdaptiveStep& step, TailSteps tail, const LocatedHalves& at) {
  adapt(n, step, at);
  find_lightest(halves, cells_at, n, at);
  const std::size_t found =
      find_candidates(at.raw, at.signed_value, tail.entering, at.lightest, n, at.delta, at.candidates);
  if (step.newton)  // those that stay in the tail take another step than those that enter
    for (std::size_t i = 0; i < n; ++i) at.delta[i] = tail.staying * at.signed_value[i];
  for (std::size_t c = 0; c < found; ++c) at.delta[at.candidates[c]] = 0.0f;
  write_halves(halves, cells_at, n, at);
  return found;
}

// What adaptive steps ask of a row's values: the sum of their squares, and how many are not zero.
static inline Energy energy_of(const float* values, std::size_t n) {
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; ++i) n_values += values[i] != 0.0f;
  return {dot(values, values, n), n_values};
}
