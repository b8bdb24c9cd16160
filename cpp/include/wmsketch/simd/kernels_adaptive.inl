// Adaptive steps, eight features at once. A part of kernels.inl.

// As RowStep::rate_for, to the bit.
[[gnu::always_inline]] static inline Floats rates(Floats squares, const RowStep& step) {
  const Floats base = squares + all(step.prior);
  const Floats own = all(step.speed) / root(base + base * base * all(step.per_settled));
  return select(own > all(step.least_rate), own, all(step.least_rate));
}

// As FloatPairSlots::stepped, to the bit.
static inline std::size_t step_pairs(const PairArrays& slots, const SparseRow& x, const RowStep& given) {
  const RowStep step = given;  // copies, or the compiler would read them again after each store
  float *const weights = slots.weights, *const squares = slots.squares;
  const Key* const keys = x.keys;
  const float* const values = x.values;
  std::size_t i = 0;
  for (; i + kLanes <= x.size; i += kLanes) {
    const Floats gradient = all(step.gradient) * load(values + i);
    const Floats sum = gather(squares, keys + i) + gradient * gradient;
    const Floats delta = (rates(sum, step) * gradient) * all(step.per_scale);
    float stepped[kLanes], summed[kLanes];
    store(stepped, gather(weights, keys + i) - delta);
    store(summed, sum);
    for (std::size_t l = 0; l < kLanes; ++l) {
      weights[keys[i + l]] = stepped[l];
      squares[keys[i + l]] = summed[l];
    }
  }
  return i;
}
