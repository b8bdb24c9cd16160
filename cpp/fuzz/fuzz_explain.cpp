// A saved explainer may contain anything. Loading either throws std::invalid_argument, or gives an explainer that
// answers, learns, merges and saves the same arrays without a memory error.
#include <cmath>

#include "../tests/explain_rows.hpp"
#include "damage.hpp"
#include "wmsketch/apps/explain/explain_stream.hpp"

namespace {

using namespace wmsketch;

AttributeStream fresh(std::uint8_t flags, std::uint8_t shape) {
  ExplainOptions options;
  const std::optional<double> percentile = (flags & 1) ? std::optional<double>(80.0) : std::nullopt;
  options.outlier = {{{"ms", Comparison::Operator::more, "8", 8.0, percentile}}, {0}};
  if (flags & 2) options.where = {{{"host", Comparison::Operator::unequal, "h1", std::nullopt, std::nullopt}}, {0}};
  options.order = 1 + flags / 4 % 3;
  options.half_life.examples = (flags & 32) ? 3 : 0;
  options.bins = 2 + shape % 5;
  options.warm_up = 1 + shape % 7;
  options.table = {16u + shape % 3 * 16, 16, (16u + shape % 3 * 16) * 6};
  options.quantile_bytes = QuantileSketch::kLeastBytes;
  return AttributeStream(std::move(options));
}

TableRows rows_of(Input& input) {
  TableRows rows;
  for (int n_rows = input.byte() % 16; n_rows > 0; --n_rows) {
    std::vector<TableRows::Value> row;
    const std::uint8_t columns = input.byte();
    if (columns & 1) row.emplace_back("ms", std::to_string(input.byte() % 16));
    if (columns & 2) row.emplace_back("host", "h" + std::to_string(input.byte() % 8));
    if (columns & 4) row.emplace_back("user", "a long name " + std::to_string(input.byte()));
    if (columns & 8) row.emplace_back("size", input.byte() / 4.0);
    rows.add(row);
  }
  return rows;
}

void learn(AttributeStream& stream, const RowBlock& rows) {
  if (!stream.warm()) {
    stream.observe(rows);
    stream.finish_warm_up();
  }
  stream.learn(rows);
}

void use(AttributeStream& stream, const AttributeStream& other, const RowBlock& rows) {
  for (const auto& held : stream.table().held()) {
    if (std::isnan(held.counted[0]) || std::isnan(held.counted[1])) std::abort();
    if (held.order == 1) stream.columns()[held.right].name();
    stream.table().name(held.slot);
    stream.table().shortened(held.slot);
  }
  for (std::size_t i = 0; i < stream.outlier().size(); ++i) stream.outlier().threshold(i);
  stream.counts();
  stream.table().n_distinct(true);
  stream.table().mean_name_bytes();
  stream.nbytes();
  try {
    stream.merge(other);
  } catch (const std::invalid_argument&) {  // percentiles or other bins
  }
  learn(stream, rows);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t flags = input.byte(), shape = input.byte();
  AttributeStream origin = fresh(flags, shape), loaded = fresh(flags, shape), twin = fresh(flags, shape);
  learn(origin, rows_of(input));
  if (load_damaged(origin, loaded, twin, input)) use(loaded, (flags & 64) ? twin : origin, rows_of(input));
  return 0;
}
