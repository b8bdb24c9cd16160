// The loops worth vectorising. One source (kernels.inl) compiled twice; both give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wmsketch/hashing.hpp"
#include "wmsketch/step_rule.hpp"

namespace wmsketch {

// The buffer of an AWM-Sketch with an associative active set: `lines` of 16 words, each 8 keys then 8 weights, and
// behind them the `width` cells of a depth-1 sketch. "Active or not" is then only a choice of index.
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

// The same with 16-bit values: a line is 8 keys, then 8 slots of 32 bits, the weight in the upper half and the sum of
// squared gradients in the lower; a cell has 16 bits. All are the upper halves of float32 (bfloat16).
struct HalfBuffer {
  const std::uint16_t* halves;
  std::uint32_t lines, width;
};
inline constexpr std::uint32_t kLineHalves = 2 * kLineWords;

// All but keys, values and the buffers lies in scratch: whole vectors are computed, of which the end is not used.
struct Kernels {
  const char* name;
  void (*mix_all)(const Key* keys, std::size_t n, MixerSeeds seeds, std::uint32_t* hash);
  void (*locate)(AwmBuffer buffer, const Key* keys, const float* values, std::size_t n, Located out);
  // As `locate`; out.word is the index of the upper half of a weight's slot, or of a cell. `squares` of a cell are 0.
  void (*locate_halves)(HalfBuffer buffer, const Key* keys, const float* values, std::size_t n, Located out,
                        float* squares);
  // The slots (half.hpp) after this example's step, as if every feature were active, rounded at random.
  // Also leaves the random bits, the lower 16 of which rounded the weight; they depend on the key, not on its place in
  // the row.
  void (*adapt)(const std::uint32_t* hash, const float* raw, const float* squares, const float* signed_value,
                std::size_t n, AdaptiveStep step, std::uint32_t* slots, std::uint32_t* random);
  // Active features take their slot, the cells of all others a step of delta, rounded at random.
  void (*write_halves)(std::uint16_t* halves, std::uint32_t cells_at, const std::uint32_t* word,
                       const std::uint32_t* slots, const float* delta, const std::uint32_t* random, std::size_t n);
  // The sum of squares of the values that fall into cells.
  float (*tail_energy)(const std::uint32_t* word, std::uint32_t cells_at, const float* value, std::size_t n);
  float (*dot)(const float* a, const float* b, std::size_t n);
  // delta[i] = step * signed_value[i]; lists the indices i with |before[i] + delta[i]| > lightest[i], returns how many.
  std::size_t (*find_candidates)(const float* before, const float* signed_value, float step, const float* lightest,
                                 std::size_t n, float* delta, std::uint32_t* candidates);
  // The sum of value[i] over those i with word[i] == wanted, in the order of i.
  float (*sum_where)(const std::uint32_t* word, const float* value, std::size_t n, std::uint32_t wanted);
  Key (*largest)(const Key* keys, std::size_t n);  // 0 of none
  bool (*strictly_increasing)(const Key* keys, std::size_t n);
  // Whether every value is finite (the sum of zeros is not a zero once a NaN or an infinity takes part).
  bool (*all_finite)(const float* values, std::size_t n);
};

const Kernels& kernels();  // the fastest this CPU runs
const Kernels& portable_kernels();
void force_portable_kernels(bool on);  // so that a test can compare the two

}  // namespace wmsketch
