// The kernels of tagged cells. A part of kernels.inl, behind kernels_packed.inl.
//
// A feature that has neither a slot nor a cell is said to live at `nowhere`, a half-word that is 0 and stays so, or at
// the one behind it if its bucket has room.

static inline Words tags_of(Words hash) {  // as TaggedCells::tag_of
  const Words low = hash & all(255u);
  return select(low == all(0u), all(1u), low);
}

// As locate_packed; values have no signs, because a cell has one owner.
static inline LocatedRow locate_tagged(PackedBuffer buffer, const Key* keys, const float* values, std::size_t n,
                                       const LocatedPacked& out) {
  const std::uint16_t* half_words = buffer.half_words;
  std::uint32_t *const lines_at = out.line, *const words_at = out.word;
  const std::uint32_t first = buffer.lines * kLineHalfWords, nowhere = nowhere_of({first, buffer.width, 0});
  const auto* tags = reinterpret_cast<const std::uint8_t*>(half_words + first + buffer.width);
  const Words cells_at = all(first);
  Floats dots = all(0.0f), energies = all(0.0f);
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words hash = load(out.hash + i);
    const Words line = buckets(hash * all(0x9e3779b1u), buffer.lines) << kLineShift;
    store(lines_at + i, line);
    std::uint32_t inside_keys[kLanes], inside_buckets[kLanes];
    store(inside_keys, load_first(keys + i, n - i));
    const Words bucket = buckets(hash, buffer.width / kWays) << 3;
    store(inside_buckets, bucket);
    const Words way = ways(half_words, lines_at + i, inside_keys);
    const Words tagged = tag_ways(tags, inside_buckets, tags_of(hash)), cell = tagged & all(15u);
    const Words missing = all(nowhere) + (as_words((tagged >> 4) != all(0u)) & all(1u));
    const Words cell_at = select(cell == all(0u), missing, cells_at + bucket + cell - all(1u));
    const Mask tail = way == all(0u);
    store(words_at + i, select(tail, cell_at, line + (way + way) + all(2 * kWays - 1)));
    const Words slot = words_before(half_words, words_at + i);
    const Floats raw = select(tail, cell_weights(slot), slot_weights(slot));
    const Floats value = load_first(values + i, n - i);
    energies = energies + value * value;
    n_values += count_of(value != all(0.0f));
    store(out.raw + i, raw);
    store(out.squares + i, select(tail, cell_sums(slot) * all(buffer.unit), slot_sums(slot)));
    store(out.before + i, slot);
    store(out.signed_value + i, value);
    dots = dots + as_floats(as_words(raw) & first_lanes(n - i)) * value;
  }
  Words any = all(0u);
  for (std::size_t i = 0; i < n; i += kLanes)
    any = any | (as_words(load(out.word + i) >= cells_at) & first_lanes(n - i));
  return {sum(dots), bits_of_mask(any != all(0u)), {sum(energies), n_values}};
}

// Bits for the decision whether a feature gets a cell, other ones than those that round its weight.
static inline Words draws_of(Words hash, const RowStep& step) {
  return (mix_lanes(hash, MixerSeeds{step.seed_low, step.seed_high}) * all(0x9e3779b1u)) >> 8;
}

// Lists the features without a cell that may take one: all whose bucket has room, of the others those whose draw is
// below the most that any can need. The draws are left in `before`, which has served.
static inline std::size_t find_askers(PackedCells cells, std::size_t n, const RowStep& step, const LocatedPacked& at,
                                      std::uint32_t* askers) {
  const Words nowhere = all(nowhere_of(cells));
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words word = load(at.word + i);
    const Words draw = draws_of(load(at.hash + i), step);
    store(at.before + i, draw);
    const Words asks = as_words(word > nowhere) | (as_words(word == nowhere) & as_words(draw < all(kAdmission)));
    const Words stepped = as_words(load(at.stepped + i) != all(0.0f));  // by a value that is not 0
    found = list_lanes((asks & stepped) != all(0u), i, n, askers, found);
  }
  return found;
}

static inline std::size_t step_tagged(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                      const LocatedPacked& at) {
  PackedStep all_of{step, cells, at};
  all_of.step.tail_speed = step.speed;  // nobody else is in the cell
  adapt<true>(n, all_of);
  find_lightest(half_words, cells.first, n, at);
  const std::size_t found = find_heavier(at.stepped, at.lightest, n, at.candidates);
  write_packed<true>(half_words, cells, n, step, at);
  return found;
}

// The first of a bucket's eight tags that is this one, or kWays. Of the bytes that differ by 0, the lowest is marked
// exactly, whatever is borrowed above it.
static inline std::uint32_t way_of_tag(const std::uint8_t* tags, std::uint32_t tag) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  std::uint64_t eight;
  __builtin_memcpy(&eight, tags, sizeof eight);
  const std::uint64_t differ = eight ^ (tag * kOnes), same = (differ - kOnes) & ~differ & (kOnes << 7);
  return same == 0 ? kWays : static_cast<std::uint32_t>(__builtin_ctzll(same)) / 8;
}
static inline float weight_of_cell(std::uint16_t cell) {
  float weights[kLanes];
  store(weights, cell_weights(all(static_cast<std::uint32_t>(cell) << 16)));
  return weights[0];
}

// A feature takes an empty way of its bucket, or the lightest one with a probability: the lighter that is and the less
// it has learned, the more likely. `draw * (a + b) < most * a` is `draw < most * a / (a + b)` without a division.
static inline void admit_tagged(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                const LocatedPacked& at, std::uint32_t* askers) {
  auto* const tags = reinterpret_cast<std::uint8_t*>(half_words + cells.first + cells.width);
  const std::uint32_t nowhere = nowhere_of(cells);
  const std::size_t found = find_askers(cells, n, step, at, askers);
  for (std::size_t c = 0; c < found; ++c) {
    const std::uint32_t i = askers[c];
    const auto bucket = static_cast<std::uint32_t>((std::uint64_t{at.hash[i]} * (cells.width / kWays)) >> 32) * kWays;
    const std::uint32_t low = at.hash[i] & 255u, tag = low == 0 ? 1 : low;
    if (at.word[i] < nowhere || way_of_tag(tags + bucket, tag) < kWays) continue;  // in the set, or a tag met another
    std::uint32_t way = way_of_tag(tags + bucket, 0);
    std::uint16_t* const ways_at = half_words + cells.first + bucket;
    if (way == kWays) {
      way = lightest_way(ways_at, kCellSize >> 16);
      const float size = magnitude(at.stepped[i]), other = magnitude(weight_of_cell(ways_at[way]));
      const std::uint32_t level = ways_at[way] & kCellMostLevel;
      const float most = static_cast<float>(kAdmission) * float_of((127u - level) << 23);
      if (!(static_cast<float>(at.before[i]) * (size + other) < most * size)) continue;
    }
    tags[bucket + way] = static_cast<std::uint8_t>(tag);
    ways_at[way] = static_cast<std::uint16_t>(at.after[i] >> 16);
  }
}
