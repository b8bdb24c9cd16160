// Adaptive steps, eight features at once. A part of kernels.inl.

// As RowStep::rate_for, to the bit.
[[gnu::always_inline]] static inline Floats rates(Floats squares, const RowStep& step) {
  const Floats base = squares + all(step.prior);
  const Floats own = all(step.speed) / root(base + base * base * all(step.per_settled));
  return select(own > all(step.least_rate), own, all(step.least_rate));
}

// As FloatPairSlots::stepped, to the bit.
static inline std::size_t step_pairs(float* pairs, const SparseRow& x, const RowStep& given) {
  const RowStep step = given;  // copies, or the compiler would read them again after each store
  const Key* const keys = x.keys;
  const float* const values = x.values;
  std::size_t i = 0;
  for (; i + kLanes <= x.size; i += kLanes) {
    const Floats gradient = all(step.gradient) * load(values + i);
    const Pairs pair = gather_pairs(pairs, keys + i);
    const Floats sum = pair.second + gradient * gradient;
    const Floats delta = (rates(sum, step) * gradient) * all(step.per_scale);
    scatter_pairs(pairs, keys + i, {pair.first - delta, sum});
  }
  return i;
}
