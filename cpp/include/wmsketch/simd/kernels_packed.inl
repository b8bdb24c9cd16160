// The kernels of packed slots and cells (the AWM-Sketch with adaptive steps). A part of kernels.inl.

// Eight features at once.
static inline void locate_packed(const PackedBuffer& buffer, const Key* keys, const float* values, std::size_t n,
                                 const LocatedPacked& out, LocatedRow& row) {
  // read once, one by one: not again after each store, and not by a wide load after narrow stores
  const std::uint16_t* const half_words = buffer.half_words;
  const std::uint32_t lines = buffer.lines, width = buffer.width;
  const float unit = buffer.unit;
  std::uint32_t *const lines_at = out.line, *const words_at = out.word;
  const Words cells_at = all(lines * kLineHalfWords);
  Floats dots = all(0.0f), energies = all(0.0f);
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words hash = load(out.hash + i);
    const Words line = buckets(hash * all(0x9e3779b1u), lines) << kLineShift;
    store(lines_at + i, line);
    std::uint32_t inside_keys[kLanes];  // keys end where the row ends
    store(inside_keys, load_first(keys + i, n - i));
    const Words way = ways(half_words, lines_at + i, inside_keys);
    const Mask tail = way == all(0u);
    const Words weight_at = line + (way + way) + all(2 * kWays - 1);
    store(words_at + i, select(tail, cells_at + buckets(hash, width), weight_at));
    const Words slot = words_before(half_words, words_at + i);  // a weight is the upper half of its slot
    const Floats raw = select(tail, cell_weights(slot), slot_weights(slot));
    const Floats given = load_first(values + i, n - i);
    energies = energies + given * given;
    n_values += count_of(given != all(0.0f));
    const Floats value = as_floats(as_words(given) ^ ((hash << 31) & as_words(tail)));
    store(out.raw + i, raw);
    store(out.squares + i, select(tail, cell_sums(slot) * all(unit), slot_sums(slot)));
    store(out.before + i, slot);
    store(out.signed_value + i, value);
    // lanes beyond the end add 0, which changes no sum
    dots = dots + as_floats(as_words(raw) & first_lanes(n - i)) * value;
  }
  Words any = all(0u);  // a loop of its own: in the one above, no register is left for it
  for (std::size_t i = 0; i < n; i += kLanes)
    any = any | (as_words(load(out.word + i) >= cells_at) & first_lanes(n - i));
  row = {sum(dots), bits_of_mask(any != all(0u)), {sum(energies), n_values}};
}

// A copy of what a step needs: the compiler must think that a store changes what lies elsewhere.
struct PackedStep {
  RowStep step;
  PackedCells cells;
  LocatedPacked at;
};

// One vector of features after this example's step, before it is rounded. The bits that round depend on a key, not on
// its place in the row.
struct SteppedLanes {
  Floats weight, sum;
  Words random;
};
template <bool kNewton>
[[gnu::always_inline]] static inline SteppedLanes step_lanes(std::size_t i, Floats speed, const PackedStep& all_of) {
  const RowStep& step = all_of.step;
  const LocatedPacked& at = all_of.at;
  const Words random = mix_lanes(load(at.hash + i), MixerSeeds{step.seed_low, step.seed_high});
  const Floats gradient = all(step.gradient) * load(at.signed_value + i), square = gradient * gradient;
  const Floats sum = load(at.squares + i) + (kNewton ? square * all(step.per_weight) : square);
  const Floats weight = load(at.raw + i) - (rates<kNewton>(sum, speed, step) * gradient) * all(step.per_scale);
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

template <bool kNewton, bool kTail>
[[gnu::always_inline]] static inline void adapt_lanes(std::size_t i, const PackedStep& all_of) {
  const RowStep& step = all_of.step;
  const Mask tail = load(all_of.at.word + i) >= all(all_of.cells.first);
  const Floats speed = kTail ? select(tail, all(step.tail_speed), all(step.speed)) : all(step.speed);
  const SteppedLanes stepped = step_lanes<kNewton>(i, speed, all_of);
  if constexpr (kTail)
    pack_lanes(i, tail, stepped, all_of);
  else
    store(all_of.at.after + i, pack_slots_at_random(stepped.weight, stepped.sum, stepped.random));
}

template <bool kTail>
static inline void adapt(std::size_t n, const PackedStep& all_of) {
  if (all_of.step.newton)
    for (std::size_t i = 0; i < n; i += kLanes) adapt_lanes<true, kTail>(i, all_of);
  else
    for (std::size_t i = 0; i < n; i += kLanes) adapt_lanes<false, kTail>(i, all_of);
}

// The smallest magnitude of the weights in the line of each feature; infinite for an active one. The lowest bits of a
// slot do not change which weight is the lightest.
static inline void find_lightest(const std::uint16_t* half_words, std::uint32_t cells_at, std::size_t n,
                                 const LocatedPacked& at) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words lightest = least_of_lines(half_words, at.line + i, kSlotWeight & ~kSignBit);
    const Mask tail = load(at.word + i) >= all(cells_at);
    store(at.lightest + i, as_floats(select(tail, lightest, all(0x7f800000u))));
  }
}

// Lists the features of the tail that are heavier than the lightest of their line, by this factor.
static inline std::size_t find_heavier(const float* weight, const float* lightest, float factor, std::size_t n,
                                       std::uint32_t* candidates) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; i += kLanes)
    found = list_lanes(magnitudes(load(weight + i)) > all(factor) * load(lightest + i), i, n, candidates, found);
  return found;
}

// The cell of a feature after its step, if another one of this row has stepped it before.
[[gnu::noinline]] static std::uint32_t step_again(std::uint32_t cell, std::size_t i, float unit, const RowStep& step,
                                                  const LocatedPacked& at) {
  const float gradient = step.gradient * at.signed_value[i], square = gradient * gradient * step.per_weight;
  const Floats weight = cell_weights(all(cell)) + all(at.stepped[i] - at.raw[i]);
  const Floats sum = cell_sums(all(cell)) + all(square / unit);
  const Words random = mix_lanes(all(at.hash[i]), MixerSeeds{step.seed_low, step.seed_high});
  std::uint32_t again[kLanes];
  store(again, pack_cells_at_random(weight, sum, random));
  return again[0];
}

// A cell is read and written with the half below it, because that is how the next row will read it.
[[gnu::always_inline]] static inline void write_one(std::uint16_t* half_words, PackedCells cells, std::size_t i,
                                                    const RowStep& step, const LocatedPacked& at) {
  const std::uint32_t word = at.word[i];
  std::uint32_t now, next = at.after[i];
  __builtin_memcpy(&now, half_words + word - 1, sizeof now);
  if (((now ^ at.before[i]) & kCellBits) != 0) [[unlikely]]
    next = step_again(now, i, cells.unit, step, at);
  // all ones or none: a choice by it cannot become a branch, which would be mispredicted
  const std::uint32_t active = -static_cast<std::uint32_t>(word < cells.first);
  next |= now & ~kCellBits & ~active;
  __builtin_memcpy(half_words + word - 1, &next, sizeof next);
}

static inline void write_packed(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                const LocatedPacked& given) {
  const LocatedPacked at = given;  // a copy, or its pointers would be read again after each store
  for (std::size_t i = 0; i < n; ++i) write_one(half_words, cells, i, step, at);
}

static inline void step_slots(std::uint16_t* half_words, std::size_t n, const RowStep& step, const LocatedPacked& at) {
  adapt<false>(n, {step, {}, at});
  const std::uint32_t *const word = at.word, *const after = at.after;
  for (std::size_t i = 0; i < n; ++i) __builtin_memcpy(half_words + word[i] - 1, after + i, sizeof after[i]);
}

static inline std::size_t step_packed(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                      const LocatedPacked& at) {
  adapt<true>(n, {step, cells, at});
  find_lightest(half_words, cells.first, n, at);
  const std::size_t found = find_heavier(at.stepped, at.lightest, 1, n, at.candidates);
  write_packed(half_words, cells, n, step, at);
  return found;
}
