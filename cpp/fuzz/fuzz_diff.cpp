// A saved diff may contain anything. Loading either throws std::invalid_argument, or gives an object that answers,
// learns, merges and saves the same arrays without a memory error.
#include <cmath>

#include "../tests/explain_rows.hpp"
#include "damage.hpp"
#include "wmsketch/apps/diff/diff.hpp"
#include "wmsketch/apps/diff/diff_table.hpp"

namespace {

using namespace wmsketch;

Diff fresh(std::uint8_t flags, std::uint8_t shape) {
  const std::uint32_t lines = 1 + shape % 5;
  const std::uint32_t names = (flags & 1) ? lines * kWays / (shape % 2 == 0 ? 1 : 4) : 0;
  const DiffTable::Shape given{lines, 8u + shape % 3 * 8, names, std::size_t{names} * 6, (flags & 6) != 0};
  return Diff(std::make_unique<DiffTable>(given, shape), flags & 8, (flags & 4) ? 2.0 + shape : 0.0);
}

TableRows rows_of(Input& input, std::uint8_t flags) {
  TableRows rows;
  rows.named = flags & 1;
  for (int n_rows = input.byte() % 64; n_rows > 0; --n_rows) {
    std::vector<TableRows::Value> row;
    for (int n = 1 + input.byte() % 2; n > 0; --n) row.emplace_back("item", std::to_string(input.byte()));
    rows.add(row, 0, (flags & 2) ? static_cast<float>(input.byte()) / 8 : -1.0f);
  }
  return rows;
}

void learn(Diff& diff, Input& input, std::uint8_t flags) {
  const TableRows rows_a = rows_of(input, flags), rows_b = rows_of(input, flags);
  DiffCursor a{&rows_a}, b{&rows_b};
  diff.mix(a, b, 0.5);
  (a.find_row() ? b : a).block = nullptr;
  diff.mix(a, b, 0.5);
}

void use(Diff& diff, const Diff& other, Input& input, std::uint8_t flags) {
  for (const DiffRow& row : diff.rows())
    if (std::isnan(row.weight) || std::isnan(diff.weight(row.key))) std::abort();
  diff.n_tried();
  diff.n_distinct();
  diff.is_whole();
  diff.nbytes();
  learn_in_range([&] { learn(diff, input, flags); });
  try {
    diff.merge(other);
  } catch (const std::invalid_argument&) {  // with a half-life
  }
  diff.rows();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t flags = input.byte(), shape = input.byte();
  Diff origin = fresh(flags, shape), loaded = fresh(flags, shape), twin = fresh(flags, shape);
  learn(origin, input, flags);
  if (load_damaged(origin, loaded, twin, input)) use(loaded, (flags & 16) ? twin : origin, input, flags);
  return 0;
}
