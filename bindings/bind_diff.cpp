// Bindings for the differences of two streams. apps/diff/diff.py checks the arguments.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <variant>

#include "arrays.hpp"
#include "config.hpp"
#include "guarded.hpp"
#include "state.hpp"
#include "text.hpp"
#include "wmsketch/apps/diff/diff.hpp"
#include "wmsketch/apps/diff/diff_lines.hpp"
#include "wmsketch/apps/diff/diff_table.hpp"
#include "wmsketch/prepare/rekeyed_rows.hpp"
#include "wmsketch/readers/log_lines.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

using Strings = nb::typed<nb::tuple, nb::str, nb::ellipsis>;
using Shared = Guarded<Diff>;

std::unique_ptr<RowBlock> rows_of_names(const Strings& names, const NameSecret& secret) {
  RowEncoder encoder({.categorical = {""}, .secret = secret});
  const RowEncoder::ColumnId column = encoder.column("");
  for (const nb::handle name : names) {
    encoder.add_text(column, utf8_of(name.ptr()));
    encoder.end_row();
  }
  return encoder.take();
}

std::unique_ptr<RowBlock> rows_of_keys(const Vector<Key>& keys) {
  auto block = std::make_unique<RowBlock>();
  block->keys.assign(keys.data(), keys.data() + keys.size());
  block->values.assign(keys.size(), 1.0f);
  block->starts.resize(keys.size() + 1);
  for (std::size_t i = 0; i < block->starts.size(); ++i) block->starts[i] = static_cast<std::int64_t>(i);
  return block;
}

void set_amounts(RowBlock& block, const Weights& amounts) {
  if (!amounts) return;
  if (amounts->size() != block.size())
    throw std::invalid_argument("there must be as many amounts as items, got " + std::to_string(amounts->size()) +
                                " and " + std::to_string(block.size()));
  for (std::size_t i = 0; i < amounts->size(); ++i)
    if (!(amounts->data()[i] >= 0) || !std::isfinite(amounts->data()[i]))
      throw std::invalid_argument("amounts[" + std::to_string(i) + "] must be finite and not negative, got " +
                                  std::to_string(amounts->data()[i]));
  block.weights.assign(amounts->data(), amounts->data() + amounts->size());
}

// All held items: a column for each number, all names in one text. A row is read once, when it is made.
class DiffRows {
 public:
  explicit DiffRows(const Diff& diff) : unit_(diff.totals().unit) {
    const std::size_t n = diff.n_rows();
    keys.reserve(n);
    name_ends_.reserve(n);
    for (auto* column : {&shortened, &nameless}) column->reserve(n);
    for (auto* column : {&weights, &lows, &highs}) column->reserve(n);
    for (auto* pair : {&amounts, &squares, &missed, &rounding})
      for (auto& column : *pair) column.reserve(n);
    diff.each_row([this](DiffRow&& row) { add(row); });
  }

  std::vector<Key> keys;
  std::vector<std::uint8_t> shortened, nameless;
  std::vector<double> weights, lows, highs;
  std::array<std::vector<double>, 2> amounts, squares, missed, rounding;  // in units of current rows

  std::size_t size() const { return keys.size(); }
  std::string_view name(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : name_ends_.at(i - 1);
    return std::string_view(names_).substr(begin, name_ends_.at(i) - begin);
  }
  // A view, which keeps the rows alive.
  template <class T>
  auto column(const std::vector<T>& values) const {
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, nb::find(*this));
  }
  auto pair(const std::array<std::vector<double>, 2>& values) const {
    return std::tuple(column(values[0]), column(values[1]));
  }

 private:
  void add(const DiffRow& row) {
    keys.push_back(row.key);
    shortened.push_back(row.shortened);
    nameless.push_back(row.nameless);
    weights.push_back(row.weight);
    lows.push_back(row.low);
    highs.push_back(row.high);
    const PairCount count = row.count.value_or(PairCount{});
    for (std::size_t s = 0; s < 2; ++s) {
      amounts[s].push_back(count.amounts[s] / unit_);
      squares[s].push_back(count.squares[s] / (unit_ * unit_));
      missed[s].push_back(count.missed[s] / unit_);
      rounding[s].push_back(count.rounding[s] / unit_);
    }
    names_ += row.name;
    name_ends_.push_back(names_.size());
  }

  double unit_;  // what the latest row counts
  std::string names_;
  std::vector<std::size_t> name_ends_;
};

}  // namespace

void bind_diff(nb::module_& m) {
  m.def(
      "item_rows",
      [](const Vector<Key>& keys, const Weights& amounts) {
        auto block = rows_of_keys(keys);
        set_amounts(*block, amounts);
        return block;
      },
      "keys"_a, "amounts"_a = nb::none(), "One row for each item.");
  m.def(
      "item_rows",
      [](const Strings& names, const Weights& amounts, std::optional<std::uint64_t> name_seed) {
        auto block = rows_of_names(names, secret_of(name_seed));
        set_amounts(*block, amounts);
        return block;
      },
      "names"_a, "amounts"_a = nb::none(), "name_seed"_a = nb::none(), "One row for each item.");
  m.def(
      "count_rows_with",
      [](const RowBlock& block, Key key) {
        std::size_t n = 0;
        for (DiffCursor cursor{&block, 0, key}; cursor.find_row(); ++cursor.row) ++n;
        return n;
      },
      "block"_a, "key"_a, nb::call_guard<nb::gil_scoped_release>(), "The number of rows with this feature.");
  m.def(
      "diff_table_bytes",
      [](std::uint32_t lines, std::uint32_t past_width, std::uint32_t names, std::size_t name_bytes, bool weighted) {
        return DiffTable::bytes_for({lines, past_width, names, name_bytes, weighted});
      },
      "lines"_a, "past_width"_a, "names"_a, "name_bytes"_a, "weighted"_a);

  nb::class_<WholeLineParser, LineParser>(
      m, "WholeLineParser", "Parser of text in chunks; each line is a row with one feature, the line itself.")
      .def(
          "__init__",
          [](WholeLineParser* self, std::optional<std::uint64_t> name_seed) {
            new (self) WholeLineParser(secret_of(name_seed));
          },
          "name_seed"_a = nb::none());

  m.def(
      "line_template",
      [](const nb::bytes& line) {
        std::string text;
        append_template({line.c_str(), line.size()}, text);
        return escaped(text);
      },
      "line"_a, "The line with the parts that vary replaced by their kind: <time>, <num>, <ip> and others.");
  m.def(
      "variable_words",
      [](const std::vector<nb::bytes>& lines, std::optional<std::size_t> most_bytes) {
        std::vector<std::string> templates(lines.size());
        for (std::size_t i = 0; i < lines.size(); ++i)
          append_template({lines[i].c_str(), lines[i].size()}, templates[i]);
        return find_variable_words(templates, most_bytes.value_or(std::size_t(-1)));
      },
      "lines"_a, "most_bytes"_a = nb::none(),
      "The templates of lines in which words vary, with <word> in their place, within a limit of bytes.");
  nb::class_<LogLineParser, LineParser>(m, "LogLineParser",
                                        "Parser of logs in chunks; each line is a row with one feature, its template.")
      .def(
          "__init__",
          [](LogLineParser* self, std::optional<std::uint64_t> name_seed) {
            new (self) LogLineParser(secret_of(name_seed));
          },
          "name_seed"_a = nb::none())
      .def("replace_words", &LogLineParser::replace_words, "found"_a,
           "Replace the words that vary, as found by `variable_words`.")
      .def("look_for", &LogLineParser::look_for, "templates"_a, "cut"_a,
           "Keep the first line of each of these templates.")
      .def_prop_ro("n_missing", &LogLineParser::n_missing, "The number of templates without a line so far.")
      .def(
          "example", [](const LogLineParser& self, std::size_t i) { return escaped(self.example(i)); }, "i"_a,
          "The first line of a template; empty if there was none so far.")
      .def_prop_ro_static(
          "most_values", [](nb::handle) { return LogLineParser::kMostValues; }, "Values kept of each variable.")
      .def("count_values", &LogLineParser::count_values, "templates"_a,
           "Count the lines of these templates, and the most frequent values of their first variables.")
      .def(
          "counted",
          [](const LogLineParser& self, const std::string& name) {
            const LogLineParser::Counted& counted = self.counted(name);
            std::vector<std::vector<std::tuple<nb::str, std::uint64_t, std::uint64_t>>> variables;
            for (const NamedSpaceSaving& each : counted.variables) {
              auto& values = variables.emplace_back();
              for (const auto& value : each.top(LogLineParser::kMostValues))
                values.emplace_back(escaped(value.name), value.bounds.low, value.bounds.high);
            }
            return std::tuple(counted.lines, std::move(variables));
          },
          "template"_a,
          "The lines of a template, and of each variable the most frequent values with the least and the most that "
          "they can have occurred.");

  nb::class_<DiffRows>(m, "DiffRows", "The held items: numbers as columns, counts as pairs for streams a and b.")
      .def("__len__", &DiffRows::size)
      .def_prop_ro("keys", [](const DiffRows& self) { return self.column(self.keys); })
      .def_prop_ro("shortened", [](const DiffRows& self) { return self.column(self.shortened); })
      .def_prop_ro("weights", [](const DiffRows& self) { return self.column(self.weights); })
      .def_prop_ro("lows", [](const DiffRows& self) { return self.column(self.lows); })
      .def_prop_ro("highs", [](const DiffRows& self) { return self.column(self.highs); })
      .def_prop_ro("amounts", [](const DiffRows& self) { return self.pair(self.amounts); })
      .def_prop_ro("squares", [](const DiffRows& self) { return self.pair(self.squares); })
      .def_prop_ro(
          "missed", [](const DiffRows& self) { return self.pair(self.missed); },
          "Upper bound on the amount before the item was counted.")
      .def_prop_ro(
          "rounding", [](const DiffRows& self) { return self.pair(self.rounding); },
          "95 % error of amounts that are stored approximately.")
      .def_prop_ro(
          "nameless", [](const DiffRows& self) { return self.column(self.nameless); },
          "Whether an item has a name that is not kept.")
      .def(
          "feature",
          [](const DiffRows& self, std::size_t i) -> std::variant<std::uint32_t, nb::str> {
            const std::string_view name = self.name(i);
            if (name.empty()) return self.keys.at(i);
            return nb::str(escaped(name));
          },
          "i"_a, "The name of an item, or its integer id.");

  nb::class_<Shared>(m, "Diff", "The native side of apps.Diff, without its checks.")
      .def_static(
          "count_table",
          [](std::uint32_t lines, std::uint32_t past_width, std::uint32_t names, std::size_t name_bytes, bool weighted,
             std::uint64_t seed, bool per_item, double half_life) {
            const DiffTable::Shape shape{lines, past_width, names, name_bytes, weighted};
            return std::make_unique<Shared>(std::make_unique<DiffTable>(shape, seed), per_item, half_life,
                                            secret_of_seed(seed));
          },
          "lines"_a, "past_width"_a, "names"_a, "name_bytes"_a, "weighted"_a, "seed"_a, "per_item"_a,
          "half_life"_a = 0.0)
      .def_static(
          "linear",
          [](const Config& config, bool counted, bool per_item) {
            auto learner = make_learner(config.kind, config.exact_set, config.store, config.rule);
            auto method = std::make_unique<LinearDiff>(std::move(learner), config.rule.step, counted);
            return std::make_unique<Shared>(std::move(method), per_item, 0.0, config.secret);
          },
          "config"_a, "counted"_a, "per_item"_a)
      .def_static(
          "paired_count_min",
          [](std::uint32_t depth, std::uint32_t width, std::uint32_t top_size, std::size_t name_bytes,
             std::uint64_t seed, bool per_item) {
            auto method =
                std::make_unique<CountMinDiff>(PairedCountMin(depth, width, seed), HeavyKeys(top_size, name_bytes));
            return std::make_unique<Shared>(std::move(method), per_item, 0.0, secret_of_seed(seed));
          },
          "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "per_item"_a)
      .def(
          "mix",
          [](Shared& self, const RowBlock* a, std::size_t row_a, const RowBlock* b, std::size_t row_b, double share_a,
             std::optional<Key> only_a, std::optional<Key> only_b) {
            static const RowBlock kNothing;
            DiffCursor cursor_a{nullptr, row_a, only_a}, cursor_b{nullptr, row_b, only_b};
            const auto n_taken = self.change_for_long([&](Diff& diff) {
              return with_keys_under(diff.secret(), a ? *a : kNothing, [&](const RowBlock& own_a) {
                return with_keys_under(diff.secret(), b ? *b : kNothing, [&](const RowBlock& own_b) {
                  if (a) cursor_a.block = &own_a;
                  if (b) cursor_b.block = &own_b;
                  return diff.mix(cursor_a, cursor_b, share_a);
                });
              });
            });
            return std::tuple(cursor_a.row, cursor_b.row, n_taken[0], n_taken[1]);
          },
          "a"_a.none(), "row_a"_a, "b"_a.none(), "row_b"_a, "share_a"_a, "only_a"_a = nb::none(),
          "only_b"_a = nb::none(),
          "Learn rows of both blocks in turn until one block is used up; with one block, learn all of it. Returns "
          "the next row of each block, and how many rows of each were learned.")
      .def_prop_ro("totals", asking<Diff>([](const Diff& self) {
                     const DiffTotals& totals = self.totals();
                     return std::tuple(totals.amounts[0] / totals.unit, totals.amounts[1] / totals.unit);
                   }))
      .def_prop_ro("n_rows", asking<Diff>([](const Diff& self) {
                     const DiffTotals& totals = self.totals();
                     return std::tuple(totals.rows[0] / totals.unit, totals.rows[1] / totals.unit);
                   }))
      .def("table", asking<Diff>([](const Diff& self) { return DiffRows(self); }), "The held items.")
      .def_prop_ro("n_distinct", asking(&Diff::n_distinct),
                   "The number of distinct items, exact or estimated; None if unknown.")
      .def_prop_ro("is_whole", asking(&Diff::is_whole), "Whether every item of the streams is held.")
      .def("merge", merging<Diff>(), "other"_a)
      .def(
          "reserve",
          [](Shared& self, const Vector<Key>& keys) { self.change([&](Diff& diff) { diff.reserve(span_of(keys)); }); },
          "keys"_a, "Give these items a place, and no others until `open`.")
      .def("open", changing(&Diff::open), "Let other items take places again.")
      .def(
          "state", [](Shared& self) { return self.change(save_state<Diff>).arrays(); },
          "Everything learned, as arrays.")
      .def(
          "restore",
          [](Shared& self, const Arrays& state) { self.change([&](Diff& diff) { load_state(diff, state); }); },
          "state"_a)
      .def("weight", asking(&Diff::weight))
      .def("weights",
           [](const Shared& self, const Vector<Key>& keys) {
             return self.ask([&](const Diff& diff) {
               std::vector<double> weights(keys.size());
               for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = diff.weight(keys.data()[i]);
               return weights;
             });
           })
      .def_prop_ro("n_tried", asking(&Diff::n_tried))
      .def_prop_ro("nbytes", asking(&Diff::nbytes));
}

}  // namespace wmsketch::python
