// The state of a schema.
#include <algorithm>
#include <cmath>

#include "wmsketch/prepare/schema.hpp"

namespace wmsketch {
namespace {

// Whether a name is the number of a feature, as std::to_string writes it.
bool is_id(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || name.size() > 10 || !std::all_of(name.begin(), name.end(), is_digit)) return false;
  return (name.size() == 1 || name[0] != '0') && std::stoull(name) <= 0xffffffffu;
}

}  // namespace

void Schema::archive(Archive& archive) {
  constexpr auto kTable = static_cast<std::uint8_t>(State::table);
  constexpr std::uint8_t kOthers = kTable + 1, kNumbered = kTable + 2, kNumberedOthers = kTable + 3;
  std::uint8_t state = static_cast<std::uint8_t>(state_);
  if (is_table() && others_) state = kOthers;
  if (numbered_) state = others_ ? kNumberedOthers : kNumbered;
  archive.value("schema_state", state);
  const bool others = state == kOthers || state == kNumberedOthers, numbered = state >= kNumbered;
  if (archive.loading()) {
    require_state(state <= kNumberedOthers, "the schema has an unknown state");
    state_ = static_cast<State>(std::min(state, kTable));
  }
  if (state_ == State::undecided) return held_.archive(archive);
  if (state_ == State::open) return;
  constexpr std::size_t kMost = std::size_t{1} << 26;
  std::vector<std::uint8_t> names, kinds, absurd;
  std::vector<std::uint32_t> ends;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < size(); ++i) {
    const Entry& entry = entries_[i];
    const bool scaled = entry.scale != kNone;
    const std::string own = name(i);
    names.insert(names.end(), own.begin(), own.end());
    kinds.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(entry.kind) | scaled << 4));
    absurd.push_back(entry.absurd);
    ends.push_back(static_cast<std::uint32_t>(names.size()));
  }
  for (const NumberScale& scale : scales_) numbers.insert(numbers.end(), {scale.count, scale.mean, scale.squares});
  archive.growing("schema_names", names, kMost);
  archive.growing("schema_name_ends", ends, kMostColumns);
  archive.growing("schema_kinds", kinds, kMostColumns);
  archive.growing("schema_absurd", absurd, kMostColumns);
  archive.growing("schema_scales", numbers, 3 * kMostColumns);
  archive.value("schema_time", time_);
  if (!archive.loading()) return;
  require_state(ends.size() == kinds.size() && ends.size() == absurd.size() && numbers.size() % 3 == 0,
                "the parts of the schema differ in length");
  std::vector<Column> columns;
  std::size_t begin = 0, at = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    require_state(ends[i] >= begin && ends[i] <= names.size() &&
                      (kinds[i] & 15) <= static_cast<std::uint8_t>(kLastKind) && kinds[i] < 32,
                  "a column of the schema has no name or an unknown kind");
    Column column{std::string(names.begin() + static_cast<std::ptrdiff_t>(begin), names.begin() + ends[i]),
                  static_cast<ColumnKind>(kinds[i] & 15), std::nullopt};
    require_state(absurd[i] < kNewScale, "a column of the schema has too many absurd values");
    require_state(!numbered || is_id(column.name), "a column of the schema has no number");
    if (kinds[i] & 16) {
      require_state(at + 3 <= numbers.size(), "a column of the schema has no scale");
      const NumberScale scale{numbers[at], numbers[at + 1], numbers[at + 2]};
      require_state(std::isfinite(scale.count) && scale.count >= 0 && std::isfinite(scale.mean) &&
                        std::isfinite(scale.squares) && scale.squares >= 0,
                    "a scale of the schema is not a count, a mean and a sum of squares");
      column.scale = scale;
      at += 3;
    }
    columns.push_back(std::move(column));
    begin = ends[i];
  }
  require_state(begin == names.size() && at == numbers.size(), "the schema has names or scales without a column");
  require_state(!std::isnan(time_) && time_ < std::numeric_limits<double>::infinity(),
                "the time of the schema is not finite");
  const double time = time_;
  *this = of_columns(columns, options_, numbered);
  for (std::size_t i = 0; i < size(); ++i) entries_[i].absurd = absurd[i];
  time_ = time;
  others_ = others;
}

}  // namespace wmsketch
