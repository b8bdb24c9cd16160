#include "wmsketch/models/prepared_model.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "wmsketch/prepare/rekeyed_rows.hpp"

namespace wmsketch {

template <class Model, class Labels>
PreparedModel<Model, Labels>::PreparedModel(Make make, bool named, ColumnRules rules)
    : rules_(std::move(rules)), schema_(rules_.schema), named_(named), make_(std::move(make)) {}

template <class Model, class Labels>
PreparedModel<Model, Labels>& PreparedModel<Model, Labels>::operator=(const PreparedModel& other) {
  if (this == &other) return *this;
  rules_ = other.rules_;
  schema_ = other.schema_;
  planned_ = other.planned_;
  named_ = other.named_;
  make_ = other.make_;
  model_ = other.model_ ? other.model_->copy() : nullptr;
  columns_changed();
  return *this;
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::learn(const RowBlock& block, RowBatch batch, const Labels& labels, bool by_columns) {
  labels.put_into(batch, 0);
  if (block.named && !named_ && !model_) throw ShapeWanted();
  require_room_for_names(block.named);
  undecided_if_it_fails([&] {
    if (!model_ && hold_or_begin(block, batch, labels, by_columns)) return;
    require_columns_for(schema_, block, by_columns);
    labels.check(*model_, batch);
    learn_prepared(model_, schema_, block, batch, labels);
    if (schema_.is_table() && (!block.new_kinds.empty() || block.more_new_kinds)) columns_changed();
  });
}

// If the batch fails, model and scales are restored.
template <class Model, class Labels>
void PreparedModel<Model, Labels>::learn_prepared(std::unique_ptr<Model>& model, Schema& schema, const RowBlock& block,
                                                  RowBatch batch, const Labels& labels) {
  const auto learn_all = [&] {
    all_or_nothing(model, model->may_overflow(batch), [&] { labels.learn(*model, batch); });
  };
  if (!schema.is_table()) return learn_all();
  const Schema::Mark before = schema.mark();
  std::vector<float> values;
  NumberedRows numbered;
  if (schema.is_numbered()) {
    const std::vector<double> wide = wide_values_of(block);
    batch.wide = wide;
    numbered.assign(batch, schema);
    batch = numbered.labelled_as(batch);
  }
  schema.learn(schema.is_numbered() ? static_cast<const RowBlock&>(numbered) : block, batch.weights, batch.times,
               values);
  batch = batch.with_values(values);
  try {
    learn_all();
  } catch (...) {
    schema.return_to(before);
    throw;
  }
}

// Returns true if the rows were held, false if the model has begun and they must be learned.
template <class Model, class Labels>
bool PreparedModel<Model, Labels>::hold_or_begin(const RowBlock& block, const RowBatch& batch, const Labels& labels,
                                                 bool by_columns, MatrixWidth width) {
  planned_.reset();                         // left over from a failed call
  labels.check(*make_introduced(), batch);  // rejected rows must not influence the decision
  const auto is_zero = [](float weight) { return weight == 0; };
  if (!batch.weights.empty() && std::all_of(batch.weights.begin(), batch.weights.end(), is_zero)) return true;
  const std::optional<Schema> decided = schema_.decided_with(block, batch.weights, width);
  if (!decided) {
    HeldRows before = schema_.held();
    const std::size_t n_before = before.size();
    try {
      hold(block, batch, labels);
      require_learnable_held();
    } catch (const BadRow& bad) {
      schema_.held() = std::move(before);
      throw BadRow(bad.row - std::min(bad.row, n_before), bad.what());
    } catch (...) {
      schema_.held() = std::move(before);
      throw;
    }
    return true;
  }
  require_columns_for(*decided, block, by_columns);
  begin_or_want_shape(*decided);
  return false;
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::begin_or_want_shape(const Schema& decided) {
  if (!decided.is_table()) return begin(decided);
  planned_ = decided;
  throw ShapeWanted();
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::hold(const RowBlock& block, const RowBatch& batch, const Labels& labels) {
  HeldRows& held = schema_.held();
  const std::size_t before = held.size(), n = block.size();
  held.add_features(block);
  held.streamed = batch.streamed;
  labels.hold(held, n);
  const auto append = [&](auto& to, auto from, auto missing) {
    if (from.empty() && to.empty()) return;
    to.resize(before, missing);
    to.insert(to.end(), from.begin(), from.end());
    to.resize(before + n, missing);
  };
  append(held.weights, batch.weights, 1.0f);
  append(held.times, batch.times, 0.0);
  columns_changed();
}

// Throws BadRow if a held row would overflow the model. Such rows must be refused when they arrive.
template <class Model, class Labels>
void PreparedModel<Model, Labels>::require_learnable_held() const {
  auto model = make_introduced();
  if (!model->may_overflow(schema_.held().batch())) return;
  Schema schema = schema_.decided_now();
  learn_held(model, schema, schema_.held());
}

template <class Model, class Labels>
std::unique_ptr<Model> PreparedModel<Model, Labels>::make_introduced() const {
  auto model = make_();
  if (!schema_.held().introduced.empty()) Labels::introduce(*model, schema_.held().introduced);
  return model;
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::learn_held(std::unique_ptr<Model>& model, Schema& schema, const HeldRows& held) {
  if (held.size() == 0) return;
  const Labels labels(held);
  RowBatch batch = held.batch();
  batch.streamed = held.streamed;
  labels.put_into(batch, 0);
  labels.check(*model, batch);
  learn_prepared(model, schema, held, batch, labels);
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::begin(const Schema& decided) {
  auto model = make_introduced();
  Schema schema = decided;
  try {
    learn_held(model, schema, schema_.held());
  } catch (const BadRow& bad) {  // known only now that the schema is; the next call learns the other rows
    HeldRows& held = schema_.held();
    held.weights.resize(held.size(), 1.0f);
    held.weights[bad.row] = 0;
    throw std::invalid_argument("row " + std::to_string(bad.row) + " of the first " + std::to_string(held.size()) +
                                " cannot be learned and is left out: " + bad.what());
  }
  model_ = std::move(model);
  schema_ = std::move(schema);
  planned_.reset();
  columns_changed();
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::refuse_arrays_for(const Schema& schema) {
  if (schema.is_table() && !schema.is_numbered())
    throw std::invalid_argument(
        "this model learned from rows with named columns: give it a data frame or dicts, not an array");
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::require_columns_for(const Schema& schema, const RowBlock& block, bool by_columns) {
  if (!schema.is_table() || block.starts.back() == block.starts.front()) return;
  if (schema.is_numbered() && block.named)
    throw std::invalid_argument(
        "this model learned from an array or from numbered features: a feature must be a number, not a name");
  if (!schema.is_numbered() && !by_columns)
    throw std::invalid_argument(
        "this model learned from rows with named columns: a feature must be the name of a column, not a number");
}

// Otherwise the name could not be kept, and would show up as a bare hash later.
template <class Model, class Labels>
void PreparedModel<Model, Labels>::require_room_for_names(bool named) const {
  if (named && model_ && !model_->keeps_names())
    throw std::invalid_argument(
        "this model was started with integer ids and cannot take named features: set name_bytes (for example '2KiB')");
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::introduce(const std::vector<std::string>& labels) {
  if (model_) return Labels::introduce(*model_, labels);
  Labels::introduce(*make_(), labels);  // throws if there is no room
  schema_.held().introduced = labels;
}

template <class Model, class Labels>
Margins PreparedModel<Model, Labels>::margins(const RowBlock& block, bool by_columns, bool next) const {
  return ask([&](const Model& model, const Schema& schema) {
    require_columns_for(schema, block, by_columns);
    Margins margins{{}, Labels::margins_per_row(model)};
    margins.values.resize(block.size() * margins.per_row);
    RowBatch batch = block.batch();
    batch.streamed = next;
    model.check(batch, false);
    std::vector<float> values;
    if (schema.is_numbered()) {
      const std::vector<double> wide = wide_values_of(block);
      batch.wide = wide;
      return numbered_margins(model, schema, batch);
    }
    if (schema.changes(block)) {
      schema.apply(block, values);
      batch = batch.with_values(values);
    }
    model.margins(batch, margins.values);
    return margins;
  });
}

template <class Model, class Labels>
bool PreparedModel<Model, Labels>::settle_by(std::span<const double> margins, std::span<const std::int8_t> labels,
                                             std::span<const float> weights) {
  if constexpr (std::is_same_v<Model, Learner>) {
    if (model_) return model_->settle(margins, labels, weights);
  }
  return false;
}

template <class Model, class Labels>
std::vector<float> PreparedModel<Model, Labels>::values_of(const RowBlock& block) const {
  return ask([&](const Model&, const Schema& schema) {
    require_columns_for(schema, block, block.named);
    std::vector<float> values;
    with_keys_under(secret(), block, [&](const RowBlock& rows) { schema.apply(rows, values); });
    return values;
  });
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::set_schema(const Schema& schema) {
  if (!model_) model_ = make_introduced();
  schema_ = schema;
  columns_changed();
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::columns_changed() {
  takes_any_columns_ = schema_.state() == Schema::State::open && has_no_rules();
  ++columns_version_;
}

template <class Model, class Labels>
bool PreparedModel<Model, Labels>::has_no_rules() const {
  const EncoderOptions& rules = rules_.encoder;
  return rules.label.empty() && rules.weight.empty() && rules.time.empty() && rules.features.empty() &&
         rules.ignore.empty() && rules.numeric.empty() && rules.categorical.empty() && rules.text.empty() &&
         rules.interactions.empty() && rules.na.empty() && !rules.count_missing;
}

// For prediction, values must have the learned kind of their column, and rows must have a column of the table. For
// learning, values may be of a new kind.
template <class Model, class Labels>
std::unique_ptr<RowEncoder> PreparedModel<Model, Labels>::make_encoder(bool for_learning) const {
  const bool undecided = schema_.state() == Schema::State::undecided;
  const Schema schema = undecided && !for_learning ? schema_.decided_now() : schema_;
  EncoderOptions options = rules_.encoder;
  options.require_labels = false;
  for (std::size_t i = 0; i < (schema.is_numbered() ? 0 : schema.size()); ++i) {
    const Schema::Column column = schema.column(i);
    if (column.kind != ColumnKind::unknown) (for_learning ? options.seen : options.kinds)[column.name] = column.kind;
    if (!for_learning && !schema.has_other_columns()) options.expected.push_back(column.name);
  }
  if (!for_learning && !schema.is_numbered()) options.known = schema.all_columns();
  auto encoder = std::make_unique<RowEncoder>(std::move(options));
  encoder->note_columns(undecided);
  return encoder;
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::start(Make make, bool named) {
  if (model_) return;
  make_ = std::move(make);
  named_ = named;
  if (planned_) begin(*planned_);
}

template <class Model, class Labels>
std::size_t PreparedModel<Model, Labels>::schema_nbytes() const {
  return planned_ ? planned_->most_nbytes() : model_ ? schema_.nbytes() : 0;
}

template <class Model, class Labels>
std::size_t PreparedModel<Model, Labels>::most_schema_nbytes() const {
  return schema_.is_table() ? schema_.most_nbytes() : 0;
}

template <class Model, class Labels>
void PreparedModel<Model, Labels>::archive(Archive& archive) {
  if (archive.loading()) schema_ = Schema(rules_.schema);
  schema_.archive(archive);
  if (archive.loading() && schema_.state() != Schema::State::undecided) model_ = make_();
  if (model_) model_->archive(archive);
  if (archive.loading()) columns_changed();
}

template class PreparedModel<Learner, BinaryLabels>;
template class PreparedModel<Learner, Targets>;
template class PreparedModel<Multiclass, ClassLabels>;

}  // namespace wmsketch
