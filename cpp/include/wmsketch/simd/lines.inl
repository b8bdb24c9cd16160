// A line of the active set: eight keys, then eight weights. Over any lane type.

static inline std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
static inline float float_of(std::uint32_t b) { return __builtin_bit_cast(float, b); }
static inline float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffffu); }

// Bit w is set where keys[w] == key.
static inline std::uint32_t matches(const float* keys, Key key) {
  return bits_of_mask(as_words(load(keys)) == all(key));
}
// The smallest magnitude of a line's weights: positive floats are ordered as their bits are.
static inline float lightest_of(const float* weights) {
  return float_of(least(as_words(load(weights)) & all(0x7fffffffu)));
}
