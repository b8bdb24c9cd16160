// Merging prepared models.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "wmsketch/models/prepared_model.hpp"

namespace wmsketch {
namespace {

std::set<Key> keys_unknown_to(const Schema& schema, const Schema& wider) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < schema.size(); ++i) names.insert(schema.column(i).name);
  std::set<Key> keys;
  for (std::size_t i = 0; i < wider.size(); ++i)
    if (!names.contains(wider.column(i).name)) keys.insert(wider.key(i));
  return keys;
}

// A model that learned unscaled numbers has large sums of squares, which overstate what it knows. So its weights count
// little against those of a model that knows the scale.
void forget(Learner& learner, Key key) {
  constexpr double kUnits = 0x1p13;  // a power of two, so that the weight becomes 0
  learner.rescale(key, kUnits, -kUnits, key);
}

}  // namespace

template <class Model, class Labels>
void PreparedModel<Model, Labels>::hold_held(const HeldRows& rows) {
  const Labels labels(rows);
  RowBatch batch = rows.batch();
  labels.put_into(batch, 0);
  hold(rows, batch, labels);
  auto& introduced = schema_.held().introduced;
  for (const std::string& label : rows.introduced)
    if (std::find(introduced.begin(), introduced.end(), label) == introduced.end()) introduced.push_back(label);
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::merge_held(Model& into, Schema& schema, const HeldRows& held, const Make& make) {
  if (held.size() == 0) return;
  auto model = make();
  Schema own = schema.emptied();
  learn_held(model, own, held);
  schema.merge(own);
  into.merge(*model);
}

// Held rows of one side are learned with the schema of the other. A failure changes nothing.
template <class Model, class Labels>
void PreparedModel<Model, Labels>::merge(const PreparedModel& other) {
  if (!model_ && !other.model_) {
    const HeldRows& rows = other.schema_.held();
    if (schema_.held().nbytes() + rows.nbytes() <= rules_.schema.most_held_bytes) return hold_held(rows);
    begin_or_want_shape(schema_.decided_with(rows).value());
  }
  if (!model_) {  // become the other, and learn from what this one holds
    const HeldRows mine = schema_.held();
    auto begun = other.model_->copy();
    Schema schema = other.schema_;
    merge_held(*begun, schema, mine, other.make_);
    make_ = other.make_;
    named_ = other.named_;
    model_ = std::move(begun);
    schema_ = std::move(schema);
    planned_.reset();
  } else if (other.model_) {
    const PreparedModel* const only = &other;
    return merge_all(std::span(&only, 1), nullptr);
  } else {
    auto merged = model_->copy();
    Schema schema = schema_;
    merge_held(*merged, schema, other.schema_.held(), make_);
    model_ = std::move(merged);
    schema_ = std::move(schema);
  }
  columns_changed();
}

// If the scales of the numbers differ, all models are first converted to the merged scales.
template <class Model, class Labels>
void PreparedModel<Model, Labels>::merge_all(std::span<const PreparedModel* const> others, const PreparedModel* base) {
  Schema schema = schema_;
  const auto require_begun = [](const PreparedModel& model) {
    if (!model.model_) throw merge_error("rows", "a model still holds its first rows");
  };
  require_begun(*this);
  if (base != nullptr) require_begun(*base);
  for (const PreparedModel* other : others) {
    require_begun(*other);
    schema.merge(other->schema_, base != nullptr ? &base->schema_ : nullptr);
  }
  const auto measured = [&](const PreparedModel& model) {
    auto copy = model.model_->copy();
    if (!schema.is_table()) return copy;
    const std::set<Key> unknown = keys_unknown_to(model.schema_, schema);
    model.schema_.for_each_change(schema, [&](Key key, double factor, double shift) {
      if constexpr (std::is_same_v<Model, Learner>) {
        if (unknown.contains(key)) return forget(*copy, key);
      }
      copy->rescale(key, factor, shift);
    });
    return copy;
  };
  std::vector<std::unique_ptr<Model>> sides;
  auto merged = measured(*this);
  typename Model::Merging merging;
  for (const PreparedModel* other : others) {
    sides.push_back(measured(*other));
    merging.others.push_back(sides.back().get());
  }
  if (base != nullptr) {
    sides.push_back(measured(*base));
    merging.base = sides.back().get();
  }
  merged->merge(merging);
  model_ = std::move(merged);
  schema_ = std::move(schema);
  columns_changed();
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::take(const PreparedModel& other) {
  if (!other.model_) throw std::invalid_argument("cannot change the size: the model still holds its first rows");
  auto model = make_();
  model->take(*other.model_);
  model_ = std::move(model);
  schema_ = other.schema_;
  columns_changed();
}

using Binary = PreparedModel<Learner, BinaryLabels>;
using NumbersOf = PreparedModel<Learner, Targets>;
using ManyClasses = PreparedModel<Multiclass, ClassLabels>;
template void PreparedModel<Learner, BinaryLabels>::hold_held(const HeldRows&);
template void PreparedModel<Learner, BinaryLabels>::merge_held(Learner&, Schema&, const HeldRows&, const Make&);
template void PreparedModel<Learner, BinaryLabels>::merge(const Binary&);
template void PreparedModel<Learner, BinaryLabels>::merge_all(std::span<const Binary* const>, const Binary*);
template void PreparedModel<Learner, BinaryLabels>::take(const Binary&);
template void PreparedModel<Learner, Targets>::hold_held(const HeldRows&);
template void PreparedModel<Learner, Targets>::merge_held(Learner&, Schema&, const HeldRows&, const Make&);
template void PreparedModel<Learner, Targets>::merge(const NumbersOf&);
template void PreparedModel<Learner, Targets>::merge_all(std::span<const NumbersOf* const>, const NumbersOf*);
template void PreparedModel<Learner, Targets>::take(const NumbersOf&);
template void PreparedModel<Multiclass, ClassLabels>::hold_held(const HeldRows&);
template void PreparedModel<Multiclass, ClassLabels>::merge_held(Multiclass&, Schema&, const HeldRows&, const Make&);
template void PreparedModel<Multiclass, ClassLabels>::merge(const ManyClasses&);
template void PreparedModel<Multiclass, ClassLabels>::merge_all(std::span<const ManyClasses* const>,
                                                                const ManyClasses*);
template void PreparedModel<Multiclass, ClassLabels>::take(const ManyClasses&);

}  // namespace wmsketch
