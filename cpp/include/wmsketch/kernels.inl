// Included once per instruction set, each time inside its own namespace. No includes, no shared inline functions from
// elsewhere: the linker must not merge code built for AVX2 into code that runs everywhere.

static inline std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
static inline float float_of(std::uint32_t b) { return __builtin_bit_cast(float, b); }
static inline float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffffu); }

static inline std::uint32_t mix_one(std::uint32_t key, MixerSeeds seeds) {  // as wmsketch::mix
  std::uint32_t h = key + seeds.first;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h += seeds.second;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ (h >> 16);
}

static inline void mix_all(const Key* keys, std::size_t n, MixerSeeds seeds, std::uint32_t* __restrict hash) {
  for (std::size_t i = 0; i < n; ++i) hash[i] = mix_one(keys[i], seeds);
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

static inline void locate(AwmBuffer buffer, const Key* keys, const float* values, std::size_t n, Located out) {
  const float* __restrict words = buffer.words;
  const std::uint32_t cells_at = buffer.lines * kLineWords;
  constexpr std::uint32_t kInfinity = 0x7f800000u;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t hash = out.hash[i];
    const std::uint64_t second = hash * 0x9e3779b1u;
    const std::uint32_t line = static_cast<std::uint32_t>((second * buffer.lines) >> 32) * kLineWords;
    const std::uint32_t cell =
        cells_at + static_cast<std::uint32_t>((static_cast<std::uint64_t>(hash) * buffer.width) >> 32);
    const std::uint32_t hit = matches(words + line, keys[i]);
    const std::uint32_t active = -static_cast<std::uint32_t>(hit != 0);  // all ones or none: no branch
    const std::uint32_t weight = line + kWays + static_cast<std::uint32_t>(__builtin_ctz(hit | 0x100u));
    const std::uint32_t word = (weight & active) | (cell & ~active);
    out.word[i] = word;
    out.raw[i] = words[word];
    out.signed_value[i] = float_of(bits_of(values[i]) ^ ((hash << 31) & ~active));
    out.lightest[i] = float_of((bits_of(lightest_of(words + line + kWays)) & ~active) | (kInfinity & active));
  }
}

// Eight partial sums, added in a fixed order: fast, and the same bits whatever the vector width.
static inline float dot(const float* a, const float* b, std::size_t n) {
  float lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += a[i + l] * b[i + l];
  for (std::size_t l = 0; i + l < n; ++l) lanes[l] += a[i + l] * b[i + l];
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

static inline std::size_t find_candidates(const float* raw, const float* signed_value, float step,
                                          const float* lightest, std::size_t n, std::uint32_t* out) {
  std::size_t found = 0, i = 0;
#if defined(__AVX2__)
  const __m256 steps = _mm256_set1_ps(step), positive = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  for (; i + 8 <= n; i += 8) {
    const __m256 stepped =
        _mm256_add_ps(_mm256_loadu_ps(raw + i), _mm256_mul_ps(steps, _mm256_loadu_ps(signed_value + i)));
    const __m256 heavier = _mm256_cmp_ps(_mm256_and_ps(stepped, positive), _mm256_loadu_ps(lightest + i), _CMP_GT_OQ);
    for (auto mask = static_cast<std::uint32_t>(_mm256_movemask_ps(heavier)); mask != 0; mask &= mask - 1)
      out[found++] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(__builtin_ctz(mask));
  }
#endif
  for (; i < n; ++i) {
    out[found] = static_cast<std::uint32_t>(i);
    found += magnitude(raw[i] + step * signed_value[i]) > lightest[i];
  }
  return found;
}

static inline bool all_finite(const float* values, std::size_t n) {
  float lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += values[i + l] * 0.0f;
  for (std::size_t l = 0; i + l < n; ++l) lanes[l] += values[i + l] * 0.0f;
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum == 0.0f;
}

static constexpr Kernels make_kernels(const char* name) {
  return {name, &mix_all, &locate, &dot, &find_candidates, &all_finite};
}
