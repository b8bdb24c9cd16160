// The kernels of tagged cells. A part of kernels.inl, behind kernels_packed.inl.
//
// A feature that has neither a slot nor a cell is said to live at `nowhere`, a half-word that is 0 and stays so, or at
// the one behind it if its bucket has room.

static inline Words tags_of(Words hash) {  // as TaggedCells::tag_of
  const Words low = hash & all(255u);
  return select(low == all(0u), all(1u), low);
}

// The places of all features; the two loops of `locate_tagged` are apart because registers are few.
static inline void find_tagged(PackedBuffer buffer, const Key* keys, std::size_t n, const LocatedPacked& out) {
  const std::uint16_t* half_words = buffer.half_words;
  const std::uint32_t* const hashes = out.hash;
  std::uint32_t *const lines_at = out.line, *const words_at = out.word;
  const std::uint32_t first = buffer.lines * kLineHalfWords;
  const auto* tags = reinterpret_cast<const std::uint8_t*>(half_words + first + buffer.width);
  const Words nowhere = all(nowhere_of({first, buffer.width, 0}));
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words hash = load(hashes + i);
    const Words line = buckets(hash * all(0x9e3779b1u), buffer.lines) << kLineShift;
    const Words bucket = buckets(hash, buffer.width / kWays) << 3;
    std::uint32_t inside_keys[kLanes], inside_buckets[kLanes];  // keys end where the row ends
    store(lines_at + i, line);
    store(inside_keys, load_first(keys + i, n - i));
    store(inside_buckets, bucket);
    const Words tagged = tag_ways(tags, inside_buckets, tags_of(hash)), cell = tagged & all(15u);
    const Words missing = nowhere + (as_words(tagged > all(15u)) & all(1u));
    const Words cell_at = select(cell == all(0u), missing, bucket + cell + all(first - 1));
    const Words way = ways(half_words, lines_at + i, inside_keys);
    store(words_at + i, select(way == all(0u), cell_at, line + (way + way) + all(2 * kWays - 1)));
  }
}

// As locate_packed; values have no signs, because a cell has one owner.
static inline LocatedRow locate_tagged(PackedBuffer buffer, const Key* keys, const float* values, std::size_t n,
                                       const LocatedPacked& out) {
  find_tagged(buffer, keys, n, out);
  const std::uint16_t* half_words = buffer.half_words;
  const std::uint32_t* const words_at = out.word;
  const Words cells_at = all(buffer.lines * kLineHalfWords);
  const Words nowhere = all(nowhere_of({buffer.lines * kLineHalfWords, buffer.width, 0}));
  Floats dots = all(0.0f), energies = all(0.0f);
  Words any = all(0u), any_nowhere = all(0u);
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words slot = words_before(half_words, words_at + i), word = load(words_at + i), inside = first_lanes(n - i);
    const Mask tail = word >= cells_at;
    const Floats raw = select(tail, cell_weights(slot), slot_weights(slot));
    const Floats value = load_first(values + i, n - i);
    any = any | (as_words(tail) & inside);
    any_nowhere = any_nowhere | (as_words(word >= nowhere) & inside);
    energies = energies + value * value;
    n_values += count_of(value != all(0.0f));
    store(out.raw + i, raw);
    store(out.squares + i, select(tail, cell_sums(slot) * all(buffer.unit), slot_sums(slot)));
    store(out.before + i, slot);
    store(out.signed_value + i, value);
    dots = dots + as_floats(as_words(raw) & inside) * value;
  }
  return {sum(dots), bits_of_mask(any != all(0u)), {sum(energies), n_values}, bits_of_mask(any_nowhere != all(0u))};
}

// Bits for the decision whether a feature gets a cell, other ones than those that round its weight.
static inline Words draws_of(Words hash, MixerSeeds seeds) { return (mix_lanes(hash, seeds) * all(0x9e3779b1u)) >> 8; }

// The numbers of the bits that are set, for each eight bits.
struct SetBits {
  std::uint8_t number[256][kLanes] = {};
};
static constexpr SetBits list_set_bits() {
  SetBits bits;
  for (std::uint32_t mask = 0; mask < 256; ++mask)
    for (std::uint32_t bit = 0, n = 0; bit < kLanes; ++bit)
      if (mask >> bit & 1) bits.number[mask][n++] = static_cast<std::uint8_t>(bit);
  return bits;
}
// As list_lanes, without a branch, for where many are set: the list needs room for whole vectors.
static inline std::size_t append_lanes(Mask set, std::size_t i, std::uint32_t* list, std::size_t length) {
  static constexpr SetBits kSetBits = list_set_bits();
  const std::uint32_t mask = bits_of_mask(set);
  for (std::size_t l = 0; l < kLanes; ++l) list[length + l] = static_cast<std::uint32_t>(i) + kSetBits.number[mask][l];
  return length + static_cast<std::size_t>(__builtin_popcount(mask));
}

// Lists the features without a cell that may take one: all whose bucket has room, of the others those whose draw is
// below the most that any can need. The draws are left in `before`, which has served.
static inline std::size_t find_askers(PackedCells cells, std::size_t n, const RowStep& step, const LocatedPacked& at,
                                      std::uint32_t* askers) {
  const std::uint32_t *const words_at = at.word, *const hashes = at.hash;  // or they would be read again after a store
  const float* const weights = at.stepped;
  std::uint32_t* const draws = at.before;
  const MixerSeeds seeds{step.seed_low, step.seed_high};
  const Words nowhere = all(nowhere_of(cells));
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Words word = load(words_at + i), draw = draws_of(load(hashes + i), seeds);
    store(draws + i, draw);
    const Words asks = as_words(word > nowhere) | (as_words(word == nowhere) & as_words(draw < all(kAdmission)));
    const Words stepped = as_words(load(weights + i) != all(0.0f));  // by a value that is not 0
    found = append_lanes((asks & stepped & first_lanes(n - i)) != all(0u), i, askers, found);
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
static inline float size_of_cell(std::uint32_t cell) {  // as cell_weights, without the sign
  const std::uint32_t size = (cell << 16) & kCellSize;
  return float_of(size == 0 ? 0 : (size >> 3) + kCellZero);
}

// Whose place a feature may take: that of the lightest. If that is settled, of the lightest of three that are drawn:
// else keys that come no more, but were heavy, would stay for ever.
// Without a branch, which would be mispredicted: a weight's lowest four bits are free for the number of its draw.
static inline std::uint32_t way_to_ask(const std::uint16_t* cells, std::uint32_t draw) {
  const auto drawn = [&](std::uint32_t number) {
    return (cells[(draw >> (3 * number)) % kWays] & (kCellSize >> 16)) | number;
  };
  const auto least = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
  const std::uint32_t lightest = lightest_way(cells, kCellSize >> 16);
  const std::uint32_t other = (draw >> (3 * (least(drawn(0), least(drawn(1), drawn(2))) % 4))) % kWays;
  const std::uint32_t settled = -static_cast<std::uint32_t>((cells[lightest] & kCellMostLevel) >= kSettledLevel);
  return (lightest & ~settled) | (other & settled);
}

// A feature takes an empty way of its bucket, or that of another with a probability: the lighter the other is and the
// less it has learned, the more likely. `draw * (a + b) < most * a` is `draw < most * a / (a + b)` without a division.
static inline void admit_tagged(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                const LocatedPacked& at, std::uint32_t* askers) {
  auto* const tags = reinterpret_cast<std::uint8_t*>(half_words + cells.first + cells.width);
  const std::uint32_t *const hash = at.hash, *const word = at.word, *const draw = at.before, *const after = at.after;
  const float* const stepped = at.stepped;
  const std::uint32_t nowhere = nowhere_of(cells), n_buckets = cells.width / kWays;
  const std::size_t found = find_askers(cells, n, step, at, askers);
  for (std::size_t c = 0; c < found; ++c) {
    const std::uint32_t i = askers[c];
    const auto bucket = static_cast<std::uint32_t>((std::uint64_t{hash[i]} * n_buckets) >> 32) * kWays;
    std::uint16_t* const cells_of_bucket = half_words + cells.first + bucket;
    std::uint32_t way = kWays;
    if (word[i] > nowhere) [[unlikely]]
      way = way_of_tag(tags + bucket, 0);
    if (way == kWays) [[likely]] {
      way = way_to_ask(cells_of_bucket, draw[i]);
      const std::uint32_t cell = cells_of_bucket[way], level = cell & kCellMostLevel;
      const float most = static_cast<float>(kAdmission) * float_of((127u - level) << 23), size = magnitude(stepped[i]);
      const float drawn = static_cast<float>(static_cast<std::int32_t>(draw[i]));
      if (!(drawn * (size + size_of_cell(cell)) < most * size)) [[likely]]
        continue;
    }
    const std::uint32_t low = hash[i] & 255u, tag = low == 0 ? 1 : low;
    if (word[i] < nowhere || way_of_tag(tags + bucket, tag) < kWays) continue;  // in the set, or a tag met another
    tags[bucket + way] = static_cast<std::uint8_t>(tag);
    cells_of_bucket[way] = static_cast<std::uint16_t>(after[i] >> 16);
  }
}
