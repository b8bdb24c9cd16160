#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/prefixed_names.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/simd/hasher.hpp"

namespace wmsketch {
namespace {

class EveryFamily : public testing::TestWithParam<HashFamily> {};

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily,
                         testing::Values(HashFamily::mixer, HashFamily::tabulation, HashFamily::polynomial));

// The chi-square statistic of counts that should be equal, in standard deviations from its mean. It is nearly normal
// here.
double excess_chi_square(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST_P(EveryFamily, ConsecutiveKeysFillBucketsOfAnyWidthEvenly) {
  const Hasher hasher(GetParam(), 3, 42);
  for (const std::uint32_t width : {7u, 100u, 256u, 1000u})
    for (std::uint32_t row = 0; row < 3; ++row) {
      std::vector<int> counts(width, 0);
      const Key n = width * 50;
      for (Key key = 0; key < n; ++key) ++counts[bucket_of(hasher.hash(row, key), width)];
      EXPECT_LT(excess_chi_square(counts, 50.0), 6.0) << "width " << width << ", row " << row;
    }
}

TEST_P(EveryFamily, SignsAreBalancedAndIndependentOfTheBucket) {
  const Hasher hasher(GetParam(), 1, 7);
  constexpr int kWidth = 64;
  std::vector<int> sums(kWidth, 0);
  for (Key key = 0; key < 64000; ++key) {
    const std::uint32_t hash = hasher.hash(0, key);
    sums[bucket_of(hash, kWidth)] += static_cast<int>(sign_of(hash));
  }
  for (const int sum : sums) EXPECT_LT(std::abs(sum), 5 * std::sqrt(1000.0));
}

TEST_P(EveryFamily, RowsAndSeedsAreUnrelated) {
  const Hasher hasher(GetParam(), 2, 0), next_seed(GetParam(), 2, 1);
  int rows_agree = 0, seeds_agree = 0, crossed_agree = 0;
  constexpr int kWidth = 100, kKeys = 50000;
  for (Key key = 0; key < kKeys; ++key) {
    const auto bucket = [&](const Hasher& h, std::uint32_t row) { return bucket_of(h.hash(row, key), kWidth); };
    rows_agree += bucket(hasher, 0) == bucket(hasher, 1);
    seeds_agree += bucket(hasher, 0) == bucket(next_seed, 0);
    crossed_agree += bucket(hasher, 1) == bucket(next_seed, 0);
  }
  for (const int agree : {rows_agree, seeds_agree, crossed_agree}) EXPECT_NEAR(agree, kKeys / kWidth, 110);
}

TEST_P(EveryFamily, TwoKeysCollideAsOftenAsTheoryAllows) {
  constexpr int kWidth = 16, kSeeds = 8000;
  for (const auto& [left, right] : std::vector<std::pair<Key, Key>>{{0, 1}, {5, 5u << 16}, {1, 0x80000001u}}) {
    int collisions = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Hasher hasher(GetParam(), 1, seed);
      collisions += bucket_of(hasher.hash(0, left), kWidth) == bucket_of(hasher.hash(0, right), kWidth);
    }
    EXPECT_NEAR(collisions, kSeeds / kWidth, 5 * std::sqrt(kSeeds / kWidth)) << left << " and " << right;
  }
}

TEST_P(EveryFamily, HashAllEqualsHashAndSeedsAreReproducible) {
  const Hasher hasher(GetParam(), 2, 99), twin(GetParam(), 2, 99);
  std::vector<Key> keys;
  Random random(1);
  for (int i = 0; i < 77; ++i) keys.push_back(static_cast<Key>(random.next()));
  std::vector<std::uint32_t> hashes(80);  // rounded up to whole vectors
  hasher.hash_all(1, keys.data(), keys.size(), hashes.data());
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(hashes[i], twin.hash(1, keys[i]));
}

TEST(Mixer, HasFullAvalanche) {
  Random random(5);
  constexpr int kTrials = 20000;
  for (int in = 0; in < 32; ++in) {
    std::vector<int> flips(32, 0);
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto key = static_cast<Key>(random.next());
      const std::uint64_t bits = random.next();
      const MixerSeeds seeds{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
      const std::uint32_t changed = mix(key, seeds) ^ mix(key ^ (1u << in), seeds);
      for (int out = 0; out < 32; ++out) flips[out] += (changed >> out) & 1u;
    }
    for (int out = 0; out < 32; ++out)
      EXPECT_NEAR(flips[out] / double{kTrials}, 0.5, 0.02) << "bit " << in << " to bit " << out;
  }
}

TEST(Mixer, SecondHashIsABijectionThatMovesTheBucket) {
  std::set<std::uint32_t> seen;
  int same_line = 0;
  for (std::uint32_t hash = 0; hash < 100000; ++hash) {
    const std::uint32_t spread = mix(hash, {1, 2});
    seen.insert(second_hash(spread));
    same_line += bucket_of(spread, 64) == bucket_of(second_hash(spread), 64);
  }
  EXPECT_EQ(seen.size(), 100000u);
  EXPECT_NEAR(same_line, 100000 / 64, 250);
}

TEST(Hasher, RejectsTooLittleIndependenceAndReportsItsBytes) {
  EXPECT_THROW(Hasher(HashFamily::polynomial, 1, 0, 1), std::invalid_argument);
  EXPECT_EQ(Hasher(HashFamily::mixer, 3, 0).nbytes(), 24u);
  EXPECT_EQ(Hasher(HashFamily::tabulation, 2, 0).nbytes(), 8192u);
  EXPECT_EQ(Hasher(HashFamily::polynomial, 2, 0, 4).nbytes(), 64u);
}

// Saved models contain keys made from names, so these numbers must never change.
TEST(HashName, HasFixedValues) {
  EXPECT_EQ(hash_name(""), 0x62dbe5f5073084d8u);
  EXPECT_EQ(hash_name("a"), 0x7f3b62311d028a47u);
  EXPECT_EQ(hash_name("abc"), 0x462ca5467e83d071u);
  EXPECT_EQ(hash_name("country=AT"), 0x7619eaeee4040815u);
  EXPECT_EQ(hash_name("exactly 16 bytes"), 0xe6b5bab24a5dd9eau);
  EXPECT_EQ(hash_name("a name of more than sixteen bytes, é"), 0xfe1a351f087de2d6u);
  EXPECT_EQ(key_of_name("abc"), static_cast<Key>(hash_name("abc") >> 32));
}

// The same holds with a seed.
TEST(HashName, HasFixedValuesWithASeed) {
  EXPECT_EQ(hash_name("", secret_of_seed(0)), 0xb87e96519edd127du);
  EXPECT_EQ(hash_name("abc", secret_of_seed(0)), 0xc6293fc52e1cb45bu);
  EXPECT_EQ(hash_name("country=AT", secret_of_seed(1)), 0x92390495f4995137u);
  EXPECT_EQ(hash_name("a name of more than sixteen bytes, é", secret_of_seed(~0ull)), 0x6dcbf29b391a1e1au);
  EXPECT_NE(secret_of_seed(0), secret_of_seed(1));
}

// Names whose 64-bit hashes collide without a seed: a first word that makes one factor zero cancels the other word.
TEST(HashName, NamesThatCollideWithoutASeedDifferWithOne) {
  const std::uint64_t wipes = NameSecret().second;
  std::string left(16, 'l'), right(16, 'r');
  for (std::string* name : {&left, &right})
    for (std::size_t i = 0; i < 8; ++i) (*name)[i] = static_cast<char>(wipes >> (8 * i));
  EXPECT_EQ(hash_name(left), hash_name(right));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const NameSecret secret = secret_of_seed(seed);
    EXPECT_NE(key_of_name(left, secret), key_of_name(right, secret));
  }
}

TEST(HashName, SimilarNamesOfEveryLengthDiffer) {
  std::set<std::uint64_t> seen;
  std::set<Key> keys;
  std::size_t n = 0;
  for (std::size_t length = 0; length < 70; ++length) {
    const std::string base(length, 'a');
    for (std::size_t at = 0; at <= length; ++at)
      for (const char* with : {"", "b", "\x01"}) {
        if (at == length && *with != '\0') continue;
        if (at < length && *with == '\0') continue;
        std::string name = base;
        if (at < length) name[at] = *with;
        seen.insert(hash_name(name));
        keys.insert(key_of_name(name));
        ++n;
      }
    seen.insert(hash_name(std::string(length + 1, '\0')));
    ++n;
  }
  EXPECT_EQ(seen.size(), n);
  EXPECT_GE(keys.size() + 75, n);  // the names of zeros were not inserted here
}

TEST(HashName, EveryBitOfTheNameChangesEveryBitOfTheKey) {
  Random random(9);
  for (const std::size_t length : {2u, 3u, 5u, 8u, 13u, 16u, 17u, 40u}) {
    std::vector<int> flips(32, 0);
    constexpr int kTrials = 4000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::string name;
      for (std::size_t i = 0; i < length; ++i) name += static_cast<char>(random.next());
      const Key before = key_of_name(name);
      name[random.below(static_cast<std::uint32_t>(length))] ^= static_cast<char>(1u << random.below(8));
      for (int out = 0; out < 32; ++out) flips[out] += ((before ^ key_of_name(name)) >> out) & 1u;
    }
    for (const int count : flips) EXPECT_NEAR(count / double{kTrials}, 0.5, 0.045) << length;
  }
}

TEST(CombineKeys, OrderMattersAndPairsSpread) {
  std::set<Key> seen;
  for (Key left = 0; left < 300; ++left)
    for (Key right = 0; right < 300; ++right) seen.insert(combine_keys(left, right));
  EXPECT_NE(combine_keys(1, 2), combine_keys(2, 1));
  EXPECT_GE(seen.size() + 10, 300u * 300u);  // about one collision is expected by chance
}

TEST(PrefixedNames, AreHashedAsIfWrittenBehindThePrefix) {
  for (std::size_t prefix_size = 0; prefix_size < 40; ++prefix_size)
    for (std::size_t size = 1; size < 50; ++size) {
      std::string prefix, text;
      for (std::size_t i = 0; i < prefix_size; ++i) prefix += static_cast<char>(i * 37 + size);
      for (std::size_t i = 0; i < size + 16; ++i) text += static_cast<char>(200 - i * 53 - prefix_size);
      const NameSecret secret = size % 2 == 0 ? NameSecret{} : secret_of_seed(size);
      const PrefixedNames names(prefix, secret);
      const std::uint64_t hash =
          names.joins() ? names.hash<true>(text.data(), size) : names.hash<false>(text.data(), size);
      EXPECT_EQ(hash, hash_name(prefix + text.substr(0, size), secret)) << prefix_size << ", " << size;
    }
}

}  // namespace
}  // namespace wmsketch
