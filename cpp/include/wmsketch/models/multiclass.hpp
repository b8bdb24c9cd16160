// Multiclass learning in one budget. One learner holds the weights of all classes, under keys combined from class and
// feature.
//
// The score of a class is the log of its share of the examples so far, plus the sum of its weights. Probabilities are
// the softmax of the scores. One example becomes one row of the learner for each class, positive for the true class,
// with the other classes as its offset. The gradients are those of multinomial logistic regression.
//
// With `negatives`, only the true class and some randomly drawn classes get a row. Each score is lowered by the log of
// its probability to be drawn, so that the weights remain those of the full softmax (sampled softmax, the ranking form
// of noise-contrastive estimation).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wmsketch/models/class_table.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {

struct MulticlassConfig {
  std::uint32_t max_classes = 2;
  std::uint32_t negatives = 0;  // negative classes drawn for each example; 0: all classes
  bool fit_intercept = true;
  bool balanced = false;  // weight examples as if all classes were equally frequent
  HalfLife half_life;     // the learner itself has none: it would fade at every row of an example
  bool named = true;      // the name arena has room for names of features
  std::uint64_t seed = 0;
  NameSecret secret{};  // seeds the hash of labels and of the empty name, the intercept
};

// A feature of one class. Key and name are those of the feature, without the class.
struct ClassFeature {
  std::uint32_t of;
  HeavyFeature feature;
};

// Progress over examples with many classes. Predictions are made before an example is learned.
struct ClassProgress {
  std::uint64_t n_seen = 0, features_seen = 0;
  double recent = 0;  // examples that still count; n_seen if there is no half-life
  Clock clock;
  std::uint64_t n_scored = 0;  // with `negatives` a sample, because a prediction scores every class
  std::uint64_t mistakes = 0;
  LogLossSum log_loss;

  // Adds what the other side has seen since the base. All clocks must agree.
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
  // `weights` must keep names, which contain the class, and must have no bias of its own.
  Multiclass(std::unique_ptr<Learner> weights, const MulticlassConfig& config);
  Multiclass(const Multiclass& other);

  const ClassTable& classes() const { return classes_; }
  const Learner& weights() const { return *weights_; }
  const ClassProgress& progress() const { return progress_; }

  // `learn` trusts its batch; `check` and `require_room` throw if it cannot be learned.
  void check(const RowBatch& batch, bool for_learning) const;
  bool may_overflow(const RowBatch& batch) const {
    return weights_->may_overflow(batch, config_.balanced ? kMostBalance : 1.0);
  }
  void require_room(std::span<const std::string> labels) const { classes_.require_room(labels); }
  void learn(const RowBatch& batch, std::span<const std::string> labels);  // row r has labels[batch.classes[r]]
  void add_classes(std::span<const std::string> labels);                   // all, or none if there is no room
  void margins(const RowBatch& batch, std::span<double> out) const;        // row-major, one per known class

  double weight(std::uint32_t c, Key feature) const { return weights_->weight(combine(c, feature)); }
  double deviation(std::uint32_t c, Key feature) const { return weights_->deviation(combine(c, feature)); }
  double intercept(std::uint32_t c) const;  // the score of an example without features
  std::vector<ClassFeature> top(std::size_t k, std::uint32_t of = ClassTable::kNone) const;  // kNone: any class

  bool keeps_names() const { return config_.named; }
  std::size_t names_shortened() const { return weights_->names_shortened(); }

  std::size_t nbytes() const { return weights_->nbytes() + classes_.nbytes() + sizeof(ClassProgress); }
  static std::size_t class_bytes(std::uint32_t max_classes) {
    return ClassTable::bytes_for(max_classes) + sizeof(ClassProgress);
  }
  // Like Learner::merge. Classes keep their order if all sides have the same classes in the same order. Otherwise they
  // are sorted alphabetically.
  struct Merging {
    std::vector<const Multiclass*> others;
    const Multiclass* base = nullptr;
  };
  void merge(const Multiclass& other) { merge(Merging{{&other}}); }
  void merge(const Merging& merging);
  void take(const Multiclass& other);                      // like Learner::take
  void rescale(Key feature, double factor, double shift);  // like Learner::rescale, for every class
  void archive(Archive& archive);
  std::unique_ptr<Multiclass> copy() const { return std::make_unique<Multiclass>(*this); }

 private:
  struct Row;
  struct Softmax;
  static constexpr double kMostBalance = 1e5;  // upper limit of the weight that balancing gives an example

  Key combine(std::uint32_t c, Key feature) const;
  // The constant feature, whose weight is the intercept of a class. Its name is empty.
  std::optional<Key> constant() const {
    return config_.fit_intercept ? std::optional(key_of_name("", config_.secret)) : std::nullopt;
  }
  double prior(std::uint32_t c) const;
  double margin(Row& row, std::uint32_t c) const;  // without the prior
  void fill_with_all(Row& row, Softmax& softmax) const;
  void fill_with_drawn(Row& row, std::uint32_t label, Softmax& softmax) const;
  double chance_to_be_drawn(std::uint32_t c) const;
  double balance(std::uint32_t label) const;  // weight of the next example with this label
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

// Makes a Multiclass over a learner of this kind. Half-life and seed are taken from `rule` and `store`.
std::unique_ptr<Multiclass> make_multiclass(StoreKind kind, bool exact_set, const StoreConfig& store,
                                            LearnerConfig rule, MulticlassConfig classes);

}  // namespace wmsketch
