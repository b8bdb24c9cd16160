// Features that enter the active set. A part of kernels.inl, behind kernels_tagged.inl.

// The rank of each index is the number of those before it. Counting takes no branches, which would be mispredicted.
static inline void sort_heaviest_first(const float* weight, std::size_t n, std::uint32_t* indices) {
  float size[kMostSorted];
  std::uint32_t index[kMostSorted], rank[kMostSorted];
  for (std::size_t i = 0; i < whole_vectors(n); ++i) {
    index[i] = i < n ? indices[i] : 0;
    size[i] = i < n ? magnitude(weight[index[i]]) : -1.0f;
  }
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Floats own = load(size + i);
    const std::size_t end = n - i < kLanes ? n : i + kLanes;
    Words before = all(0u);  // minus their number
    for (std::size_t j = 0; j < i; ++j) before = before + as_words(all(size[j]) >= own);
    for (std::size_t j = i; j < end; ++j) {
      const Words later = ~first_lanes(j - i + 1);
      before = before + (as_words(all(size[j]) > own) | (as_words(all(size[j]) == own) & later));
    }
    for (std::size_t j = end; j < n; ++j) before = before + as_words(all(size[j]) > own);
    store(rank + i, all(0u) - before);
  }
  for (std::size_t i = 0; i < n; ++i) indices[rank[i]] = index[i];
}

static inline void free_cell(std::uint16_t* cells_of_bucket, std::uint8_t* tags, std::uint32_t hash) {
  const std::uint32_t low = hash & 255u, way = way_of_tag(tags, low == 0 ? 1 : low);
  if (way == kWays) return;
  tags[way] = 0;
  cells_of_bucket[way] = 0;
}

// The first of the lightest places of a line, if it is empty; otherwise kWays.
static inline std::uint32_t empty_way(const std::uint16_t* line, Key empty) {
  std::uint32_t words[kLineWords];
  __builtin_memcpy(words, line, sizeof words);
  const Words sizes = load(words + kWays) & constant<kSlotWeight & ~kSignBit>();
  const auto way = static_cast<std::uint32_t>(__builtin_ctz(bits_of_mask(sizes == all(0u)) | 1u << kWays));
  return way < kWays && words[way] == empty ? way : kWays;
}

static inline std::size_t enter_empty(std::uint16_t* half_words, PackedCells cells, const EmptyKeys& empty,
                                      const Key* keys, const RowStep& step, std::size_t from, std::size_t n,
                                      const LocatedPacked& at) {
  auto* const tags = reinterpret_cast<std::uint8_t*>(half_words + cells.first + cells.width);
  const std::uint64_t n_buckets = cells.width / kWays;
  for (std::size_t c = from; c < n; ++c) {
    const std::uint32_t i = at.candidates[c];
    std::uint16_t* const line = half_words + at.line[i];
    const bool is_crowded = at.line[i] == empty.crowded_line * kLineHalfWords;
    const std::uint32_t way = empty_way(line, is_crowded ? empty.of_crowded : empty.usual);
    if (way == kWays) return c;
    const auto bucket = static_cast<std::uint32_t>((at.hash[i] * n_buckets) >> 32) * kWays;
    free_cell(half_words + cells.first + bucket, tags + bucket, at.hash[i]);
    const float gradient = step.gradient * at.signed_value[i];
    std::uint32_t nearest[kLanes];
    const Floats weight = all(at.stepped[i]), sum = all(at.squares[i] + gradient * gradient);
    store(nearest, pack_slots(weight, sum, all(1u << 11), all(1u << 18)));
    __builtin_memcpy(line + 2 * way, keys + i, sizeof keys[i]);
    __builtin_memcpy(line + 2 * (kWays + way), nearest, sizeof nearest[0]);
    at.line[i] = at.line[i] / 2 + kWays + way;
    at.word[i] = 0;  // it needs no cell
  }
  return n;
}
