// BEAR (Aghazadeh and others, MSML 2021): MISSION whose steps follow the directions of online limited-memory BFGS.
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "wmsketch/stores/curvature_pairs.hpp"
#include "wmsketch/stores/make_store.hpp"
#include "wmsketch/stores/wm.hpp"

namespace wmsketch {
namespace {

// The store of MISSION, which here steps along H x instead of x.
class BearStore final : public StoreOf<BearStore> {
  using Sketch = WmStore<ExactSet<FloatSlot>, FloatCell, Predicts::from_set>;

 public:
  explicit BearStore(const StoreConfig& config)
      : depth_(config.depth), sketch_(config), pairs_(config.active_set_size) {}

  // In double: the directions make the rounding of a sum larger, so that the order of the features would matter.
  float dot(const SparseRow& x, float threshold, Scratch& s) const override {
    sketch_.dot(x, threshold, s);
    double sum = 0;
    for (std::size_t i = 0; i < x.size; ++i) sum += double{s.raw[i]} * x.values[i];
    return static_cast<float>(sum);
  }

  // Leaves the order of the keys in s.candidates, the weights before the step in s.stepped, and the steps in s.delta.
  void add(const SparseRow& x, const RowStep& step, Scratch& s) override {
    const auto size = static_cast<std::ptrdiff_t>(x.size);
    std::iota(s.candidates.begin(), s.candidates.begin() + size, 0u);
    if (!Scratch::is_increasing(x))
      std::sort(s.candidates.begin(), s.candidates.begin() + size,
                [&](std::uint32_t a, std::uint32_t b) { return x.keys[a] < x.keys[b]; });
    std::copy_n(s.raw.begin(), x.size, s.stepped.begin());
    float* const direction = s.delta.data();
    std::copy_n(x.values, x.size, direction);
    pairs_.turn(x, s.candidates.data(), direction);
    for (std::size_t row = 0, at = 0; row < depth_; ++row)
      for (std::size_t i = 0; i < x.size; ++i, ++at) s.signed_value[at] = sign_of(s.hash[at]) * direction[i];
    for (std::size_t i = 0; i < x.size; ++i) direction[i] *= -step.gradient;
    sketch_.add(x, step, s);
  }
  bool wants_curvature() const override { return true; }
  // A weight that predicts before and after has moved by its step: their difference would be mostly rounding.
  void add_curvature(const SparseRow& x, double change, double scale, Scratch& s) override {
    const auto factor = static_cast<float>(scale);
    for (std::size_t i = 0; i < x.size; ++i)
      s.delta[i] = factor * (s.stepped[i] != 0 && s.raw[i] != 0 ? s.delta[i] : s.raw[i] - s.stepped[i]);
    pairs_.add_pair(x, s.candidates.data(), s.delta.data(), change);
  }

  bool needs_unique_keys() const override { return sketch_.needs_unique_keys(); }
  void multiply(float factor) override { sketch_.multiply(factor); }
  void multiply_squares(float factor) override { sketch_.multiply_squares(factor); }
  float raw(Key key) const override { return sketch_.raw(key); }
  double noise() const override { return sketch_.noise(); }
  std::optional<float> largest_cell() const override { return sketch_.largest_cell(); }
  std::vector<HeavyKey> heavy_keys() const override { return sketch_.heavy_keys(); }
  const NameArena* name_arena() const override { return sketch_.name_arena(); }
  NameArena* name_arena() override { return sketch_.name_arena(); }
  const Hasher* hasher() const override { return sketch_.hasher(); }

  // The pairs of different models are not steps of one: the merged model collects its own.
  void merge_same(std::span<const BearStore* const> stores, const MergePlan& plan) {
    std::vector<const Sketch*> sketches;
    for (const BearStore* store : stores) sketches.push_back(&store->sketch_);
    sketch_.merge_same(sketches, plan);
    pairs_.clear();
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return Sketch::bytes_for(config) + CurvaturePairs::bytes_for(config.active_set_size);
  }
  std::size_t nbytes() const override { return sketch_.nbytes() + pairs_.nbytes(); }
  std::size_t paper_bytes() const override { return sketch_.paper_bytes() + pairs_.paper_bytes(); }
  void archive(Archive& archive) override {
    sketch_.archive(archive);
    pairs_.archive(archive);
  }

 private:
  std::uint32_t depth_;
  Sketch sketch_;
  CurvaturePairs pairs_;
};

}  // namespace

StoreClass bear_store(const StoreChoice&) { return store_class<BearStore>(); }

}  // namespace wmsketch
