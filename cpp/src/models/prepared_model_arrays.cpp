// Rows of arrays and other numbered features.
#include <algorithm>
#include <utility>

#include "wmsketch/models/prepared_model.hpp"

namespace wmsketch {
namespace {

// Calls use(part) for parts of the batch with at most kEntriesPerBatch features each, or one row.
template <class Use>
void in_parts(const RowBatch& batch, Use use) {
  const auto rows_of = [](const auto& values, std::size_t first, std::size_t n) {
    return values.empty() ? values : values.subspan(first, n);
  };
  for (std::size_t first = 0, last = 0; first < batch.size(); first = last) {
    const auto fits = [&](std::size_t row) {
      return static_cast<std::size_t>(batch.starts[row + 1] - batch.starts[first]) <= kEntriesPerBatch;
    };
    for (last = first + 1; last < batch.size() && fits(last);) ++last;
    RowBatch part = batch;
    part.starts = batch.starts.subspan(first, last - first + 1);
    part.labels = rows_of(batch.labels, first, last - first);
    part.weights = rows_of(batch.weights, first, last - first);
    part.times = rows_of(batch.times, first, last - first);
    part.classes = rows_of(batch.classes, first, last - first);
    part.targets = rows_of(batch.targets, first, last - first);
    use(part, first);
  }
}

constexpr double kHeavy = 1e6;  // the weight of a row that may overflow after scaling, even if its values are small

}  // namespace

// Learns rows of numbered features by the columns of the schema. A failure leaves model and schema half changed.
template <class Model, class Labels>
void PreparedModel<Model, Labels>::learn_numbered(Model& model, Schema& schema, const RowBatch& batch,
                                                  const Labels& labels) {
  NumberedRows rows;
  std::vector<float> values;
  in_parts(batch, [&](const RowBatch& part, std::size_t first) {
    rows.assign(part, schema);
    schema.learn(rows, part.weights, part.times, values);
    numbered_from(first, [&] { labels.learn(model, rows.labelled_as(part).with_values(values)); });
  });
}

// Holds the rows of an array and returns true, or begins with the first of them.
template <class Model, class Labels>
bool PreparedModel<Model, Labels>::hold_or_begin_with_arrays(const MatrixRows& rows, const Labels& labels,
                                                             std::span<const float> weights,
                                                             std::span<const double> times) {
  if (!rules_.schema.numbered || rows.named()) {
    const Schema decided = schema_.held().size() == 0 ? Schema::open(rules_.schema) : schema_.decided_now();
    refuse_arrays_for(decided);
    begin(decided);
    return false;
  }
  if (rows.size() == 0) return true;
  RowBlock first;  // as many rows as decide, or all
  std::size_t n_learned = 0;
  rows.for_each_batch(
      [&](const RowBatch& batch, std::size_t first_row) {
        for (std::size_t r = 0; r < batch.size() && n_learned < Schema::kFirstRows; ++r) {
          for (auto i = static_cast<std::size_t>(batch.starts[r]); i < static_cast<std::size_t>(batch.starts[r + 1]);
               ++i) {
            const double value = batch.wide.empty() ? batch.values[i] : batch.wide[i];
            first.numbers.push_back({value, static_cast<std::uint32_t>(first.keys.size())});
            first.keys.push_back(batch.keys[i]);
            first.values.push_back(batch.values[i]);
          }
          first.starts.push_back(static_cast<std::int64_t>(first.keys.size()));
          n_learned += weights.empty() || weights[first_row + r] != 0;
        }
      },
      true);
  RowBatch batch = first.batch();
  labels.put_into(batch, 0);
  if (!weights.empty()) batch.weights = weights.first(first.size());
  if (!times.empty()) batch.times = times.first(first.size());
  refuse_arrays_for(schema_);
  return hold_or_begin(first, batch, labels, false, rows.width());
}

template <class Model, class Labels>
Margins PreparedModel<Model, Labels>::numbered_margins(const Model& model, const Schema& schema,
                                                       const RowBatch& batch) {
  Margins margins{{}, Labels::margins_per_row(model)};
  margins.values.resize(batch.size() * margins.per_row);
  NumberedRows rows;
  std::vector<float> values;
  in_parts(batch, [&](const RowBatch& part, std::size_t first) {
    rows.assign(part, schema);
    schema.apply(rows, values);
    model.margins(rows.labelled_as(part).with_values(values),
                  std::span(margins.values).subspan(first * margins.per_row, part.size() * margins.per_row));
  });
  return margins;
}

template <class Model, class Labels>
std::optional<NumberedRows> PreparedModel<Model, Labels>::numbered_rows_of(const RowBlock& block) const {
  return ask([&](const Model&, const Schema& schema) -> std::optional<NumberedRows> {
    if (!schema.is_numbered()) return std::nullopt;
    require_columns_for(schema, block, false);
    const std::vector<double> wide = wide_values_of(block);
    RowBatch batch = block.batch();
    batch.wide = wide;
    NumberedRows rows;
    rows.assign(batch, schema);
    std::vector<float> values;
    schema.apply(rows, values);
    rows.values = std::move(values);
    return rows;
  });
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::learn_arrays(const MatrixRows& rows, const Labels& labels,
                                                std::span<const float> weights, std::span<const double> times) {
  const auto each_labelled = [&](auto use, bool wide) {
    const auto labelled = [&](RowBatch& batch, std::size_t first) {
      labels.put_into(batch, first);
      if (!weights.empty()) batch.weights = weights.subspan(first, batch.size());
      if (!times.empty()) batch.times = times.subspan(first, batch.size());
      numbered_from(first, [&] { use(batch); });
    };
    rows.for_each_batch(labelled, wide);
  };
  require_room_for_names(rows.named());
  undecided_if_it_fails([&] {
    bool may_overflow = false;
    const auto check = [&](const Model& model) {
      const auto use = [&](const RowBatch& batch) {
        labels.check(model, batch);
        may_overflow = may_overflow || model.may_overflow(batch) || heaviest_row(batch) > kHeavy;
      };
      each_labelled(use, false);
    };
    if (!model_) {
      check(*make_introduced());
      if (hold_or_begin_with_arrays(rows, labels, weights, times)) return;
    } else {
      refuse_arrays_for(schema_);
      check(*model_);
    }
    const bool numbered = schema_.is_numbered();
    const Schema::Mark before = schema_.mark();
    const auto learn = [&](const RowBatch& batch) {
      if (numbered) {
        learn_numbered(*model_, schema_, batch, labels);
      } else {
        labels.learn(*model_, batch);
      }
    };
    try {
      all_or_nothing(model_, may_overflow, [&] { each_labelled(learn, numbered); });
    } catch (...) {
      if (model_) schema_.return_to(before);
      throw;
    }
  });
}

template <class Model, class Labels>
Margins PreparedModel<Model, Labels>::margins_of_arrays(const MatrixRows& rows) const {
  return ask([&](const Model& model, const Schema& schema) {
    refuse_arrays_for(schema);
    Margins margins{{}, Labels::margins_per_row(model)};
    margins.values.resize(rows.size() * margins.per_row);
    const auto use = [&](const RowBatch& batch, std::size_t first) {
      numbered_from(first, [&] { model.check(batch, false); });
      const auto place = std::span(margins.values).subspan(first * margins.per_row, batch.size() * margins.per_row);
      if (!schema.is_numbered()) return model.margins(batch, place);
      std::ranges::copy(numbered_margins(model, schema, batch).values, place.begin());
    };
    rows.for_each_batch(use, schema.is_numbered());
    return margins;
  });
}

template void PreparedModel<Learner, BinaryLabels>::learn_numbered(Learner&, Schema&, const RowBatch&,
                                                                   const BinaryLabels&);
template bool PreparedModel<Learner, BinaryLabels>::hold_or_begin_with_arrays(const MatrixRows&, const BinaryLabels&,
                                                                              std::span<const float>,
                                                                              std::span<const double>);
template Margins PreparedModel<Learner, BinaryLabels>::numbered_margins(const Learner&, const Schema&, const RowBatch&);
template std::optional<NumberedRows> PreparedModel<Learner, BinaryLabels>::numbered_rows_of(const RowBlock&) const;
template void PreparedModel<Learner, BinaryLabels>::learn_arrays(const MatrixRows&, const BinaryLabels&,
                                                                 std::span<const float>, std::span<const double>);
template Margins PreparedModel<Learner, BinaryLabels>::margins_of_arrays(const MatrixRows&) const;
template void PreparedModel<Learner, Targets>::learn_numbered(Learner&, Schema&, const RowBatch&, const Targets&);
template bool PreparedModel<Learner, Targets>::hold_or_begin_with_arrays(const MatrixRows&, const Targets&,
                                                                         std::span<const float>,
                                                                         std::span<const double>);
template Margins PreparedModel<Learner, Targets>::numbered_margins(const Learner&, const Schema&, const RowBatch&);
template std::optional<NumberedRows> PreparedModel<Learner, Targets>::numbered_rows_of(const RowBlock&) const;
template void PreparedModel<Learner, Targets>::learn_arrays(const MatrixRows&, const Targets&, std::span<const float>,
                                                            std::span<const double>);
template Margins PreparedModel<Learner, Targets>::margins_of_arrays(const MatrixRows&) const;
template void PreparedModel<Multiclass, ClassLabels>::learn_numbered(Multiclass&, Schema&, const RowBatch&,
                                                                     const ClassLabels&);
template bool PreparedModel<Multiclass, ClassLabels>::hold_or_begin_with_arrays(const MatrixRows&, const ClassLabels&,
                                                                                std::span<const float>,
                                                                                std::span<const double>);
template Margins PreparedModel<Multiclass, ClassLabels>::numbered_margins(const Multiclass&, const Schema&,
                                                                          const RowBatch&);
template std::optional<NumberedRows> PreparedModel<Multiclass, ClassLabels>::numbered_rows_of(const RowBlock&) const;
template void PreparedModel<Multiclass, ClassLabels>::learn_arrays(const MatrixRows&, const ClassLabels&,
                                                                   std::span<const float>, std::span<const double>);
template Margins PreparedModel<Multiclass, ClassLabels>::margins_of_arrays(const MatrixRows&) const;

}  // namespace wmsketch
