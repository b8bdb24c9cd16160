// Sharing between Python threads: a mutex that is free after a fork, and a value guarded by one.
#pragma once

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace wmsketch::python {

namespace nb = nanobind;

// Counts the forks that led to this process. A lock held in the parent belongs to a thread that does not exist in the
// child.
class Forks {
 public:
  static std::uint64_t count() { return state().count.load(std::memory_order_relaxed); }
  static std::mutex& recovering() { return state().recovering; }

 private:
  struct State {
    State() { pthread_atfork(nullptr, nullptr, in_child); }
    std::atomic<std::uint64_t> count = 0;
    std::mutex recovering;
  };
  static State& state() {
    static State state;
    return state;
  }
  static void in_child() {
    new (&state().recovering) std::mutex;
    state().count.fetch_add(1, std::memory_order_relaxed);
  }
};

inline constexpr const char* kHalfDone =
    "a thread was changing this object when the process forked, so this copy is incomplete: load it from a file, or "
    "fork while no thread learns";

// A std::shared_mutex that is free in a forked child, whoever held it in the parent. If the guarded object was being
// changed during the fork, locking throws.
class SharedMutex {
 public:
  SharedMutex() : forks_(Forks::count()) {}

  void lock() {
    recover();
    mutex_.lock();
    writing_ = true;
  }
  bool try_lock() {
    recover();
    if (!mutex_.try_lock()) return false;
    writing_ = true;
    return true;
  }
  void unlock() {
    writing_ = false;
    mutex_.unlock();
  }
  void lock_shared() {
    recover();
    mutex_.lock_shared();
  }
  bool try_lock_shared() {
    recover();
    return mutex_.try_lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  void recover() {
    if (forks_.load(std::memory_order_acquire) == Forks::count() && !half_done_) return;
    const std::scoped_lock alone(Forks::recovering());
    if (forks_ != Forks::count()) {
      half_done_ = half_done_ || writing_;
      new (&mutex_) std::shared_mutex;
      forks_.store(Forks::count(), std::memory_order_release);
    }
    if (half_done_) throw std::runtime_error(kHalfDone);
  }

  std::shared_mutex mutex_;
  std::atomic<bool> writing_ = false, half_done_ = false;
  std::atomic<std::uint64_t> forks_;
};

// Releases the GIL while waiting, because the thread that holds the lock may need it.
template <class Lock>
Lock lock_without_gil(typename Lock::mutex_type& mutex) {
  Lock lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    const nb::gil_scoped_release unlocked;
    lock.lock();
  }
  return lock;
}

// What a callback under a lock may return: nothing that is made by Python. Making a Python object may start the garbage
// collector, whose finalizers may ask for the same lock and deadlock.
template <class Answer>
concept MadeWithoutPython = !std::derived_from<std::remove_cvref_t<Answer>, nb::handle>;

// A value with exclusive writers and shared readers. The callback must not touch Python: Python code may call back and
// deadlock.
template <class Value>
class Guarded {
 public:
  template <class... Arguments>
    requires std::constructible_from<Value, Arguments...>
  explicit Guarded(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  template <class Use>
  MadeWithoutPython auto change(Use use) {  // for short work; keeps the GIL
    const auto lock = lock_without_gil<std::unique_lock<SharedMutex>>(mutex_);
    return use(value_);
  }
  template <class Use>
  auto change_for_long(Use use) {
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    return use(value_);
  }
  // Changes this value using another, which stays unchanged.
  template <class Use>
  auto change_by(const Guarded& other, Use use) {
    if (&other == this) throw std::invalid_argument("an object cannot be merged with itself");
    const nb::gil_scoped_release unlocked;
    std::unique_lock mine(mutex_, std::defer_lock);
    std::shared_lock theirs(other.mutex_, std::defer_lock);
    std::lock(mine, theirs);
    return use(value_, other.value_);
  }
  template <class Ask>
  MadeWithoutPython auto ask(Ask ask) const {
    const auto lock = lock_without_gil<std::shared_lock<SharedMutex>>(mutex_);
    return ask(value_);
  }
  Value copy() const {
    return ask([](const Value& value) { return value; });
  }

 private:
  mutable SharedMutex mutex_;
  Value value_;
};

// Methods for Python: queries and changes of a guarded value.
template <class Value, class Ask>
auto asking(Ask ask) {
  return [ask](const Guarded<Value>& self) { return self.ask(ask); };
}
template <class Value, class Result, class... Arguments>
auto asking(Result (Value::*ask)(Arguments...) const) {
  return [ask](const Guarded<Value>& self, Arguments... arguments) {
    return self.ask([&](const Value& value) { return (value.*ask)(arguments...); });
  };
}
template <class Value, class Result, class... Arguments>
auto changing(Result (Value::*change)(Arguments...)) {
  return [change](Guarded<Value>& self, Arguments... arguments) {
    return self.change_for_long([&](Value& value) { return (value.*change)(arguments...); });
  };
}
template <class Value>
auto merging() {
  return [](Guarded<Value>& self, const Guarded<Value>& other) {
    self.change_by(other, [](Value& mine, const Value& theirs) { mine.merge(theirs); });
  };
}

}  // namespace wmsketch::python
