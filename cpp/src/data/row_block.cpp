#include "wmsketch/data/row_block.hpp"

#include <algorithm>
#include <stdexcept>

namespace wmsketch {
namespace {

// The first item whose place is not before `place`. The items are sorted by place, and all places are below `n`. Rows
// have similar numbers of items, so the search begins where it would be if they were spread evenly.
template <class Item>
auto first_from(const std::vector<Item>& items, std::int64_t place, std::size_t n) {
  const auto before = [](const Item& item, std::int64_t wanted) { return item.place < wanted; };
  const auto size = static_cast<std::ptrdiff_t>(items.size());
  const double share = static_cast<double>(place) / static_cast<double>(std::max<std::size_t>(n, 1));
  std::ptrdiff_t low = std::min(size, static_cast<std::ptrdiff_t>(static_cast<double>(size) * share)), high = low;
  for (std::ptrdiff_t step = 8; low > 0 && !before(items[static_cast<std::size_t>(low) - 1], place); step *= 2)
    low = std::max<std::ptrdiff_t>(0, low - step);
  for (std::ptrdiff_t step = 8; high < size && before(items[static_cast<std::size_t>(high)], place); step *= 2)
    high = std::min(size, high + step);
  return std::lower_bound(items.begin() + low, items.begin() + high, place, before);
}

// Calls use(item) for the items whose place is in [begin, end), of those in a block of n keys.
template <class Item, class Use>
void each_in(const std::vector<Item>& items, std::size_t n, std::int64_t begin, std::int64_t end, const Use& use) {
  if (items.empty()) return;
  for (auto at = first_from(items, begin, n); at != items.end() && at->place < end; ++at) use(*at);
}

}  // namespace

void RowBlock::append_row(const RowBlock& from, std::size_t row) {
  const std::int64_t begin = from.starts[row], end = from.starts[row + 1];
  const auto moved = [&](std::uint32_t place) {
    return static_cast<std::uint32_t>(place - begin + static_cast<std::int64_t>(starts.back()));
  };
  keys.insert(keys.end(), from.keys.begin() + begin, from.keys.begin() + end);
  values.insert(values.end(), from.values.begin() + begin, from.values.begin() + end);
  each_in(from.numbers, from.keys.size(), begin, end,
          [&](const Number& number) { numbers.push_back({number.value, moved(number.place)}); });
  each_in(from.products, from.keys.size(), begin, end, [&](const Product& product) {
    products.push_back({moved(product.place), moved(product.left), moved(product.right)});
  });
  starts.push_back(static_cast<std::int64_t>(keys.size()));
  if (!from.labels.empty()) labels.push_back(from.labels[row]);
  if (!from.classes.empty()) add_class(from.class_texts[from.classes[row]]);
  if (!from.targets.empty()) targets.push_back(from.targets[row]);
  if (!from.times.empty()) times.push_back(from.times[row]);
  if (from.weights.empty() && weights.empty()) return;
  weights.resize(size() - 1, 1.0f);  // earlier blocks may have had none
  weights.push_back(from.weights.empty() ? 1.0f : from.weights[row]);
}

void RowBlock::drop_first_rows(std::size_t n) {
  if (n > size())
    throw std::invalid_argument("cannot drop " + std::to_string(n) + " rows of a block of " + std::to_string(size()));
  const auto erase = [n](auto& values) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(n, values.size())));
  };
  erase(starts);
  erase(labels);
  erase(weights);
  erase(times);
  erase(classes);
  erase(targets);
  erase(first_rows);
}

}  // namespace wmsketch
