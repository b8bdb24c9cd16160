// One lane, so that what is written over lanes also serves a number by itself.

using Floats = float;
using Words = std::uint32_t;
using Mask = bool;

static constexpr Floats all(float x) { return x; }
static constexpr Words all(std::uint32_t x) { return x; }
template <std::uint32_t kValue>
static constexpr Words constant() {
  return kValue;
}
static constexpr Words lesser(Words a, Words b) { return a < b ? a : b; }
static constexpr Words as_words(Floats x) { return std::bit_cast<std::uint32_t>(x); }
static constexpr Floats as_floats(Words x) { return std::bit_cast<float>(x); }
static constexpr Floats to_floats(Words x) { return static_cast<float>(x); }
template <class Number>
static constexpr Number select(Mask condition, Number yes, Number no) {
  return condition ? yes : no;
}
