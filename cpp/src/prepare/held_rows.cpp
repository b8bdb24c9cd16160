#include "wmsketch/prepare/held_rows.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace wmsketch {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1}
                                   << 28;  // limits how much a damaged file can make us allocate for one array

// Texts of any content as two arrays: all bytes, and where each text ends.
void archive_texts(Archive& archive, const std::string& name, std::vector<std::string>& texts) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> ends;
  for (const std::string& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(static_cast<std::uint32_t>(bytes.size()));
  }
  archive.growing(name, bytes, kMostBytes);
  archive.growing(name + "_ends", ends, kMostBytes);
  if (!archive.loading()) return;
  texts.clear();
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    require_state(end >= begin && end <= bytes.size(),
                  "a text of the held rows has a negative length or ends outside its array");
    texts.emplace_back(bytes.begin() + begin, bytes.begin() + end);
    begin = end;
  }
  require_state(begin == bytes.size(), "texts of held rows do not fill their array");
}

}  // namespace

void HeldRows::add_features(const RowBlock& block) {
  const auto before = static_cast<std::uint32_t>(keys.size());
  const auto begin = static_cast<std::size_t>(block.starts.front()),
             end = static_cast<std::size_t>(block.starts.back());
  if (keys.empty()) named = block.named || begin == end;
  const auto moved = [&](std::uint32_t place) { return static_cast<std::uint32_t>(place - begin + before); };
  keys.insert(keys.end(), block.keys.begin() + block.starts.front(), block.keys.begin() + block.starts.back());
  values.insert(values.end(), block.values.begin() + block.starts.front(), block.values.begin() + block.starts.back());
  for (std::size_t i = begin; i < end; ++i) {
    arena_ += block.name(i);
    name_ends_.push_back(static_cast<std::uint32_t>(arena_.size()));
  }
  for (std::size_t row = 0; row < block.size(); ++row)
    starts.push_back(static_cast<std::int64_t>(moved(static_cast<std::uint32_t>(block.starts[row + 1]))));
  for (const Number& number : block.numbers)
    if (number.place >= begin && number.place < end) numbers.push_back({number.value, moved(number.place)});
  for (const Product& product : block.products)
    if (product.place >= begin && product.place < end)
      products.push_back({moved(product.place), moved(product.left), moved(product.right)});
  std::unordered_map<std::string, std::uint32_t> places;
  for (const std::string& name : column_names) places.emplace(name, static_cast<std::uint32_t>(places.size()));
  for (std::size_t row = 0; row < block.size(); ++row) {
    auto& columns = first_rows.emplace_back();
    if (row >= block.first_rows.size()) continue;
    for (const auto& [column, kind] : block.first_rows[row]) {
      const std::string& name = block.column_names[column];
      const auto [found, is_new] = places.try_emplace(name, static_cast<std::uint32_t>(column_names.size()));
      columns.push_back({found->second, kind});
      if (is_new) column_names.push_back(name);
    }
  }
}

std::string HeldRows::name(std::size_t i) const {
  const std::uint32_t begin = i == 0 ? 0 : name_ends_[i - 1];
  return arena_.substr(begin, name_ends_[i] - begin);
}

std::size_t HeldRows::bytes_of(const RowBlock& block) {
  constexpr std::size_t kRow = sizeof(std::int64_t) + sizeof(float) + sizeof(double) + 8 + sizeof(first_rows[0]);
  std::size_t bytes = block.size() * kRow;
  const auto n = static_cast<std::size_t>(block.starts.back() - block.starts.front());
  bytes += n * (sizeof(Key) + sizeof(float) + sizeof(std::uint32_t));
  bytes += block.numbers.size() * sizeof(Number) + block.products.size() * sizeof(Product);
  for (std::int64_t i = block.starts.front(); i < block.starts.back(); ++i)
    bytes += block.name(static_cast<std::size_t>(i)).size();
  for (const std::string& name : block.column_names) bytes += name.size() + sizeof(std::string);
  for (const auto& columns : block.first_rows) bytes += columns.size() * sizeof(ColumnOfRow);
  for (const std::string& text : block.class_texts) bytes += text.size() + sizeof(std::string);
  return bytes;
}

std::size_t HeldRows::nbytes() const {
  std::size_t bytes = bytes_of(*this);
  for (const std::string& label : introduced) bytes += label.size() + sizeof(std::string);
  return bytes;
}

void HeldRows::archive(Archive& archive) {
  archive.growing("held_starts", starts, kMostBytes);
  archive.growing("held_keys", keys, kMostBytes);
  archive.growing("held_values", values, kMostBytes);
  std::vector<std::uint8_t> names(arena_.begin(), arena_.end()), signs(labels.begin(), labels.end());
  archive.growing("held_names", names, kMostBytes);
  archive.growing("held_name_ends", name_ends_, kMostBytes);
  archive.growing("held_labels", signs, kMostBytes);
  archive.growing("held_weights", weights, kMostBytes);
  archive.growing("held_times", times, kMostBytes);
  archive.growing("held_classes", classes, kMostBytes);
  archive_texts(archive, "held_class_texts", class_texts);
  archive_texts(archive, "held_introduced", introduced);
  // Rows without labels and classes have targets. Other models have no such array.
  if (archive.loading() ? starts.size() > 1 && signs.empty() && classes.empty() : !targets.empty())
    archive.growing("held_targets", targets, kMostBytes);
  archive_texts(archive, "held_columns", column_names);
  std::vector<double> number_values;
  std::vector<std::uint32_t> number_places, product_places, row_columns, row_ends;
  std::vector<std::uint8_t> row_kinds;
  for (const Number& number : numbers) {
    number_values.push_back(number.value);
    number_places.push_back(number.place);
  }
  for (const auto& [place, left, right] : products) product_places.insert(product_places.end(), {place, left, right});
  for (const auto& columns : first_rows) {
    for (const auto& [column, kind] : columns) {
      row_columns.push_back(column);
      row_kinds.push_back(static_cast<std::uint8_t>(kind));
    }
    row_ends.push_back(static_cast<std::uint32_t>(row_columns.size()));
  }
  archive.growing("held_number_values", number_values, kMostBytes);
  archive.growing("held_number_places", number_places, kMostBytes);
  archive.growing("held_products", product_places, kMostBytes);
  archive.growing("held_row_columns", row_columns, kMostBytes);
  archive.growing("held_row_kinds", row_kinds, kMostBytes);
  archive.growing("held_row_ends", row_ends, kMostBytes);
  if (!archive.loading()) return;
  arena_.assign(names.begin(), names.end());
  labels.assign(signs.begin(), signs.end());
  named = keys.empty() || !column_names.empty();
  require_state(number_values.size() == number_places.size() && product_places.size() % 3 == 0 &&
                    row_columns.size() == row_kinds.size(),
                "the parts of held rows differ in length");
  numbers.clear();
  for (std::size_t i = 0; i < number_values.size(); ++i) numbers.push_back({number_values[i], number_places[i]});
  products.clear();
  for (std::size_t i = 0; i < product_places.size(); i += 3)
    products.push_back({product_places[i], product_places[i + 1], product_places[i + 2]});
  first_rows.clear();
  std::size_t at = 0;
  for (const std::uint32_t end : row_ends) {
    require_state(end >= at && end <= row_columns.size(),
                  "the columns of a held row have a negative length or end outside their array");
    auto& columns = first_rows.emplace_back();
    for (; at < end; ++at) {
      const auto kind = static_cast<ColumnKind>(row_kinds[at]);
      const bool known = kind <= kLastKind && kind != ColumnKind::sparse;  // columns with names are never sparse
      require_state(row_columns[at] < column_names.size() && known, "a held row has an unknown column");
      columns.push_back({row_columns[at], kind});
    }
  }
  check();
  // Texts are added again, so that the class of a later row is found among them.
  const std::vector<std::uint32_t> codes = std::exchange(classes, {});
  for (const std::string& text : std::exchange(class_texts, {})) add_class(text);
  const std::vector<std::uint32_t> places = std::exchange(classes, {});
  for (const std::uint32_t code : codes) classes.push_back(places[code]);
}

void HeldRows::check() const {
  require_state(!starts.empty() && starts.front() == 0 && std::is_sorted(starts.begin(), starts.end()) &&
                    starts.back() == static_cast<std::int64_t>(keys.size()),
                "held rows do not follow one another");
  require_state(values.size() == keys.size() && name_ends_.size() == keys.size(), "held rows differ in length");
  require_state(std::is_sorted(name_ends_.begin(), name_ends_.end()) &&
                    (name_ends_.empty() ? arena_.empty() : name_ends_.back() == arena_.size()),
                "names of held rows do not follow one another");
  const auto one_per_row = [&](std::size_t n) { return n == 0 || n == size(); };
  require_state(one_per_row(labels.size()) && one_per_row(weights.size()) && one_per_row(times.size()) &&
                    one_per_row(classes.size()) && one_per_row(targets.size()) && first_rows.size() == size(),
                "held rows lack labels, weights or times");
  const auto finite = [](const auto& all) {
    return std::all_of(all.begin(), all.end(), [](auto value) { return std::isfinite(value); });
  };
  require_state(finite(values) && finite(weights) && finite(times) && finite(targets), "a held value is not finite");
  for (const std::int8_t label : labels) require_state(label == 1 || label == -1, "a held label is not -1 or +1");
  for (const std::uint32_t text : classes) require_state(text < class_texts.size(), "a held row has an unknown class");
  for (const auto& [value, place] : numbers)  // NaN is a missing number
    require_state(!std::isinf(value) && place < keys.size(), "a held number is infinite or has no feature");
  for (const auto& [place, left, right] : products)
    require_state(place < keys.size() && left < place && right < place, "a held product has no feature");
}

}  // namespace wmsketch
