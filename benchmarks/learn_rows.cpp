// Instructions and time of the default learner by the length of rows, without Python.
//
//     cmake -S . -B build/bench -DWMSKETCH_BENCH=ON -DWMSKETCH_MODULE=OFF && cmake --build build/bench
//     build/bench/learn_rows 88      # features a row, of 50,000
//     valgrind --tool=callgrind --toggle-collect='wmsketch::OnlineLinear::learn(*' build/bench/learn_rows 6 100000 4
//
// The result is the best of several blocks in CPU time of the thread.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <span>
#include <vector>

#include "wmsketch/rule/online_linear.hpp"
#include "wmsketch/stores/make_store.hpp"
using namespace wmsketch;
static double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
int main(int argc, char** argv) {
  const std::size_t per_row = argc > 1 ? std::atoi(argv[1]) : 6;
  const std::size_t total = argc > 2 ? std::atoi(argv[2]) : 400000;
  const int blocks = argc > 3 ? std::atoi(argv[3]) : 8;
  const char* what = argc > 4 ? argv[4] : "awm";
  const std::size_t bytes = argc > 5 ? std::atoi(argv[5]) : 8192;
  const std::size_t n_features = argc > 6 ? std::atoi(argv[6]) : 50000;
  StoreConfig store;
  LearnerConfig rule;
  rule.step = {Schedule::optimal, 0.1, 1e-6};
  const bool plain = std::strstr(what, "plain");
  rule.step.kind = plain ? StepKind::plain : StepKind::adaptive;
  rule.fit_intercept = true;
  store.width = bytes / 8 / 8 * 8 * 2;
  store.active_set_size = bytes / 4 / 8 / 8 * 8;
  std::printf("%s ", what);
  const bool exact = std::strstr(what, "exact");
  StoreKind kind = StoreKind::awm;
  if (std::strstr(what, "hash")) {
    kind = StoreKind::hashed;
    store.width = bytes / (plain ? 4 : 8);
  }
  if (std::strstr(what, "dense")) {
    kind = StoreKind::dense;
    store.n_features = n_features;
  }
  if (std::strstr(what, "wm1")) {
    kind = StoreKind::wm;
    store.width = 1792;
    store.active_set_size = 128;
    store.depth = 1;
  }
  OnlineLinear model(make_store(kind, exact, store, rule.step), store, rule);
  Random random(1);
  std::vector<Key> id(n_features);
  std::iota(id.begin(), id.end(), 0);
  for (std::size_t i = n_features - 1; i > 0; --i) std::swap(id[i], id[random.below(i + 1)]);
  std::vector<float> w(n_features);
  for (auto& x : w) x = float(random.uniform() + random.uniform() + random.uniform() - 1.5);
  double best = INFINITY;
  std::size_t nnz = 0;
  for (int b = 0; b < blocks; ++b) {
    std::vector<Key> keys;
    std::vector<float> values;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int8_t> labels;
    for (std::size_t r = 0; r < total / per_row; ++r) {
      std::vector<Key> row;
      for (std::size_t i = 0; i < per_row; ++i)
        row.push_back(
            id[std::min<std::size_t>(std::size_t(std::pow(double(n_features), random.uniform())) - 1, n_features - 1)]);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      double m = 0;
      for (Key k : row) {
        keys.push_back(k);
        values.push_back(float(1 / std::sqrt(double(row.size()))));
        m += w[k] * values.back();
      }
      starts.push_back(std::int64_t(keys.size()));
      labels.push_back(m + 0.3 * (random.uniform() + random.uniform() - 1) > 0 ? 1 : -1);
    }
    const double began = seconds();
    model.learn({starts, keys, values, labels, {}, nullptr});
    if (b > 0) best = std::min(best, (seconds() - began) / double(keys.size()));
    nnz = keys.size();
  }
  std::printf("rows of %zu: %.2f ns a feature, nbytes %zu, nnz %zu, mistakes %llu loss %.10f bias %.17g\n", per_row,
              best * 1e9, model.nbytes(), nnz, (unsigned long long)model.progress().mistakes,
              model.progress().log_loss.value(), model.bias());
}
