// Column rules from Python: words to enumerations, keyword arguments to options.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "wmsketch/data/error.hpp"
#include "wmsketch/models/prepared_model.hpp"
#include "wmsketch/prepare/schema.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

template <class Value, std::size_t N>
using Words = std::array<std::pair<const char*, Value>, N>;

inline constexpr Words<ColumnKind, 9> kColumnKinds = {{{"unknown", ColumnKind::unknown},
                                                       {"number", ColumnKind::number},
                                                       {"boolean", ColumnKind::boolean},
                                                       {"text", ColumnKind::text},
                                                       {"mixed", ColumnKind::mixed},
                                                       {"sparse", ColumnKind::sparse},
                                                       {"time", ColumnKind::time},
                                                       {"time_mdy", ColumnKind::time_mdy},
                                                       {"time_dmy", ColumnKind::time_dmy}}};
inline constexpr Words<WordValues, 3> kWordValues = {
    {{"unit", WordValues::unit}, {"sublinear", WordValues::sublinear}, {"counts", WordValues::counts}}};
inline constexpr Words<Numbers, 3> kNumbers = {
    {{"automatic", Numbers::automatic}, {"scaled", Numbers::scaled}, {"raw", Numbers::raw}}};
inline constexpr Words<bool, 2> kMissing = {{{"skip", false}, {"count", true}}};

template <class Value, std::size_t N>
Value meaning(const Words<Value, N>& words, const char* option, const std::string& given) {
  std::string all;
  for (const auto& [word, value] : words) {
    if (given == word) return value;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw parameter_error(option, "must be one of " + all, given);
}

inline const char* word_of(ColumnKind kind) { return kColumnKinds[static_cast<std::size_t>(kind)].first; }

// The secret for a seed, or the default secret without one.
inline NameSecret secret_of(std::optional<std::uint64_t> seed) { return seed ? secret_of_seed(*seed) : NameSecret(); }

// A condition from Python: comparisons (column, operator, word, percentile), then the steps.
using GivenComparison = std::tuple<std::string, std::string, std::string, std::optional<double>>;
using GivenCondition = std::pair<std::vector<GivenComparison>, std::vector<std::int32_t>>;

inline Comparison::Operator operator_of(const std::string& text) {
  const std::pair<const char*, Comparison::Operator> known[] = {
      {"<", Comparison::Operator::less},          {"<=", Comparison::Operator::at_most},
      {">", Comparison::Operator::more},          {">=", Comparison::Operator::at_least},
      {"==", Comparison::Operator::equal},        {"!=", Comparison::Operator::unequal},
      {"missing", Comparison::Operator::missing},
  };
  for (const auto& [name, op] : known)
    if (text == name) return op;
  throw std::invalid_argument("operator must be one of < <= > >= == != missing, got '" + text + "'");
}

inline ConditionOptions condition_of(const GivenCondition& given) {
  ConditionOptions condition;
  for (const auto& [column, op, word, percentile] : given.first)
    condition.comparisons.push_back({column, operator_of(op), word, number_in(word), percentile});
  condition.steps = given.second;
  return condition;
}

// Reads the options of an encoder from keyword arguments. `more(name, value)` handles other names, or returns false.
template <class More>
EncoderOptions encoder_options(const nb::kwargs& given, More more) {
  EncoderOptions options;
  const auto kinds_from = [](const char* option, nb::handle value) {
    std::map<std::string, ColumnKind> kinds;
    std::map<std::string, std::string> words;
    if (!nb::try_cast(value, words))
      throw nb::type_error((std::string(option) + " must be a dict from column names to kinds").c_str());
    for (const auto& [name, word] : words) kinds[name] = meaning(kColumnKinds, option, word);
    return kinds;
  };
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    const auto set = [&]<class T>(const char* option, T& to) {
      if (name != option) return false;
      if (!nb::try_cast(value, to))
        throw nb::type_error((name + " has the wrong type, got " + nb::repr(value).c_str()).c_str());
      return true;
    };
    const bool known = set("label", options.label) || set("weight", options.weight) || set("time", options.time) ||
                       set("positive", options.positive) || set("require_labels", options.require_labels) ||
                       set("many_classes", options.many_classes) || set("numeric_label", options.numeric_label) ||
                       set("features", options.features) || set("ignore", options.ignore) ||
                       set("numeric", options.numeric) || set("categorical", options.categorical) ||
                       set("only_categories", options.only_categories) || set("text", options.text) ||
                       set("interactions", options.interactions) || set("ngrams", options.ngrams) ||
                       set("lowercase", options.lowercase) || set("templates", options.templates) ||
                       set("variable_words", options.variable_words) || set("na", options.na);
    if (known) continue;
    std::string word;
    GivenCondition where;
    if (set("where", where)) {
      options.where = condition_of(where);
    } else if (set("word_values", word)) {
      options.word_values = meaning(kWordValues, "word_values", word);
    } else if (set("missing", word)) {
      options.count_missing = meaning(kMissing, "missing", word);
    } else if (name == "column_kinds") {
      options.kinds = kinds_from("column_kinds", value);
    } else if (name == "seen_kinds") {
      options.seen = kinds_from("seen_kinds", value);
    } else if (name == "known_columns") {
      std::optional<std::vector<std::string>> names;
      set("known_columns", names);
      if (names) options.known.emplace(names->begin(), names->end());
    } else if (name == "name_seed") {
      options.secret = secret_of(nb::cast<std::optional<std::uint64_t>>(value));
    } else if (!more(name, value)) {
      throw nb::type_error(("unknown option " + name).c_str());
    }
  }
  return options;
}

}  // namespace wmsketch::python
