#include "wmsketch/apps/pmi/keys_aside.hpp"

#include <system_error>
#include <utility>

namespace wmsketch {

KeysAside::KeysAside(OnlineLinear& learner) : learner_(learner) {
  if (std::thread::hardware_concurrency() < 2) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // no more threads: the caller learns
  }
}

KeysAside::~KeysAside() {
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

void KeysAside::add(std::span<const Key> keys, std::span<const std::int8_t> labels) {
  if (!thread_.joinable()) return learner_.learn_keys(keys, labels, nullptr);
  filling_.keys.insert(filling_.keys.end(), keys.begin(), keys.end());
  filling_.labels.insert(filling_.labels.end(), labels.begin(), labels.end());
  if (filling_.keys.size() >= kBatch) hand_over();
}

void KeysAside::finish() {
  if (!thread_.joinable()) return;
  if (!filling_.keys.empty()) hand_over();
  std::unique_lock lock(mutex_);
  wait_until_learned(lock);
}

void KeysAside::wait_until_learned(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return !busy_; });
  if (problem_) std::rethrow_exception(problem_);
}

void KeysAside::hand_over() {
  {
    std::unique_lock lock(mutex_);
    wait_until_learned(lock);
    std::swap(filling_, learning_);
    busy_ = true;
  }
  changed_.notify_all();
  filling_.keys.clear();
  filling_.labels.clear();
}

void KeysAside::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return busy_ || stops_; });
    if (!busy_) return;
    lock.unlock();
    std::exception_ptr problem;
    try {
      learner_.learn_keys(learning_.keys, learning_.labels, nullptr);
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    problem_ = problem;
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace wmsketch
