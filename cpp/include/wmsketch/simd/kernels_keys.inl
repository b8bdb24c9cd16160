// Rows of one feature of value 1, a few side by side. A part of kernels.inl.

static_assert(kRowsAtOnce == kLanes);

static inline void read_keys(const float* words, KeyRows& rows, std::size_t first) {
  for (std::size_t l = 0; l < kRowsAtOnce; ++l) {
    const std::size_t i = first + l;
    const std::uint32_t line = rows.line[i], hit = matches(words + line, rows.key[i]);
    const std::uint32_t active = -static_cast<std::uint32_t>(hit != 0);  // all ones or none
    const std::uint32_t weight = line + kWays + static_cast<std::uint32_t>(__builtin_ctz(hit | 1u << kWays));
    const std::uint32_t word = (weight & active) | (rows.cell[i] & ~active);
    const float sign = float_of(0x3f800000u ^ ((rows.hash[i] << 31) & ~active));
    rows.word[l] = word;
    rows.active[l] = active;
    rows.raw[l] = words[word];
    rows.sign[l] = sign;
    rows.raw_margin[l] = 0.0f + words[word] * sign;
  }
}

static inline std::size_t step_keys(float* words, const KeyRows& rows, std::size_t first, std::size_t most,
                                    bool& enters) {
  const Words all_words = load(rows.word);
  std::uint32_t meet = 1u << most;  // bit l: the weight of row l is that of a row before
  for (std::uint32_t l = 1; l < kRowsAtOnce; ++l)
    meet |= static_cast<std::uint32_t>((bits_of_mask(all_words == all(rows.word[l])) & ((1u << l) - 1)) != 0) << l;
  const auto end = static_cast<std::size_t>(__builtin_ctz(meet));
  enters = false;
  std::size_t l = 0;
  for (; l < end && !enters; ++l) {
    const float stepped = rows.raw[l] + rows.raw_step[l] * rows.sign[l];
    const std::uint32_t lightest = bits_of(lightest_of(words + rows.line[first + l] + kWays)), active = rows.active[l];
    enters = magnitude(stepped) > float_of((lightest & ~active) | (0x7f800000u & active));
    if (!enters) words[rows.word[l]] = stepped;
  }
  return l;
}

template <class Vector, class Number>
static inline Vector load_vector(const Number* from) {
  Vector lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <class Vector, class Number>
static inline void store_vector(Number* to, Vector lanes) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}

// As wmsketch::exp_same_everywhere of what is not above 0, to the bit.
static inline Doubles exp_of_lanes(Doubles x) {
  constexpr double kRound = 0x1.8p52;
  x = x < -700.0 ? Doubles{} - 700.0 : x;
  const Doubles rounded = x * 0x1.71547652b82fep0 + kRound, k = rounded - kRound;
  const Doubles r = (x - k * 0x1.62e42fefap-1) - k * 0x1.cf79abc9e3b3ap-40;
  const Doubles r2 = r * r, r4 = r2 * r2;
  const Doubles low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const Doubles middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const Doubles high = 1.0 / 40320 + r * (1.0 / 362880);
  const Integers power = (reinterpret_cast<Integers>(rounded) + 1023) << 52;
  return (low + r4 * (middle + r4 * high)) * reinterpret_cast<Doubles>(power);
}

static inline void step_logistic(const LogisticRows& rows, std::size_t first, const LogisticSteps& out) {
  const Doubles one = Doubles{} + 1.0;
  for (std::size_t i = 0; i < kRowsAtOnce; i += kDoubles) {
    const std::size_t r = first + i;
    const auto label = load_vector<Doubles>(rows.label + r), scale = load_vector<Doubles>(rows.scale + r);
    const auto margin = __builtin_convertvector(load_vector<FewFloats>(out.raw_margin + i), Doubles);
    const Doubles tau = label * (scale * margin), e = exp_of_lanes(tau < 0.0 ? tau : -tau);
    const Doubles slope = (tau >= 0.0 ? e : one) / (1.0 + e);
    const Doubles size = load_vector<Doubles>(rows.rate + r) * (slope * load_vector<Doubles>(rows.weight + r));
    const auto step = __builtin_convertvector(label * size / load_vector<Doubles>(rows.scale + r + 1), FewFloats);
    store_vector(out.tau + i, tau);
    store_vector(out.e + i, e);
    store_vector(out.raw_step + i, step);
  }
}
