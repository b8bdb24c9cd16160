// Eight lanes in one AVX2 register; what the names mean stands in lanes_portable.inl.

static constexpr std::size_t kLanes = 8;

typedef float Floats __attribute__((vector_size(32)));
typedef std::uint32_t Words __attribute__((vector_size(32)));
typedef std::int32_t Mask __attribute__((vector_size(32)));

static constexpr std::size_t kDoubles = 4;
typedef double Doubles __attribute__((vector_size(32)));
typedef std::int64_t Integers __attribute__((vector_size(32)));
typedef float FewFloats __attribute__((vector_size(16)));

static inline Floats all(float x) { return Floats{} + x; }
static inline Words all(std::uint32_t x) { return Words{} + x; }
static inline Words as_words(Floats x) { return reinterpret_cast<Words>(x); }
static inline Words as_words(Mask x) { return reinterpret_cast<Words>(x); }
static inline Mask as_mask(Words x) { return reinterpret_cast<Mask>(x); }  // of lanes that are all ones or none
static inline Words without(Words left_out, Words x) { return x & ~left_out; }
static inline Floats as_floats(Words x) { return reinterpret_cast<Floats>(x); }
static inline Floats to_floats(Words x) { return __builtin_convertvector(reinterpret_cast<Mask>(x), Floats); }
static inline Floats select(Mask condition, Floats yes, Floats no) { return condition ? yes : no; }
static inline Words select(Mask condition, Words yes, Words no) { return condition ? yes : no; }

static inline Floats load(const float* from) { return _mm256_loadu_ps(from); }
static inline Words load(const std::uint32_t* from) {
  return reinterpret_cast<Words>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
static inline void store(float* to, Floats lanes) { _mm256_storeu_ps(to, lanes); }
static inline void store(std::uint32_t* to, Words lanes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(lanes));
}
// `store` for lanes that are read one by one: reading memory takes half as many instructions.
static inline void store_apart(std::uint32_t* to, Words lanes) {
  store(to, lanes);
  asm("" : "+m"(*reinterpret_cast<std::uint32_t (*)[kLanes]>(to)));
}
// `all` for a constant in memory. Otherwise the compiler builds it for each vector again, in three instructions.
template <std::uint32_t kValue>
static inline Words constant() {
  alignas(32) static constexpr std::uint32_t kAll[kLanes] = {kValue, kValue, kValue, kValue,
                                                             kValue, kValue, kValue, kValue};
  Words lanes;
  asm("vmovdqa %1, %0" : "=x"(lanes) : "m"(kAll));
  return lanes;
}
static inline Words first_lanes(std::size_t n) {
  return as_words(Mask{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<std::int32_t>(n));
}
static inline Floats load_first(const float* from, std::size_t n) {
  return _mm256_maskload_ps(from, reinterpret_cast<__m256i>(first_lanes(n)));
}
static inline Words load_first(const std::uint32_t* from, std::size_t n) {
  return reinterpret_cast<Words>(
      _mm256_maskload_epi32(reinterpret_cast<const int*>(from), reinterpret_cast<__m256i>(first_lanes(n))));
}

static inline std::uint32_t bits_of_mask(Mask mask) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
}
static inline float sum(Floats x) {
  const __m128 fours = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  const __m128 twos = _mm_add_ps(fours, _mm_movehl_ps(fours, fours));
  return _mm_cvtss_f32(_mm_add_ss(twos, _mm_shuffle_ps(twos, twos, 1)));
}
static inline std::uint32_t least(Words x) {
  const auto all_eight = reinterpret_cast<__m256i>(x);
  const __m128i fours = _mm_min_epu32(_mm256_castsi256_si128(all_eight), _mm256_extracti128_si256(all_eight, 1));
  const __m128i twos = _mm_min_epu32(fours, _mm_shuffle_epi32(fours, 0x0e));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_min_epu32(twos, _mm_shuffle_epi32(twos, 0x01))));
}
static inline Floats lesser(Floats a, Floats b) { return _mm256_min_ps(a, b); }
static inline Words lesser(Words a, Words b) {
  return reinterpret_cast<Words>(_mm256_min_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
static inline Floats greater(Floats a, Floats b) { return _mm256_max_ps(a, b); }
static inline Floats root(Floats x) { return _mm256_sqrt_ps(x); }

// Numbers that come one at a time go to a vector in registers: a wide load right after narrow stores causes a
// store-forwarding stall.
template <std::size_t kNumbers = 1>
static inline Floats gather(const float* from, const std::uint32_t* at) {
  const auto one = [&](std::size_t l) { return from[kNumbers * at[l]]; };
  return Floats{one(0), one(1), one(2), one(3), one(4), one(5), one(6), one(7)};
}
// A pair is loaded and stored as one word.
struct Pairs {
  Floats first, second;
};
static inline Pairs gather_pairs(const float* from, const std::uint32_t* at) {
  const auto of_four = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    const auto two = [&](std::size_t l, std::size_t m) {
      const auto* const low = reinterpret_cast<const __m64*>(from + std::size_t{2} * at[l]);
      return _mm_loadh_pi(_mm_loadl_pi(_mm_setzero_ps(), low),
                          reinterpret_cast<const __m64*>(from + std::size_t{2} * at[m]));
    };
    return _mm256_set_m128(two(c, d), two(a, b));
  };
  const __m256 even = of_four(0, 1, 4, 5), odd = of_four(2, 3, 6, 7);
  return {_mm256_shuffle_ps(even, odd, 0x88), _mm256_shuffle_ps(even, odd, 0xdd)};
}
static inline void scatter_pairs(float* to, const std::uint32_t* at, Pairs pairs) {
  const auto store_two = [&](__m128 two, std::size_t l, std::size_t m) {
    _mm_storel_pi(reinterpret_cast<__m64*>(to + std::size_t{2} * at[l]), two);
    _mm_storeh_pi(reinterpret_cast<__m64*>(to + std::size_t{2} * at[m]), two);
  };
  const __m256 even = _mm256_unpacklo_ps(pairs.first, pairs.second),
               odd = _mm256_unpackhi_ps(pairs.first, pairs.second);
  store_two(_mm256_castps256_ps128(even), 0, 1);
  store_two(_mm256_castps256_ps128(odd), 2, 3);
  store_two(_mm256_extractf128_ps(even, 1), 4, 5);
  store_two(_mm256_extractf128_ps(odd, 1), 6, 7);
}
static inline Words buckets(Words hash, std::uint32_t width) {
  const auto hashes = reinterpret_cast<__m256i>(hash), widths = reinterpret_cast<__m256i>(all(width));
  const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(hashes, widths), 32);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(hashes, 32), widths);
  return reinterpret_cast<Words>(_mm256_blend_epi32(even, odd, 0xaa));
}
static inline Words words_before(const std::uint16_t* half_words, const std::uint32_t* place) {
  const auto at = [&](std::size_t l) {
    std::uint32_t word;
    __builtin_memcpy(&word, half_words + place[l] - 1, sizeof word);
    return word;
  };
  return Words{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
}
// At most one way matches: flags become bytes, then their numbers.
static inline Words ways(const std::uint16_t* half_words, const std::uint32_t* line, const std::uint32_t* keys) {
  const auto constant = [](std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); };
  const auto same = [&](std::size_t l) {
    return _mm256_cmpeq_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(half_words + line[l])),
                              constant(keys[l]));
  };
  const auto of_four = [&](std::size_t l) {
    return _mm256_packs_epi16(_mm256_packs_epi32(same(l), same(l + 1)), _mm256_packs_epi32(same(l + 2), same(l + 3)));
  };
  const __m256i a = of_four(0), b = of_four(4);
  const __m256i low = _mm256_and_si256(_mm256_permute2x128_si256(a, b, 0x20), constant(0x04030201));
  const __m256i high = _mm256_and_si256(_mm256_permute2x128_si256(a, b, 0x31), constant(0x08070605));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_or_si256(low, high), _mm256_set1_epi8(1));
  return reinterpret_cast<Words>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
// Tags are compared with eight copies of the wanted one; at most one way matches, so the sum of the bytes is its
// number, plus 16 for each empty way.
static inline Words tag_ways(const std::uint8_t* tags, const std::uint32_t* bucket, Words tag) {
  const auto wanted = reinterpret_cast<__m256i>(tag);
  const __m256i numbers = _mm256_set1_epi64x(0x0807060504030201), sixteen = _mm256_set1_epi8(16);
  const __m256i zero = _mm256_setzero_si256();
  const __m256i copies = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8,  //
                                          0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
  const auto at = [&](std::size_t l) {
    long long eight;
    __builtin_memcpy(&eight, tags + bucket[l], sizeof eight);
    return eight;
  };
  const auto of_four = [&](std::size_t l, __m128i four_wanted) {
    const __m256i four = _mm256_set_epi64x(at(l + 3), at(l + 2), at(l + 1), at(l));
    const __m256i same = _mm256_cmpeq_epi8(four, _mm256_shuffle_epi8(_mm256_cvtepu32_epi64(four_wanted), copies));
    const __m256i empty = _mm256_cmpeq_epi8(four, zero);
    return _mm256_sad_epu8(_mm256_or_si256(_mm256_and_si256(same, numbers), _mm256_and_si256(empty, sixteen)), zero);
  };
  const __m256 low = _mm256_castsi256_ps(of_four(0, _mm256_castsi256_si128(wanted)));
  const __m256 high = _mm256_castsi256_ps(of_four(4, _mm256_extracti128_si256(wanted, 1)));
  return reinterpret_cast<Words>(
      _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88)), 0xd8));
}
static inline std::uint32_t lightest_way(const std::uint16_t* cells, std::uint32_t kept,
                                         const std::uint16_t* left_out) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
  const __m128i others = _mm_loadu_si128(reinterpret_cast<const __m128i*>(left_out));
  const __m128i sizes = _mm_or_si128(_mm_and_si128(bits, _mm_set1_epi16(static_cast<short>(kept))), others);
  return static_cast<std::uint32_t>(_mm_extract_epi16(_mm_minpos_epu16(sizes), 1));
}
// Eight lines at once: the least of each pair of neighbours of two lines in one vector, and so on.
static inline Words least_of_lines(const std::uint16_t* half_words, const std::uint32_t* line, std::uint32_t kept) {
  const auto bits = reinterpret_cast<__m256i>(all(kept));
  const auto slots = [&](std::size_t l) {
    const auto* words = reinterpret_cast<const __m256i*>(half_words + line[l] + 2 * kWays);
    return _mm256_and_si256(_mm256_load_si256(words), bits);
  };
  const auto of_two = [&](std::size_t l) {
    const __m256i a = slots(l), b = slots(l + 1);
    return _mm256_min_epu32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
  };
  const auto of_four = [&](std::size_t l) {
    const __m256i a = of_two(l), b = of_two(l + 2);
    return _mm256_min_epu32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
  };
  const __m256i a = of_four(0), b = of_four(4);
  return reinterpret_cast<Words>(
      _mm256_min_epu32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31)));
}
