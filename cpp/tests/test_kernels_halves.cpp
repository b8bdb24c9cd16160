// The kernels of the adaptive AWM-Sketch: what they find and write, by definition, and the same bits on every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "wmsketch/aligned.hpp"
#include "wmsketch/half.hpp"
#include "wmsketch/kernels.hpp"
#include "wmsketch/random.hpp"
#include "wmsketch/scratch.hpp"

namespace wmsketch {
namespace {

constexpr std::uint32_t kLines = 5, kWidth = 37, kCellsAt = kLines * kLineHalves, kKeys = 200;
constexpr MixerSeeds kSeeds{17, 29};

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint32_t line_of(Key key) { return bucket_of(second_hash(mix(key, kSeeds)), kLines); }

using Halves = std::vector<std::uint16_t, LineAllocator<std::uint16_t>>;

std::uint32_t word_at(const Halves& halves, std::size_t half) {
  std::uint32_t word;
  std::memcpy(&word, &halves[half], sizeof word);
  return word;
}
void set_word(Halves& halves, std::size_t half, std::uint32_t word) { std::memcpy(&halves[half], &word, sizeof word); }

class EveryLengthOfHalves : public testing::TestWithParam<int> {
 protected:
  std::size_t n() const { return static_cast<std::size_t>(GetParam()); }
  float number() { return static_cast<float>(random.uniform() * 2 - 1); }

  // About half of the keys below kKeys that find room are active; the row has different keys.
  void draw() {
    halves.assign(kCellsAt + kWidth, 0);
    for (std::uint32_t slot = 0; slot < kLines * kWays; ++slot)
      set_word(halves, slot / kWays * kLineHalves + 2 * (slot % kWays), 1'000'000 + slot);
    std::vector<std::uint32_t> taken(kLines, 0);
    for (Key key = 0; key < kKeys; ++key) {
      const std::uint32_t line = line_of(key);
      if (random.below(4) > 0 || taken[line] == kWays) continue;
      const std::size_t at = line * kLineHalves + 2 * taken[line]++;
      set_word(halves, at, key);
      set_word(halves, at + 2 * kWays, PackedSlot::nearest(number(), std::abs(number())));
    }
    for (std::size_t i = kCellsAt; i < halves.size(); ++i) halves[i] = nearest_half(number());
    keys.clear();
    values.clear();
    for (Key key = 0; key < kKeys; ++key) keys.push_back(key);
    for (std::size_t i = 0; i < n(); ++i) std::swap(keys[i], keys[i + random.below(kKeys - static_cast<Key>(i))]);
    keys.resize(n());
    for (std::size_t i = 0; i < n(); ++i) values.push_back(random.below(9) == 0 ? 0.0f : number());
  }
  RowSums locate(const Kernels& table, Scratch& s) const {
    s.fit(n());
    table.mix_all(keys.data(), n(), kSeeds, s.hash.data());
    return table.locate_halves({halves.data(), kLines, kWidth}, keys.data(), values.data(), n(), s.located_halves());
  }
  std::size_t slot_of(Key key) const {  // the upper half of its slot, or 0
    for (std::size_t at = line_of(key) * kLineHalves, w = 0; w < kWays; ++w)
      if (word_at(halves, at + 2 * w) == key) return at + 2 * kWays + 2 * w + 1;
    return 0;
  }
  float lightest_of(Key key) const {
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t at = line_of(key) * kLineHalves + 2 * kWays, w = 0; w < kWays; ++w)
      least = std::min(least, std::abs(PackedSlot::weight(word_at(halves, at + 2 * w))));
    return least;
  }

  Random random{static_cast<std::uint64_t>(GetParam()) + 1};
  Halves halves;
  std::vector<Key> keys;
  std::vector<float> values;
};

INSTANTIATE_TEST_SUITE_P(Rows, EveryLengthOfHalves, testing::Range(0, 71));

TEST_P(EveryLengthOfHalves, LocateUnpacksSlotsAndCells) {
  for (int trial = 0; trial < 10; ++trial) {
    draw();
    Scratch with_fast, with_plain;
    const RowSums fast = locate(kernels(), with_fast), plain = locate(portable_kernels(), with_plain);
    EXPECT_EQ(bits(fast.dot), bits(plain.dot));
    EXPECT_EQ(bits(fast.tail_energy), bits(plain.tail_energy));
    const bool any_tail = std::any_of(keys.begin(), keys.end(), [&](Key key) { return slot_of(key) == 0; });
    EXPECT_EQ(fast.any_tail != 0, any_tail);
    EXPECT_EQ(plain.any_tail != 0, any_tail);
    double dot = 0, tail_energy = 0;
    for (const Scratch* s : {&with_fast, &with_plain}) {
      dot = tail_energy = 0;
      for (std::size_t i = 0; i < n(); ++i) {
        const std::uint32_t hash = mix(keys[i], kSeeds);
        const std::size_t slot = slot_of(keys[i]), cell = kCellsAt + bucket_of(hash, kWidth);
        const std::uint32_t packed = slot > 0 ? word_at(halves, slot - 1) : 0;
        ASSERT_EQ(s->word[i], slot > 0 ? slot : cell);
        ASSERT_EQ(bits(s->raw[i]), bits(slot > 0 ? PackedSlot::weight(packed) : float_of_half(halves[cell])));
        ASSERT_EQ(bits(s->squares[i]), bits(PackedSlot::squares(packed)));
        ASSERT_EQ(bits(s->signed_value[i]), bits(slot > 0 ? values[i] : sign_of(hash) * values[i]));
        dot += double{s->raw[i]} * s->signed_value[i];
        if (slot == 0) tail_energy += double{values[i]} * values[i];
      }
    }
    EXPECT_NEAR(fast.dot, dot, 1e-4);
    EXPECT_NEAR(fast.tail_energy, tail_energy, 1e-4);
  }
}

TEST_P(EveryLengthOfHalves, StepMovesSlotsAndCellsAndHoldsCandidatesBack) {
  for (const bool newton : {false, true}) {
    draw();
    const AdaptiveStep step{
        0.7f, 0.1f, 0.5f, 0.35f, 0.3f, newton ? 0.0f : 0.4f, 1.25f, 123, 456, newton, newton ? 0.5f : 1.0f};
    const TailSteps tail{-0.2f, newton ? -0.3f : -0.2f};
    Scratch with_fast, with_plain;
    Halves after_fast = halves, after_plain = halves;
    std::vector<std::uint32_t> expected;
    for (auto [table, s, after] : {std::tuple(&kernels(), &with_fast, &after_fast),
                                   std::tuple(&portable_kernels(), &with_plain, &after_plain)}) {
      locate(*table, *s);
      const std::size_t found = table->step_halves(after->data(), kCellsAt, n(), step, tail, s->located_halves());
      expected.clear();
      for (std::size_t i = 0; i < n(); ++i)
        if (s->word[i] >= kCellsAt && std::abs(s->raw[i] + tail.entering * s->signed_value[i]) > lightest_of(keys[i]))
          expected.push_back(static_cast<std::uint32_t>(i));
      EXPECT_EQ(std::vector(s->candidates.begin(), s->candidates.begin() + static_cast<std::ptrdiff_t>(found)),
                expected);
    }
    EXPECT_EQ(after_fast, after_plain);

    std::vector<double> cells(kWidth, 0), coarse(kWidth, 0);  // where steps should lead, and how much rounding may add
    for (std::uint32_t c = 0; c < kWidth; ++c) cells[c] = float_of_half(halves[kCellsAt + c]);
    Halves untouched = halves;
    for (std::size_t i = 0; i < n(); ++i) {
      const std::uint32_t word = with_fast.word[i];
      if (word < kCellsAt) {
        const float gradient = step.gradient * values[i], sum = with_fast.squares[i] + step.square_of(gradient);
        const float weight = with_fast.raw[i] - step.rate_for(sum) * gradient * step.per_scale;
        const std::uint32_t slot = word_at(after_fast, word - 1);
        EXPECT_NEAR(PackedSlot::weight(slot), weight, std::abs(weight) * 0x1p-11 + 1e-30);
        EXPECT_NEAR(PackedSlot::squares(slot), sum, sum * 0x1p-4 + 1e-30);
        set_word(untouched, word - 1, slot);
      } else if (!std::binary_search(expected.begin(), expected.end(), static_cast<std::uint32_t>(i))) {
        cells[word - kCellsAt] += double{tail.staying} * with_fast.signed_value[i];
        coarse[word - kCellsAt] += 2 * 0x1p-7;
        untouched[word] = after_fast[word];
      }
    }
    EXPECT_EQ(after_fast, untouched);  // nothing else was written, a candidate's cell included
    for (std::uint32_t c = 0; c < kWidth; ++c)
      EXPECT_NEAR(float_of_half(after_fast[kCellsAt + c]), cells[c], coarse[c] * (1 + std::abs(cells[c])));
  }
}

TEST_P(EveryLengthOfHalves, RowsWithoutATailStepAsAllRowsDo) {
  for (const bool newton : {false, true}) {
    draw();
    keys.clear();
    for (Key key = 0; key < kKeys && keys.size() < n(); ++key)
      if (slot_of(key) > 0) keys.push_back(key);
    const AdaptiveStep step{
        0.7f, 0.1f, 0.5f, 0.35f, 0.3f, newton ? 0.0f : 0.4f, 1.25f, 123, 456, newton, newton ? 0.5f : 1.0f};
    for (const Kernels* table : {&kernels(), &portable_kernels()}) {
      Scratch s;
      s.fit(keys.size());
      table->mix_all(keys.data(), keys.size(), kSeeds, s.hash.data());
      const HalfBuffer buffer{halves.data(), kLines, kWidth};
      EXPECT_EQ(table->locate_halves(buffer, keys.data(), values.data(), keys.size(), s.located_halves()).any_tail, 0u);
      Halves with_tail = halves, without = halves;
      table->step_halves(with_tail.data(), kCellsAt, keys.size(), step, {-0.2f, -0.2f}, s.located_halves());
      table->step_slots(without.data(), keys.size(), step, s.located_halves());
      EXPECT_EQ(with_tail, without);
      EXPECT_EQ(keys.empty(), without == halves);
    }
  }
}

TEST_P(EveryLengthOfHalves, EnergyCountsValuesThatAreNotZero) {
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
