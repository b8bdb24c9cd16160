// Works on batches on another thread while the caller fills the next one.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace wmsketch {

// Batches are worked on in the order in which they are handed over, so the result is the same as without a thread. What
// the work changes must not be used before `finish`, which raises an error of the other thread. Without a second
// processor, or if no thread can be started, the caller works.
template <class Batch>
class BatchesAside {
 public:
  explicit BatchesAside(std::function<void(Batch&)> work) : work_(std::move(work)) {
    if (std::thread::hardware_concurrency() < 2) return;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no more threads: the caller works
    }
  }
  BatchesAside(const BatchesAside&) = delete;
  BatchesAside& operator=(const BatchesAside&) = delete;
  ~BatchesAside() {
    try {
      finish();
    } catch (...) {  // the caller has an error already, or has seen this one
    }
    if (!thread_.joinable()) return;
    {
      const std::scoped_lock lock(mutex_);
      stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Batch& filling() { return filling_; }
  void hand_over() {
    if (!thread_.joinable()) {
      work_(filling_);
    } else {
      std::unique_lock lock(mutex_);
      wait(lock);
      std::swap(filling_, working_);
      busy_ = true;
      lock.unlock();
      changed_.notify_all();
    }
    filling_.clear();
  }
  void finish() {
    if (!filling_.empty()) hand_over();
    std::unique_lock lock(mutex_);
    wait(lock);
  }

 private:
  void wait(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [this] { return !busy_; });
    if (problem_) std::rethrow_exception(problem_);
  }
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return busy_ || stops_; });
      if (!busy_) return;
      lock.unlock();
      std::exception_ptr problem;
      try {
        work_(working_);
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      if (problem) problem_ = problem;
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::function<void(Batch&)> work_;
  Batch filling_, working_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false, stops_ = false;  // busy_: `working_` belongs to the thread
  std::exception_ptr problem_;
  std::thread thread_;
};

}  // namespace wmsketch
