// A weight and its sum of squared gradients in few bits. This is the only definition, written over any lane type
// (simd/lanes_*.inl). PackedSlot and PackedCell describe the layout.

static constexpr std::uint32_t kSignBit = 0x80000000u;

// --- 32 bits: the upper 20 of the weight's float32, and bits 30 to 19 of the sum's ---

static constexpr std::uint32_t kSlotWeight = 0xfffff000u;
static constexpr int kSlotSumShift = 19;

static inline Floats slot_weights(Words slot) { return as_floats(slot & constant<kSlotWeight>()); }
static inline Floats slot_sums(Words slot) { return as_floats((slot & constant<~kSlotWeight>()) << kSlotSumShift); }
// The dropped bits are rounded: stochastically by adding 12 and 19 random bits, or to nearest by adding half of the
// last kept bit.
static inline Words pack_slots(Floats weight, Floats sum, Words weight_bits, Words sum_bits) {
  return ((as_words(weight) + weight_bits) & constant<kSlotWeight>()) | ((as_words(sum) + sum_bits) >> kSlotSumShift);
}
static inline Words pack_slots_at_random(Floats weight, Floats sum, Words random) {
  return pack_slots(weight, sum, random & constant<~kSlotWeight>(), random >> (32 - kSlotSumShift));
}

// --- 16 bits, as the upper half of a word: a sign, 11 bits of the weight, 4 of the sum ---

static constexpr std::uint32_t kCellBits = 0xffff0000u, kCellSize = 0x7ff00000u;
static constexpr std::uint32_t kCellZero = 107u << 23, kCellLeast = kCellZero + (1u << 17);
static constexpr std::uint32_t kCellMost = kCellZero + (0x7ffu << 17), kCellMostLevel = 15;

static inline Floats cell_weights(Words cell) {
  const Words size = cell & constant<kCellSize>(), bits = (size >> 3) + constant<kCellZero>();
  return as_floats(select(size == all(0u), all(0u), bits | (cell & constant<kSignBit>())));
}
static inline Floats cell_sums(Words cell) {  // in units
  return as_floats(((cell << 7) & constant<15u << 23>()) + constant<127u << 23>()) - all(1.0f);
}
// Takes 17 random bits for the weight and 23 for the sum. A weight below the smallest representable one becomes that
// one or zero.
static inline Words pack_cells(Floats weight, Floats sum_in_units, Words weight_bits, Words sum_bits) {
  const Words bits = as_words(weight), size = bits & constant<~kSignBit>(), sum = size + weight_bits;
  const Words rounded = lesser(sum, constant<kCellMost>());
  const Words least = constant<kCellLeast>(), zero = constant<kCellZero>();
  const Floats raised = as_floats(size) + to_floats(weight_bits) * (all(0x1p-17f) * as_floats(all(kCellLeast)));
  const Words small = select(raised >= as_floats(least), least, zero);
  const Words code = ((select(size < least, small, rounded) - zero) >> 17) << 20;
  const Words level = ((as_words(sum_in_units + all(1.0f)) + sum_bits) >> 23) - constant<127u>();
  return (bits ^ size) | code | (lesser(level, constant<kCellMostLevel>()) << 16);
}
static inline Words pack_cells_at_random(Floats weight, Floats sum_in_units, Words random) {
  return pack_cells(weight, sum_in_units, random & constant<0x1ffffu>(), (random >> 17) << 8);
}
