// The kernels of packed slots and cells (the AWM-Sketch with adaptive steps). A part of kernels.inl.

// Eight features at once.
static inline LocatedRow locate_packed(PackedBuffer buffer, const Key* keys, const float* values, std::size_t n,
                                       const LocatedPacked& out) {
  const std::uint16_t* half_words = buffer.half_words;
  std::uint32_t *const lines_at = out.line, *const words_at = out.word;  // or they would be read again after a store
  const Words cells_at = all(buffer.lines * kLineHalfWords);
  Floats dots = all(0.0f), energies = all(0.0f);
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words hash = load(out.hash + i);
    const Words line = buckets(hash * all(0x9e3779b1u), buffer.lines) << kLineShift;
    store(lines_at + i, line);
    std::uint32_t inside_keys[kLanes];  // keys end where the row ends
    store(inside_keys, load_first(keys + i, n - i));
    const Words way = ways(half_words, lines_at + i, inside_keys);
    const Mask tail = way == all(0u);
    const Words weight_at = line + (way + way) + all(2 * kWays - 1);
    store(words_at + i, select(tail, cells_at + buckets(hash, buffer.width), weight_at));
    const Words slot = words_before(half_words, words_at + i);  // a weight is the upper half of its slot
    const Floats raw = select(tail, cell_weights(slot), slot_weights(slot));
    const Floats given = load_first(values + i, n - i);
    energies = energies + given * given;
    n_values += count_of(given != all(0.0f));
    const Floats value = as_floats(as_words(given) ^ ((hash << 31) & as_words(tail)));
    store(out.raw + i, raw);
    store(out.squares + i, select(tail, cell_sums(slot) * all(buffer.unit), slot_sums(slot)));
    store(out.before + i, slot);
    store(out.signed_value + i, value);
    // lanes beyond the end add 0, which changes no sum
    dots = dots + as_floats(as_words(raw) & first_lanes(n - i)) * value;
  }
  Words any = all(0u);  // a loop of its own: in the one above, no register is left for it
  for (std::size_t i = 0; i < n; i += kLanes)
    any = any | (as_words(load(out.word + i) >= cells_at) & first_lanes(n - i));
  return {sum(dots), bits_of_mask(any != all(0u)), {sum(energies), n_values}};
}

// A copy of what a step needs: the compiler must think that a store changes what lies elsewhere.
struct PackedStep {
  RowStep step;
  PackedCells cells;
  LocatedPacked at;
};

// One vector of features after this example's step, rounded at random; the bits that round depend on a key, not on its
// place in the row.
template <bool kNewton, bool kTail>
[[gnu::always_inline]] static inline void adapt_lanes(std::size_t i, const PackedStep& all_of) {
  const RowStep& step = all_of.step;
  const LocatedPacked& at = all_of.at;
  const Words random = mix_lanes(load(at.hash + i), MixerSeeds{step.seed_low, step.seed_high});
  const Mask tail = load(at.word + i) >= all(all_of.cells.first);
  const Floats speed = kTail ? select(tail, all(step.tail_speed), all(step.speed)) : all(step.speed);
  const Floats gradient = all(step.gradient) * load(at.signed_value + i), square = gradient * gradient;
  const Floats sum = load(at.squares + i) + (kNewton ? square * all(step.per_weight) : square);
  const Floats weight = load(at.raw + i) - (rates<kNewton>(sum, speed, step) * gradient) * all(step.per_scale);
  const Words slot = pack_slots_at_random(weight, sum, random);
  if constexpr (kTail) {
    const Words cell = pack_cells_at_random(weight, sum * all(1.0f / all_of.cells.unit), random);
    store(at.stepped + i, weight);
    store(at.after + i, select(tail, cell, slot));
  } else {
    store(at.after + i, slot);
  }
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

// Lists the features of the tail that are heavier than the lightest of their line.
static inline std::size_t find_heavier(const float* weight, const float* lightest, std::size_t n,
                                       std::uint32_t* candidates) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; i += kLanes)
    found = list_lanes(magnitudes(load(weight + i)) > load(lightest + i), i, n, candidates, found);
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

// A cell is read and written with the half below it, because that is how the next row will read it. A feature without
// a cell writes over its own `after`: a choice between addresses is cheaper than a branch that is mispredicted.
template <bool kTagged>
static inline void write_packed(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                const LocatedPacked& at) {
  const std::uint32_t *const word = at.word, *const before = at.before;
  std::uint32_t* const after = at.after;
  const std::uint32_t nowhere = kTagged ? nowhere_of(cells) : 0xffffffffu;
  for (std::size_t i = 0; i < n; ++i) {
    // all ones or none: a choice by it cannot become a branch, which would be mispredicted
    const auto placed = kTagged ? -static_cast<std::uintptr_t>(word[i] < nowhere) : ~std::uintptr_t{0};
    const auto own = reinterpret_cast<std::uintptr_t>(after + i);
    const auto far = reinterpret_cast<std::uintptr_t>(half_words + word[i] - 1) - own;
    void* const place = kTagged ? reinterpret_cast<void*>(own + (far & placed)) : half_words + word[i] - 1;
    std::uint32_t now, next = after[i];
    __builtin_memcpy(&now, place, sizeof now);
    if (((now ^ before[i]) & kCellBits & static_cast<std::uint32_t>(placed)) != 0) [[unlikely]]
      next = step_again(now, i, cells.unit, step, at);
    const std::uint32_t active = -static_cast<std::uint32_t>(word[i] < cells.first);
    next |= now & ~kCellBits & ~active;
    __builtin_memcpy(place, &next, sizeof next);
  }
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
  const std::size_t found = find_heavier(at.stepped, at.lightest, n, at.candidates);
  write_packed<false>(half_words, cells, n, step, at);
  return found;
}
