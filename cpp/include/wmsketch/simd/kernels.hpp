// The loops worth vectorising. One source (kernels.inl), compiled for the lanes of each instruction set (lanes_*.inl);
// all give the same bits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/step.hpp"

namespace wmsketch {

// The buffer of an AWM-Sketch with an associative active set: `lines` of 16 words, each 8 keys then 8 weights, and
// behind them the `width` cells of a depth-1 sketch. One index finds a weight in either.
struct AwmBuffer {
  const float* words;
  std::uint32_t lines, width;
};
inline constexpr std::uint32_t kWays = 8, kLineWords = 16;

// Where one example's features live; filled by `locate`, all arrays as long as the example (plus padding).
struct Located {
  std::uint32_t* hash;  // in: of row 0
  std::uint32_t* line;  // where the key's line starts
  std::uint32_t* word;  // index into the buffer: the weight of an active key, or its cell
  float* raw;           // what stands there
  float* signed_value;  // the feature's value, negated where the cell's sign is negative
  float* lightest;      // of the key's line, before this example; infinite for an active key
};

// The same in fewer bits: a line is 8 keys, then 8 slots of 32 bits, each a weight and its sum of squared
// gradients, and a cell is the same in 16 bits (packed_slot.hpp and packed_cell.hpp).
struct PackedBuffer {
  const std::uint16_t* half_words;
  std::uint32_t lines, width;
  float unit;  // of the cells' sums
};
struct PackedCells {
  std::uint32_t first;  // index of a half-word
  std::uint32_t width;
  float unit;
};
// Tagged cells: buckets of kWays, behind all of them a byte for each, and then two half-words that are always 0. A
// feature without a cell is at the first of those, or at the second if its bucket has an empty cell.
constexpr std::uint32_t no_cell_at(PackedCells cells) { return cells.first + cells.width + cells.width / 2; }
// The probability, in 2^-24, of taking the cell of another that weighs nothing and has learned nothing: about .3.
inline constexpr std::uint32_t kAdmission = 5'033'165;
// The draw of a feature: those of its random bits that do not round its weight.
inline constexpr std::uint32_t kDrawFactor = 0x9e3779b1u;
constexpr std::uint32_t draw_of(std::uint32_t random) { return random * kDrawFactor >> 8; }
// A key of a tagged cell enters the active set if it is heavier than the lightest of its line by this factor: each
// change of places costs another key its cell.
inline constexpr float kHeavierToEnter = 1.2f;
inline constexpr std::uint32_t kSettledLevel = 4;  // of a cell whose sum is 15 units or more
inline constexpr std::uint32_t kLineHalfWords = 2 * kLineWords;
inline constexpr int kLineShift = 5;
inline constexpr std::size_t kMostSorted = 128;
static_assert(kLineHalfWords == 1u << kLineShift);

// `word` is the index of the upper half of a weight's slot, or of a cell.
struct LocatedPacked : Located {
  float* squares;
  std::uint32_t* before;      // the upper half of the slot, or the cell above all ones, which keep the half below it
  std::uint32_t* after;       // the slot after the step, or the cell above zeros
  float* stepped;             // the weight after the step, before it is rounded
  std::uint32_t* candidates;  // indices of features that may enter the active set
  // Of tagged cells: random bits, indices of features that have a place, and of those without a cell that may take one.
  std::uint32_t *draw, *placed, *newcomers;
};
// The key of an empty place: one that hashes to another line.
struct EmptyKeys {
  Key usual, of_crowded;
  std::uint32_t crowded_line;  // to which `usual` hashes
};
struct TaggedStep {
  std::size_t candidates, newcomers;  // how many
};

struct Energy {
  float squares;         // their sum
  std::size_t n_values;  // how many are not 0
};
struct LocatedRow {        // filled in place: copying it causes a store-forwarding stall
  float dot;               // of weights and values
  std::uint32_t any_tail;  // not 0 if a value falls into a cell; a bool would go through memory
  Energy energy;
};

// Rows of one feature of value 1 each (OnlineLinear::learn_keys), learned kRowsAtOnce at a time.
inline constexpr std::size_t kRowsAtOnce = 8;
struct KeyRows {
  static constexpr std::size_t kMost = 32, kPadded = kMost + kRowsAtOnce;
  // Where each key may be stored. This does not change within a block of rows.
  Key key[kPadded];
  std::uint32_t hash[kPadded], line[kPadded], cell[kPadded];  // the last two are indices into the buffer

  // Of kRowsAtOnce rows.
  std::uint32_t word[kRowsAtOnce], active[kRowsAtOnce];  // where the weight is; all ones or none
  float raw[kRowsAtOnce], sign[kRowsAtOnce];
  float raw_margin[kRowsAtOnce], raw_step[kRowsAtOnce];
};
struct LogisticRows {
  const double* label;   // -1 or 1
  const double* weight;  // of its class
  const double* rate;
  const double* scale;  // of the weights: before each row, and after the last
};
struct LogisticSteps {
  const float* raw_margin;  // in: to be scaled
  double *tau, *e;          // label * margin; exp(-|tau|)
  float* raw_step;          // of the margin
};

// All arrays but keys, values and buffers are scratch: loops compute whole vectors, whose end is not used.
struct Kernels {
  const char* name;
  // `hash` has room for whole vectors of eight.
  void (*mix_all)(const Key* keys, std::size_t n, MixerSeeds seeds, std::uint32_t* hash);
  void (*locate)(AwmBuffer buffer, const Key* keys, const float* values, std::size_t n, Located out);
  float (*dot)(const float* a, const float* b, std::size_t n);
  float (*dot_at)(const float* weights, const Key* keys, const float* values, std::size_t n);  // to the bits of `dot`
  // The same for pairs of numbers, of which the first is the weight.
  float (*dot_pairs)(const float* pairs, const Key* keys, const float* values, std::size_t n);
  Energy (*energy_of)(const float* values, std::size_t n);
  // delta[i] = step * signed_value[i]; lists the indices i with |before[i] + delta[i]| > lightest[i], returns how many.
  std::size_t (*find_candidates)(const float* before, const float* signed_value, float step, const float* lightest,
                                 std::size_t n, float* delta, std::uint32_t* candidates);
  // The sum of value[i] over those i with word[i] == wanted, in the order of i.
  float (*sum_where)(const std::uint32_t* word, const float* value, std::size_t n, std::uint32_t wanted);
  Key (*largest)(const Key* keys, std::size_t n);  // 0 of none
  bool (*strictly_increasing)(const Key* keys, std::size_t n);
  // Whether every value is finite.
  bool (*all_finite)(const float* values, std::size_t n);
  // Adaptive steps of a row without repeated keys: of pairs of a weight and its sum of squared gradients. Steps only
  // whole vectors, and returns how many features these are.
  std::size_t (*step_pairs)(float* pairs, const SparseRow& x, const RowStep& step);
  // Finds and reads the weights of kRowsAtOnce rows from `first` on.
  void (*read_keys)(const float* words, KeyRows& rows, std::size_t first);
  // The steps of the logistic loss, for rows with different weights.
  void (*step_logistic)(const LogisticRows& rows, std::size_t first, const LogisticSteps& out);
  // Takes the steps one by one, until a key wants to enter the active set (`enters`: this one has not stepped), or
  // until the next row's weight has just been stepped and must be read again. Returns how many rows are done, the one
  // that enters included.
  std::size_t (*step_keys)(float* words, const KeyRows& rows, std::size_t first, std::size_t most, bool& enters);
  // `locate` for tagged cells; it does not fill `lightest`.
  void (*locate_tagged)(const PackedBuffer& buffer, const Key* keys, const float* values, std::size_t n,
                        const LocatedPacked& out, LocatedRow& row);
  // After it: all features take their adaptive step, rounded at random. Lists the features that are now heavier than
  // the lightest weight of their line was, and those that may take a cell.
  TaggedStep (*step_tagged)(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                            const LocatedPacked& at);
  // The same for a row all of whose features are active.
  void (*step_slots)(std::uint16_t* half_words, std::size_t n, const RowStep& step, const LocatedPacked& at);
  // After `step_tagged`: offers cells to features that own none, the first n of `newcomers`. One that gets a cell
  // writes its `after` there.
  void (*admit_tagged)(std::uint16_t* half_words, PackedCells cells, std::size_t n, const LocatedPacked& at);
  // Sorts at most kMostSorted ascending indices by the magnitude of their weights, heaviest first; equal ones keep
  // their order.
  void (*sort_heaviest_first)(const float* weight, std::size_t n, std::uint32_t* indices);
  // After `step_tagged`, with sorted candidates: from number `from` on they enter empty places of the active set, up to
  // the first of n whose line is full. Returns its number. `line` of one that entered is then the word of its slot.
  std::size_t (*enter_empty)(std::uint16_t* half_words, PackedCells cells, const EmptyKeys& empty, const Key* keys,
                             const RowStep& step, std::size_t from, std::size_t n, const LocatedPacked& at);
};

namespace simd {
extern std::atomic<const Kernels*> chosen;  // null until the first use
const Kernels& choose_fastest();
}  // namespace simd
// The fastest that this CPU runs, unless others were chosen.
inline const Kernels& kernels() {
  const Kernels* const current = simd::chosen.load(std::memory_order_relaxed);
  return current != nullptr ? *current : simd::choose_fastest();
}
const Kernels& portable_kernels();
bool uses_avx2();  // whether kernels() are of AVX2 or more
bool uses_avx512();
std::span<const Kernels* const> all_kernels();  // all that this CPU runs, the fastest first
void choose_kernels(std::string_view name);     // for tests, by the name of an instruction set; "": the fastest

}  // namespace wmsketch
