#include "wmsketch/stores/tagged_cells.hpp"

#include <cmath>

namespace wmsketch {

std::uint32_t TaggedCells::find_tag(const Stored* cells, std::uint32_t hash, std::uint8_t tag) const {
  const std::uint32_t first = bucket(hash);
  for (std::uint32_t at = first; at < first + kWays; ++at)
    if (tags(cells)[at] == tag) return at;
  return kNone;
}

void TaggedCells::give(Stored* cells, std::uint32_t hash, Stored cell) const {
  std::uint32_t at = find(cells, hash);
  if (at == kNone) at = find_tag(cells, hash, kEmpty);
  if (at == kNone) {
    const Stored *first = cells + bucket(hash), *lightest = first;
    for (const Stored* way = first + 1; way < first + kWays; ++way)
      if ((*way & kSize) < (*lightest & kSize)) lightest = way;
    at = static_cast<std::uint32_t>(lightest - cells);
  }
  put(cells, at, tag_of(hash), cell);
}

void TaggedCells::merge(Stored* cells, std::span<const TaggedCells* const> sketches,
                        std::span<const Stored* const> all_cells, const MergePlan& plan,
                        std::span<const KeptKey> keys) {
  unit_ = 0;
  for (std::size_t i = 0; i < sketches.size(); ++i)
    unit_ = std::max(unit_, static_cast<float>(plan.sides[i].squares_scale) * sketches[i]->unit());
  std::vector<std::vector<const KeptKey*>> known(width() / kWays);
  for (const KeptKey& key : keys) known[bucket(key.hash) / kWays].push_back(&key);
  for (std::uint32_t first = 0; first < width(); first += kWays) {
    const auto tag_at = [&](std::size_t side, std::uint32_t way) { return tags(all_cells[side])[first + way]; };
    bool wanted[256] = {};
    for (std::size_t side = 0; side < plan.size(); ++side)
      for (std::uint32_t way = 0; way < kWays; ++way) wanted[tag_at(side, way)] = true;
    wanted[kEmpty] = false;
    for (const KeptKey* key : known[first / kWays]) wanted[tag_of(key->hash)] = false;

    std::vector<MergedCell> merged;
    for (std::uint32_t tag = 1; tag < 256; ++tag) {
      if (!wanted[tag]) continue;
      const auto cell_of = [&](std::size_t side) -> const Stored* {
        for (std::uint32_t way = 0; way < kWays; ++way)
          if (tag_at(side, way) == tag) return all_cells[side] + first + way;
        return nullptr;
      };
      const Stored* base = plan.based ? cell_of(plan.size()) : nullptr;
      const auto read = [&](std::size_t side) {
        const Stored* cell = cell_of(side);
        if (cell == nullptr) return MergeReading{0, 0, false};
        return MergeReading{PackedCell::weight(*cell), sketches[side]->squares(*cell), !base || *cell != *base};
      };
      const MergeReading both = plan.based ? plan.averaged(read) : plan.merged(read);
      merged.push_back({static_cast<std::uint8_t>(tag), both.weight, both.squares});
    }
    for (const KeptKey* key : known[first / kWays])
      if (key->needs_cell) merged.push_back({tag_of(key->hash), key->weight, key->squares});
    fill(cells, first, merged);
  }
}

void TaggedCells::take(Stored* cells, const TaggedCells& from, const Stored* from_cells,
                       std::span<const KeptKey> keys) {
  unit_ = from.unit_;
  const std::size_t n = width() / kWays, n_from = from.width() / kWays, n_most = std::max(n, n_from);
  const auto nearest = [&](std::size_t i, std::size_t of) { return (2 * i + 1) * of / (2 * n_most); };
  std::vector<std::vector<MergedCell>> wanted(n);
  for (std::size_t i = 0; i < n_most; ++i) {
    for (std::size_t at = nearest(i, n_from) * kWays, end = at + kWays; at < end; ++at)
      if (const std::uint8_t tag = from.tags(from_cells)[at]; tag != kEmpty)
        wanted[nearest(i, n)].push_back({tag, PackedCell::weight(from_cells[at]), from.squares(from_cells[at])});
  }
  for (const KeptKey& key : keys)
    if (key.needs_cell) wanted[bucket(key.hash) / kWays].push_back({tag_of(key.hash), key.weight, key.squares});
  for (std::uint32_t first = 0; first < width(); first += kWays) fill(cells, first, wanted[first / kWays]);
}

void TaggedCells::fill(Stored* cells, std::uint32_t first, std::vector<MergedCell>& wanted) const {
  // An estimate of how much the weight reduces the loss: weight^2 times its information, which is about the sum of
  // squared gradients.
  const auto gain = [&](const MergedCell& one) { return one.weight * one.weight * (one.squares + unit_); };
  std::sort(wanted.begin(), wanted.end(), [&](const MergedCell& a, const MergedCell& b) {
    const float left = gain(a), right = gain(b);
    return left != right ? left > right : a.tag != b.tag ? a.tag < b.tag : a.weight < b.weight;
  });
  std::uint32_t at = first;
  bool placed[256] = {};
  for (const MergedCell& one : wanted) {
    if (at == first + kWays) return;
    if (!placed[one.tag]) put(cells, at++, one.tag, PackedCell::nearest(one.weight, in_units(one.squares)));
    placed[one.tag] = true;
  }
  for (; at < first + kWays; ++at) put(cells, at, kEmpty, 0);
}

void TaggedCells::archive(Archive& archive, Stored* cells) {
  SketchCells::archive(archive, cells);
  archive.value("unit_of_squares", unit_);
  archive.fixed("tags", tags(cells), width());
  if (!archive.loading()) return;
  require_state(unit_ >= 0 && std::isfinite(unit_), "the unit of the cells' sums is negative or not finite");
  for (std::uint32_t first = 0; first < width(); first += kWays) {
    bool seen[256] = {};
    for (std::uint32_t at = first; at < first + kWays; ++at) {
      const std::uint8_t tag = tags(cells)[at];
      require_state(tag != kEmpty || cells[at] == 0, "a cell without an owner is not empty");
      require_state(tag == kEmpty || !seen[tag], "two cells of a bucket have one tag");
      seen[tag] = true;
    }
  }
}

}  // namespace wmsketch
