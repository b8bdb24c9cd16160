// Every kernel, written once over the lanes of an instruction set. Included behind its lanes_*.inl, inside the
// namespace of that instruction set. No includes and no shared inline functions from elsewhere: the linker must not
// merge code that was built for AVX2 into code that runs everywhere.

#include "wmsketch/simd/lines.inl"
#include "wmsketch/simd/packed_bits.inl"

// Scratch has room for whole vectors: computing their unused end costs less than a separate loop.
static inline std::size_t whole_vectors(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

static inline Words mix_lanes(Words key, MixerSeeds seeds) {  // as wmsketch::mix
  Words h = key + all(seeds.first);
  h = h ^ (h >> 16);
  h = h * constant<0x7feb352du>() + all(seeds.second);
  h = h ^ (h >> 15);
  h = h * constant<0x846ca68bu>();
  return h ^ (h >> 16);
}

// Whole vectors to the end: a wide load right after narrow stores causes a store-forwarding stall.
static inline void mix_all(const Key* keys, std::size_t n, MixerSeeds seeds, std::uint32_t* __restrict hash) {
  for (std::size_t i = 0; i < n; i += kLanes) store(hash + i, mix_lanes(load_first(keys + i, n - i), seeds));
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
    const std::uint32_t weight = line[i] + kWays + static_cast<std::uint32_t>(__builtin_ctz(hit | 1u << kWays));
    const std::uint32_t active = -static_cast<std::uint32_t>(hit != 0);  // all ones or none: no branch to mispredict
    const std::uint32_t place = (weight & active) | (word[i] & ~active);
    word[i] = place;
    raw[i] = words[place];
    signed_value[i] = values[i];
    lightest[i] = lightest_of(at + kWays);
  }
  sign_values(n, cells_at, out);
}

// A partial sum for each lane, added in a fixed order: fast, and the same bits for every lane type. Lanes beyond the
// end add 0, which changes no sum.
static inline float dot(const float* a, const float* b, std::size_t n) {
  Floats sums = all(0.0f);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) sums = sums + load(a + i) * load(b + i);
  if (i < n) sums = sums + load_first(a + i, n - i) * load_first(b + i, n - i);
  return sum(sums);
}

// `dot` for weights that are indexed by keys, each the first of kNumbers numbers.
template <std::size_t kNumbers>
static inline float dot_at(const float* weights, const Key* keys, const float* values, std::size_t n) {
  Floats sums = all(0.0f);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) sums = sums + gather<kNumbers>(weights, keys + i) * load(values + i);
  if (i < n) {
    float rest[kLanes] = {};
    for (std::size_t l = 0; i + l < n; ++l) rest[l] = weights[kNumbers * keys[i + l]] * values[i + l];
    sums = sums + load(rest);
  }
  return sum(sums);
}

static inline std::size_t count_of(Mask mask) {
  return static_cast<std::size_t>(__builtin_popcount(bits_of_mask(mask)));
}

// For adaptive steps: the sum of the squares of a row's values, and how many are not zero.
static inline Energy energy_of(const float* values, std::size_t n) {
  Floats sums = all(0.0f);
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Floats value = load_first(values + i, n - i);
    sums = sums + value * value;
    n_values += count_of(value != all(0.0f));
  }
  return {sum(sums), n_values};
}

// Appends the indices of the lanes that are set: i plus the number of the lane, below n.
static inline std::size_t list_lanes(Mask set, std::size_t i, std::size_t n, std::uint32_t* list, std::size_t length) {
  std::uint32_t mask = bits_of_mask(set);
  if (n - i < kLanes) mask &= (1u << (n - i)) - 1;
  for (; mask != 0; mask &= mask - 1)
    list[length++] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(__builtin_ctz(mask));
  return length;
}

static inline Floats magnitudes(Floats x) { return as_floats(as_words(x) & all(0x7fffffffu)); }

static inline std::size_t find_candidates(const float* before, const float* signed_value, float step,
                                          const float* lightest, std::size_t n, float* delta,
                                          std::uint32_t* candidates) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Floats moved = all(step) * load(signed_value + i);
    store(delta + i, moved);
    const Mask heavier = magnitudes(load(before + i) + moved) > load(lightest + i);
    found = list_lanes(heavier, i, n, candidates, found);
  }
  return found;
}

static inline float sum_where(const std::uint32_t* word, const float* value, std::size_t n, std::uint32_t wanted) {
  float sum = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::uint32_t mask = bits_of_mask(load(word + i) == all(wanted)); mask != 0; mask &= mask - 1)
      sum += value[i + static_cast<std::uint32_t>(__builtin_ctz(mask))];
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
  Words bad = all(0u);
  for (; i + kLanes <= n; i += kLanes) bad = bad | as_words(load(keys + i - 1) >= load(keys + i));
  if (bits_of_mask(bad != all(0u)) != 0) return false;
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
  return most < 0x7f800000;  // the bits of infinity; those of NaNs are larger
}

#include "wmsketch/simd/kernels_adaptive.inl"
#include "wmsketch/simd/kernels_keys.inl"
#include "wmsketch/simd/kernels_packed.inl"
#include "wmsketch/simd/kernels_tagged.inl"
#include "wmsketch/simd/kernels_entering.inl"

static constexpr Kernels make_kernels(const char* name) {
  return {
      name,
      &mix_all,
      &locate,
      &dot,
      &dot_at<1>,
      &dot_at<2>,
      &energy_of,
      &find_candidates,
      &sum_where,
      &largest,
      &strictly_increasing,
      &all_finite,
      &step_pairs,
      &read_keys,
      &step_logistic,
      &step_keys,
      &locate_tagged,
      &step_tagged,
      &step_slots,
      &admit_tagged,
      &sort_heaviest_first,
      &enter_empty,
  };
}
