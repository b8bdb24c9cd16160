// Eight lanes for every machine: two compiler vectors of four, which are lowered to whatever the machine has.
//
// Each instruction set has a file like this one, with the same names. Included inside a namespace of its own, because
// the linker must not merge code that was built for different machines.

static constexpr std::size_t kLanes = 8;

typedef float FourFloats __attribute__((vector_size(16)));
typedef std::uint32_t FourWords __attribute__((vector_size(16)));
typedef std::int32_t FourInts __attribute__((vector_size(16)));

template <class Four>
struct Eight {
  Four low, high;
};
using Floats = Eight<FourFloats>;
using Words = Eight<FourWords>;
using Mask = Eight<FourInts>;  // all bits of a lane, or none

// Doubles, half as many as fit a vector of floats, and the floats they are made of.
static constexpr std::size_t kDoubles = 2;
typedef double Doubles __attribute__((vector_size(16)));
typedef std::int64_t Integers __attribute__((vector_size(16)));
typedef float FewFloats __attribute__((vector_size(8)));

template <class Four>
static inline Eight<Four> operator+(Eight<Four> a, Eight<Four> b) {
  return {a.low + b.low, a.high + b.high};
}
template <class Four>
static inline Eight<Four> operator-(Eight<Four> a, Eight<Four> b) {
  return {a.low - b.low, a.high - b.high};
}
template <class Four>
static inline Eight<Four> operator*(Eight<Four> a, Eight<Four> b) {
  return {a.low * b.low, a.high * b.high};
}
template <class Four>
static inline Eight<Four> operator/(Eight<Four> a, Eight<Four> b) {
  return {a.low / b.low, a.high / b.high};
}
template <class Four>
static inline Eight<Four> operator&(Eight<Four> a, Eight<Four> b) {
  return {a.low & b.low, a.high & b.high};
}
template <class Four>
static inline Eight<Four> operator|(Eight<Four> a, Eight<Four> b) {
  return {a.low | b.low, a.high | b.high};
}
template <class Four>
static inline Eight<Four> operator^(Eight<Four> a, Eight<Four> b) {
  return {a.low ^ b.low, a.high ^ b.high};
}
template <class Four>
static inline Eight<Four> operator~(Eight<Four> a) {
  return {~a.low, ~a.high};
}
static inline Words operator<<(Words a, int n) { return {a.low << n, a.high << n}; }
static inline Words operator>>(Words a, int n) { return {a.low >> n, a.high >> n}; }
template <class Four>
static inline Mask operator==(Eight<Four> a, Eight<Four> b) {
  return {a.low == b.low, a.high == b.high};
}
template <class Four>
static inline Mask operator!=(Eight<Four> a, Eight<Four> b) {
  return {a.low != b.low, a.high != b.high};
}
template <class Four>
static inline Mask operator<(Eight<Four> a, Eight<Four> b) {
  return {a.low < b.low, a.high < b.high};
}
template <class Four>
static inline Mask operator>(Eight<Four> a, Eight<Four> b) {
  return b < a;
}
template <class Four>
static inline Mask operator>=(Eight<Four> a, Eight<Four> b) {
  return {a.low >= b.low, a.high >= b.high};
}

static inline Floats all(float x) { return {FourFloats{} + x, FourFloats{} + x}; }
static inline Words all(std::uint32_t x) { return {FourWords{} + x, FourWords{} + x}; }
template <std::uint32_t kValue>
static inline Words constant() {
  return all(kValue);
}
static inline Words as_words(Floats x) { return __builtin_bit_cast(Words, x); }
static inline Words as_words(Mask x) { return __builtin_bit_cast(Words, x); }
static inline Mask as_mask(Words x) { return __builtin_bit_cast(Mask, x); }  // of lanes that are all ones or none
static inline Words without(Words left_out, Words x) { return x & ~left_out; }
static inline Floats as_floats(Words x) { return __builtin_bit_cast(Floats, x); }
static inline Floats to_floats(Words x) {  // of numbers below 2^31
  const Mask ints = __builtin_bit_cast(Mask, x);
  return {__builtin_convertvector(ints.low, FourFloats), __builtin_convertvector(ints.high, FourFloats)};
}
template <class Four>
static inline Eight<Four> select(Mask condition, Eight<Four> yes, Eight<Four> no) {
  return {condition.low ? yes.low : no.low, condition.high ? yes.high : no.high};
}

static inline Floats load(const float* from) {
  Floats lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
static inline Words load(const std::uint32_t* from) {
  Words lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
static inline void store(float* to, Floats lanes) { __builtin_memcpy(to, &lanes, sizeof lanes); }
static inline void store(std::uint32_t* to, Words lanes) { __builtin_memcpy(to, &lanes, sizeof lanes); }
static inline void store_apart(std::uint32_t* to, Words lanes) { store(to, lanes); }
// The first n numbers, and 0 in the lanes after them.
template <class Number>
static inline auto load_first(const Number* from, std::size_t n) {
  if (n >= kLanes) return load(from);
  Number first[kLanes] = {};
  for (std::size_t l = 0; l < n; ++l) first[l] = from[l];
  return load(first);
}
static inline Words first_lanes(std::size_t n) {
  std::uint32_t lanes[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = l < n ? 0xffffffffu : 0;
  return load(lanes);
}

// Bit l is set where lane l is.
static inline std::uint32_t bits_of_mask(Mask mask) {
#if defined(__SSE2__)
  const int low = __builtin_ia32_movmskps(reinterpret_cast<FourFloats>(mask.low));
  const int high = __builtin_ia32_movmskps(reinterpret_cast<FourFloats>(mask.high));
  return static_cast<std::uint32_t>(low | high << 4);
#else
  std::uint32_t set = 0;
  for (std::uint32_t l = 0; l < 4; ++l) set |= (mask.low[l] & 1) << l | (mask.high[l] & 1) << (l + 4);
  return set;
#endif
}

// Every lane type adds in this order.
static inline float sum(Floats x) {
  const FourFloats fours = x.low + x.high;
  return (fours[0] + fours[2]) + (fours[1] + fours[3]);
}
static inline std::uint32_t least(Words x) {
  const FourWords fours = x.low < x.high ? x.low : x.high;
  const std::uint32_t even = fours[0] < fours[2] ? fours[0] : fours[2];
  const std::uint32_t odd = fours[1] < fours[3] ? fours[1] : fours[3];
  return even < odd ? even : odd;
}
// Lane by lane; `b` if they are equal.
static inline Floats lesser(Floats a, Floats b) { return select(a < b, a, b); }
static inline Words lesser(Words a, Words b) { return select(a < b, a, b); }
static inline Floats greater(Floats a, Floats b) { return select(a > b, a, b); }
static inline Floats root(Floats x) {
  for (std::size_t l = 0; l < 4; ++l) x.low[l] = __builtin_sqrtf(x.low[l]);
  for (std::size_t l = 0; l < 4; ++l) x.high[l] = __builtin_sqrtf(x.high[l]);
  return x;
}

// The first of kNumbers numbers at each index.
template <std::size_t kNumbers = 1>
static inline Floats gather(const float* from, const std::uint32_t* at) {
  const auto one = [&](std::size_t l) { return from[kNumbers * at[l]]; };
  return {FourFloats{one(0), one(1), one(2), one(3)}, FourFloats{one(4), one(5), one(6), one(7)}};
}
// The first numbers of eight pairs, and the second.
struct Pairs {
  Floats first, second;
};
static inline Pairs gather_pairs(const float* from, const std::uint32_t* at) {
  return {gather<2>(from, at), gather<2>(from + 1, at)};
}
static inline void scatter_pairs(float* to, const std::uint32_t* at, Pairs pairs) {
  float first[kLanes], second[kLanes];
  store(first, pairs.first);
  store(second, pairs.second);
  for (std::size_t l = 0; l < kLanes; ++l) {
    to[std::size_t{2} * at[l]] = first[l];
    to[std::size_t{2} * at[l] + 1] = second[l];
  }
}
// As wmsketch::bucket_of.
static inline Words buckets(Words hash, std::uint32_t width) {
  std::uint32_t lanes[kLanes];
  store(lanes, hash);
  for (std::uint32_t& lane : lanes) lane = static_cast<std::uint32_t>((std::uint64_t{lane} * width) >> 32);
  return load(lanes);
}
// For each index, the word that begins one half-word before it.
static inline Words words_before(const std::uint16_t* half_words, const std::uint32_t* place) {
  std::uint32_t lanes[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) __builtin_memcpy(&lanes[l], half_words + place[l] - 1, sizeof lanes[l]);
  return load(lanes);
}
// One more than the way of each key in its line, or 0.
static inline Words ways(const std::uint16_t* half_words, const std::uint32_t* line, const std::uint32_t* keys) {
  std::uint32_t lanes[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    const auto* line_keys = reinterpret_cast<const std::uint32_t*>(half_words + line[l]);
    lanes[l] =
        static_cast<std::uint32_t>(__builtin_ffs(static_cast<int>(bits_of_mask(load(line_keys) == all(keys[l])))));
  }
  return load(lanes);
}
// One more than the way of each tag in its bucket of eight, or 0, and 16 times the number of empty ways.
static inline Words tag_ways(const std::uint8_t* tags, const std::uint32_t* bucket, Words tag) {
  std::uint32_t wanted[kLanes], lanes[kLanes];
  store(wanted, tag);
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::uint8_t* ways_of_bucket = tags + bucket[l];
    std::uint32_t found = 0;
    for (std::uint32_t way = 0; way < kWays; ++way)
      found += (ways_of_bucket[way] == wanted[l] ? way + 1 : 0) + (ways_of_bucket[way] == 0 ? 16 : 0);
    lanes[l] = found;
  }
  return load(lanes);
}
// The way of a bucket with the least bits in `kept`, the first of equals. Ways that are all ones in `left_out` do not
// count; it is 0 for the others.
static inline std::uint32_t lightest_way(const std::uint16_t* cells, std::uint32_t kept,
                                         const std::uint16_t* left_out) {
  const auto size = [&](std::uint32_t way) { return (cells[way] & kept) | left_out[way]; };
  std::uint32_t least = 0;
  for (std::uint32_t way = 1; way < kWays; ++way)
    if (size(way) < size(least)) least = way;
  return least;
}
// The least of the eight words behind the keys of each line, of the bits in `kept`.
static inline Words least_of_lines(const std::uint16_t* half_words, const std::uint32_t* line, std::uint32_t kept) {
  std::uint32_t lanes[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    const auto* slots = reinterpret_cast<const std::uint32_t*>(half_words + line[l]) + kWays;
    lanes[l] = least(load(slots) & all(kept));
  }
  return load(lanes);
}
