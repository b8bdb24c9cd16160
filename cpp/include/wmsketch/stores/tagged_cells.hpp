// Cells that have one owner each: a weight and a sum in 16 bits, with an 8-bit tag of the owner's key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/simd/kernels.hpp"
#include "wmsketch/stores/sketch_cells.hpp"

namespace wmsketch {

// A key hashes to one bucket of eight cells and is stored only there. A key without a cell has weight 0. A tag of 0
// marks an empty cell, which is 0. All other tags of a bucket differ. Two keys with the same bucket and the same tag
// share a cell: of the pairs with the same bucket, one in 255.
//
// The buffer holds all cells, then their tags, then two half-words that are always 0 (kernels.hpp). Indices of cells
// and buckets start at its beginning.
class TaggedCells : public SketchCells<PackedCell> {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;  // in place of a cell's index

  TaggedCells() = default;
  TaggedCells(std::uint32_t depth, std::uint32_t width) : SketchCells(depth, width) {}
  static constexpr std::size_t kUnitBytes = sizeof(float);  // the unit
  static std::size_t stored_for(std::size_t cells) { return cells + cells / 2 + 2; }

  // Sums have four bits. They count units. The unit follows the gradients of the stream, in large steps.
  float unit() const { return unit_; }
  float squares(Stored cell) const { return unit_ * PackedCell::squares(cell); }
  float in_units(float sum) const { return unit_ > 0 ? sum / unit_ : 0; }
  void start_unit(float unit) {
    if (unit_ == 0) unit_ = unit;
  }
  void follow_unit(Stored* cells, float wanted) {
    if (wanted <= kFarUnits * unit_ && unit_ <= kFarUnits * wanted) return;
    SketchCells::multiply_squares(cells, unit_ / wanted);
    unit_ = wanted;
  }
  void multiply_squares(Stored*, float factor) { unit_ *= factor; }

  std::uint32_t find(const Stored* cells, std::uint32_t hash) const { return find_tag(cells, hash, tag_of(hash)); }
  bool has_room(const Stored* cells, std::uint32_t hash) const { return find_tag(cells, hash, kEmpty) != kNone; }
  float estimate(const Stored* cells, const Hasher& hasher, Key key) const {
    const std::uint32_t at = find(cells, hasher.hash(0, key));
    return at == kNone ? 0 : PackedCell::weight(cells[at]);
  }
  float estimate_squares(const Stored* cells, const Hasher& hasher, Key key) const {
    const std::uint32_t at = find(cells, hasher.hash(0, key));
    return at == kNone ? 0 : squares(cells[at]);
  }

  std::size_t owned(const Stored* cells) const {
    return width() - static_cast<std::size_t>(std::count(tags(cells), tags(cells) + width(), kEmpty));
  }

  // Whether the nearest caches are too small for it, so that prefetching pays.
  bool is_far() const { return width() > kNearCells; }
  void prefetch(const Stored* cells, std::uint32_t hash) const {
    __builtin_prefetch(tags(cells) + bucket(hash));
    __builtin_prefetch(cells + bucket(hash));
  }

  // Frees the cell of a key, if it has one.
  void free(Stored* cells, std::uint32_t hash) const {
    if (const std::uint32_t at = find(cells, hash); at != kNone) put(cells, at, kEmpty, 0);
  }
  // Gives a key a cell: its own, an empty one, or else the lightest of its bucket.
  void give(Stored* cells, std::uint32_t hash, Stored cell) const;

  // A key that has been merged already. Cells with its tag are part of it, and are not merged again.
  struct KeptKey {
    std::uint32_t hash;
    float weight, squares;
    bool needs_cell;
  };
  // Merges cells with the same tag. A bucket keeps the cells that predictions need most.
  void merge(Stored* cells, std::span<const TaggedCells* const> sketches, std::span<const Stored* const> all_cells,
             const MergePlan& plan, std::span<const KeptKey> keys);

  // Takes the cells of a sketch of another width. Buckets come from the high bits of a hash, so several buckets of a
  // wider sketch become one of a narrower sketch, and each bucket of a narrower one is copied to several.
  void take(Stored* cells, const TaggedCells& from, const Stored* from_cells, std::span<const KeptKey> keys);

  void archive(Archive& archive, Stored* cells);

 private:
  static constexpr float kFarUnits = 8;
  static constexpr std::uint32_t kNearCells = 1u << 16;
  static constexpr std::uint8_t kEmpty = 0;
  static constexpr Stored kSize = one_lane::kCellSize >> 16;

  struct MergedCell {
    std::uint8_t tag;
    float weight, squares;
  };

  // Fills a bucket with the cells that predictions need most, one for each tag.
  void fill(Stored* cells, std::uint32_t first, std::vector<MergedCell>& wanted) const;

  static std::uint8_t tag_of(std::uint32_t hash) { return std::max<std::uint8_t>(static_cast<std::uint8_t>(hash), 1); }
  std::uint32_t bucket(std::uint32_t hash) const { return bucket_of(hash, width() / kWays) * kWays; }
  std::uint32_t find_tag(const Stored* cells, std::uint32_t hash, std::uint8_t tag) const;
  const std::uint8_t* tags(const Stored* cells) const { return reinterpret_cast<const std::uint8_t*>(cells + width()); }
  std::uint8_t* tags(Stored* cells) const { return reinterpret_cast<std::uint8_t*>(cells + width()); }
  void put(Stored* cells, std::uint32_t at, std::uint8_t tag, Stored cell) const {
    tags(cells)[at] = tag;
    cells[at] = cell;
  }

  float unit_ = 0;  // of the sums of squares, raw
};

}  // namespace wmsketch
