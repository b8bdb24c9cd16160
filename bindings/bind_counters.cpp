// Count-Sketch, Count-Min, paired Count-Min and Space Saving for Python. Converts and calls; the Python classes in
// learners/counters.py check what users pass.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "config.hpp"
#include "text.hpp"
#include "wmsketch/count_min.hpp"
#include "wmsketch/frequency_sketch.hpp"
#include "wmsketch/named_space_saving.hpp"
#include "wmsketch/paired_count_min.hpp"
#include "wmsketch/tracked.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

using Strings = nb::typed<nb::tuple, nb::str, nb::ellipsis>;
using State = nb::typed<nb::tuple, nb::any, nb::ellipsis>;  // for pickle: what `state` returns, `restore` takes

nb::object feature_of(Key key, const NameArena& names, std::uint32_t slot) {
  if (!names.has(slot)) return nb::int_(key);
  const std::string name = names.get(slot) + (names.shortened(slot) ? "…" : "");
  return nb::str(name.data(), name.size());
}

// The names as UTF-8, borrowed from the strings, which the tuple keeps alive.
std::vector<std::string_view> views_of(const Strings& names) {
  std::vector<std::string_view> views;
  views.reserve(names.size());
  for (const nb::handle name : names) views.push_back(utf8_of(name.ptr()));
  return views;
}

// One `amount` of each array for key i; an array without elements stands for 1 each.
template <class Counter, class... Amount>
void update_all(Counter& counter, std::span<const Key> keys, std::span<const std::string_view> names,
                std::span<const Amount>... amounts) {
  if constexpr (requires { counter.sketch().update_many(keys, amounts...); })
    if (counter.heavy().capacity() == 0) return counter.sketch().update_many(keys, amounts...);  // nothing to track
  for (std::size_t i = 0; i < keys.size(); ++i)
    counter.update(keys[i], names.empty() ? std::string_view() : names[i], amounts.empty() ? Amount{1} : amounts[i]...);
}

// update and update_many, each for integer keys and for names; a paired sketch has two amounts, the others one.
template <class Counter, class... Amount>
void bind_updates(nb::class_<Counter>& type) {
  type.def("update", [](Counter& self, Key key, Amount... amounts) { self.update(key, {}, amounts...); });
  type.def("update", [](Counter& self, std::string_view name, Amount... amounts) {
    self.update(key_of_name(name), name, amounts...);
  });
  type.def("update_many", [](Counter& self, Vector<Key> keys, Vector<Amount>... amounts) {
    (require_as_many(keys.size(), amounts.size()), ...);
    nb::gil_scoped_release unlocked;
    update_all<Counter, Amount...>(self, span_of(keys), {}, span_of(amounts)...);
  });
  type.def("update_many", [](Counter& self, Strings names, Vector<Amount>... amounts) {
    (require_as_many(names.size(), amounts.size()), ...);
    const std::vector<std::string_view> views = views_of(names);
    nb::gil_scoped_release unlocked;
    std::vector<Key> keys(views.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of_name(views[i]);
    update_all<Counter, Amount...>(self, keys, views, span_of(amounts)...);
  });
  type.def("merge", &Counter::merge);
  type.def_prop_ro("nbytes", &Counter::nbytes);
}

// Rows are (count, low, high), between the feature and its key where the caller does not know them.
auto row(const CountMin::Bounds& b) { return std::tuple(b.count, b.low, b.high); }
auto row(const FrequencySketch::Bounds& b) { return std::tuple(b.count, b.low, b.high); }
auto row(const PairedCountMin::Bounds& b) { return std::tuple(b.log_ratio, b.low, b.high, b.count_a, b.count_b); }
auto row(const SpaceSaving::Estimate& e) { return std::tuple(e.count, e.count - e.error, e.count); }

// What bounds all keys of one question: for the Count-Sketch, a pass over its cells.
template <class Sketch>
auto bounds_of(const Sketch& sketch) {
  return [&sketch](Key key) { return sketch.bounds(key, kFailure); };
}
auto bounds_of(const FrequencySketch& sketch) {
  return [&sketch, noise = sketch.row_noise(kFailure)](Key key) { return sketch.bounds(key, noise); };
}
auto bounds_of(const SpaceSaving& counts) {
  return [&counts](Key key) { return counts.estimate(key); };
}

template <class Counts>
auto top_rows(const Counts& counts, std::vector<std::uint32_t> slots, std::span<const Key> keys, const NameArena& names,
              std::size_t k) {
  slots.resize(std::min(k, slots.size()));
  const auto bounds = bounds_of(counts);
  const auto row_of = [&](std::uint32_t slot) {
    return std::tuple_cat(std::tuple(feature_of(keys[slot], names, slot)), row(bounds(keys[slot])),
                          std::tuple(keys[slot]));
  };
  std::vector<decltype(row_of(0))> rows;
  for (const std::uint32_t slot : slots) rows.push_back(row_of(slot));
  return rows;
}

template <class T>
nb::bytes bytes_of(std::span<const T> values) {
  return nb::bytes(values.data(), values.size_bytes());
}
template <class T>
std::vector<T> values_of(nb::handle state) {
  const auto bytes = nb::cast<nb::bytes>(state);
  if (bytes.size() % sizeof(T) != 0) throw std::invalid_argument("the saved state has been cut");
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

State state_of(const NameArena& names) {
  const NameArena::Names all = names.export_names();
  nb::list list;
  for (const std::string& name : all.names) list.append(nb::bytes(name.data(), name.size()));
  return nb::make_tuple(list, bytes_of<std::uint8_t>(all.shortened));
}
void restore(NameArena& names, nb::handle state) {
  std::vector<std::string> list;
  for (const nb::handle name : nb::cast<nb::list>(state[0])) {
    const auto bytes = nb::cast<nb::bytes>(name);
    list.emplace_back(bytes.c_str(), bytes.size());
  }
  names.import_names(list, values_of<std::uint8_t>(state[1]));
}

template <class Sketch>
State state_of(const Sketch& sketch) {
  using Cell = typename decltype(sketch.cells())::value_type;
  return nb::make_tuple(bytes_of<Cell>(sketch.cells()), sketch.total());
}
template <class Sketch>
void restore(Sketch& sketch, nb::handle state) {
  using Cell = typename decltype(sketch.cells())::value_type;
  sketch.restore(values_of<Cell>(state[0]), nb::cast<std::uint64_t>(state[1]));
}
State state_of(const PairedCountMin& pair) { return nb::make_tuple(state_of(pair.a()), state_of(pair.b())); }
void restore(PairedCountMin& pair, nb::handle state) {
  restore(pair.a(), state[0]);
  restore(pair.b(), state[1]);
}

// What tracked sketches share. A state is (cells, tracked keys, their importances, their names).
template <class Sketch>
void bind_tracked(nb::class_<Tracked<Sketch>>& type) {
  using Counter = Tracked<Sketch>;
  type.def("estimate", [](const Counter& self, Key key) { return row(bounds_of(self.sketch())(key)); });
  type.def("estimate",
           [](const Counter& self, std::string_view name) { return row(bounds_of(self.sketch())(key_of_name(name))); });
  type.def("top", [](const Counter& self, std::size_t k) {
    return top_rows(self.sketch(), self.heaviest_slots(), self.heavy().keys(), self.heavy().names(), k);
  });
  type.def("state", [](const Counter& self) -> State {
    const HeavyKeys& heavy = self.heavy();
    return nb::make_tuple(state_of(self.sketch()), bytes_of<Key>(heavy.keys()), bytes_of<double>(heavy.importances()),
                          state_of(heavy.names()));
  });
  type.def("restore", [](Counter& self, State state) {
    Counter restored = self;
    restore(restored.sketch(), state[0]);
    restored.heavy().restore(values_of<Key>(state[1]), values_of<double>(state[2]));
    restore(restored.heavy().names(), state[3]);
    self = std::move(restored);
  });
}

template <class Sketch>
void bind_cells(nb::class_<Tracked<Sketch>>& type) {
  type.def("cells", [](const Tracked<Sketch>& self) { return bytes_of(self.sketch().cells()); });
  type.def_prop_ro("total", [](const Tracked<Sketch>& self) { return self.sketch().total(); });
}

}  // namespace

void bind_counters(nb::module_& m) {
  const auto shape = "The sketch of learners.counters of the same name, without its checks.";

  nb::class_<Tracked<CountMin>> count_min(m, "CountMin", shape);
  count_min.def(
      "__init__",
      [](Tracked<CountMin>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family, bool conservative) {
        new (self) Tracked<CountMin>(CountMin(depth, width, seed, hash_family_of(hash_family), conservative),
                                     HeavyKeys(top_size, name_bytes));
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a, "conservative"_a);
  bind_updates<Tracked<CountMin>, std::uint64_t>(count_min);
  bind_tracked(count_min);
  bind_cells(count_min);

  nb::class_<Tracked<FrequencySketch>> count_sketch(m, "CountSketch", shape);
  count_sketch.def(
      "__init__",
      [](Tracked<FrequencySketch>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family) {
        new (self) Tracked<FrequencySketch>(FrequencySketch(depth, width, seed, hash_family_of(hash_family)),
                                            HeavyKeys(top_size, name_bytes));
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a);
  bind_updates<Tracked<FrequencySketch>, std::int64_t>(count_sketch);
  bind_tracked(count_sketch);
  bind_cells(count_sketch);

  nb::class_<Tracked<PairedCountMin>> paired(m, "PairedCountMin", shape);
  paired.def(
      "__init__",
      [](Tracked<PairedCountMin>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family, double smoothing) {
        new (self) Tracked<PairedCountMin>(PairedCountMin(depth, width, seed, smoothing, hash_family_of(hash_family)),
                                           HeavyKeys(top_size, name_bytes));
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a, "smoothing"_a);
  bind_updates<Tracked<PairedCountMin>, std::uint64_t, std::uint64_t>(paired);
  bind_tracked(paired);
  paired.def_prop_ro("totals", [](const Tracked<PairedCountMin>& self) {
    return std::tuple(self.sketch().a().total(), self.sketch().b().total());
  });

  nb::class_<NamedSpaceSaving> space_saving(m, "SpaceSaving", shape);
  space_saving.def(nb::init<std::uint32_t, std::size_t>(), "capacity"_a, "name_bytes"_a);
  bind_updates<NamedSpaceSaving, std::uint64_t>(space_saving);
  space_saving.def("estimate", [](const NamedSpaceSaving& self, Key key) { return row(self.counts().estimate(key)); });
  space_saving.def("estimate", [](const NamedSpaceSaving& self, std::string_view name) {
    return row(self.counts().estimate(key_of_name(name)));
  });
  space_saving.def("top", [](const NamedSpaceSaving& self, std::size_t k) {
    return top_rows(self.counts(), self.counts().heaviest_slots(), self.counts().keys(), self.names(), k);
  });
  space_saving.def("state", [](const NamedSpaceSaving& self) -> State {
    return nb::make_tuple(bytes_of<Key>(self.counts().keys()), bytes_of<std::uint64_t>(self.counts().counts()),
                          bytes_of<std::uint64_t>(self.counts().errors()), self.counts().total(),
                          state_of(self.names()));
  });
  space_saving.def("restore", [](NamedSpaceSaving& self, State state) {
    NamedSpaceSaving restored = self;
    restored.counts().restore(values_of<Key>(state[0]), values_of<std::uint64_t>(state[1]),
                              values_of<std::uint64_t>(state[2]), nb::cast<std::uint64_t>(state[3]));
    restore(restored.names(), state[4]);
    self = std::move(restored);
  });
  space_saving.def_prop_ro("total", [](const NamedSpaceSaving& self) { return self.counts().total(); });

  // For sizing: the true bytes of each part.
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
