// Speed of learning rows of one feature, in rows per second. `pmi` does this for every pair of words.
//
//     cmake -S . -B build/bench -DWMSKETCH_BENCH=ON -DWMSKETCH_MODULE=OFF && cmake --build build/bench
//     build/bench/learn_keys
//
// Keys are pairs of words with a Zipf distribution. One in six is a real pair, whose second word usually follows from
// the first. The result is the best of many blocks in CPU time of the thread, because other work can only slow a block
// down.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <span>
#include <vector>

#include "wmsketch/rule/online_linear.hpp"
#include "wmsketch/stores/make_store.hpp"

namespace {

using namespace wmsketch;

constexpr std::size_t kBlock = 1 << 20, kBlocks = 24;
constexpr double kWords = 130'000;

double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Block {
  std::vector<Key> keys = std::vector<Key>(kBlock);
  std::vector<std::int8_t> labels = std::vector<std::int8_t>(kBlock);
  std::vector<float> ones = std::vector<float>(kBlock, 1.0f);
  std::vector<std::int64_t> starts = std::vector<std::int64_t>(kBlock + 1);

  void draw(Random& random) {
    const auto word = [&] { return static_cast<Key>(std::pow(kWords, random.uniform())); };
    for (std::size_t i = 0; i < kBlock; ++i) {
      const Key u = word();
      labels[i] = i % 6 == 0 ? 1 : -1;
      keys[i] = combine_keys(u, labels[i] > 0 && random.uniform() < 0.6 ? 7 * u + random.below(20) : word());
      starts[i + 1] = static_cast<std::int64_t>(i + 1);
    }
  }
};

template <class Learn>
void measure(const char* name, Learn learn) {
  StoreConfig store;
  store.width = 1 << 16;
  store.active_set_size = 1024;
  LearnerConfig rule;
  rule.step = {Schedule::optimal, 0.5, 1e-9};
  rule.fit_intercept = false;
  rule.negative_weight = 0.2;
  OnlineLinear model(make_store(StoreKind::awm, false, store, rule.step), store, rule);
  Random random(1);
  Block block;
  double best = INFINITY;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    block.draw(random);
    const double began = seconds();
    learn(model, block);
    if (b > 0) best = std::min(best, seconds() - began);
  }
  std::printf("%-44s %6.1f ns each, %6.1f million a second\n", name, 1e9 * best / kBlock, 1e-6 * kBlock / best);
}

}  // namespace

int main() {
  measure("learn_keys, 30 at a time as pmi does", [](auto& model, const Block& block) {
    for (std::size_t i = 0; i < kBlock; i += 30) {
      const std::size_t n = std::min<std::size_t>(30, kBlock - i);
      model.learn_keys(std::span(block.keys).subspan(i, n), std::span(block.labels).subspan(i, n), nullptr);
    }
  });
  measure("learn_keys, a block at a time",
          [](auto& model, const Block& block) { model.learn_keys(block.keys, block.labels, nullptr); });
  measure("learn, a block at a time", [](auto& model, const Block& block) {
    model.learn({block.starts, block.keys, block.ones, block.labels, {}, nullptr});
  });
}
