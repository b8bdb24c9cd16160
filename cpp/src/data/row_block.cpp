#include "wmsketch/data/row_block.hpp"

#include <algorithm>
#include <stdexcept>

namespace wmsketch {
namespace {

// Calls use(item) for the items whose place is in [begin, end). The list is sorted by place.
template <class Item, class Use>
void each_in(const std::vector<Item>& items, std::int64_t begin, std::int64_t end, const Use& use) {
  const auto before = [](const Item& item, std::int64_t place) { return item.place < place; };
  for (auto at = std::lower_bound(items.begin(), items.end(), begin, before); at != items.end() && at->place < end;
       ++at)
    use(*at);
}

}  // namespace

void RowBlock::append_row(const RowBlock& from, std::size_t row) {
  const std::int64_t begin = from.starts[row], end = from.starts[row + 1];
  const auto moved = [&](std::uint32_t place) {
    return static_cast<std::uint32_t>(place - begin + static_cast<std::int64_t>(starts.back()));
  };
  keys.insert(keys.end(), from.keys.begin() + begin, from.keys.begin() + end);
  values.insert(values.end(), from.values.begin() + begin, from.values.begin() + end);
  each_in(from.numbers, begin, end,
          [&](const Number& number) { numbers.push_back({number.value, moved(number.place)}); });
  each_in(from.products, begin, end, [&](const Product& product) {
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
