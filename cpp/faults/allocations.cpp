// Makes every allocation of the core fail in turn. A call that fails must leave the model unchanged or complete, what
// is saved must load, and nothing may leak.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include "../fuzz/memory_archive.hpp"
#include "../tests/multiclass_of.hpp"
#include "wmsketch/apps/diff/diff.hpp"
#include "wmsketch/apps/diff/diff_table.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/models/multiclass.hpp"
#include "wmsketch/readers/csv.hpp"
#include "wmsketch/rule/learner.hpp"

namespace {

long alive = 0, until_failure = -1;  // -1: none fails
bool failed_one = false;

void* counted(std::size_t size, std::size_t alignment) {
  if (until_failure == 0) {
    until_failure = -1;
    failed_one = true;
    throw std::bad_alloc();
  }
  if (until_failure > 0) --until_failure;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (!memory) throw std::bad_alloc();
  ++alive;
  return memory;
}
void freed(void* memory) {
  if (!memory) return;
  --alive;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t to) { return counted(size, static_cast<std::size_t>(to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return counted(size, static_cast<std::size_t>(to)); }
void operator delete(void* memory) noexcept { freed(memory); }
void operator delete[](void* memory) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t) noexcept { freed(memory); }
void operator delete[](void* memory, std::size_t) noexcept { freed(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { freed(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { freed(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { freed(memory); }

namespace {

using namespace wmsketch;

long faults = 0;

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

using Failing = std::function<bool(const std::function<void()>&)>;

// Calls `attempt` with its n-th allocation failing. Returns whether there were that many. `attempt` creates everything
// it needs, so afterwards as much memory is live as before, except for thread buffers, which are allocated once.
bool fail_nth(long n, const std::string& what, const std::function<void(const Failing&)>& attempt) {
  failed_one = false;
  attempt([&](const std::function<void()>& call) {
    bool done = false;
    until_failure = n;
    try {
      call();
      done = true;
    } catch (const std::bad_alloc&) {
    } catch (...) {
      require(false, what + ": another exception than bad_alloc");
    }
    until_failure = -1;
    return done;
  });
  return failed_one;
}

void fail_each(const std::string& what, const std::function<void(const Failing&)>& attempt) {
  for (long n = 0; fail_nth(n, what, attempt); ++n) ++faults;
  for (long n = 0;; ++n) {  // again, now that the thread has its buffers
    const long before = alive;
    const bool failed = fail_nth(n, what, attempt);
    const bool all_freed = alive == before;  // before the message below allocates
    require(all_freed, what + ": memory is leaked");
    if (!failed) return;
    ++faults;
  }
}

// If there is no memory for a name, it is left out and the row is learned.
StoredState without_names(StoredState state) {
  std::erase_if(state, [](const auto& entry) { return entry.first.starts_with("name_"); });
  return state;
}

class Rows final : public RowBlock {
 public:
  explicit Rows(std::uint32_t first) {
    named = true;
    for (std::uint32_t i = 0; i < 200; ++i) {
      keys.push_back((first + i) * 2654435761u % 5000);
      values.push_back(1.0f + static_cast<float>(i % 3));
    }
    starts.push_back(static_cast<std::int64_t>(keys.size()));
    labels.push_back(first % 2 ? 1 : -1);
    add_class(first % 2 ? "a" : "b");
  }
  std::string name(std::size_t i) const override { return "the name of a feature " + std::to_string(keys[i]); }
};

std::unique_ptr<Learner> fresh(StoreKind kind, StepKind step) {
  StoreConfig store;
  store.width = 64;
  store.active_set_size = 32;
  store.name_bytes = 32 * 12;
  store.n_features = 5000;
  LearnerConfig rule;
  rule.step.kind = step;
  return make_learner(kind, false, store, rule);
}

void learner_of(StoreKind kind, StepKind step) {
  const std::string name =
      "kind " + std::to_string(static_cast<int>(kind)) + " step " + std::to_string(static_cast<int>(step));
  const Rows first(1), second(2);
  const std::unique_ptr<Learner> origin = fresh(kind, step), other = fresh(kind, step);
  origin->learn(first.batch());
  other->learn(second.batch());
  const StoredState before = state_of(*origin);
  const std::unique_ptr<Learner> later = origin->copy();
  later->learn(second.batch());
  const StoredState after = state_of(*later);
  fail_each(name + ", learning one row", [&](const auto& failing) {
    const std::unique_ptr<Learner> model = origin->copy();
    const bool done = failing([&] { model->learn(second.batch()); });
    const StoredState state = state_of(*model);
    if (done) return require(without_names(state) == without_names(after), name + ": another result");
    StateReader reader(state);
    fresh(kind, step)->archive(reader);  // throws if the state is invalid
    const bool grows = kind == StoreKind::map;
    require(grows || state == before || state == after, name + ": half a row was learned");
  });
  fail_each(name + ", merging", [&](const auto& failing) {
    const std::unique_ptr<Learner> model = origin->copy();
    failing([&] { model->copy()->merge(*other); });  // as the bindings do
    require(state_of(*model) == before, name + ": a failed merge changed the model");
  });
  fail_each(name + ", loading", [&](const auto& failing) {
    const std::unique_ptr<Learner> model = fresh(kind, step);
    StateReader reader(before);
    if (failing([&] { model->archive(reader); })) require(state_of(*model) == before, name + ": another state");
  });
  fail_each(name + ", asking", [&](const auto& failing) {
    std::vector<double> margins(1);
    failing([&] {
      origin->margins(second.batch(), margins);
      if (origin->keeps_keys()) origin->top(5);
    });
    require(state_of(*origin) == before, name + ": a question changed the model");
  });
}

void many_classes() {
  Multiclass origin = multiclass_of({.width = 64, .active_set_size = 32, .name_bytes = 32 * 12}, {.max_classes = 4});
  const Rows first(1);
  learn(origin, first);
  const StoredState before = state_of(origin);
  fail_each("many classes, merging", [&](const auto& failing) {
    Multiclass model(origin);
    failing([&] { model.copy()->merge(origin); });
    require(state_of(model) == before, "many classes: a failed merge changed the model");
  });
}

void reader() {
  const std::string text = "city,price,sold\nRome,1.5,1\n\"a \"\"quoted\"\" cell that is long\",2,0\n";
  fail_each("reading", [&](const auto& failing) {
    failing([&] {
      EncoderOptions options;
      options.label = "sold";
      RowEncoder encoder(options);
      CsvParser parser(encoder, ',', {}, Quoting::strict);
      parser.feed(text, true);
    });
  });
}

// Items of a block that were not learned are dropped, because the block may be freed.
void differences() {
  fail_each("differences", [](const auto& failing) {
    Diff model(std::make_unique<DiffTable>(DiffTable::Shape{16, 64, 32, 32 * 12, false}, 0), false);
    const auto mix = [&](std::uint32_t first) {
      const Rows rows_a(first), rows_b(first + 1);
      DiffCursor a{&rows_a}, b{&rows_b};
      model.mix(a, b, 0.5);
      a.block = nullptr;
      model.mix(a, b, 0.5);
    };
    failing([&] { mix(1); });
    mix(3);
    require(!model.rows().empty(), "differences: nothing is held");
  });
}

}  // namespace

int main() {
  for (int kind = 0; kind <= static_cast<int>(StoreKind::bear); ++kind)
    for (const StepKind step : {StepKind::plain, StepKind::adaptive})
      if (kind != static_cast<int>(StoreKind::bear) || step == StepKind::plain)
        learner_of(static_cast<StoreKind>(kind), step);
  many_classes();
  reader();
  differences();
  std::printf("%ld allocations failed: no model was changed by halves, nothing was leaked\n", faults);
}
