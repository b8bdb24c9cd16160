// The kernels promise the same bits on every machine: the fastest table must equal the portable one.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "wmsketch/data/random.hpp"
#include "wmsketch/sets/line_set.hpp"
#include "wmsketch/simd/sketch_kernels.hpp"
#include "wmsketch/slots/float_slot.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kLongestRow = 70;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

float random_float(Random& random) {
  const auto magnitude = static_cast<float>(std::exp2(random.uniform() * 40 - 20));
  return random.below(20) == 0 ? 0.0f : random.below(2) == 0 ? magnitude : -magnitude;
}

std::vector<float> random_floats(Random& random, std::size_t n) {
  std::vector<float> values(n);
  for (float& value : values) value = random_float(random);
  return values;
}

class EveryLength : public testing::TestWithParam<int> {
 protected:
  std::size_t n() const { return static_cast<std::size_t>(GetParam()); }
  std::size_t in_scratch() const { return n() + 8; }  // as Scratch::fit: whole vectors, of which the end is not used
  Random random{static_cast<std::uint64_t>(GetParam())};
  const Kernels& fast = kernels();
  const Kernels& plain = portable_kernels();
};

INSTANTIATE_TEST_SUITE_P(Rows, EveryLength, testing::Range(0, static_cast<int>(kLongestRow) + 1));

TEST_P(EveryLength, DotHasTheSameBits) {
  for (int trial = 0; trial < 20; ++trial) {
    const auto a = random_floats(random, n()), b = random_floats(random, n());
    const float sum = plain.dot(a.data(), b.data(), n());
    EXPECT_EQ(bits(fast.dot(a.data(), b.data(), n())), bits(sum));
    double exact = 0, scale = 1e-30;
    for (std::size_t i = 0; i < n(); ++i) {
      exact += double{a[i]} * b[i];
      scale += std::abs(double{a[i]} * b[i]);
    }
    EXPECT_NEAR(sum, exact, 1e-5 * scale);
  }
}

TEST_P(EveryLength, DotAtIsDotOfWhatStandsThere) {
  const auto weights = random_floats(random, 50), values = random_floats(random, n());
  std::vector<Key> keys(n());
  std::vector<float> there(n());
  for (std::size_t i = 0; i < n(); ++i) there[i] = weights[keys[i] = static_cast<Key>(random.below(50))];
  const float sum = plain.dot(there.data(), values.data(), n());
  for (const Kernels* table : {&fast, &plain})
    EXPECT_EQ(bits(table->dot_at(weights.data(), keys.data(), values.data(), n())), bits(sum));
}

TEST_P(EveryLength, MixAllIsMix) {
  std::vector<Key> keys(n());
  for (Key& key : keys) key = static_cast<Key>(random.next());
  const MixerSeeds seeds{static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next())};
  for (const Kernels* table : {&fast, &plain}) {
    std::vector<std::uint32_t> hashes(in_scratch());
    table->mix_all(keys.data(), n(), seeds, hashes.data());
    for (std::size_t i = 0; i < n(); ++i) EXPECT_EQ(hashes[i], mix(keys[i], seeds));
  }
}

// Lines must lie on cache lines, so that the buffer is cut from one of aligned blocks.
struct alignas(64) Line {
  float words[kLineWords];
};

struct Rows {
  explicit Rows(std::size_t n) : hash(n), line(n), word(n), raw(n), signed_value(n), lightest(n) {}
  std::vector<std::uint32_t> hash, line, word;
  std::vector<float> raw, signed_value, lightest;
  Located located() {
    return {hash.data(), line.data(), word.data(), raw.data(), signed_value.data(), lightest.data()};
  }
};

TEST_P(EveryLength, LocateFindsActiveKeysAndCells) {
  constexpr std::uint32_t kLines = 5, kWidth = 37;
  const MixerSeeds seeds{17, 29};
  const auto line_of = [&](Key key) { return bucket_of(second_hash(mix(key, seeds)), kLines); };
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<Line> block(kLines + (kWidth + kLineWords - 1) / kLineWords);
    float* words = block.front().words;
    for (std::uint32_t i = 0; i < kLines * kLineWords + kWidth; ++i) words[i] = random_float(random);
    for (std::uint32_t line = 0; line < kLines; ++line)  // half of the ways hold keys that hash to their line
      for (std::uint32_t way = 0; way < kWays; ++way) {
        Key key = 1000 + line * kWays + way;
        if (way % 2 == 0)
          for (key = random.below(200); line_of(key) != line;) key = random.below(200);
        for (std::uint32_t w = 0; w < way; ++w)
          if (bits(words[line * kLineWords + w]) == key) key = 5000 + line * kWays + way;  // a line has no twins
        words[line * kLineWords + way] = std::bit_cast<float>(key);
      }
    std::vector<Key> keys(n());
    for (Key& key : keys) key = random.below(200);
    const auto values = random_floats(random, n());
    Rows with_fast(in_scratch()), with_plain(in_scratch());
    for (auto [table, rows] : {std::pair(&fast, &with_fast), std::pair(&plain, &with_plain)}) {
      table->mix_all(keys.data(), n(), seeds, rows->hash.data());
      table->locate({words, kLines, kWidth}, keys.data(), values.data(), n(), rows->located());
    }
    for (std::size_t i = 0; i < n(); ++i) {
      const std::uint32_t hash = mix(keys[i], seeds), line = line_of(keys[i]) * kLineWords;
      std::uint32_t word = kLines * kLineWords + bucket_of(hash, kWidth);
      float signed_value = sign_of(hash) * values[i], lightest = kInfinity;
      for (std::uint32_t w = 0; w < kWays; ++w) lightest = std::min(lightest, std::abs(words[line + kWays + w]));
      for (std::uint32_t w = 0; w < kWays; ++w)
        if (bits(words[line + w]) == keys[i]) {
          word = line + kWays + w;
          signed_value = values[i];
          lightest = kInfinity;
        }
      for (const Rows* rows : {&with_fast, &with_plain}) {
        ASSERT_EQ(rows->word[i], word);
        ASSERT_EQ(bits(rows->raw[i]), bits(words[word]));
        ASSERT_EQ(bits(rows->signed_value[i]), bits(signed_value));
        ASSERT_EQ(bits(rows->lightest[i]), bits(lightest));
      }
    }
  }
}

TEST_P(EveryLength, FindCandidatesListsThoseHeavierThanTheLightest) {
  for (int trial = 0; trial < 20; ++trial) {
    const auto raw = random_floats(random, in_scratch()), signed_value = random_floats(random, in_scratch());
    auto lightest = random_floats(random, in_scratch());
    for (float& weight : lightest) weight = random.below(4) == 0 ? kInfinity : std::abs(weight);
    const float step = random_float(random);
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < n(); ++i)
      if (std::abs(raw[i] + step * signed_value[i]) > lightest[i]) expected.push_back(static_cast<std::uint32_t>(i));
    for (const Kernels* table : {&fast, &plain}) {
      std::vector<std::uint32_t> found(in_scratch());
      std::vector<float> delta(in_scratch());
      found.resize(table->find_candidates(raw.data(), signed_value.data(), step, lightest.data(), n(), delta.data(),
                                          found.data()));
      EXPECT_EQ(found, expected);
      for (std::size_t i = 0; i < n(); ++i) ASSERT_EQ(bits(delta[i]), bits(step * signed_value[i]));
    }
  }
}

TEST_P(EveryLength, SumWhereAddsInTheOrderOfTheRow) {
  const auto values = random_floats(random, n());
  std::vector<std::uint32_t> word(n());
  for (auto& one : word) one = random.below(3);
  float expected = 0;
  for (std::size_t i = 0; i < n(); ++i)
    if (word[i] == 1) expected += values[i];
  for (const Kernels* table : {&fast, &plain})
    EXPECT_EQ(bits(table->sum_where(word.data(), values.data(), n(), 1)), bits(expected));
}

TEST_P(EveryLength, LargestIsUnsigned) {
  std::vector<Key> keys(n());
  for (Key& key : keys) key = static_cast<Key>(random.next());
  Key expected = 0;
  for (const Key key : keys) expected = std::max(expected, key);
  for (const Kernels* table : {&fast, &plain}) EXPECT_EQ(table->largest(keys.data(), n()), expected);
}

TEST_P(EveryLength, StrictlyIncreasingSeesOneEqualOrFallingPairAnywhere) {
  std::vector<Key> keys(n());
  for (std::size_t i = 0; i < n(); ++i) keys[i] = 0x7fffffe0u + static_cast<Key>(i);  // across the sign bit
  for (const Kernels* table : {&fast, &plain}) {
    EXPECT_TRUE(table->strictly_increasing(keys.data(), n()));
    for (std::size_t i = 1; i < n(); ++i) {
      auto equal = keys, falling = keys;
      equal[i] = equal[i - 1];
      std::swap(falling[i], falling[i - 1]);
      EXPECT_FALSE(table->strictly_increasing(equal.data(), n())) << i;
      EXPECT_FALSE(table->strictly_increasing(falling.data(), n())) << i;
    }
  }
}

TEST_P(EveryLength, AllFiniteSeesOneBadValueAnywhere) {
  auto values = random_floats(random, n());
  if (n() > 0) values[n() / 2] = std::numeric_limits<float>::max();
  for (const Kernels* table : {&fast, &plain}) {
    EXPECT_TRUE(table->all_finite(values.data(), n()));
    for (std::size_t i = 0; i < n(); ++i)
      for (const float bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
        auto with_bad = values;
        with_bad[i] = bad;
        EXPECT_FALSE(table->all_finite(with_bad.data(), n())) << bad << " at " << i;
      }
  }
}

TEST(Kernels, AreChosenByName) {
  for (const Kernels* table : all_kernels()) {
    choose_kernels(table->name);
    EXPECT_EQ(&kernels(), table);
  }
  EXPECT_THROW(choose_kernels("of no machine"), std::invalid_argument);
  choose_kernels("");
  EXPECT_EQ(&kernels(), all_kernels().front());
}

// The cells of a sketch of any depth: what a sort gives, from every instruction set.
TEST(SketchKernels, MediansAreThoseOfSortedValues) {
  Random random(7);
  constexpr std::uint32_t kWidth = 37;
  for (std::uint32_t depth = 1; depth <= SketchKernels::kMostDepth; ++depth)
    for (const std::size_t n : {1u, 7u, 8u, 21u}) {
      const auto cells = random_floats(random, std::size_t{depth} * kWidth), values = random_floats(random, n);
      std::vector<std::uint32_t> hash(depth * n + 8), word(depth * n + 8);
      for (auto& each : hash) each = static_cast<std::uint32_t>(random.next());
      std::vector<float> signed_value(depth * n + 8), out(n + 8);
      for (const Kernels* table : all_kernels()) {
        choose_kernels(table->name);
        const SketchKernels& sketch = sketch_kernels();
        for (std::uint32_t row = 0; row < depth; ++row) {
          const float sum = sketch.read_cells(cells.data(), {row * kWidth, kWidth}, hash.data() + row * n,
                                              values.data(), n, word.data() + row * n, signed_value.data() + row * n);
          std::vector<float> there(n);
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = row * n + i;
            ASSERT_EQ(word[at], row * kWidth + bucket_of(hash[at], kWidth));
            ASSERT_EQ(bits(signed_value[at]), bits(sign_of(hash[at]) * values[i]));
            there[i] = cells[word[at]];
          }
          ASSERT_EQ(bits(sum), bits(portable_kernels().dot(there.data(), signed_value.data() + row * n, n)));
        }
        sketch.medians(cells.data(), word.data(), hash.data(), n, depth, out.data());
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<float> sorted;
          for (std::uint32_t row = 0; row < depth; ++row)
            sorted.push_back(sign_of(hash[row * n + i]) * cells[word[row * n + i]]);
          std::sort(sorted.begin(), sorted.end());
          const float median = depth % 2 == 1 ? sorted[depth / 2] : 0.5f * (sorted[depth / 2 - 1] + sorted[depth / 2]);
          ASSERT_EQ(out[i], median) << table->name << ", depth " << depth;
          ASSERT_TRUE(out[i] != 0 || !std::signbit(out[i]));
        }
      }
      choose_kernels("");
    }
}

// The set that a WM-Sketch keeps beside its cells, followed feature by feature: the same lines, and the same stops.
TEST(SketchKernels, FollowStopsWhereAKeyMayEnter) {
  Random random(8);
  constexpr std::uint32_t kCapacity = 16;
  constexpr std::size_t kFeatures = 40;
  const Hasher hasher(HashFamily::mixer, 1, 3, Hasher::kDefaultIndependence);
  const LineSet<FloatSlot> set(kCapacity, hasher);
  for (int round = 0; round < 50; ++round) {
    std::vector<float> empty(LineSet<FloatSlot>::words_for(kCapacity));
    set.clear(WordBuffer(empty.data()));
    for (Key key = 0; key < (round % 2 == 0 ? kFeatures : 12); key += 2) {  // full lines, or with empty places
      const std::uint32_t word = set.victim(ConstWordBuffer(empty.data()), hasher.hash(0, key));
      set.place(WordBuffer(empty.data()), word, key, bits(random_float(random)));
    }
    std::vector<Key> keys(kFeatures);
    std::vector<std::uint32_t> hash(kFeatures);
    for (Key key = 0; key < kFeatures; ++key) hash[key] = hasher.hash(0, keys[key] = key);
    const auto estimates = random_floats(random, kFeatures);
    std::vector<float> wanted = empty;
    std::vector<std::size_t> stops;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const WordBuffer words(wanted.data());
      const std::uint32_t word = set.find(words, keys[i], hash[i]);
      const float lightest = std::abs(std::bit_cast<float>(words[set.victim(words, hash[i])]));
      if (word != kNotActive)
        words.set(word, bits(estimates[i]));
      else if (lightest == 0 || std::abs(estimates[i]) > lightest)
        stops.push_back(i);
    }
    stops.push_back(kFeatures);
    for (const Kernels* table : all_kernels()) {
      choose_kernels(table->name);
      std::vector<float> lines = empty;
      std::size_t first = 0;
      for (const std::size_t stop : stops) {
        const std::size_t stopped = sketch_kernels().follow(lines.data(), set.lines(), keys.data(), hash.data(),
                                                            estimates.data(), first, kFeatures);
        ASSERT_EQ(stopped, stop) << table->name;
        first = stop + 1;
      }
      for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(bits(lines[i]), bits(wanted[i])) << table->name;
    }
    choose_kernels("");
  }
}

}  // namespace
}  // namespace wmsketch
