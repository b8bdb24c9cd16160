// Bindings for streaming PMI.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <tuple>

#include "arrays.hpp"
#include "config.hpp"
#include "guarded.hpp"
#include "state.hpp"
#include "text.hpp"
#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/apps/pmi/pmi_blocks.hpp"
#include "wmsketch/apps/pmi/pmi_tokens.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

TokenRule rule_of(std::string_view name) {
  if (name == "words") return TokenRule::words;
  if (name == "templates") return TokenRule::templates;
  return name == "lines" ? TokenRule::lines : TokenRule::whitespace;
}

Boundary boundary_of(std::string_view name) {
  if (name == "line") return Boundary::line;
  return name == "paragraph" ? Boundary::paragraph : Boundary::text;
}

constexpr std::size_t kLongText = std::size_t{1} << 16;  // bytes that are worth a thread

// One thread learns or queries at a time. A thread that waits has released the GIL.
class Pairs {
 public:
  Pairs(const PmiConfig& config, const Config& model, std::string_view tokens, std::string_view within, bool lowercase)
      : learner_(config, model.store, model.rule), tokenizer_(rule_of(tokens), boundary_of(within), lowercase) {}

  template <class Use>
  auto with(Use use) {
    const nb::gil_scoped_release unlocked;
    const std::scoped_lock lock(mutex_);
    PairSink sink{learner_};
    return use(learner_, tokenizer_, sink);
  }
  void replace_words(const std::vector<std::string>& found) {
    const nb::gil_scoped_release unlocked;
    const std::scoped_lock lock(mutex_);
    tokenizer_.replace_words(found);
  }

  template <class Use>  // keeps the GIL, for access to Python objects
  auto locked(Use use) {
    const auto lock = lock_without_gil<std::unique_lock<SharedMutex>>(mutex_);
    return use(learner_);
  }
  void merge(Pairs& other) {
    if (&other == this) throw std::invalid_argument("pairs cannot be merged with themselves");
    const nb::gil_scoped_release unlocked;
    const std::scoped_lock lock(mutex_, other.mutex_);
    learner_.merge(other.learner_);
  }

 private:
  SharedMutex mutex_;
  PairLearner learner_;
  Tokenizer tokenizer_;
};

using Row = nb::typed<nb::tuple, int, nb::str, nb::str, bool, bool, double, double, double, double, int, int, double>;
Row tuple_of(const PairLearner::Row& row) {
  return nb::make_tuple(row.key, marked(row.u), marked(row.v), row.u_shortened, row.v_shortened, row.weight, row.pmi,
                        row.low, row.high, row.count, row.missed, row.about);
}

PairOrder order_of(std::string_view name) {
  if (name == "pmi") return PairOrder::pmi;
  if (name == "low") return PairOrder::low;
  if (name == "count") return PairOrder::count;
  return name == "-pmi" ? PairOrder::avoiding : PairOrder::weight;
}

PairLearner::Pass pass_of(std::string_view name) {
  if (name == "items") return PairLearner::Pass::items;
  if (name == "candidates") return PairLearner::Pass::candidates;
  return name == "counts" ? PairLearner::Pass::counts : PairLearner::Pass::all;
}

using ExactRow = nb::typed<nb::tuple, nb::str, nb::str, int, int, int, double>;
ExactRow tuple_of(const ExactPairs::Count& row) {
  return nb::make_tuple(marked(row.u), marked(row.v), row.count, row.u_count, row.v_count, row.pmi);
}

const ExactPairs& exact_of(const PairLearner& learner) {
  if (learner.exact() == nullptr) throw std::invalid_argument("exact must be True to get exact counts");
  return *learner.exact();
}

}  // namespace

void bind_pmi(nb::module_& m) {
  nb::class_<PmiConfig>(m, "PmiConfig", "How pairs are formed and counted; see wmsketch.apps.PMI.")
      .def(
          "__init__",
          [](PmiConfig* self, std::uint32_t window, std::uint32_t negatives, std::uint32_t reservoir,
             std::uint32_t item_width, std::uint32_t lines, std::uint32_t bound_width, std::uint32_t names,
             std::size_t name_bytes, std::uint64_t half_life, std::uint32_t at_least, bool directed, double subsample,
             double window_seconds, std::uint32_t groups, std::uint64_t seed, bool exact) {
            new (self) PmiConfig{.window = window,
                                 .negatives = negatives,
                                 .reservoir = reservoir,
                                 .item_width = item_width,
                                 .lines = lines,
                                 .bound_width = bound_width,
                                 .names = names,
                                 .name_bytes = name_bytes,
                                 .half_life = half_life,
                                 .at_least = at_least,
                                 .directed = directed,
                                 .subsample = subsample,
                                 .window_seconds = window_seconds,
                                 .groups = groups,
                                 .seed = seed,
                                 .exact = exact,
                                 .secret = secret_of_seed(seed)};
          },
          nb::kw_only(), "window"_a, "negatives"_a, "reservoir"_a, "item_width"_a, "lines"_a, "bound_width"_a,
          "names"_a, "name_bytes"_a, "half_life"_a, "at_least"_a, "directed"_a, "subsample"_a, "window_seconds"_a,
          "groups"_a, "seed"_a, "exact"_a)
      .def("nbytes_with",
           [](const PmiConfig& self, const Config& model) { return PairLearner::bytes_for(self, model.store); });

  nb::class_<Pairs>(m, "Pairs", "The learner behind wmsketch.apps.PMI.")
      .def(nb::init<const PmiConfig&, const Config&, std::string_view, std::string_view, bool>(), "config"_a, "model"_a,
           "tokens"_a, "within"_a, "lowercase"_a)
      .def("replace_words", &Pairs::replace_words, "found"_a,
           "From now on, these words of templates vary: see `variable_words`.")
      .def(
          "learn_text",
          [](Pairs& self, nb::bytes chunk) {
            const std::string_view bytes(chunk.c_str(), chunk.size());
            self.with([&](PairLearner& learner, Tokenizer& tokenizer, PairSink& sink) {
              if (bytes.size() < kLongText) return tokenizer.feed(bytes, sink);
              learner.with_thread_aside([&] { tokenizer.feed(bytes, sink); });
            });
          },
          "chunk"_a, "Learn a chunk of text. The chunk boundaries do not matter.")
      .def(
          "end_text",
          [](Pairs& self) {
            self.with([](PairLearner&, Tokenizer& tokenizer, PairSink& sink) { tokenizer.finish(sink); });
          },
          "End the text, with its last token and sequence.")
      .def(
          "learn_items",
          [](Pairs& self, const std::vector<std::string>& items, bool end) {
            self.with([&](PairLearner& learner, Tokenizer&, PairSink&) {
              for (const std::string& item : items) learner.add(item);
              if (end) learner.end_sequence();
            });
          },
          "items"_a, "end"_a = true, "Learn items in this order, and end their sequence.")
      .def(
          "learn_block",
          [](Pairs& self, const RowBlock& block, std::string items, std::string group, std::string time, bool text) {
            const BlockColumns columns{std::move(items), std::move(group), std::move(time)};
            return self.with([&](PairLearner& learner, Tokenizer& tokenizer, PairSink&) {
              return learn_block(learner, block, columns, tokenizer, text);
            });
          },
          "block"_a, "items"_a, "group"_a = "", "time"_a = "", "text"_a = false,
          "Learn the items in column `items` of a block. Returns None, or the first bad row and the reason.")
      .def(
          "begin",
          [](Pairs& self, std::string_view pass) {
            self.with([&](PairLearner& learner, Tokenizer&, PairSink&) { learner.begin(pass_of(pass)); });
          },
          "pass_name"_a, "Begin a pass over the same items: items, candidates, counts; all ends it.")
      .def_prop_ro(
          "is_whole",
          [](Pairs& self) {
            return self.with([](PairLearner& learner, Tokenizer&, PairSink&) { return learner.counts().is_whole(); });
          },
          "Whether all pairs are counted.")
      .def(
          "top",
          [](Pairs& self, std::size_t k, double min_count, std::string_view sort) {
            const auto rows = self.with(
                [&](PairLearner& learner, Tokenizer&, PairSink&) { return learner.top(k, min_count, order_of(sort)); });
            nb::typed<nb::list, Row> list;
            for (const auto& row : rows) list.append(tuple_of(row));
            return list;
          },
          "k"_a, "min_count"_a, "sort"_a, "The first k counted pairs.")
      .def_prop_ro(
          "held",
          [](Pairs& self) {
            return self.with([](PairLearner& learner, Tokenizer&, PairSink&) {
              const PairCounts& counts = learner.counts();
              return std::tuple(counts.n_held(), counts.n_distinct(), counts.is_whole(), learner.n_exact());
            });
          },
          "Number of counted pairs, estimated number of distinct pairs, whether all are counted, and how many counts "
          "cover the whole stream.")
      .def_prop_ro(
          "n_cut",
          [](Pairs& self) {
            return self.with([](PairLearner& learner, Tokenizer&, PairSink&) { return learner.names().n_shortened(); });
          },
          "Number of truncated item names.")
      .def("merge",
           [](Pairs& self, Pairs& other) {
             if (&self == &other) throw merge_error("model", "both are the same model");
             self.merge(other);
           })
      .def("state", [](Pairs& self) { return self.locked(save_state<PairLearner>).arrays(); })
      .def("restore",
           [](Pairs& self, const Arrays& state) {
             self.locked([&](PairLearner& learner) { load_state(learner, state); });
           })
      .def("row",
           [](Pairs& self, const std::string& u, const std::string& v) {
             return tuple_of(self.with([&](PairLearner& learner, Tokenizer&, PairSink&) { return learner.row(u, v); }));
           })
      .def("exact",
           [](Pairs& self, const std::string& u, const std::string& v) {
             return tuple_of(
                 self.with([&](PairLearner& learner, Tokenizer&, PairSink&) { return exact_of(learner).count(u, v); }));
           })
      .def("most_common",
           [](Pairs& self, std::size_t k) {
             const auto rows = self.with(
                 [&](PairLearner& learner, Tokenizer&, PairSink&) { return exact_of(learner).most_common(k); });
             nb::typed<nb::list, ExactRow> list;
             for (const auto& row : rows) list.append(tuple_of(row));
             return list;
           })
      .def_prop_ro("exact_sizes",
                   [](Pairs& self) {
                     return self.with([](PairLearner& learner, Tokenizer&, PairSink&) {
                       const ExactPairs& exact = exact_of(learner);
                       return std::tuple(exact.n_items(), exact.n_pairs(), exact.distinct_items(),
                                         exact.distinct_pairs());
                     });
                   })
      .def_prop_ro(
          "progress",
          [](Pairs& self) {
            return self.with([](PairLearner& learner, Tokenizer&, PairSink&) {
              return std::tuple(learner.n_items(), learner.n_kept(), learner.n_pairs(),
                                learner.learner().progress().n_seen);
            });
          },
          "Numbers of items read, items kept, real pairs and examples.")
      .def_prop_ro(
          "distinct_in_sample",
          [](Pairs& self) {
            return self.with([](PairLearner& learner, Tokenizer&, PairSink&) { return learner.distinct_in_sample(); });
          })
      .def_prop_ro("nbytes", [](Pairs& self) {
        return self.with([](PairLearner& learner, Tokenizer& tokenizer, PairSink&) {
          return learner.nbytes() + tokenizer.nbytes();
        });
      });
  m.attr("TOKENIZER_BYTES") = Tokenizer(TokenRule::words, Boundary::line, true).nbytes();
}

}  // namespace wmsketch::python
