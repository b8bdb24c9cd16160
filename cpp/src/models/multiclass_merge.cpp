// Merging multiclass models, whose classes may be in different orders.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/data/saturating.hpp"
#include "wmsketch/models/multiclass.hpp"

namespace wmsketch {

// The classes of all sides. They keep their order if all sides agree, otherwise they are sorted alphabetically.
static ClassTable classes_of_all(const std::vector<Multiclass>& sides, const MulticlassConfig& config) {
  const auto labels_of = [](const ClassTable& classes) {
    std::vector<std::string> labels;
    for (std::uint32_t c = 0; c < classes.size(); ++c) labels.emplace_back(classes.label(c));
    return labels;
  };
  std::vector<std::string> all;
  bool same = true;
  for (const Multiclass& side : sides) {
    const std::vector<std::string> labels = labels_of(side.classes());
    same = same && labels == labels_of(sides[0].classes());
    all.insert(all.end(), labels.begin(), labels.end());
  }
  if (same) {
    all.resize(sides[0].classes().size());
  } else {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  ClassTable order(config.max_classes, config.secret);
  order.require_room(all);
  for (const std::string& label : all) order.add(label);
  return order;
}

void Multiclass::merge(const Merging& merging) {
  if (merging.base != nullptr && (config_.half_life.examples > 0 || config_.half_life.seconds > 0))
    throw merge_error("base", "with a half_life it is unknown what is left of the base");
  std::vector<Multiclass> sides{*this};
  for (const Multiclass* other : merging.others) sides.push_back(*other);
  const std::size_t n_sides = sides.size();
  if (merging.base != nullptr) sides.push_back(*merging.base);
  double latest = Clock::kNone;
  for (const Multiclass& side : sides) latest = std::max(latest, side.progress_.clock.time);
  for (Multiclass& side : sides) side.fade_after(side.progress_.clock.pass_to(latest));
  ClassTable order = classes_of_all(sides, config_);
  for (Multiclass& side : sides) side.take_order_of(order);
  const Multiclass* base = merging.base != nullptr ? &sides.back() : nullptr;

  Learner::Merging weights{{}, base != nullptr ? base->weights_.get() : nullptr, {}};
  for (const Multiclass& side : sides) weights.examples.push_back(side.progress_.recent);
  for (std::size_t i = 1; i < n_sides; ++i) weights.others.push_back(sides[i].weights_.get());
  weights_ = sides[0].weights_->copy();
  weights_->merge(weights);
  const ClassTable none(config_.max_classes, config_.secret), &before = base != nullptr ? base->classes_ : none;
  for (std::uint32_t c = 0; c < order.size();
       ++c) {  // one sum per class, so that the result does not depend on the order of the sides
    std::uint64_t count = sides[0].classes_.count(c);
    double weight = sides[0].classes_.weight(c);
    for (std::size_t i = 1; i < n_sides; ++i) {
      add_since(count, sides[i].classes_.count(c), c < before.size() ? before.count(c) : 0);
      weight += sides[i].classes_.weight(c) - (c < before.size() ? before.weight(c) : 0);
    }
    order.see(c, count, std::max(weight, 0.0));
  }
  classes_ = std::move(order);
  progress_ = sides[0].progress_;
  for (std::size_t i = 1; i < n_sides; ++i)
    progress_.merge(sides[i].progress_, base != nullptr ? base->progress_ : ClassProgress{});
}

void Multiclass::take(const Multiclass& other) {
  ClassTable classes(config_.max_classes, config_.secret);
  std::vector<std::string> labels;
  for (std::uint32_t c = 0; c < other.classes_.size(); ++c) labels.emplace_back(other.classes_.label(c));
  classes.require_room(labels);
  for (std::uint32_t c = 0; c < other.classes_.size(); ++c)
    classes.see(classes.add(labels[c]), other.classes_.count(c), other.classes_.weight(c));
  weights_->take(*other.weights_);
  classes_ = std::move(classes);
  progress_ = other.progress_;
}

void Multiclass::rescale(Key feature, double factor, double shift) {
  const std::optional<Key> intercept = constant();
  for (std::uint32_t c = 0; c < classes_.size(); ++c)
    weights_->rescale(combine(c, feature), factor, intercept ? shift : 0, combine(c, intercept.value_or(feature)));
}

}  // namespace wmsketch
