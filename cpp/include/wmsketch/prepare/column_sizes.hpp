// How large the numbers of columns are, compared with one another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// Finds columns whose numbers are of another size than most, as an amount of money among counts of words. Unscaled, one
// large column would stop the learning of all others.
class ColumnSizes {
 public:
  void add(Key key, double value) {
    if (value == 0 || !std::isfinite(value)) return;
    Size& size = sizes_[key];
    size.count += 1;
    size.squares += value * value;
    size.only_ones = size.only_ones && value == 1;
  }

  // If a column is kFar times as large or as small as is usual, or as large as kFar is usual: all that differ by more
  // than kNear. The others stay as they are, beside scaled numbers of size 1; if they are too large or too small for
  // that, all columns are listed. One small value does not make a small column.
  std::set<Key> unusual() const {
    std::vector<double> all;
    bool ones = false;
    for (const auto& [key, size] : sizes_) {
      all.push_back(size.root_mean_square());
      ones = ones || size.only_ones;
    }
    if (all.size() < 2) return {};
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    const double usual = ones ? 1 : *middle;  // indicators and words stay as they are
    const auto differs = [&](const Size& size, double by) {
      return size.root_mean_square() > by * usual || (size.count > 1 && by * size.root_mean_square() < usual);
    };
    bool any = usual > kFar;
    for (const auto& [key, size] : sizes_) any = any || differs(size, kFar);
    if (!any) return {};
    const bool every = usual > kNear || usual * kFar < 1;
    std::set<Key> keys;
    for (const auto& [key, size] : sizes_)
      if (every || differs(size, kNear)) keys.insert(key);
    return keys;
  }

 private:
  struct Size {
    double count = 0, squares = 0;
    bool only_ones = true;
    double root_mean_square() const { return std::sqrt(squares / count); }
  };
  static constexpr double kFar = 100, kNear = 10;

  std::map<Key, Size> sizes_;
};

}  // namespace wmsketch
