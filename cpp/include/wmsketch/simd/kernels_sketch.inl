// Rows of float cells. Included behind kernels.inl, over the same lanes.

static inline float read_cells(const float* cells, CellRow row, const std::uint32_t* hash, const float* values,
                               std::size_t n, std::uint32_t* word, float* signed_value) {
  Floats sums = all(0.0f);
  for (std::size_t i = 0; i < n; i += kLanes) {  // lanes beyond the end have value 0, and a cell of some hash
    const Words hashes = load(hash + i);
    const Floats signed_values = as_floats(as_words(load_first(values + i, n - i)) ^ (hashes << 31));
    store(word + i, buckets(hashes, row.width) + all(row.first));
    store(signed_value + i, signed_values);
    sums = sums + gather(cells, word + i) * signed_values;
  }
  return sum(sums);
}

// Sorts each lane by itself: Batcher's merge exchange (Knuth, 5.2.2 M), which has no branch that depends on a value.
static inline void sort_lanes(Floats* x, std::uint32_t n) {
  std::uint32_t top = 1;
  while (2 * top < n) top *= 2;
  for (std::uint32_t p = top; p > 0; p /= 2)
    for (std::uint32_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
      for (std::uint32_t i = 0; i + d < n; ++i)
        if ((i & p) == r) {
          const Floats a = x[i], b = x[i + d];
          x[i] = lesser(a, b);
          x[i + d] = greater(a, b);
        }
      if (q == p) break;
    }
}

static inline Floats signed_cells(const float* cells, const std::uint32_t* word, const std::uint32_t* hash) {
  return as_floats(as_words(gather(cells, word)) ^ (load(hash) << 31));
}
static inline void medians(const float* cells, const std::uint32_t* word, const std::uint32_t* hash, std::size_t n,
                           std::uint32_t depth, float* out) {
  if (depth == 1) {
    for (std::size_t i = 0; i < n; i += kLanes) store(out + i, signed_cells(cells, word + i, hash + i) + all(0.0f));
    return;
  }
  Floats x[SketchKernels::kMostDepth];
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::uint32_t row = 0; row < depth; ++row)
      x[row] = signed_cells(cells, word + row * n + i, hash + row * n + i);
    sort_lanes(x, depth);
    const Floats middle = depth % 2 == 1 ? x[depth / 2] : all(0.5f) * (x[depth / 2 - 1] + x[depth / 2]);
    store(out + i, middle + all(0.0f));
  }
}

// A line is written whether it holds the key or not: whether it does cannot be predicted. A line whose lightest weight
// is 0 may have an empty place. Positive floats are ordered as their bits are.
static inline std::size_t follow(float* lines, std::uint32_t n_lines, const Key* keys, const std::uint32_t* hash,
                                 const float* estimate, std::size_t first, std::size_t n) {
  const Words size_bits = all(0x7fffffffu);
  for (std::size_t i = first; i < n; ++i) {
    float* const line = lines + std::size_t{bucket_of(second_hash(hash[i]), n_lines)} * kLineWords;
    const Mask here = as_words(load(line)) == all(keys[i]);
    const Words weights = as_words(load(line + kWays)), now = as_words(all(estimate[i]));
    store(line + kWays, as_floats(select(here, now, weights)));
    const Words sizes = weights & size_bits;
    const Mask lighter = (as_mask(sizes) < as_mask(now & size_bits)) | (sizes == all(0u));
    if ((bits_of_mask(here) == 0) & (bits_of_mask(lighter) != 0)) return i;
  }
  return n;
}

static constexpr SketchKernels make_sketch_kernels() { return {&read_cells, &medians, &follow}; }
