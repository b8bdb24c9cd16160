#include "wmsketch/stores/tagged_cells.hpp"

namespace wmsketch {

std::uint32_t TaggedCells::find_tag(const Stored* cells, std::uint32_t hash, std::uint8_t tag) const {
  const std::uint32_t first = bucket(hash);
  for (std::uint32_t at = first; at < first + kWays; ++at)
    if (tags(cells)[at] == tag) return at;
  return kNone;
}

void TaggedCells::take(Stored* cells, std::uint32_t hash, Stored cell) const {
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
  unit_ = unit_of_all(sketches, plan);
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
    place_heaviest(cells, first, merged);
  }
}

// Of two that have one tag, the heavier stays.
void TaggedCells::place_heaviest(Stored* cells, std::uint32_t first, std::vector<MergedCell>& merged) const {
  std::sort(merged.begin(), merged.end(), [](const MergedCell& a, const MergedCell& b) {
    const float left = std::abs(a.weight), right = std::abs(b.weight);
    return left != right ? left > right : a.tag < b.tag;
  });
  std::uint32_t way = 0;
  bool placed[256] = {};
  for (std::size_t i = 0; i < merged.size() && way < kWays; ++i) {
    if (placed[merged[i].tag]) continue;
    placed[merged[i].tag] = true;
    put(cells, first + way++, merged[i].tag, PackedCell::nearest(merged[i].weight, in_units(merged[i].squares)));
  }
  for (; way < kWays; ++way) put(cells, first + way, kEmpty, 0);
}

void TaggedCells::take_from(Stored* cells, const TaggedCells& other, const Stored* other_cells,
                            std::span<const KeptKey> keys) {
  take_unit(other);
  struct Sum {
    std::uint32_t bucket;
    std::uint8_t tag;
    double evidence, weighted, squares;
  };
  std::vector<Sum> sums;
  const auto add = [&](std::size_t bucket, std::uint8_t tag, double weight, double squares) {
    const double evidence = std::max(squares, 0.5 * unit());
    sums.push_back({static_cast<std::uint32_t>(bucket), tag, evidence, evidence * weight, squares});
  };
  const std::size_t from = other.width() / kWays, to = width() / kWays, wider = std::max(from, to);
  const double share = static_cast<double>(std::min(from, to)) / static_cast<double>(to);
  for (std::size_t i = 0; i < wider; ++i) {
    const std::size_t first = place_among(i, wider, from) * kWays;
    for (std::size_t at = first; at < first + kWays; ++at)
      if (const std::uint8_t tag = other.tags(other_cells)[at]; tag != kEmpty)
        add(place_among(i, wider, to), tag, PackedCell::weight(other_cells[at]),
            share * other.squares(other_cells[at]));
  }
  for (const KeptKey& key : keys)
    if (key.needs_cell) add(bucket(key.hash) / kWays, tag_of(key.hash), key.weight, key.squares);
  std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) {
    return a.bucket != b.bucket ? a.bucket < b.bucket : a.tag < b.tag;
  });
  auto next = sums.begin();
  for (std::uint32_t bucket = 0; bucket < to; ++bucket) {
    std::vector<MergedCell> merged;
    while (next != sums.end() && next->bucket == bucket) {
      Sum all = *next;
      for (++next; next != sums.end() && next->bucket == bucket && next->tag == all.tag; ++next) {
        all.evidence += next->evidence;
        all.weighted += next->weighted;
        all.squares += next->squares;
      }
      const double mean = all.evidence > 0 ? all.weighted / all.evidence : 0;
      merged.push_back({all.tag, static_cast<float>(mean), static_cast<float>(all.squares)});
    }
    place_heaviest(cells, bucket * kWays, merged);
  }
}

void TaggedCells::archive(Archive& archive, Stored* cells) {
  SketchCells::archive(archive, cells);
  archive.fixed("tags", tags(cells), width());
  if (!archive.loading()) return;
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
