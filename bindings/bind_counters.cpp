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
#include "guarded.hpp"
#include "state.hpp"
#include "text.hpp"
#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/counters/frequency_sketch.hpp"
#include "wmsketch/counters/keyed_names.hpp"
#include "wmsketch/counters/named_space_saving.hpp"
#include "wmsketch/counters/paired_count_min.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/sets/tracked.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

using Strings = nb::typed<nb::tuple, nb::str, nb::ellipsis>;
using State = nb::typed<nb::tuple, nb::any, nb::ellipsis>;  // for pickle: what `state` returns, `restore` takes

template <class Sketch>
using TrackedNames = KeyedNames<Tracked<Sketch>>;
using SavedNames = KeyedNames<NamedSpaceSaving>;

// 1: names are hashed as in all counters, without a seed.
NameSecret secret_of(int name_hash, std::uint64_t seed) {
  if (name_hash != 1 && name_hash != 2)
    throw parameter_error("name_hash", "must be 1 or 2", static_cast<double>(name_hash));
  return name_hash == 2 ? secret_of_seed(seed) : NameSecret{};
}

struct Feature {
  Key key;
  bool named;
  std::string name;

  nb::object to_python() const {
    return named ? nb::object(nb::str(name.data(), name.size())) : nb::object(nb::int_(key));
  }
};

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
void bind_updates(nb::class_<Guarded<Counter>>& type) {
  using Shared = Guarded<Counter>;
  type.def("update", [](Shared& self, Key key, Amount... amounts) {
    self.change([&](Counter& counter) { counter.update(key, {}, amounts...); });
  });
  type.def("update", [](Shared& self, std::string_view name, Amount... amounts) {
    self.change([&](Counter& counter) { counter.update(counter.key_of(name), name, amounts...); });
  });
  type.def("update_many", [](Shared& self, Vector<Key> keys, Vector<Amount>... amounts) {
    (require_as_many(keys.size(), amounts.size()), ...);
    self.change_for_long(
        [&](Counter& counter) { update_all<Counter, Amount...>(counter, span_of(keys), {}, span_of(amounts)...); });
  });
  type.def("update_many", [](Shared& self, Strings names, Vector<Amount>... amounts) {
    (require_as_many(names.size(), amounts.size()), ...);
    const std::vector<std::string_view> views = views_of(names);
    self.change_for_long([&](Counter& counter) {
      std::vector<Key> keys(views.size());
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = counter.key_of(views[i]);
      update_all<Counter, Amount...>(counter, keys, views, span_of(amounts)...);
    });
  });
  type.def(
      "key_of",
      [](const Shared& self, std::string_view name) {
        return self.ask([&](const Counter& counter) { return counter.key_of(name); });
      },
      "name"_a, "The key of a name.");
  type.def("merge", [](Shared& self, const Shared& other) {
    const Counter theirs = other.copy();  // first, so that two may be merged into each other at once
    self.change_for_long([&](Counter& counter) {
      Counter merged = counter;  // a failure leaves it as it was
      merged.merge(theirs);
      counter = std::move(merged);
    });
  });
  type.def_prop_ro(
      "nbytes", [](const Shared& self) { return self.ask([](const Counter& counter) { return counter.nbytes(); }); });
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

// Rows with their names, in terms of C++: no Python while a counter is locked.
template <class Counts>
auto top_rows(const Counts& counts, std::vector<std::uint32_t> slots, std::span<const Key> keys, const NameArena& names,
              std::size_t k) {
  slots.resize(std::min(k, slots.size()));
  const auto bounds = bounds_of(counts);
  const auto row_of = [&](std::uint32_t slot) {
    const Feature feature{keys[slot], names.has(slot), names.get(slot) + (names.shortened(slot) ? "…" : "")};
    return std::pair(feature, std::tuple_cat(row(bounds(keys[slot])), std::tuple(keys[slot])));
  };
  std::vector<decltype(row_of(0))> rows;
  for (const std::uint32_t slot : slots) rows.push_back(row_of(slot));
  return rows;
}

template <class Rows>
auto to_python(const Rows& rows) {
  const auto row_of = [](const auto& row) { return std::tuple_cat(std::tuple(row.first.to_python()), row.second); };
  std::vector<decltype(row_of(rows[0]))> all;
  for (const auto& row : rows) all.push_back(row_of(row));
  return all;
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
void bind_tracked(nb::class_<Guarded<TrackedNames<Sketch>>>& type) {
  using Counter = TrackedNames<Sketch>;
  using Shared = Guarded<Counter>;
  type.def("estimate", [](const Shared& self, Key key) {
    return self.ask([&](const Counter& counter) { return row(bounds_of(counter.sketch())(key)); });
  });
  type.def("estimate", [](const Shared& self, std::string_view name) {
    return self.ask([&](const Counter& counter) { return row(bounds_of(counter.sketch())(counter.key_of(name))); });
  });
  type.def("top", [](const Shared& self, std::size_t k) {
    return to_python(self.ask([&](const Counter& counter) {
      return top_rows(counter.sketch(), counter.heaviest_slots(), counter.heavy().keys(), counter.heavy().names(), k);
    }));
  });
  type.def("state", [](const Shared& self) -> State {
    const Counter counter = self.copy();
    const HeavyKeys& heavy = counter.heavy();
    return nb::make_tuple(state_of(counter.sketch()), bytes_of<Key>(heavy.keys()),
                          bytes_of<double>(heavy.importances()), state_of(heavy.names()));
  });
  type.def("restore", [](Shared& self, State state) {
    Counter restored = self.copy();
    restore(restored.sketch(), state[0]);
    restored.heavy().restore(values_of<Key>(state[1]), values_of<double>(state[2]));
    restore(restored.heavy().names(), state[3]);
    self.change([&](Counter& counter) { counter = std::move(restored); });
  });
}

template <class Sketch>
void bind_cells(nb::class_<Guarded<TrackedNames<Sketch>>>& type) {
  using Counter = TrackedNames<Sketch>;
  type.def("cells", [](const Guarded<Counter>& self) {
    const Counter counter = self.copy();
    return bytes_of(counter.sketch().cells());
  });
  type.def_prop_ro("total", [](const Guarded<Counter>& self) {
    return self.ask([](const Counter& counter) { return counter.sketch().total(); });
  });
}

}  // namespace

void bind_counters(nb::module_& m) {
  const auto shape = "The sketch of learners.counters of the same name, without its checks.";

  nb::class_<Guarded<TrackedNames<CountMin>>> count_min(m, "CountMin", shape);
  count_min.def(
      "__init__",
      [](Guarded<TrackedNames<CountMin>>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family, bool conservative, int name_hash) {
        new (self) Guarded<TrackedNames<CountMin>>(
            Tracked(CountMin(depth, width, seed, hash_family_of(hash_family), conservative),
                    HeavyKeys(top_size, name_bytes)),
            secret_of(name_hash, seed));
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a, "conservative"_a, "name_hash"_a);
  bind_updates<TrackedNames<CountMin>, std::uint64_t>(count_min);
  bind_tracked(count_min);
  bind_cells(count_min);

  nb::class_<Guarded<TrackedNames<FrequencySketch>>> count_sketch(m, "CountSketch", shape);
  count_sketch.def(
      "__init__",
      [](Guarded<TrackedNames<FrequencySketch>>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family, int name_hash) {
        new (self) Guarded<TrackedNames<FrequencySketch>>(
            Tracked(FrequencySketch(depth, width, seed, hash_family_of(hash_family)), HeavyKeys(top_size, name_bytes)),
            secret_of(name_hash, seed));
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a, "name_hash"_a);
  bind_updates<TrackedNames<FrequencySketch>, std::int64_t>(count_sketch);
  bind_tracked(count_sketch);
  bind_cells(count_sketch);

  nb::class_<Guarded<TrackedNames<PairedCountMin>>> paired(m, "PairedCountMin", shape);
  paired.def(
      "__init__",
      [](Guarded<TrackedNames<PairedCountMin>>* self, std::uint32_t depth, std::uint32_t width, std::uint32_t top_size,
         std::size_t name_bytes, std::uint64_t seed, const std::string& hash_family, double smoothing, int name_hash) {
        new (self) Guarded<TrackedNames<PairedCountMin>>(
            Tracked(PairedCountMin(depth, width, seed, smoothing, hash_family_of(hash_family)),
                    HeavyKeys(top_size, name_bytes)),
            secret_of(name_hash, seed));
      },
      "depth"_a, "width"_a, "top_size"_a, "name_bytes"_a, "seed"_a, "hash_family"_a, "smoothing"_a, "name_hash"_a);
  bind_updates<TrackedNames<PairedCountMin>, std::uint64_t, std::uint64_t>(paired);
  bind_tracked(paired);
  paired.def_prop_ro("totals", [](const Guarded<TrackedNames<PairedCountMin>>& self) {
    return self.ask([](const TrackedNames<PairedCountMin>& counter) {
      return std::tuple(counter.sketch().a().total(), counter.sketch().b().total());
    });
  });

  using SharedSaving = Guarded<SavedNames>;
  nb::class_<SharedSaving> space_saving(m, "SpaceSaving", shape);
  space_saving.def(
      "__init__",
      [](SharedSaving* self, std::uint32_t capacity, std::size_t name_bytes, std::uint64_t seed, int name_hash) {
        new (self) SharedSaving(NamedSpaceSaving(capacity, name_bytes), secret_of(name_hash, seed));
      },
      "capacity"_a, "name_bytes"_a, "seed"_a, "name_hash"_a);
  bind_updates<SavedNames, std::uint64_t>(space_saving);
  space_saving.def("estimate", [](const SharedSaving& self, Key key) {
    return self.ask([&](const SavedNames& counter) { return row(counter.counts().estimate(key)); });
  });
  space_saving.def("estimate", [](const SharedSaving& self, std::string_view name) {
    return self.ask([&](const SavedNames& counter) { return row(counter.counts().estimate(counter.key_of(name))); });
  });
  space_saving.def("top", [](const SharedSaving& self, std::size_t k) {
    return to_python(self.ask([&](const SavedNames& counter) {
      return top_rows(counter.counts(), counter.counts().heaviest_slots(), counter.counts().keys(), counter.names(), k);
    }));
  });
  space_saving.def("state", [](const SharedSaving& self) -> State {
    const SavedNames counter = self.copy();
    const SpaceSaving& counts = counter.counts();
    return nb::make_tuple(bytes_of<Key>(counts.keys()), bytes_of<std::uint64_t>(counts.counts()),
                          bytes_of<std::uint64_t>(counts.errors()), counts.total(), state_of(counter.names()));
  });
  space_saving.def("restore", [](SharedSaving& self, State state) {
    SavedNames restored = self.copy();
    restored.counts().restore(values_of<Key>(state[0]), values_of<std::uint64_t>(state[1]),
                              values_of<std::uint64_t>(state[2]), nb::cast<std::uint64_t>(state[3]));
    restore(restored.names(), state[4]);
    self.change([&](SavedNames& counter) { counter = std::move(restored); });
  });
  space_saving.def_prop_ro("total", [](const SharedSaving& self) {
    return self.ask([](const SavedNames& counter) { return counter.counts().total(); });
  });

  nb::class_<DistinctCounter>(m, "DistinctFeatures", "About how many different features rows had, in 512 bytes.")
      .def(nb::init<>())
      .def(
          "add",
          [](DistinctCounter& self, const RowBlock& block) {
            const auto end = static_cast<std::size_t>(block.starts.back());
            for (auto i = static_cast<std::size_t>(block.starts.front()); i < end; ++i)
              self.add(mix(block.keys[i], seeds_of(1)));  // the keys of integers are not hashed
          },
          "block"_a, "Count the features of a block's rows.")
      .def_prop_ro("estimate", &DistinctCounter::estimate)
      .def("state", &save_state<DistinctCounter>)
      .def("load_state", &load_state<DistinctCounter>, "state"_a);

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
