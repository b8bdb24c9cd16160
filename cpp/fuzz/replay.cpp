// Runs a fuzz target without a fuzzer, with any compiler: all seeds, and a few thousand inputs derived from them, the
// same every time. Arguments: the folder of seeds (it may be missing) and the number of inputs.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> seeds_in(const std::filesystem::path& folder) {
  std::vector<Bytes> seeds{{1, 5, 9, '1', ' ', '1', ':', '1', '\n'}};
  if (!std::filesystem::exists(folder)) return seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Mutator {
 public:
  Bytes mutate(Bytes input, const std::vector<Bytes>& seeds) {
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(input.size() + 1);
      const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
      const Bytes& other = seeds[below(seeds.size())];
      switch (below(5)) {
        case 0:
          input.erase(place, input.end());
          break;
        case 1:
          input.insert(place, 1 + below(8), byte());
          break;
        case 2:
          input.insert(place, other.begin(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size() + 1)));
          break;
        case 3:
          if (at < input.size()) *place = byte();
          break;
        default:
          if (at < input.size()) *place ^= static_cast<std::uint8_t>(1u << below(8));
      }
    }
    if (input.size() > 4096) input.resize(4096);
    return input;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::uint8_t byte() {
    constexpr char kTelling[] = " \t\n\r0189:.,;|\"\\#-+eE{}[]=&\xff\xef\xbb\xbf\xc3";
    return static_cast<std::uint8_t>(below(2) == 0 ? below(256) : kTelling[below(sizeof kTelling - 1)]);
  }
  std::mt19937_64 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Bytes> seeds = seeds_in(argc > 1 ? argv[1] : "");
  Mutator mutator;
  for (const Bytes& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  Bytes input = seeds[0];
  for (long n = argc > 2 ? std::atol(argv[2]) : 1000; n > 0; --n) {
    input = mutator.mutate(mutator.below(4) == 0 ? seeds[mutator.below(seeds.size())] : std::move(input), seeds);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
}
