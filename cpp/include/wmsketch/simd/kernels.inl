// Included once per instruction set, each time inside its own namespace. No includes, no shared inline functions from
// elsewhere: the linker must not merge code built for AVX2 into code that runs everywhere.

static inline std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
static inline float float_of(std::uint32_t b) { return __builtin_bit_cast(float, b); }
static inline float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffffu); }

// Vectors of the compiler's, who knows how to do without: for loops that it does not make vectors of by itself, or only
// with much around them that short rows would notice.
#if defined(__AVX2__)
static constexpr std::size_t kLanes = 8;
#else
static constexpr std::size_t kLanes = 4;
#endif
typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef std::uint32_t Words __attribute__((vector_size(kLanes * 4)));
typedef std::int32_t Ints __attribute__((vector_size(kLanes * 4)));

template <class Vector, class Number>
static inline Vector load_lanes(const Number* from) {
  Vector lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <class Vector, class Number>
static inline void store_lanes(Number* to, Vector lanes) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}
static inline Floats root_of(Floats x) {
#if defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
  return _mm_sqrt_ps(x);
#else
  for (std::size_t l = 0; l < kLanes; ++l) x[l] = __builtin_sqrtf(x[l]);
  return x;
#endif
}

// Scratch has room for whole vectors: their unused end costs less than a loop of its own.
static inline std::size_t whole_vectors(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

template <class Word>                                     // one, or Words
static inline Word mix_one(Word key, MixerSeeds seeds) {  // as wmsketch::mix
  Word h = key + seeds.first;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h += seeds.second;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ (h >> 16);
}

#if defined(__AVX2__)
static inline __m256i first_lanes(std::size_t n) {  // all bits of the first n lanes of eight
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

// Whole vectors to the end: one that is read where smaller numbers have just been written waits for all of them.
static inline void mix_all(const Key* keys, std::size_t n, MixerSeeds seeds, std::uint32_t* __restrict hash) {
#if defined(__AVX2__)
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256i eight = _mm256_maskload_epi32(reinterpret_cast<const int*>(keys + i), first_lanes(n - i));
    store_lanes(hash + i, mix_one(reinterpret_cast<Words>(eight), seeds));
  }
#else
  for (std::size_t i = 0; i < n; ++i) hash[i] = mix_one(keys[i], seeds);
#endif
}

// Bit w is set where keys[w] == key.
static inline std::uint32_t matches(const float* keys, Key key) {
#if defined(__AVX2__)
  const __m256i same = _mm256_cmpeq_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(keys)),
                                          _mm256_set1_epi32(static_cast<int>(key)));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
#elif defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(key));
  const auto half = [&](const float* at) {
    const __m128i same = _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(at)), wanted);
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(same)));
  };
  return half(keys) | half(keys + 4) << 4;
#else
  std::uint32_t hit = 0;
  for (std::uint32_t w = 0; w < kWays; ++w) hit |= static_cast<std::uint32_t>(bits_of(keys[w]) == key) << w;
  return hit;
#endif
}

// The smallest magnitude of a line's eight weights.
static inline float lightest_of(const float* weights) {
#if defined(__AVX2__)
  const __m256 all = _mm256_and_ps(_mm256_load_ps(weights), _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)));
  __m128 least = _mm_min_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
  least = _mm_min_ps(least, _mm_movehl_ps(least, least));
  return _mm_cvtss_f32(_mm_min_ss(least, _mm_shuffle_ps(least, least, 1)));
#elif defined(__SSE2__)
  const __m128 positive = _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff));
  __m128 least = _mm_min_ps(_mm_and_ps(_mm_load_ps(weights), positive), _mm_and_ps(_mm_load_ps(weights + 4), positive));
  least = _mm_min_ps(least, _mm_movehl_ps(least, least));
  return _mm_cvtss_f32(_mm_min_ss(least, _mm_shuffle_ps(least, least, 1)));
#else
  float least = magnitude(weights[0]);
  for (std::uint32_t w = 1; w < kWays; ++w) least = magnitude(weights[w]) < least ? magnitude(weights[w]) : least;
  return least;
#endif
}

// Values of the tail take the sign of their cell; an active feature is never a candidate.
static inline void sign_values(std::size_t n, std::uint32_t cells_at, Located out) {
  const std::uint32_t* __restrict hash = out.hash;
  const std::uint32_t* __restrict word = out.word;
  float* __restrict signed_value = out.signed_value;
  float* __restrict lightest = out.lightest;
  for (std::size_t i = 0; i < whole_vectors(n); ++i) {
    const std::uint32_t active = word[i] < cells_at ? 0xffffffffu : 0u;
    signed_value[i] = float_of(bits_of(signed_value[i]) ^ ((hash[i] << 31) & ~active));
    lightest[i] = float_of((bits_of(lightest[i]) & ~active) | (0x7f800000u & active));
  }
}

// Three short loops: the first and the last vectorise, the middle one has few enough values to keep in registers.
static inline void locate(AwmBuffer buffer, const Key* keys, const float* values, std::size_t n, Located out) {
  const float* words = buffer.words;
  const std::uint32_t* __restrict hash = out.hash;
  std::uint32_t* __restrict line = out.line;
  std::uint32_t* __restrict word = out.word;
  float* __restrict raw = out.raw;
  float* __restrict signed_value = out.signed_value;
  float* __restrict lightest = out.lightest;
  const std::uint64_t lines = buffer.lines, width = buffer.width;
  const std::uint32_t cells_at = buffer.lines * kLineWords;
  for (std::size_t i = 0; i < whole_vectors(n); ++i) {
    const std::uint32_t second = hash[i] * 0x9e3779b1u;
    line[i] = static_cast<std::uint32_t>((second * lines) >> 32) * kLineWords;
    word[i] = cells_at + static_cast<std::uint32_t>((hash[i] * width) >> 32);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float* at = words + line[i];
    const std::uint32_t hit = matches(at, keys[i]);
    const std::uint32_t weight = line[i] + kWays + static_cast<std::uint32_t>(__builtin_ctz(hit | 0x100u));
    const std::uint32_t active = -static_cast<std::uint32_t>(hit != 0);  // all ones or none: no branch to mispredict
    const std::uint32_t place = (weight & active) | (word[i] & ~active);
    word[i] = place;
    raw[i] = words[place];
    signed_value[i] = values[i];
    lightest[i] = lightest_of(at + kWays);
  }
  sign_values(n, cells_at, out);
}

#if defined(__AVX2__)
static inline float sum_of_lanes(__m256 lanes) {
  const __m128 fours = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
  const __m128 twos = _mm_add_ps(fours, _mm_movehl_ps(fours, fours));
  return _mm_cvtss_f32(_mm_add_ss(twos, _mm_shuffle_ps(twos, twos, 1)));
}
#else
static inline float sum_of_lanes(const float* lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}
#endif

// Eight partial sums, added in a fixed order: fast, and the same bits whatever the vector width.
static inline float dot(const float* a, const float* b, std::size_t n) {
  std::size_t i = 0;
#if defined(__AVX2__)
  __m256 sums = _mm256_setzero_ps();
  for (; i + 8 <= n; i += 8) sums = _mm256_add_ps(sums, _mm256_mul_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
  if (i < n) {  // the lanes beyond the end add 0, which changes no sum
    const __m256i inside = first_lanes(n - i);
    sums = _mm256_add_ps(sums, _mm256_mul_ps(_mm256_maskload_ps(a + i, inside), _mm256_maskload_ps(b + i, inside)));
  }
  return sum_of_lanes(sums);
#else
  float lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (; i + 8 <= n; i += 8)
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += a[i + l] * b[i + l];
  for (std::size_t l = 0; i + l < n; ++l) lanes[l] += a[i + l] * b[i + l];
  return sum_of_lanes(lanes);
#endif
}

// As `dot`, of the weights that stand at these keys: they go from memory to a vector in registers.
static inline float dot_at(const float* weights, const Key* keys, const float* values, std::size_t n) {
  std::size_t i = 0;
#if defined(__AVX2__)
  const auto at = [&](std::size_t l) { return weights[keys[i + l]]; };
  __m256 sums = _mm256_setzero_ps();
  for (; i + 8 <= n; i += 8) {
    const __m256 eight = _mm256_setr_ps(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
    sums = _mm256_add_ps(sums, _mm256_mul_ps(eight, _mm256_loadu_ps(values + i)));
  }
  if (i < n) {
    float rest[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (std::size_t l = 0; i + l < n; ++l) rest[l] = at(l) * values[i + l];
    sums = _mm256_add_ps(sums, _mm256_loadu_ps(rest));
  }
  return sum_of_lanes(sums);
#else
  float lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (; i + 8 <= n; i += 8)
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += weights[keys[i + l]] * values[i + l];
  for (std::size_t l = 0; i + l < n; ++l) lanes[l] += weights[keys[i + l]] * values[i + l];
  return sum_of_lanes(lanes);
#endif
}

#if defined(__AVX2__)
static inline std::size_t count_of_lanes(__m256 set) {
  return static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(set))));
}
#endif

// What adaptive steps ask of a row's values: the sum of their squares, and how many are not zero.
static inline Energy energy_of(const float* values, std::size_t n) {
#if defined(__AVX2__)
  __m256 sums = _mm256_setzero_ps();
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256 value = _mm256_maskload_ps(values + i, first_lanes(n - i));
    sums = _mm256_add_ps(sums, _mm256_mul_ps(value, value));
    const __m256 present = _mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_NEQ_UQ);
    n_values += count_of_lanes(present);
  }
  return {sum_of_lanes(sums), n_values};
#else
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; ++i) n_values += values[i] != 0.0f;
  return {dot(values, values, n), n_values};
#endif
}

#if defined(__AVX2__)
// Appends i plus the number of each lane that is set, of those before n.
static inline std::size_t list_lanes(__m256 set, std::size_t i, std::size_t n, std::uint32_t* list,
                                     std::size_t length) {
  auto mask = static_cast<std::uint32_t>(_mm256_movemask_ps(set));
  if (n - i < 8) mask &= (1u << (n - i)) - 1;
  for (; mask != 0; mask &= mask - 1)
    list[length++] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(__builtin_ctz(mask));
  return length;
}
#endif

static inline std::size_t find_candidates(const float* before, const float* signed_value, float step,
                                          const float* lightest, std::size_t n, float* delta,
                                          std::uint32_t* candidates) {
  std::size_t found = 0, i = 0;
#if defined(__AVX2__)
  const __m256 steps = _mm256_set1_ps(step), positive = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  for (; i < n; i += 8) {
    const __m256 moved = _mm256_mul_ps(steps, _mm256_loadu_ps(signed_value + i));
    _mm256_storeu_ps(delta + i, moved);
    const __m256 after = _mm256_and_ps(_mm256_add_ps(_mm256_loadu_ps(before + i), moved), positive);
    const __m256 heavier = _mm256_cmp_ps(after, _mm256_loadu_ps(lightest + i), _CMP_GT_OQ);
    found = list_lanes(heavier, i, n, candidates, found);
  }
#endif
  for (; i < n; ++i) {
    delta[i] = step * signed_value[i];
    candidates[found] = static_cast<std::uint32_t>(i);
    found += magnitude(before[i] + delta[i]) > lightest[i];
  }
  return found;
}

static inline float sum_where(const std::uint32_t* word, const float* value, std::size_t n, std::uint32_t wanted) {
  float sum = 0;
  std::size_t i = 0;
#if defined(__AVX2__)
  const __m256i all = _mm256_set1_epi32(static_cast<int>(wanted));
  for (; i + 8 <= n; i += 8) {
    const __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(word + i)), all);
    for (auto mask = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same))); mask != 0;
         mask &= mask - 1)
      sum += value[i + static_cast<std::uint32_t>(__builtin_ctz(mask))];
  }
#endif
  for (; i < n; ++i)
    if (word[i] == wanted) sum += value[i];
  return sum;
}

static inline Key largest(const Key* keys, std::size_t n) {
  Key most = 0;
  for (std::size_t i = 0; i < n; ++i) most = keys[i] > most ? keys[i] : most;
  return most;
}

static inline bool strictly_increasing(const Key* keys, std::size_t n) {
  std::size_t i = 1;
#if defined(__AVX2__)
  // AVX2 compares signed numbers only: the maximum of a pair is its right one unless the left one is larger
  __m256i bad = _mm256_setzero_si256();
  for (; i + 8 <= n; i += 8) {
    const __m256i left = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + i - 1));
    const __m256i right = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + i));
    bad = _mm256_or_si256(bad, _mm256_cmpeq_epi32(_mm256_max_epu32(left, right), left));
  }
  if (!_mm256_testz_si256(bad, bad)) return false;
#endif
  bool increasing = true;
  for (; i < n; ++i) increasing &= keys[i - 1] < keys[i];
  return increasing;
}

static inline bool all_finite(const float* values, std::size_t n) {
  std::int32_t most = 0;  // of the magnitudes' bits, which are in the order of the magnitudes
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<std::int32_t>(bits_of(magnitude(values[i])));
    most = bits > most ? bits : most;
  }
  return most < 0x7f800000;  // infinity; behind it come the NaNs
}

#include "wmsketch/simd/kernels_locate_packed.inl"
#include "wmsketch/simd/kernels_logistic.inl"
#include "wmsketch/simd/kernels_step_packed.inl"

static constexpr Kernels make_kernels(const char* name) {
  return {name,          &mix_all,   &locate,          &locate_packed, &step_packed, &step_slots,          &dot,
          &dot_at,       &energy_of, &find_candidates, &sum_where,     &largest,     &strictly_increasing, &all_finite,
          &step_logistic};
}
