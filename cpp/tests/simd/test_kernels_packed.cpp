// The kernels of the adaptive AWM-Sketch: what they find and write, by definition, and the same bits on every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/simd/kernels.hpp"
#include "wmsketch/simd/scratch.hpp"
#include "wmsketch/slots/packed_cell.hpp"
#include "wmsketch/slots/packed_slot.hpp"

namespace wmsketch {
namespace {

constexpr std::uint32_t kLines = 5, kWidth = 40, kCellsAt = kLines * kLineHalfWords, kKeys = 200;
constexpr MixerSeeds kSeeds{17, 29};
constexpr float kUnit = 0.03f;
constexpr PackedCells kCells{kCellsAt, kWidth, kUnit};

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint32_t bucket_of_key(Key key) { return bucket_of(mix(key, kSeeds), kWidth / kWays) * kWays; }
std::uint8_t tag_of(Key key) { return std::max<std::uint8_t>(static_cast<std::uint8_t>(mix(key, kSeeds)), 1); }
std::uint32_t line_of(Key key) { return bucket_of(second_hash(mix(key, kSeeds)), kLines); }

using HalfWords = std::vector<std::uint16_t, TableAllocator<std::uint16_t>>;

std::uint32_t word_at(const HalfWords& half_words, std::size_t half) {
  std::uint32_t word;
  std::memcpy(&word, &half_words[half], sizeof word);
  return word;
}
void set_word(HalfWords& half_words, std::size_t half, std::uint32_t word) {
  std::memcpy(&half_words[half], &word, sizeof word);
}

class EveryPackedLength : public testing::TestWithParam<int> {
 protected:
  std::size_t n() const { return static_cast<std::size_t>(GetParam()); }
  float number() { return static_cast<float>(random.uniform() * 2 - 1); }

  // A quarter of the keys below kKeys that find room are active, and a third of the others that find room own a cell;
  // the row has different keys.
  void draw() {
    half_words.assign(no_cell_at(kCells) + 2, 0);
    for (std::uint32_t slot = 0; slot < kLines * kWays; ++slot)
      set_word(half_words, slot / kWays * kLineHalfWords + 2 * (slot % kWays), 1'000'000 + slot);
    std::vector<std::uint32_t> taken(kLines, 0);
    for (Key key = 0; key < kKeys; ++key) {
      const std::uint32_t line = line_of(key);
      if (random.below(4) > 0 || taken[line] == kWays) continue;
      const std::size_t at = line * kLineHalfWords + 2 * taken[line]++;
      set_word(half_words, at, key);
      set_word(half_words, at + 2 * kWays, PackedSlot::nearest(number(), std::abs(number())));
    }
    for (Key key = 0; key < kKeys; ++key) {
      if (slot_of(key) > 0 || random.below(3) > 0 || cell_of(key) > 0) continue;
      for (std::uint32_t at = bucket_of_key(key), end = at + kWays; at < end; ++at) {
        if (tags()[at] != 0) continue;
        tags()[at] = tag_of(key);
        half_words[kCellsAt + at] = PackedCell::nearest(number(), static_cast<float>(random.below(100)));
        break;
      }
    }
    keys.clear();
    values.clear();
    for (Key key = 0; key < kKeys; ++key) keys.push_back(key);
    for (std::size_t i = 0; i < n(); ++i) std::swap(keys[i], keys[i + random.below(kKeys - static_cast<Key>(i))]);
    keys.resize(n());
    for (std::size_t i = 0; i < n(); ++i) values.push_back(random.below(9) == 0 ? 0.0f : number());
  }
  LocatedRow locate(const Kernels& table, Scratch& s) const {
    s.fit(n());
    table.mix_all(keys.data(), n(), kSeeds, s.hash.data());
    table.locate_tagged({half_words.data(), kLines, kWidth, kUnit}, keys.data(), values.data(), n(), s.located_packed(),
                        s.row);
    return s.row;
  }
  std::size_t slot_of(Key key) const {  // the upper half of its slot, or 0
    for (std::size_t at = line_of(key) * kLineHalfWords, w = 0; w < kWays; ++w)
      if (word_at(half_words, at + 2 * w) == key) return at + 2 * kWays + 2 * w + 1;
    return 0;
  }
  std::uint8_t* tags() { return reinterpret_cast<std::uint8_t*>(half_words.data() + kCellsAt + kWidth); }
  const std::uint8_t* tags() const {
    return reinterpret_cast<const std::uint8_t*>(half_words.data() + kCellsAt + kWidth);
  }
  std::size_t cell_of(Key key) const {  // 0: it owns none
    for (std::uint32_t at = bucket_of_key(key), end = at + kWays; at < end; ++at)
      if (tags()[at] == tag_of(key)) return kCellsAt + at;
    return 0;
  }
  bool has_room(Key key) const {
    const std::uint8_t* const first = tags() + bucket_of_key(key);
    return std::find(first, first + kWays, 0) != first + kWays;
  }
  float lightest_of(Key key) const {
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t at = line_of(key) * kLineHalfWords + 2 * kWays, w = 0; w < kWays; ++w)
      least = std::min(least, std::abs(PackedSlot::weight(word_at(half_words, at + 2 * w))));
    return least;
  }

  Random random{static_cast<std::uint64_t>(GetParam()) + 1};
  HalfWords half_words;
  std::vector<Key> keys;
  std::vector<float> values;
};

INSTANTIATE_TEST_SUITE_P(Rows, EveryPackedLength, testing::Range(0, 71));

TEST_P(EveryPackedLength, LocateUnpacksSlotsAndCells) {
  for (int trial = 0; trial < 10; ++trial) {
    draw();
    Scratch with_fast, with_plain;
    const LocatedRow fast = locate(kernels(), with_fast), plain = locate(portable_kernels(), with_plain);
    EXPECT_EQ(bits(fast.dot), bits(plain.dot));
    const bool any_tail = std::any_of(keys.begin(), keys.end(), [&](Key key) { return slot_of(key) == 0; });
    EXPECT_EQ(fast.any_tail != 0, any_tail);
    EXPECT_EQ(plain.any_tail != 0, any_tail);
    for (const Scratch* s : {&with_fast, &with_plain}) {
      double dot = 0;
      for (std::size_t i = 0; i < n(); ++i) {
        const std::size_t slot = slot_of(keys[i]), cell = cell_of(keys[i]);
        const std::uint32_t packed = slot > 0 ? word_at(half_words, slot - 1) : 0;
        const std::uint16_t held = cell > 0 ? half_words[cell] : std::uint16_t{0};
        ASSERT_EQ(s->word[i], slot > 0 ? slot : cell > 0 ? cell : no_cell_at(kCells) + has_room(keys[i]));
        ASSERT_EQ(bits(s->raw[i]), bits(slot > 0 ? PackedSlot::weight(packed) : PackedCell::weight(held)));
        ASSERT_EQ(bits(s->squares[i]),
                  bits(slot > 0 ? PackedSlot::squares(packed) : PackedCell::squares(held) * kUnit));
        ASSERT_EQ(bits(s->signed_value[i]), bits(values[i]));
        dot += double{s->raw[i]} * values[i];
      }
      EXPECT_NEAR(fast.dot, dot, 1e-4);
    }
  }
}

constexpr RowStep kStep{.gradient = 0.7f,
                        .least_rate = 0.1f,
                        .speed = 0.5f,
                        .prior = 0.3f,
                        .per_settled = 0.4f,
                        .per_scale = 1.25f,
                        .seed_low = 123,
                        .seed_high = 456};

TEST_P(EveryPackedLength, StepMovesSlotsAndCellsAndListsTheHeavyOnes) {
  draw();
  Scratch with_fast, with_plain;
  HalfWords after_fast = half_words, after_plain = half_words;
  for (auto [table, s, after] :
       {std::tuple(&kernels(), &with_fast, &after_fast), std::tuple(&portable_kernels(), &with_plain, &after_plain)}) {
    locate(*table, *s);
    const TaggedStep found = table->step_tagged(after->data(), kCells, n(), kStep, s->located_packed());
    std::vector<std::uint32_t> heavy, without_a_cell;
    for (std::uint32_t i = 0; i < n(); ++i) {
      const float gradient = kStep.gradient * values[i], sum = s->squares[i] + gradient * gradient;
      const float weight = s->raw[i] - kStep.rate_for(sum) * gradient * kStep.per_scale;
      EXPECT_EQ(bits(s->stepped[i]), bits(weight));
      if (s->word[i] < kCellsAt) continue;
      if (std::abs(weight) > kHeavierToEnter * lightest_of(keys[i])) heavy.push_back(i);
      const std::uint32_t random = mix(s->hash[i], {kStep.seed_low, kStep.seed_high});
      const bool asks = has_room(keys[i]) || draw_of(random) < kAdmission;
      if (cell_of(keys[i]) == 0 && asks && weight != 0) without_a_cell.push_back(i);
    }
    const auto first = [](const std::vector<std::uint32_t>& list, std::size_t n) {
      return std::vector(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(n));
    };
    EXPECT_EQ(first(s->candidates, found.candidates), heavy);
    EXPECT_EQ(first(s->newcomers, found.newcomers), without_a_cell);
  }
  EXPECT_EQ(after_fast, after_plain);

  // step by step, each cell from where the feature before has left it
  std::vector<double> weight(kWidth), squares(kWidth), coarse(kWidth, 0), levels(kWidth, 0);
  for (std::uint32_t c = 0; c < kWidth; ++c) {
    weight[c] = PackedCell::weight(half_words[kCellsAt + c]);
    squares[c] = PackedCell::squares(half_words[kCellsAt + c]) * kUnit;
  }
  HalfWords untouched = half_words;
  for (std::size_t i = 0; i < n(); ++i) {
    const std::uint32_t word = with_fast.word[i];
    const float gradient = kStep.gradient * values[i];
    if (word < kCellsAt) {
      const std::uint32_t before = word_at(half_words, word - 1), after = word_at(after_fast, word - 1);
      const float sum = PackedSlot::squares(before) + gradient * gradient;
      const float stepped = PackedSlot::weight(before) - kStep.rate_for(sum) * gradient * kStep.per_scale;
      EXPECT_NEAR(PackedSlot::weight(after), stepped, std::abs(stepped) * 0x1p-11 + 1e-30);
      EXPECT_NEAR(PackedSlot::squares(after), sum, sum * 0x1p-4 + 1e-30);
      set_word(untouched, word - 1, after);
    } else if (word < no_cell_at(kCells)) {
      const std::uint32_t c = word - kCellsAt;
      squares[c] += gradient * gradient;
      weight[c] -= kStep.rate_for(static_cast<float>(squares[c])) * gradient * kStep.per_scale;
      coarse[c] += ++levels[c] == 1 ? 0x1p-6 : 0.5;  // after the first, rates follow sums that were rounded
      untouched[word] = after_fast[word];
    }
  }
  EXPECT_EQ(after_fast, untouched);  // nothing else was written
  for (std::uint32_t c = 0; c < kWidth; ++c) {
    const std::uint16_t cell = after_fast[kCellsAt + c];
    EXPECT_NEAR(PackedCell::weight(cell), weight[c], coarse[c] * (std::abs(weight[c]) + levels[c]) + 1e-6);
    if (levels[c] == 1) {  // to one of the two neighbours
      const double up = squares[c] / kUnit + 1, got = PackedCell::squares(cell) + 1;
      EXPECT_TRUE(got > up / 2.001 && got < up * 2.001) << up << " " << got;
    }
  }
}

TEST_P(EveryPackedLength, RowsWithoutATailStepAsAllRowsDo) {
  draw();
  keys.clear();
  for (Key key = 0; key < kKeys && keys.size() < n(); ++key)
    if (slot_of(key) > 0) keys.push_back(key);
  for (const Kernels* table : {&kernels(), &portable_kernels()}) {
    Scratch s;
    s.fit(keys.size());
    table->mix_all(keys.data(), keys.size(), kSeeds, s.hash.data());
    const PackedBuffer buffer{half_words.data(), kLines, kWidth, kUnit};
    table->locate_tagged(buffer, keys.data(), values.data(), keys.size(), s.located_packed(), s.row);
    EXPECT_EQ(s.row.any_tail, 0u);
    HalfWords with_tail = half_words, without = half_words;
    table->step_tagged(with_tail.data(), kCells, keys.size(), kStep, s.located_packed());
    table->step_slots(without.data(), keys.size(), kStep, s.located_packed());
    EXPECT_EQ(with_tail, without);
    EXPECT_EQ(keys.empty(), without == half_words);
  }
}

TEST(PackedCell, KeepsWhatItHoldsAndTheMeanOfWhatItRounds) {
  for (std::uint32_t cell = 0; cell < 0x10000; ++cell) {
    const auto packed = static_cast<std::uint16_t>(cell);
    const float weight = PackedCell::weight(packed), squares = PackedCell::squares(packed);
    const std::uint16_t again = PackedCell::nearest(weight, squares);
    ASSERT_EQ(again | 0x8000, weight == 0 ? (packed & 15) | 0x8000 : packed | 0x8000);
    ASSERT_EQ(PackedCell::weight(again), weight);
  }
  Random random{3};
  for (const float weight : {3e-8f, -7e-7f, 1e-3f, -0.77f, 12.3f, 4000.0f}) {
    double weights = 0, sums = 0;
    constexpr int kTimes = 40'000;
    for (int i = 0; i < kTimes; ++i) {
      const auto cell = PackedCell::rounded_at_random(weight, 21.5f, static_cast<std::uint32_t>(random.next()));
      weights += PackedCell::weight(cell);
      sums += PackedCell::squares(cell);
    }
    EXPECT_NEAR(weights / kTimes, weight, std::abs(weight) * 0.001 + 2e-8);
    EXPECT_NEAR(sums / kTimes, 21.5, 0.2);
  }
  EXPECT_GT(PackedCell::weight(PackedCell::nearest(1e9f, 1e9f)), 4000.0f);  // the most it holds
  EXPECT_EQ(PackedCell::squares(PackedCell::nearest(0, 1e9f)), 32767.0f);
}

TEST_P(EveryPackedLength, EnergyCountsValuesThatAreNotZero) {
  draw();
  const Energy fast = kernels().energy_of(values.data(), n()), plain = portable_kernels().energy_of(values.data(), n());
  EXPECT_EQ(bits(fast.squares), bits(plain.squares));
  EXPECT_EQ(bits(fast.squares), bits(kernels().dot(values.data(), values.data(), n())));
  const auto present = n() - static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0f));
  EXPECT_EQ(fast.n_values, present);
  EXPECT_EQ(plain.n_values, present);
}

}  // namespace
}  // namespace wmsketch
