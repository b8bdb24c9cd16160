// Many classes in one budget: one learner holds the weights of all of them, under keys made of class and feature.
//
// The score of a class is the logarithm of its share of the examples so far plus the sum of its weights; probabilities
// are the softmax of the scores. An example is a row of the learner for each class, positive for the true one, with the
// other classes as its offset: the gradients are those of multinomial logistic regression. With `negatives` the rows
// are those of the true class and of some drawn ones, each score lowered by the logarithm of its chance to be drawn, so
// that the weights stay those of all classes (noise-contrastive estimation in its ranking form, or sampled softmax).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wmsketch/models/class_table.hpp"
#include "wmsketch/models/learner.hpp"

namespace wmsketch {

struct MulticlassConfig {
  std::uint32_t max_classes = 2;
  std::uint32_t negatives = 0;  // classes to learn against in each example, drawn at random; 0: all
  bool fit_intercept = true;
  bool balanced = false;  // examples weigh as if all classes were equally frequent so far
  HalfLife half_life;     // the learner itself forgets nothing: it would do so at every row of an example
  bool named = true;      // the weights' arena has room for names of features too
  std::uint64_t seed = 0;
  NameSecret secret{};  // that labels are hashed under, and the empty name, which is the intercept
};

// A feature of one class; its key is the feature's own, its name without the class.
struct ClassFeature {
  std::uint32_t of;
  HeavyFeature feature;
};

// Examples of a stream with many classes, predicted before they were learned.
struct ClassProgress {
  std::uint64_t n_seen = 0, features_seen = 0;
  double recent = 0;  // examples that still count; without a half-life, n_seen
  Clock clock;
  std::uint64_t n_scored = 0;  // with `negatives` not all are, because a prediction asks every class
  std::uint64_t mistakes = 0;
  LogLossSum log_loss;

  // What the other has seen since the base, which may be new; all of one time.
  void merge(const ClassProgress& other, const ClassProgress& base) {
    add_since(n_seen, other.n_seen, base.n_seen);
    add_since(features_seen, other.features_seen, base.features_seen);
    add_since(n_scored, other.n_scored, base.n_scored);
    add_since(mistakes, other.mistakes, base.mistakes);
    recent = std::min(recent + std::max(other.recent - base.recent, 0.0), static_cast<double>(n_seen));
    log_loss.merge(other.log_loss, base.log_loss);
  }
};

class Multiclass {
 public:
  // `weights` keeps names, in which the class stands, and has no bias of its own.
  Multiclass(std::unique_ptr<Learner> weights, const MulticlassConfig& config);
  Multiclass(const Multiclass& other);

  const ClassTable& classes() const { return classes_; }
  const Learner& weights() const { return *weights_; }
  const ClassProgress& progress() const { return progress_; }

  // `learn` trusts its batch: these throw where it could not be learned.
  void check(const RowBatch& batch, bool for_learning) const;
  bool may_overflow(const RowBatch& batch) const {
    return weights_->may_overflow(batch, config_.balanced ? kMostBalance : 1.0);
  }
  void require_room(std::span<const std::string> labels) const { classes_.require_room(labels); }
  void learn(const RowBatch& batch, std::span<const std::string> labels);  // row r is of labels[batch.classes[r]]
  void add_classes(std::span<const std::string> labels);                   // all, or none where there is no room
  void margins(const RowBatch& batch, std::span<double> out) const;        // a row of all known classes for each row

  double weight(std::uint32_t c, Key feature) const { return weights_->weight(combine(c, feature)); }
  double deviation(std::uint32_t c, Key feature) const { return weights_->deviation(combine(c, feature)); }
  double intercept(std::uint32_t c) const;  // the score of an example without features
  std::vector<ClassFeature> top(std::size_t k, std::uint32_t of = ClassTable::kNone) const;  // kNone: of any class

  bool keeps_names() const { return config_.named; }
  std::size_t names_shortened() const { return weights_->names_shortened(); }

  std::size_t nbytes() const { return weights_->nbytes() + classes_.nbytes() + sizeof(ClassProgress); }
  static std::size_t bytes_beside(std::uint32_t max_classes) {
    return ClassTable::bytes_for(max_classes) + sizeof(ClassProgress);
  }
  // As Learner::merge. Classes keep their order where all have the same ones in the same order, else they stand in the
  // order of the alphabet.
  struct Merging {
    std::vector<const Multiclass*> others;
    const Multiclass* base = nullptr;
  };
  void merge(const Multiclass& other) { merge(Merging{{&other}}); }
  void merge(const Merging& merging);
  void take(const Multiclass& other);                      // as Learner::take
  void rescale(Key feature, double factor, double shift);  // as Learner::rescale, in every class
  void archive(Archive& archive);
  std::unique_ptr<Multiclass> copy() const { return std::make_unique<Multiclass>(*this); }

 private:
  struct Row;
  struct Softmax;
  static constexpr double kMostBalance = 1e5;  // what balancing makes of the weight of a rare class

  Key combine(std::uint32_t c, Key feature) const;
  // The feature that every example has, whose weight is the class's intercept: that of the empty name.
  std::optional<Key> constant() const {
    return config_.fit_intercept ? std::optional(key_of_name("", config_.secret)) : std::nullopt;
  }
  double prior(std::uint32_t c) const;
  double margin(Row& row, std::uint32_t c) const;  // without the prior
  void fill_with_all(Row& row, Softmax& softmax) const;
  void fill_with_drawn(Row& row, std::uint32_t label, Softmax& softmax) const;
  double chance_to_be_drawn(std::uint32_t c) const;
  double balance(std::uint32_t label) const;  // the weight of its next example
  bool scores_this(const Softmax& softmax) const;
  void fade(double kept, double squares_kept);
  void fade_after(double seconds);
  void learn_one(Row& row, std::uint32_t label, double weight);
  void take_order_of(const ClassTable& order);

  MulticlassConfig config_;
  ClassTable classes_;
  std::unique_ptr<Learner> weights_;
  ClassProgress progress_;
};

// Over a learner of this kind. Half-life and seed are those of its rule and its store.
std::unique_ptr<Multiclass> make_multiclass(StoreKind kind, bool exact_set, const StoreConfig& store,
                                            LearnerConfig rule, MulticlassConfig classes);

}  // namespace wmsketch
