// Learns the examples of a classifier on another thread while the caller counts.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

// Examples are learned in the order in which they come, so the learner has the same bits as without a thread. It must
// not be used before `finish`, which raises an error of the other thread. Without a second processor, or if no thread
// can be started, the caller learns them.
class KeysAside {
 public:
  explicit KeysAside(OnlineLinear& learner);
  KeysAside(const KeysAside&) = delete;
  KeysAside& operator=(const KeysAside&) = delete;
  ~KeysAside();

  void add(std::span<const Key> keys, std::span<const std::int8_t> labels);
  void finish();

 private:
  static constexpr std::size_t kBatch = 8192;
  struct Batch {
    std::vector<Key> keys;
    std::vector<std::int8_t> labels;
  };
  void hand_over();
  void wait_until_learned(std::unique_lock<std::mutex>& lock);
  void run();

  OnlineLinear& learner_;
  Batch filling_, learning_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false, stops_ = false;  // busy_: `learning_` belongs to the thread
  std::exception_ptr problem_;
  std::thread thread_;
};

}  // namespace wmsketch
