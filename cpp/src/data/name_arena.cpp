#include "wmsketch/data/name_arena.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace wmsketch {
namespace {

// A record is a header of one byte (two for names of 32 bytes or more), then the name. The bits of the header, lowest
// first: owner mark (see compact), shortened, two-byte header, 5 bits of the length. The second byte holds 8 more bits
// of the length.
constexpr unsigned kOwner = 1, kShortened = 2, kWide = 4;
constexpr std::uint32_t kWord = 4;  // least size of a record: compact stores the owner's slot in it

// Part of the arena stays free, so that the cost of compaction is spread over many new names.
std::size_t working_room(std::size_t bytes) { return bytes / 32; }

std::uint32_t load_word(const char* from) {
  const auto byte = [&](int i) { return std::uint32_t{static_cast<unsigned char>(from[i])}; };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

void store_word(char* to, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<char>(word >> (8 * i));
}

// The largest length up to `limit` that does not split a UTF-8 character. Bytes that are not UTF-8 are cut anywhere.
std::uint32_t cut_at_character(std::string_view name, std::uint32_t limit) {
  if (name.size() <= limit) return static_cast<std::uint32_t>(name.size());
  const auto inside = [&](std::uint32_t at) { return (static_cast<unsigned char>(name[at]) & 0xc0u) == 0x80u; };
  for (std::uint32_t back = 0; back <= std::min<std::uint32_t>(3, limit); ++back)
    if (!inside(limit - back)) return limit - back;
  return limit;
}

}  // namespace

NameArena::NameArena(std::uint32_t entries, std::size_t bytes) : offsets_(entries, kNone) {
  if (entries >= 0x80000000u || bytes > kMostBytes)
    throw std::invalid_argument("an arena of names must be smaller than 4 GiB and have fewer than 2^31 entries");
  if (bytes == 0) return;
  // one working room for dead records until compaction, and one for names to grow between two truncations
  const std::size_t share = entries == 0 ? 0 : (bytes - 2 * working_room(bytes)) / entries;
  if (share < kWord)
    throw std::invalid_argument("names need at least 5 bytes for each entry, got " + std::to_string(bytes) +
                                " bytes for " + std::to_string(entries) + " entries");
  arena_.resize(bytes);
  fair_share_ = static_cast<std::uint32_t>(std::min<std::size_t>(share - (share <= 32 ? 1 : 2), kLongest));
}

std::uint32_t NameArena::record_bytes(std::uint32_t length) { return std::max(kWord, length + header_bytes(length)); }

NameArena::Record NameArena::read(std::uint32_t at) const {
  const unsigned first = static_cast<unsigned char>(arena_[at]);
  const unsigned high = first & kWide ? static_cast<unsigned char>(arena_[at + 1]) : 0u;
  return {first >> 3 | high << 5, (first & kShortened) != 0};
}

void NameArena::write(std::uint32_t at, Record record, const char* name) {
  const std::uint32_t header = header_bytes(record.length);
  if (record.length > 0)
    std::memmove(&arena_[at + header], name, record.length);  // before the header is written: compact moves in place
  arena_[at] =
      static_cast<char>((record.length & 31) << 3 | (header == 2 ? kWide : 0u) | (record.shortened ? kShortened : 0u));
  if (header == 2) arena_[at + 1] = static_cast<char>(record.length >> 5);
}

std::string_view NameArena::view(std::uint32_t slot) const {
  if (!has(slot)) return {};
  const std::uint32_t length = read(offsets_[slot]).length;
  return {arena_.data() + offsets_[slot] + header_bytes(length), length};
}

void NameArena::clear(std::uint32_t slot) {
  if (!has(slot)) return;
  const Record record = read(offsets_[slot]);
  live_ -= record_bytes(record.length);
  n_shortened_ -= record.shortened;
  offsets_[slot] = kNone;
}

void NameArena::append(std::uint32_t slot, std::string_view name, bool shortened) {
  const auto length = static_cast<std::uint32_t>(name.size());
  write(tail_, {length, shortened}, name.data());
  offsets_[slot] = tail_;
  tail_ += record_bytes(length);
  live_ += record_bytes(length);
  n_shortened_ += shortened;
}

std::uint32_t NameArena::cut_length(std::string_view name) const { return cut_at_character(name, fair_share_); }

void NameArena::set(std::uint32_t slot, std::string_view name, bool shortened) {
  clear(slot);
  if ((name.empty() && !shortened) || arena_.empty()) return;
  const std::size_t room = arena_.size() - working_room(arena_.size());
  const std::size_t whole = name.size();
  name = name.substr(0, cut_at_character(name, kLongest));
  const auto length = static_cast<std::uint32_t>(name.size());
  if (live_ + std::size_t{record_bytes(length)} > room) {
    const std::size_t goal = room - working_room(arena_.size());
    const std::uint32_t longest = longest_to_keep(length, live_ + std::size_t{record_bytes(length)} - goal);
    if (length > longest) name = name.substr(0, cut_length(name));
    compact(longest);
  }
  if (tail_ + std::size_t{record_bytes(static_cast<std::uint32_t>(name.size()))} > arena_.size()) compact(kLongest);
  append(slot, name, shortened || name.size() < whole);
}

// Returns a length such that truncating all longer names to the fair share, including the incoming one, frees `excess`
// bytes. It is close to the greatest such length: one pass counts the names in logarithmic buckets of how far they
// exceed the fair share.
std::uint32_t NameArena::longest_to_keep(std::uint32_t incoming, std::size_t excess) const {
  std::array<std::size_t, 88> freed{};
  const auto count = [&](std::uint32_t length) {
    if (length <= fair_share_) return;
    const std::uint32_t over = length - fair_share_;
    const auto shift = static_cast<std::uint32_t>(std::max(28 - std::countl_zero(over), 0));
    freed[shift * 8 + (over >> shift)] += record_bytes(length) - record_bytes(fair_share_);
  };
  count(incoming);
  for (const std::uint32_t at : offsets_)
    if (at != kNone) count(read(at).length);
  auto bucket = static_cast<std::uint32_t>(freed.size());
  for (std::size_t sum = 0; sum < excess;) sum += freed[--bucket];  // truncating all names always suffices
  const std::uint32_t least_over = bucket < 16 ? bucket : (8 + bucket % 8) << (bucket / 8 - 1);
  return fair_share_ + std::max(least_over, 1u) - 1;
}

// Moves the live records together and truncates those longer than `longest`. To find the owner of a record, each live
// record first swaps its first four bytes with the number of its slot, marked by the lowest bit.
void NameArena::compact(std::uint32_t longest) {
  for (std::uint32_t slot = 0; slot < entries(); ++slot) {
    if (!has(slot)) continue;
    char* record = &arena_[offsets_[slot]];
    offsets_[slot] = load_word(record);
    store_word(record, slot << 1 | kOwner);
  }
  std::uint32_t to = 0;
  for (std::uint32_t at = 0; at < tail_;) {
    const bool owned = (static_cast<unsigned char>(arena_[at]) & kOwner) != 0;
    const std::uint32_t slot = owned ? load_word(&arena_[at]) >> 1 : 0;
    if (owned) store_word(&arena_[at], offsets_[slot]);
    Record record = read(at);
    const std::uint32_t from = at;
    at += record_bytes(record.length);
    if (!owned) continue;
    const char* name = &arena_[from + header_bytes(record.length)];
    if (record.length > longest) {
      live_ -= record_bytes(record.length);
      n_shortened_ += !record.shortened;
      record = {cut_length({name, record.length}), true};
      live_ += record_bytes(record.length);
    }
    write(to, record, name);
    offsets_[slot] = to;
    to += record_bytes(record.length);
  }
  tail_ = to;
}

NameArena::Names NameArena::export_names() const {
  Names all{std::vector<std::string>(entries()), std::vector<std::uint8_t>(entries(), 0)};
  for_each([&](std::uint32_t slot, std::string_view name, bool shortened) {
    all.names[slot] = name;
    all.shortened[slot] = shortened;
  });
  return all;
}

void NameArena::import_names(std::span<const std::string> names, std::span<const std::uint8_t> shortened) {
  if (names.size() != entries() || shortened.size() != entries())
    throw std::invalid_argument("expected " + std::to_string(entries()) + " names, got " +
                                std::to_string(names.size()));
  // a name may have been truncated to nothing, because the fair share can be less than one character
  const auto present = [&](std::uint32_t slot) { return !names[slot].empty() || shortened[slot] != 0; };
  std::size_t total = 0;
  for (std::uint32_t slot = 0; slot < entries(); ++slot) {
    if (!present(slot)) continue;
    if (names[slot].size() > kLongest)
      throw std::invalid_argument("a name has " + std::to_string(names[slot].size()) + " bytes, more than " +
                                  std::to_string(kLongest));
    total += record_bytes(static_cast<std::uint32_t>(names[slot].size()));
  }
  if (total > arena_.size())
    throw std::invalid_argument("the names need " + std::to_string(total) + " bytes, the arena has " +
                                std::to_string(arena_.size()));
  std::fill(offsets_.begin(), offsets_.end(), kNone);
  tail_ = live_ = n_shortened_ = 0;
  for (std::uint32_t slot = 0; slot < entries(); ++slot)
    if (present(slot)) append(slot, names[slot], shortened[slot] != 0);
}

}  // namespace wmsketch
