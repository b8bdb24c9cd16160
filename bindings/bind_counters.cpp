// Bindings of Count-Sketch, Count-Min, paired Count-Min and Space Saving. The Python classes in
// learners/models/counters.py check the arguments.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "config.hpp"
#include "guarded.hpp"
#include "limited_api.hpp"
#include "state.hpp"
#include "text.hpp"
#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/counters/frequency_sketch.hpp"
#include "wmsketch/counters/keyed_names.hpp"
#include "wmsketch/counters/named_space_saving.hpp"
#include "wmsketch/counters/paired_count_min.hpp"
#include "wmsketch/counters/tracked.hpp"
#include "wmsketch/data/sketch_shape.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

using Strings = nb::typed<nb::tuple, nb::str, nb::ellipsis>;

template <class Sketch>
using TrackedNames = KeyedNames<Tracked<Sketch>>;
using SavedNames = KeyedNames<NamedSpaceSaving>;

// The names as UTF-8, borrowed from the strings, which the tuple keeps alive.
std::vector<std::string_view> views_of(const Strings& names) {
  std::vector<std::string_view> views;
  views.reserve(names.size());
  for (const nb::handle name : names) views.push_back(utf8_of(name.ptr()));
  return views;
}

// How many keys from the first on are strings with at least one character.
std::size_t count_names(const nb::typed<nb::tuple, nb::object, nb::ellipsis>& keys) {
  std::size_t n = 0;
  for (const nb::handle key : keys) {
    if (!PyUnicode_Check(key.ptr()) || PyUnicode_GetLength(key.ptr()) == 0) return n;
    ++n;
  }
  return n;
}

// The value of a plain integer from 0 on that fits into 63 bits, otherwise -1. No error is set.
long long plain_integer(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_CheckExact(object) ? PyLong_AsLongLongAndOverflow(object, &overflow) : -1;
  return overflow == 0 ? value : -1;
}

// Counts a plain key with a plain amount. Returns false, and counts nothing, for all others.
template <class Counter, class Amount>
bool update_plain(Guarded<Counter>& self, nb::handle key, nb::handle given, bool keeps_names) {
  const long long amount = plain_integer(given.ptr());
  if (amount < 0) return false;
  if (PyUnicode_CheckExact(key.ptr())) {
    if (!keeps_names || is_empty_text(key.ptr())) return false;
    const std::string_view name = utf8_of(key.ptr());
    self.change([&](Counter& counter) { counter.update_named(name, static_cast<Amount>(amount)); });
    return true;
  }
  const long long id = plain_integer(key.ptr());
  if (id < 0 || id > std::numeric_limits<Key>::max()) return false;
  self.change([&](Counter& counter) { counter.update(static_cast<Key>(id), {}, static_cast<Amount>(amount)); });
  return true;
}

template <class Bounds>
auto as_tuple(const Bounds& b) {
  return std::tuple(b.count, b.low, b.high);
}
auto as_tuple(const PairedCountMin::Bounds& b) { return std::tuple(b.log_ratio, b.low, b.high, b.count_a, b.count_b); }

// Rows of `top`: feature, bounds and key.
template <class Features>
auto as_rows(const Features& features) {
  const auto row_of = [](const auto& feature) {
    const std::string name = feature.name + (feature.shortened ? "…" : "");
    const nb::object shown = feature.named ? nb::object(nb::str(name.data(), name.size())) : nb::int_(feature.key);
    return std::tuple_cat(std::tuple(shown), as_tuple(feature.bounds), std::tuple(feature.key));
  };
  std::vector<decltype(row_of(features[0]))> rows;
  for (const auto& feature : features) rows.push_back(row_of(feature));
  return rows;
}

// Binds the methods of a counter, for integer keys and for names. A paired sketch has two amounts, the others one.
template <class Counter, class... Amount>
nb::class_<Guarded<Counter>> bind_counter(nb::module_& m, const char* name) {
  using Shared = Guarded<Counter>;
  nb::class_<Shared> type(m, name,
                          "The class of wmsketch.learners.models.counters of the same name, without its checks.");
  type.def("update", [](Shared& self, Key key, Amount... amounts) {
    self.change([&](Counter& counter) { counter.update(key, {}, amounts...); });
  });
  type.def("update", [](Shared& self, std::string_view name, Amount... amounts) {
    self.change([&](Counter& counter) { counter.update_named(name, amounts...); });
  });
  if constexpr (sizeof...(Amount) == 1)
    type.def("update_plain", &update_plain<Counter, Amount...>, "key"_a.none(), "amount"_a.none(), "keeps_names"_a,
             "Count a string or integer; return False, and count nothing, if its type or that of the amount needs a "
             "closer look.");
  type.def("update_many", [](Shared& self, Vector<Key> keys, Vector<Amount>... amounts) {
    (require_as_many(keys.size(), amounts.size()), ...);
    self.change_for_long([&](Counter& counter) { counter.update_many(span_of(keys), {}, span_of(amounts)...); });
  });
  type.def("update_many", [](Shared& self, Strings names, Vector<Amount>... amounts) {
    (require_as_many(names.size(), amounts.size()), ...);
    const std::vector<std::string_view> views = views_of(names);
    self.change_for_long(
        [&](Counter& counter) { counter.template update_many_named<Amount...>(views, span_of(amounts)...); });
  });
  type.def("estimate", [](const Shared& self, Key key) {
    return as_tuple(self.ask([&](const Counter& counter) { return counter.bounds(key); }));
  });
  type.def("estimate", [](const Shared& self, std::string_view name) {
    return as_tuple(self.ask([&](const Counter& counter) { return counter.bounds(counter.key_of(name)); }));
  });
  type.def("top", [](const Shared& self, std::size_t k) {
    return as_rows(self.ask([&](const Counter& counter) { return counter.top(k); }));
  });
  type.def(
      "key_of",
      [](const Shared& self, std::string_view name) {
        return self.ask([&](const Counter& counter) { return counter.key_of(name); });
      },
      "name"_a, "The key of a name.");
  type.def("merge", [](Shared& self, const Shared& other) {
    const Counter theirs = other.copy();  // first, so that two counters can be merged into each other concurrently
    self.change_for_long([&](Counter& counter) { counter.merge(theirs); });
  });
  type.def_prop_ro("nbytes", asking<Counter>([](const Counter& counter) { return counter.nbytes(); }));
  type.def("state", [](const Shared& self) {
    Counter counter = self.copy();  // no Python arrays are made while the counter is locked
    return save_state(counter).arrays();
  });
  type.def("load_state", [](Shared& self, const Arrays& state) {
    Counter restored = self.copy();
    load_state(restored, state);
    self.change([&](Counter& counter) { counter = std::move(restored); });
  });
  return type;
}

template <class Sketch>
void bind_cells(nb::class_<Guarded<TrackedNames<Sketch>>>& type) {
  using Counter = TrackedNames<Sketch>;
  type.def("cells", [](const Guarded<Counter>& self) {
    const Counter counter = self.copy();
    return to_numpy(counter.sketch().cells());
  });
  type.def_prop_ro("total", asking<Counter>([](const Counter& counter) { return counter.sketch().total(); }));
}

template <class Sketch>
void make_tracked(Guarded<TrackedNames<Sketch>>* at, Sketch sketch, std::uint32_t top_size, std::size_t name_bytes,
                  std::uint64_t seed) {
  new (at)
      Guarded<TrackedNames<Sketch>>(Tracked(std::move(sketch), HeavyKeys(top_size, name_bytes)), secret_of_seed(seed));
}

}  // namespace

void bind_counters(nb::module_& m) {
  auto count_min = bind_counter<TrackedNames<CountMin>, std::uint64_t>(m, "CountMin");
  count_min.def(
      "__init__",
      [](Guarded<TrackedNames<CountMin>>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family, bool conservative) {
        make_tracked(self, CountMin(depth, width, seed, hash_family_of(hash_family), conservative), top_size,
                     name_bytes, seed);
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a, "conservative"_a);
  bind_cells(count_min);

  auto count_sketch = bind_counter<TrackedNames<FrequencySketch>, std::int64_t>(m, "CountSketch");
  count_sketch.def(
      "__init__",
      [](Guarded<TrackedNames<FrequencySketch>>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family) {
        make_tracked(self, FrequencySketch(depth, width, seed, hash_family_of(hash_family)), top_size, name_bytes,
                     seed);
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a);
  bind_cells(count_sketch);

  using SharedPair = Guarded<TrackedNames<PairedCountMin>>;
  auto paired = bind_counter<TrackedNames<PairedCountMin>, std::uint64_t, std::uint64_t>(m, "PairedCountMin");
  paired.def(
      "__init__",
      [](SharedPair* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size, std::size_t name_bytes,
         std::uint64_t seed, const std::string& hash_family, double smoothing) {
        make_tracked(self, PairedCountMin(depth, width, seed, smoothing, hash_family_of(hash_family)), top_size,
                     name_bytes, seed);
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a, "smoothing"_a);
  paired.def_prop_ro("totals", asking<TrackedNames<PairedCountMin>>([](const TrackedNames<PairedCountMin>& counter) {
                       return std::tuple(counter.sketch().a().total(), counter.sketch().b().total());
                     }));

  auto space_saving = bind_counter<SavedNames, std::uint64_t>(m, "SpaceSaving");
  space_saving.def(
      "__init__",
      [](Guarded<SavedNames>* self, std::uint32_t capacity, std::size_t name_bytes, std::uint64_t seed) {
        new (self) Guarded<SavedNames>(NamedSpaceSaving(capacity, name_bytes), secret_of_seed(seed));
      },
      "capacity"_a, "name_bytes"_a, "seed"_a);
  space_saving.def_prop_ro("total",
                           asking<SavedNames>([](const SavedNames& counter) { return counter.counts().total(); }));

  nb::class_<DistinctCounter>(m, "DistinctFeatures",
                              "An estimate of the number of distinct features of rows, in 512 bytes.")
      .def(nb::init<>())
      .def("add", nb::overload_cast<const RowBlock&>(&DistinctCounter::add), "block"_a,
           "Count the features of the rows of a block.")
      .def(
          "after",
          [](const DistinctCounter& self, const RowBlock& block) {
            DistinctCounter counter = self;
            const nb::gil_scoped_release unlocked;
            counter.add(block);
            return counter;
          },
          "block"_a, "Return a counter that has counted the features of a block too; other threads go on meanwhile.")
      .def("merge", &DistinctCounter::merge, "other"_a, "Add what another one has counted.")
      .def_prop_ro("estimate", &DistinctCounter::estimate)
      .def("state", [](DistinctCounter& self) { return save_state(self).arrays(); })
      .def("load_state", &load_state<DistinctCounter>, "state"_a);

  m.def("count_names", &count_names, "keys"_a,
        "How many keys from the first on are strings with at least one character.");
  // For sizing: the bytes of each part.
  m.def("heavy_keys_bytes", &HeavyKeys::bytes_for, "capacity"_a, "name_bytes"_a);
  m.def("space_saving_bytes", &NamedSpaceSaving::bytes_for, "capacity"_a, "name_bytes"_a);
  m.def(
      "hasher_bytes",
      [](std::uint32_t depth, const std::string& hash_family) {
        return Hasher(hash_family_of(hash_family), depth, 0).nbytes();
      },
      "depth"_a, "hash_family"_a);
}

}  // namespace wmsketch::python
