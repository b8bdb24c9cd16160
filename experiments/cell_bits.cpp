// A scalar simulation of the default learner with another layout of its cells. experiments/cell_bits.py compiles and
// runs it; rule, hash functions and active set are those of the library.
//
//     cell_bits DATA WIDTH SLOTS SEEDS TAG EXPONENT MANTISSA LOWEST
//
// prints the online error for each seed. With 8, 5 and 6 bits and the lowest exponent -20 it is the library's learner.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/rule/online_linear.hpp"
#include "wmsketch/sets/line_set.hpp"
#include "wmsketch/slots/packed_slot.hpp"

namespace {

using namespace wmsketch;

struct Layout {
  std::uint32_t tag_bits, exponent_bits, mantissa_bits;
  int lowest;  // the exponent of the smallest weights

  std::uint32_t shift() const { return 23 - mantissa_bits; }
  std::uint32_t zero() const { return static_cast<std::uint32_t>(127 + lowest) << 23; }
  std::uint32_t most_code() const { return (1u << (exponent_bits + mantissa_bits)) - 1; }
  std::uint32_t tag_of(std::uint32_t hash) const { return std::max(hash & ((1u << tag_bits) - 1), 1u); }
};

// A cell. Its bits are apart here, but hold only what fits the layout.
struct Cell {
  std::uint32_t tag = 0, code = 0, level = 0;  // `code` is the weight without its sign
  bool negative = false;
  bool operator==(const Cell&) const = default;
};

class CellStore final : public WeightStore {
  using Set = LineSet<PackedSlot>;

 public:
  CellStore(const StoreConfig& config, const Layout& layout)
      : layout_(layout),
        hasher_(config.hash_family, 1, config.seed, config.independence),
        set_(config.active_set_size, hasher_),
        slots_(Set::words_for(config.active_set_size) * 2, 0),
        cells_(config.width) {
    set_.clear(words());
  }

  bool needs_unique_keys() const override { return true; }

  float dot(const SparseRow& x, float, Scratch& s) const override {
    s.fit(x.size);
    hasher_.hash_all(0, x.keys, x.size, s.hash.data());
    for (std::size_t i = 0; i < x.size; ++i) {
      s.line[i] = set_.find(words(), x.keys[i], s.hash[i]);
      s.raw[i] = s.squares[i] = 0;
      if (s.line[i] != kNotActive) {
        s.raw[i] = PackedSlot::weight(words()[s.line[i]]);
        s.squares[i] = PackedSlot::squares(words()[s.line[i]]);
        continue;
      }
      const Cell* cell = find(s.hash[i]);
      s.word[i] = cell == nullptr ? kNone : static_cast<std::uint32_t>(cell - cells_.data());
      s.signed_value[i] = cell == nullptr && has_empty(s.hash[i]);
      if (cell == nullptr) continue;
      s.raw[i] = weight(*cell);
      s.squares[i] = unit_ * sum(*cell);
    }
    return kernels().dot(s.raw.data(), x.values, x.size);
  }

  void add(const SparseRow& x, const RowStep& step, Scratch& s) override {
    if (unit_ == 0) unit_ = step.unit();
    std::vector<std::uint32_t> candidates, newcomers;
    std::vector<Cell> before(x.size), after(x.size);
    std::vector<float> lightest(x.size);
    for (std::uint32_t i = 0; i < x.size; ++i)
      if (s.line[i] == kNotActive && s.word[i] != kNone) before[i] = cells_[s.word[i]];
    for (std::uint32_t i = 0; i < x.size; ++i)
      lightest[i] = std::abs(PackedSlot::weight(words()[set_.victim(words(), s.hash[i])]));
    for (std::uint32_t i = 0; i < x.size; ++i) {
      const float gradient = step.gradient * x.values[i], square = step.square_of(gradient);
      const float sum_now = s.squares[i] + square;
      const std::uint32_t random = mix(s.hash[i], {step.seed_low, step.seed_high});
      s.stepped[i] = s.raw[i] - (step.rate_for(sum_now) * gradient) * step.per_scale;
      if (s.line[i] != kNotActive) {
        words().set(s.line[i], PackedSlot::rounded_at_random(s.stepped[i], sum_now, random));
        continue;
      }
      after[i] = packed(s.stepped[i], sum_now * (1.0f / unit_), random);
      after[i].tag = layout_.tag_of(s.hash[i]);
      if (s.word[i] == kNone) {
        s.draw[i] = draw_of(random);
        if ((s.signed_value[i] != 0 || s.draw[i] < kAdmission) && s.stepped[i] != 0) newcomers.push_back(i);
      } else if (Cell& cell = cells_[s.word[i]]; cell == before[i]) {
        cell = after[i];
      } else {  // another feature of this row has its tag
        const Cell both = packed(weight(cell) + (s.stepped[i] - s.raw[i]), sum(cell) + square / unit_, random);
        cell = {cell.tag, both.code, both.level, both.negative};
      }
      if (std::abs(s.stepped[i]) > kHeavierToEnter * lightest[i]) candidates.push_back(i);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return std::abs(s.stepped[a]) > std::abs(s.stepped[b]); });
    for (const std::uint32_t i : candidates) enter(x, i, step, s);
    for (const std::uint32_t i : newcomers) admit(i, after[i], s);
    if (step.unit() > 8 * unit_ || unit_ > 8 * step.unit()) {
      for (Cell& cell : cells_) cell = repacked(cell, weight(cell), sum(cell) * (unit_ / step.unit()));
      unit_ = step.unit();
    }
  }

  void multiply(float factor) override {
    set_.for_each(words(), [&](Key, std::uint32_t word) {
      const std::uint32_t slot = words()[word];
      words().set(word, PackedSlot::nearest(factor * PackedSlot::weight(slot), PackedSlot::squares(slot)));
    });
    for (Cell& cell : cells_) cell = repacked(cell, factor * weight(cell), sum(cell));
  }
  void multiply_squares(float factor) override {
    set_.for_each(words(), [&](Key, std::uint32_t word) {
      const std::uint32_t slot = words()[word];
      words().set(word, PackedSlot::nearest(PackedSlot::weight(slot), factor * PackedSlot::squares(slot)));
    });
    unit_ *= factor;
  }

  // Nothing else is asked.
  float raw(Key) const override { throw std::logic_error("not simulated"); }
  double noise() const override { throw std::logic_error("not simulated"); }
  std::size_t nbytes() const override { return 0; }
  std::size_t paper_bytes() const override { return 0; }
  void merge(std::span<const WeightStore* const>, const MergePlan&) override { throw std::logic_error("no merge"); }
  void archive(Archive&) override { throw std::logic_error("not simulated"); }
  std::unique_ptr<WeightStore> copy() const override { return std::make_unique<CellStore>(*this); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  ConstWordBuffer words() const { return ConstWordBuffer(slots_.data()); }
  WordBuffer words() { return WordBuffer(slots_.data()); }

  float weight(const Cell& cell) const {
    if (cell.code == 0) return 0;
    const float size = std::bit_cast<float>(layout_.zero() + (cell.code << layout_.shift()));
    return cell.negative ? -size : size;
  }
  static float sum(const Cell& cell) { return static_cast<float>((1u << cell.level) - 1); }
  // Rounds to nearest if the random bits are half of the last bit that is kept.
  Cell packed(float weight, float units, std::uint32_t weight_bits, std::uint32_t sum_bits) const {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(weight), size = bits & 0x7fffffffu;
    const std::uint32_t least = layout_.zero() + (1u << layout_.shift());
    const float part = static_cast<float>(weight_bits) / static_cast<float>(1u << layout_.shift());
    const std::uint32_t small =
        std::bit_cast<float>(size) + part * std::bit_cast<float>(least) >= std::bit_cast<float>(least) ? 1u : 0u;
    const std::uint32_t code = (std::max(size + weight_bits, least) - layout_.zero()) >> layout_.shift();
    const std::uint32_t level = ((std::bit_cast<std::uint32_t>(units + 1.0f) + sum_bits) >> 23) - 127u;
    return {0, size < least ? small : std::min(code, layout_.most_code()), std::min(level, 15u), bits >> 31 != 0};
  }
  Cell packed(float weight, float units, std::uint32_t random) const {
    return packed(weight, units, random & ((1u << layout_.shift()) - 1),
                  random >> layout_.shift() << (layout_.shift() - 9));
  }
  Cell repacked(const Cell& cell, float weight, float units) const {
    Cell changed = packed(weight, units, 1u << (layout_.shift() - 1), 1u << 22);
    changed.tag = cell.tag;
    return changed;
  }

  const Cell* bucket(std::uint32_t hash) const {
    return cells_.data() + std::size_t{bucket_of(hash, static_cast<std::uint32_t>(cells_.size() / kWays))} * kWays;
  }
  Cell* bucket(std::uint32_t hash) { return const_cast<Cell*>(std::as_const(*this).bucket(hash)); }
  const Cell* find(std::uint32_t hash) const { return with_tag(hash, layout_.tag_of(hash)); }
  bool has_empty(std::uint32_t hash) const { return with_tag(hash, 0) != nullptr; }
  const Cell* with_tag(std::uint32_t hash, std::uint32_t tag) const {
    const Cell* first = bucket(hash);
    const Cell* found = std::find_if(first, first + kWays, [&](const Cell& cell) { return cell.tag == tag; });
    return found == first + kWays ? nullptr : found;
  }
  static bool lighter(const Cell& a, const Cell& b) { return a.code < b.code; }

  void enter(const SparseRow& x, std::uint32_t i, const RowStep& step, Scratch& s) {
    const std::uint32_t word = set_.victim(words(), s.hash[i]);
    const float least = PackedSlot::weight(words()[word]);
    if (!(std::abs(s.stepped[i]) > kHeavierToEnter * std::abs(least))) return;
    if (const Cell* own = find(s.hash[i])) cells_[static_cast<std::size_t>(own - cells_.data())] = {};
    if (set_.occupied(words(), word)) {
      const std::uint32_t hash = hasher_.hash(0, set_.key(words(), word));
      const float squares = PackedSlot::squares(words()[word]);
      const Cell* place = find(hash);
      if (place == nullptr) place = with_tag(hash, 0);
      if (place == nullptr) place = std::min_element(bucket(hash), bucket(hash) + kWays, lighter);
      Cell evicted = packed(least, squares / unit_, mix(hash, {step.seed_low, step.seed_high}));
      evicted.tag = layout_.tag_of(hash);
      cells_[static_cast<std::size_t>(place - cells_.data())] = evicted;
    }
    const float sum_now = s.squares[i] + step.square_of(step.gradient * x.values[i]);
    set_.place(words(), word, x.keys[i], PackedSlot::nearest(s.stepped[i], sum_now));
    s.word[i] = 0;  // it needs no cell
  }

  void admit(std::uint32_t i, const Cell& after, const Scratch& s) {
    Cell* const first = bucket(s.hash[i]);
    Cell* place = const_cast<Cell*>(s.signed_value[i] != 0 ? with_tag(s.hash[i], 0) : nullptr);
    if (place == nullptr) {
      place = std::min_element(first, first + kWays, lighter);
      if (place->level >= kSettledLevel) {  // the lightest of three that are drawn
        place = nullptr;
        for (std::uint32_t way = 0; way < kWays; ++way) {
          const std::uint32_t further = (way + kWays - s.draw[i] % kWays) % kWays;
          const bool drawn = further == 0 || further == 1 || further == 3;
          if (drawn && (place == nullptr || lighter(first[way], *place))) place = first + way;
        }
      }
      const float most = std::ldexp(static_cast<float>(kAdmission), -static_cast<int>(place->level));
      const float size = std::abs(s.stepped[i]), drawn = static_cast<float>(s.draw[i]);
      if (!(drawn * (size + std::abs(weight(*place))) < most * size)) return;
    }
    if (s.word[i] == kNone && find(s.hash[i]) == nullptr) *place = after;
  }

  Layout layout_;
  Hasher hasher_;
  Set set_;
  TableVector<std::uint16_t> slots_;
  std::vector<Cell> cells_;
  float unit_ = 0;
};

template <class T>
std::vector<T> read(std::ifstream& file, std::size_t n) {
  std::vector<T> values(n);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(n * sizeof(T)));
  if (!file) throw std::runtime_error("the data end too early");
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const auto sizes = read<std::int64_t>(file, 2);  // rows, features
  const auto n_rows = static_cast<std::size_t>(sizes[0]), n_features = static_cast<std::size_t>(sizes[1]);
  const auto starts = read<std::int64_t>(file, n_rows + 1);
  const auto keys = read<Key>(file, n_features);
  const auto values = read<float>(file, n_features);
  const auto labels = read<std::int8_t>(file, n_rows);
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::atoi(argv[i])); };
  for (std::uint32_t seed = 0; seed < number(4); ++seed) {
    StoreConfig store;
    store.width = number(2);
    store.active_set_size = number(3);
    store.seed = seed;
    LearnerConfig rule;
    rule.step.kind = StepKind::adaptive;
    rule.rounding_seed = seed;
    const Layout layout{number(5), number(6), number(7), std::atoi(argv[8])};
    OnlineLinear learner(std::make_unique<CellStore>(store, layout), store, rule);
    RowBatch rows{starts, keys, values, labels, {}};
    rows.distinct = true;
    learner.learn(rows);
    const Progress& progress = learner.progress();
    std::printf("%.6f\n", static_cast<double>(progress.mistakes) / static_cast<double>(progress.n_seen));
  }
}
