// The kernels of tagged cells. A part of kernels.inl, behind kernels_packed.inl.
//
// A feature without a slot and without a cell gets the index no_cell_at(cells), a half-word that is always 0; if its
// bucket has an empty cell, the next index.

static inline Words tags_of(Words hash) {  // as TaggedCells::tag_of
  const Words low = hash & constant<255u>();
  return low + (as_words(low == all(0u)) & constant<1u>());
}

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
// list_lanes without a branch, for when many lanes are set. The list needs room for whole vectors. A lane is all ones
// or 0.
static inline std::size_t append_lanes(Words set, std::size_t i, std::uint32_t* list, std::size_t length) {
  static constexpr SetBits kSetBits = list_set_bits();
  const std::uint32_t mask = bits_of_mask(as_mask(set));
  for (std::size_t l = 0; l < kLanes; ++l) list[length + l] = static_cast<std::uint32_t>(i) + kSetBits.number[mask][l];
  return length + static_cast<std::size_t>(__builtin_popcount(mask));
}

// The places of features that have no slot.
static inline Words places_in_cells(const std::uint8_t* tags, std::uint32_t first, Words no_cell, Words hash,
                                    Words bucket) {
  std::uint32_t inside_buckets[kLanes];
  store_apart(inside_buckets, bucket);
  const Words tagged = tag_ways(tags, inside_buckets, tags_of(hash)), cell = tagged & constant<15u>();
  const Words missing = no_cell + lesser(tagged >> 4, constant<1u>());
  return select(cell == all(0u), missing, bucket + cell + all(first - 1));
}

// Larger buffers do not fit the nearest caches, and the processor does not look far enough ahead. So lines are
// prefetched some vectors ahead, and tags and cells only of features that turn out to have no slot.
static constexpr std::size_t kNearHalfWords = std::size_t{1} << 17, kAhead = 4 * kLanes;

static inline void prefetch_all(const std::uint16_t* half_words, Words places) {
  std::uint32_t at[kLanes];
  store_apart(at, places);
  for (std::size_t l = 0; l < kLanes; ++l) __builtin_prefetch(half_words + at[l]);
}

[[gnu::noinline]] static void find_far(const PackedBuffer& buffer, const Key* keys, std::size_t n,
                                       const LocatedPacked& out) {
  const std::uint32_t lines = buffer.lines, width = buffer.width, first = lines * kLineHalfWords;
  const std::uint32_t *const hash = out.hash, tags_at = first + width;
  std::uint32_t* const missing = out.placed;
  const auto line_of = [&](std::size_t i) { return buckets(load(hash + i) * all(0x9e3779b1u), lines) << kLineShift; };
  const auto bucket_of = [&](Words hashes) { return buckets(hashes, width / kWays) << 3; };
  std::size_t n_missing = 0;
  for (std::size_t i = 0; i < n && i < kAhead; i += kLanes) prefetch_all(buffer.half_words, line_of(i));
  for (std::size_t i = 0; i < n; i += kLanes) {
    if (i + kAhead < n) prefetch_all(buffer.half_words, line_of(i + kAhead));
    std::uint32_t inside_keys[kLanes];
    store(inside_keys, load_first(keys + i, n - i));
    const Words line = line_of(i), bucket = bucket_of(load(hash + i));
    store_apart(out.line + i, line);
    const Words way = ways(buffer.half_words, out.line + i, inside_keys);
    const Mask absent = way == all(0u);
    store(out.word + i, line + (way + way) + all(2 * kWays - 1));
    prefetch_all(buffer.half_words, select(absent, all(tags_at) + (bucket >> 1), line));
    prefetch_all(buffer.half_words, select(absent, all(first) + bucket, line));
    n_missing = append_lanes(as_words(absent) & first_lanes(n - i), i, missing, n_missing);
  }
  for (std::size_t m = 0; m < n_missing; m += kLanes) {
    std::uint32_t hashes[kLanes], places[kLanes];
    const std::size_t end = n_missing - m < kLanes ? n_missing - m : kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) hashes[l] = hash[missing[l < end ? m + l : m]];
    const Words group = load(hashes);
    store_apart(places, places_in_cells(reinterpret_cast<const std::uint8_t*>(buffer.half_words + tags_at), first,
                                        all(no_cell_at({first, width, 0})), group, bucket_of(group)));
    for (std::size_t l = 0; l < end; ++l) out.word[missing[m + l]] = places[l];
  }
}

// The places of all features. `locate_tagged` has two loops because there are few registers. `kShort` is for rows that
// fit one vector, as those of tables often do: without a loop, its constants need no registers and no stack.
template <bool kShort>
[[gnu::always_inline]] static inline void find_tagged(const PackedBuffer& buffer, const Key* keys,
                                                      std::size_t n, const LocatedPacked& out) {
  const std::uint16_t* const half_words = buffer.half_words;
  const std::uint32_t lines = buffer.lines, width = buffer.width;
  const std::uint32_t* const hashes = out.hash;
  std::uint32_t *const lines_at = out.line, *const words_at = out.word;
  const std::uint32_t first = lines * kLineHalfWords;
  const auto* tags = reinterpret_cast<const std::uint8_t*>(half_words + first + width);
  const Words no_cell = all(no_cell_at({first, width, 0}));
  if (!kShort && std::size_t{first} + width > kNearHalfWords) return find_far(buffer, keys, n, out);
  for (std::size_t i = 0; i < (kShort ? 1 : n); i += kLanes) {
    const Words hash = load(hashes + i);
    const Words line = buckets(hash * all(0x9e3779b1u), lines) << kLineShift;
    std::uint32_t last_keys[kLanes];
    const Key* inside_keys = keys + i;
    if (n - i < kLanes) {  // keys end where the row ends
      store(last_keys, load_first(keys + i, n - i));
      inside_keys = last_keys;
    }
    store_apart(lines_at + i, line);
    const Words cell_at = places_in_cells(tags, first, no_cell, hash, buckets(hash, width / kWays) << 3);
    const Words way = ways(half_words, lines_at + i, inside_keys);
    store(words_at + i, select(way == all(0u), cell_at, line + (way + way) + all(2 * kWays - 1)));
  }
}

// Reads the weights at the places of all features. Values have no signs, because a cell has one owner.
template <bool kShort>
[[gnu::always_inline]] static inline void locate_vectors(const PackedBuffer& buffer, const Key* keys,
                                                         const float* values, std::size_t n, const LocatedPacked& out,
                                                         LocatedRow& row) {
  find_tagged<kShort>(buffer, keys, n, out);
  const std::uint16_t* const half_words = buffer.half_words;
  const float unit = buffer.unit;
  const std::uint32_t* const words_at = out.word;
  const Words cells_at = all(buffer.lines * kLineHalfWords);
  Floats dots = all(0.0f), energies = all(0.0f);
  Words any = all(0u);
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < (kShort ? 1 : n); i += kLanes) {
    const Words slot = words_before(half_words, words_at + i), word = load(words_at + i), inside = first_lanes(n - i);
    const Mask tail = word >= cells_at;
    const Floats raw = select(tail, cell_weights(slot), slot_weights(slot));
    const Floats value = load_first(values + i, n - i);
    any = any | (as_words(tail) & inside);
    energies = energies + value * value;
    n_values += count_of(value != all(0.0f));
    store(out.raw + i, raw);
    store(out.squares + i, select(tail, cell_sums(slot) * all(unit), slot_sums(slot)));
    store(out.before + i, (slot & constant<kCellBits>()) | (as_words(tail) & constant<~kCellBits>()));
    store(out.signed_value + i, value);
    dots = dots + as_floats(as_words(raw) & inside) * value;
  }
  row = {sum(dots), bits_of_mask(as_mask(any)), {sum(energies), n_values}};
}

static inline void locate_tagged(const PackedBuffer& buffer, const Key* keys, const float* values, std::size_t n,
                                 const LocatedPacked& out, LocatedRow& row) {
  if (n <= kLanes) return locate_vectors<true>(buffer, keys, values, n, out, row);
  locate_vectors<false>(buffer, keys, values, n, out, row);
}

struct TaggedLists {
  std::size_t placed = 0, newcomers = 0;
};
// One vector of features after this example's step. Lists those that have a place, and newcomers: features without a
// cell that may take one. These are all whose bucket has room, and of the others those whose draw is low enough for any
// cell.
[[gnu::always_inline]] static inline void adapt_tagged_lanes(std::size_t i, std::size_t n, const PackedStep& all_of,
                                                             TaggedLists& lists) {
  const LocatedPacked& at = all_of.at;
  const Words word = load(at.word + i), no_cell = all(no_cell_at(all_of.cells)), inside = first_lanes(n - i);
  const SteppedLanes stepped = step_lanes(i, all_of);
  pack_lanes(i, word >= all(all_of.cells.first), stepped, all_of);
  const Words draw = (stepped.random * constant<kDrawFactor>()) >> 8;  // as draw_of
  store(at.draw + i, draw);
  const Words placed = as_words(word < no_cell), has_room = as_words(word > no_cell);
  const Words asks = has_room | as_words(draw < constant<kAdmission>());
  const Words moved = as_words(stepped.weight != all(0.0f));  // by a value that is not 0
  lists.placed = append_lanes(placed & inside, i, at.placed, lists.placed);
  lists.newcomers = append_lanes(without(placed, asks & moved & inside), i, at.newcomers, lists.newcomers);
}

template <bool kShort>
[[gnu::always_inline]] static inline TaggedStep step_vectors(std::uint16_t* half_words, PackedCells cells,
                                                             std::size_t n, const RowStep& step,
                                                             const LocatedPacked& given) {
  const LocatedPacked at = given;  // a copy, or its pointers would be read again after each store
  const PackedStep all_of{step, cells, at};
  TaggedLists lists;
  for (std::size_t i = 0; i < (kShort ? 1 : n); i += kLanes) adapt_tagged_lanes(i, n, all_of, lists);
  find_lightest<kShort>(half_words, cells.first, n, at);
  const std::size_t found = find_heavier<kShort>(at.stepped, at.lightest, kHeavierToEnter, n, at.candidates);
  for (std::size_t p = 0; p < lists.placed; ++p) write_one(half_words, cells.unit, at.placed[p], step, at);
  return {found, lists.newcomers};
}

static inline TaggedStep step_tagged(std::uint16_t* half_words, PackedCells cells, std::size_t n, const RowStep& step,
                                     const LocatedPacked& at) {
  return n <= kLanes ? step_vectors<true>(half_words, cells, n, step, at)
                     : step_vectors<false>(half_words, cells, n, step, at);
}

// The index of this tag among the eight of a bucket, or kWays. The lowest byte that is equal is marked exactly; marks
// above it may be wrong because of the borrow.
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

// All ones for each way that is not drawn. A draw is one of eight triples; each way is in three of them.
struct DrawnWays {
  std::uint16_t left_out[kWays][kWays];
};
static constexpr DrawnWays list_drawn_ways() {
  DrawnWays ways{};
  for (std::uint32_t draw = 0; draw < kWays; ++draw) {
    for (std::uint32_t way = 0; way < kWays; ++way) ways.left_out[draw][way] = 0xffff;
    for (const std::uint32_t further : {0u, 1u, 3u}) ways.left_out[draw][(draw + further) % kWays] = 0;
  }
  return ways;
}

// The cell that a feature may take: the lightest. If that one is settled, the lightest of three that are drawn:
// otherwise keys that were heavy and no longer occur would stay. Without a branch, which would be mispredicted.
static inline std::uint32_t way_to_ask(const std::uint16_t* cells, std::uint32_t draw) {
  static constexpr DrawnWays kDrawn = list_drawn_ways();
  static constexpr std::uint16_t kAllWays[kWays] = {};
  const std::uint32_t lightest = lightest_way(cells, kCellSize >> 16, kAllWays);
  const std::uint32_t other = lightest_way(cells, kCellSize >> 16, kDrawn.left_out[draw % kWays]);
  const std::uint32_t settled = -static_cast<std::uint32_t>((cells[lightest] & kCellMostLevel) >= kSettledLevel);
  return (lightest & ~settled) | (other & settled);
}

// A feature takes an empty cell of its bucket, or that of another feature at random: the lighter the other is and the
// less it has learned, the more likely. `draw * (a + b) < most * a` is `draw < most * a / (a + b)` without a division.
static inline void admit_tagged(std::uint16_t* half_words, PackedCells cells, std::size_t found,
                                const LocatedPacked& at) {
  auto* const tags = reinterpret_cast<std::uint8_t*>(half_words + cells.first + cells.width);
  const std::uint32_t *const hash = at.hash, *const word = at.word, *const draw = at.draw, *const after = at.after;
  const std::uint32_t* const newcomers = at.newcomers;
  const float* const stepped = at.stepped;
  const std::uint32_t no_cell = no_cell_at(cells), n_buckets = cells.width / kWays;
  for (std::size_t c = 0; c < found; ++c) {
    const std::uint32_t i = newcomers[c];
    const auto bucket = static_cast<std::uint32_t>((std::uint64_t{hash[i]} * n_buckets) >> 32) * kWays;
    std::uint16_t* const cells_of_bucket = half_words + cells.first + bucket;
    std::uint32_t way = kWays;
    if (word[i] != no_cell) [[unlikely]] {
      if (word[i] < no_cell) continue;  // it has entered the active set
      way = way_of_tag(tags + bucket, 0);
    }
    if (way == kWays) [[likely]] {
      way = way_to_ask(cells_of_bucket, draw[i]);
      const std::uint32_t cell = cells_of_bucket[way], level = cell & kCellMostLevel;
      const float most = static_cast<float>(kAdmission) * float_of((127u - level) << 23), size = magnitude(stepped[i]);
      const float drawn = static_cast<float>(static_cast<std::int32_t>(draw[i]));
      if (!(drawn * (size + size_of_cell(cell)) < most * size)) [[likely]]
        continue;
    }
    const std::uint32_t low = hash[i] & 255u, tag = low == 0 ? 1 : low;
    if (way_of_tag(tags + bucket, tag) < kWays) continue;  // its tag met another
    tags[bucket + way] = static_cast<std::uint8_t>(tag);
    cells_of_bucket[way] = static_cast<std::uint16_t>(after[i] >> 16);
  }
}
