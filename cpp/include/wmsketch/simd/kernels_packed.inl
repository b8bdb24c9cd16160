// The steps of packed slots and cells (the AWM-Sketch with adaptive steps). A part of kernels.inl.

// A copy of what a step needs. Without it, the compiler would reload all of it after each store.
struct PackedStep {
  RowStep step;
  PackedCells cells;
  LocatedPacked at;
};

// One vector of features after this example's step, before it is rounded. The random bits depend on the key, not on
// its place in the row.
struct SteppedLanes {
  Floats weight, sum;
  Words random;
};
[[gnu::always_inline]] static inline SteppedLanes step_lanes(std::size_t i, const PackedStep& all_of) {
  const RowStep& step = all_of.step;
  const LocatedPacked& at = all_of.at;
  const Words random = mix_lanes(load(at.hash + i), MixerSeeds{step.seed_low, step.seed_high});
  const Floats gradient = all(step.gradient) * load(at.signed_value + i);
  const Floats sum = load(at.squares + i) + gradient * gradient;
  const Floats weight = load(at.raw + i) - (rates(sum, step) * gradient) * all(step.per_scale);
  return {weight, sum, random};
}

// Leaves the weights and, rounded at random, the slots or cells of one vector of features.
[[gnu::always_inline]] static inline void pack_lanes(std::size_t i, Mask tail, const SteppedLanes& stepped,
                                                     const PackedStep& all_of) {
  const auto& [weight, sum, random] = stepped;
  const Words slot = pack_slots_at_random(weight, sum, random);
  const Words cell = pack_cells_at_random(weight, sum * all(1.0f / all_of.cells.unit), random);
  store(all_of.at.stepped + i, weight);
  store(all_of.at.after + i, select(tail, cell, slot));
}

// The smallest magnitude of the weights in the line of each feature; infinite for an active one. The lowest bits of a
// slot do not change which weight is the lightest.
template <bool kShort>
[[gnu::always_inline]] static inline void find_lightest(const std::uint16_t* half_words, std::uint32_t cells_at,
                                                        std::size_t n, const LocatedPacked& at) {
  for (std::size_t i = 0; i < (kShort ? 1 : n); i += kLanes) {
    const Words lightest = least_of_lines(half_words, at.line + i, kSlotWeight & ~kSignBit);
    const Mask tail = load(at.word + i) >= all(cells_at);
    store(at.lightest + i, as_floats(select(tail, lightest, all(0x7f800000u))));
  }
}

// Lists the features of the tail that are heavier than the lightest of their line, by this factor.
template <bool kShort>
[[gnu::always_inline]] static inline std::size_t find_heavier(const float* weight, const float* lightest, float factor,
                                                              std::size_t n, std::uint32_t* candidates) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < (kShort ? 1 : n); i += kLanes)
    found = list_lanes(magnitudes(load(weight + i)) > all(factor) * load(lightest + i), i, n, candidates, found);
  return found;
}

// The cell of a feature after its step, if another one of this row has stepped it before.
[[gnu::noinline]] static std::uint32_t step_again(std::uint32_t cell, std::size_t i, float unit, const RowStep& step,
                                                  const LocatedPacked& at) {
  const float gradient = step.gradient * at.signed_value[i], square = gradient * gradient;
  const Floats weight = cell_weights(all(cell)) + all(at.stepped[i] - at.raw[i]);
  const Floats sum = cell_sums(all(cell)) + all(square / unit);
  const Words random = mix_lanes(all(at.hash[i]), MixerSeeds{step.seed_low, step.seed_high});
  std::uint32_t again[kLanes];
  store(again, pack_cells_at_random(weight, sum, random));
  return again[0];
}

// A cell is read and written together with the half below it, because the next row reads both. `before` says whether
// that half stays. Selecting by its bits avoids a branch, which would be mispredicted.
[[gnu::always_inline]] static inline void write_one(std::uint16_t* half_words, float unit, std::size_t i,
                                                    const RowStep& step, const LocatedPacked& at) {
  std::uint16_t* const place = half_words + at.word[i] - 1;
  const std::uint32_t before = at.before[i];
  std::uint32_t now, next = at.after[i];
  __builtin_memcpy(&now, place, sizeof now);
  if (((now ^ before) & kCellBits) != 0) [[unlikely]]
    next = step_again(now, i, unit, step, at);
  next |= now & before & ~kCellBits;
  __builtin_memcpy(place, &next, sizeof next);
}

// The step of a row all of whose features are active.
static inline void step_slots(std::uint16_t* half_words, std::size_t n, const RowStep& step, const LocatedPacked& at) {
  const PackedStep all_of{step, {}, at};
  const std::uint32_t* const word = all_of.at.word;
  std::uint32_t* const after = all_of.at.after;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const SteppedLanes stepped = step_lanes(i, all_of);
    store(after + i, pack_slots_at_random(stepped.weight, stepped.sum, stepped.random));
  }
  for (std::size_t i = 0; i < n; ++i) __builtin_memcpy(half_words + word[i] - 1, after + i, sizeof after[i]);
}
