// The names of a bounded set of slots, in a fixed number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wmsketch {

// Names (UTF-8) of any length share one arena. Each slot is guaranteed its fair share. A longer name borrows what
// others leave free. When the arena is full, the longest names are truncated to the fair share and marked. Which names
// are truncated depends only on the names, never on their offsets, so that a loaded arena behaves like the saved one.
//
// Nothing is allocated after construction.
class NameArena {
 public:
  static constexpr std::uint32_t kLongest = 8191;           // longer names are truncated to this many bytes
  static constexpr std::uint32_t kLeastBytes = 5;           // for each entry of an arena that keeps names
  static constexpr std::uint32_t kMostBytes = 0xfffffffeu;  // of an arena: offsets are 32 bits

  NameArena() = default;
  // An arena of 0 bytes keeps no names. Otherwise it needs at least kLeastBytes for each entry.
  NameArena(std::uint32_t entries, std::size_t bytes);

  // Sets the name of a slot. An empty name clears the slot. `name` must not point into this arena. `shortened` means
  // that the name was truncated earlier, as when arenas are merged.
  void set(std::uint32_t slot, std::string_view name, bool shortened = false);
  void clear(std::uint32_t slot);

  bool has(std::uint32_t slot) const { return offsets_[slot] != kNone; }
  std::string_view view(std::uint32_t slot) const;  // valid until the next set; empty if the slot has no name
  std::string get(std::uint32_t slot) const { return std::string(view(slot)); }
  bool shortened(std::uint32_t slot) const { return has(slot) && read(offsets_[slot]).shortened; }

  std::uint32_t entries() const { return static_cast<std::uint32_t>(offsets_.size()); }
  std::uint32_t n_shortened() const { return n_shortened_; }
  std::uint32_t fair_share() const { return fair_share_; }  // bytes that each slot is guaranteed
  std::size_t arena_bytes() const { return arena_.size(); }
  std::size_t nbytes() const { return bytes_for(entries(), arena_.size()); }
  static std::size_t bytes_for(std::uint32_t entries, std::size_t bytes) {
    return std::size_t{entries} * sizeof(std::uint32_t) + bytes;
  }

  // Calls visit(slot, name, shortened) for each slot with a name, in the order of the slots.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t slot = 0; slot < entries(); ++slot)
      if (has(slot)) visit(slot, view(slot), shortened(slot));
  }

  // Calls edit(bytes) for each name. It may change the bytes but not their number.
  template <class Edit>
  void edit(const Edit& edit) {
    for (std::uint32_t slot = 0; slot < entries(); ++slot)
      if (has(slot)) edit(std::span(const_cast<char*>(view(slot).data()), view(slot).size()));
  }

  // All names for saving, one for each slot, and whether each was shortened.
  struct Names {
    std::vector<std::string> names;
    std::vector<std::uint8_t> shortened;
  };
  Names export_names() const;
  // Restores exactly these names. Throws, without any change, if no arena of this size can have held them.
  void import_names(std::span<const std::string> names, std::span<const std::uint8_t> shortened);

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  struct Record {
    std::uint32_t length;
    bool shortened;
  };
  static std::uint32_t header_bytes(std::uint32_t length) { return length < 32 ? 1 : 2; }
  static std::uint32_t record_bytes(std::uint32_t length);
  Record read(std::uint32_t at) const;
  void write(std::uint32_t at, Record record, const char* name);
  void append(std::uint32_t slot, std::string_view name, bool shortened);
  std::uint32_t cut_length(std::string_view name) const;
  std::uint32_t longest_to_keep(std::uint32_t incoming, std::size_t excess) const;
  void compact(std::uint32_t longest);

  std::vector<char> arena_;
  std::vector<std::uint32_t> offsets_;  // by slot: where its record starts
  std::uint32_t fair_share_ = 0;
  std::uint32_t tail_ = 0;  // records are appended here
  std::uint32_t live_ = 0;  // bytes of records that a slot points to
  std::uint32_t n_shortened_ = 0;
};

}  // namespace wmsketch
