// One sketch that several threads learn without locks (Hogwild), beside one thread and beside shards that are averaged.
//
//     g++ -O3 -march=native -std=c++20 -pthread benchmarks/hogwild.cpp -o build/hogwild
//     build/hogwild [THREADS] [TIMES]
//
// The learner is the paper's first: a WM-Sketch of three rows of cells, logistic loss, plain steps. All cells are read
// and written by relaxed atomics, so that threads race for values and not for memory; ThreadSanitizer finds nothing.
// Rows have 88 of 50,000 features, drawn by a power law; 256 of these decide the label. Prints Markdown: seconds by the
// clock, nanoseconds of processor time for a feature, and the error of held-out rows.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kFeatures = 50'000, kPerRow = 88, kRows = 200'000, kHeldOut = 20'000, kDeciding = 256;
constexpr int kDepth = 3;

struct Stream {
  std::vector<std::uint32_t> keys;  // kPerRow for each row
  std::vector<std::int8_t> labels;
};

Stream draw_stream() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> weights(kFeatures);
  for (std::size_t i = 0; i < kDeciding; ++i) weights[i * 7] = 1.5 * normal(random);
  Stream stream;
  for (std::size_t row = 0; row < kRows + kHeldOut; ++row) {
    double margin = 0;
    for (std::size_t i = 0; i < kPerRow; ++i) {
      const auto key = static_cast<std::uint32_t>(kFeatures * std::pow(uniform(random), 3.0));
      stream.keys.push_back(key);
      margin += weights[key];
    }
    stream.labels.push_back(uniform(random) < 1 / (1 + std::exp(-margin)) ? 1 : -1);
  }
  return stream;
}

class Sketch {
 public:
  explicit Sketch(std::size_t width) : width_(width), cells_(width * kDepth) {}

  float weight(std::uint32_t key) const {
    std::array<float, kDepth> found{};
    for (int i = 0; i < kDepth; ++i) {
      const auto [cell, sign] = place(key, i);
      found[i] = sign * cells_[cell].load(std::memory_order_relaxed);
    }
    return std::max(std::min(found[0], found[1]), std::min(std::max(found[0], found[1]), found[2]));
  }
  double margin(const std::uint32_t* keys) const {
    double sum = 0;
    for (std::size_t i = 0; i < kPerRow; ++i) sum += weight(keys[i]);
    return sum / std::sqrt(kPerRow);
  }
  void learn(const std::uint32_t* keys, int label, double rate) {
    const double slope = label / (1 + std::exp(label * margin(keys)));
    const auto step = static_cast<float>(rate * slope / std::sqrt(kPerRow));
    for (std::size_t i = 0; i < kPerRow; ++i) {
      for (int row = 0; row < kDepth; ++row) {
        const auto [at, sign] = place(keys[i], row);
        std::atomic<float>& cell = cells_[at];  // a step of another thread in between is lost
        cell.store(cell.load(std::memory_order_relaxed) + sign * step, std::memory_order_relaxed);
      }
    }
  }
  void take_mean(const std::vector<Sketch>& shards) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      float sum = 0;
      for (const Sketch& shard : shards) sum += shard.cells_[i].load(std::memory_order_relaxed);
      cells_[i].store(sum / static_cast<float>(shards.size()), std::memory_order_relaxed);
    }
  }

 private:
  struct Place {
    std::size_t cell;
    float sign;
  };
  Place place(std::uint32_t key, int row) const {
    const std::uint64_t hash = (key + 1 + 0x51ed270bull * row) * 0x9e3779b97f4a7c15ull;
    return {row * width_ + ((hash >> 32) * width_ >> 32), (hash >> 17 & 1) != 0 ? 1.0f : -1.0f};
  }
  std::size_t width_;
  std::vector<std::atomic<float>> cells_;
};

double error_of(const Sketch& sketch, const Stream& stream) {
  std::size_t wrong = 0;
  for (std::size_t row = kRows; row < kRows + kHeldOut; ++row)
    wrong += (sketch.margin(&stream.keys[row * kPerRow]) >= 0) != (stream.labels[row] > 0);
  return static_cast<double>(wrong) / kHeldOut;
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

enum class Way { one, hogwild, shards };

// Each thread learns every n-th row, with the rate that this row would have in one stream (Hogwild) or in its shard.
void learn(Way way, std::size_t width, std::size_t threads, const Stream& stream, double& clock, double& cpu,
           double& error) {
  const bool own = way == Way::shards;
  std::vector<Sketch> sketches;
  for (std::size_t i = 0; i < (own ? threads : 1); ++i) sketches.emplace_back(width);
  const double cpu_before = processor_seconds();
  const auto began = std::chrono::steady_clock::now();
  const auto work = [&](std::size_t first) {
    Sketch& sketch = sketches[own ? first : 0];
    for (std::size_t row = first; row < kRows; row += threads)
      sketch.learn(&stream.keys[row * kPerRow], stream.labels[row],
                   4.0 / std::sqrt(1.0 + static_cast<double>(own ? row / threads : row)));
  };
  std::vector<std::thread> running;
  for (std::size_t i = 1; i < threads; ++i) running.emplace_back(work, i);
  work(0);
  for (std::thread& each : running) each.join();
  if (own) sketches[0].take_mean(sketches);
  clock = std::min(clock, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  cpu = std::min(cpu, processor_seconds() - cpu_before);
  error = error_of(sketches[0], stream);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const int times = argc > 2 ? std::atoi(argv[2]) : 5;
  const Stream stream = draw_stream();
  double load = 0;
  getloadavg(&load, 1);
  std::printf("%zu threads, load %.1f, the least of %d runs\n\n", threads, load, times);
  std::printf("| sketch | way | clock, s | processor, ns a feature | held-out error |\n|---|---|---|---|---|\n");
  const std::array<const char*, 3> names = {"one thread", "Hogwild", "shards, averaged"};
  for (const std::size_t width : {700, 22'000, 350'000}) {
    std::array<double, 3> clock, cpu, error;
    clock.fill(1e9), cpu.fill(1e9);
    for (int time = 0; time < times; ++time)
      for (const Way way : {Way::one, Way::hogwild, Way::shards}) {
        const auto i = static_cast<std::size_t>(way);
        learn(way, width, way == Way::one ? 1 : threads, stream, clock[i], cpu[i], error[i]);
      }
    for (std::size_t i = 0; i < names.size(); ++i)
      std::printf("| %zu KiB | %s | %.2f | %.1f | %.4f |\n", width * kDepth * 4 / 1024, names[i], clock[i],
                  1e9 * cpu[i] / (kRows * kPerRow), error[i]);
  }
}
