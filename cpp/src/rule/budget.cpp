#include "wmsketch/rule/budget.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/rule/learner.hpp"
#include "wmsketch/sets/line_set.hpp"
#include "wmsketch/slots/float_slot.hpp"

namespace wmsketch {
namespace {

constexpr double kKeysPerFeatureAsked =
    1.5;                               // with fewer keys, chance would decide which of the last features are found
constexpr double kMostForKeys = 0.75;  // largest share of the budget for keys: the tail needs cells
// With adaptive steps, `top` lists only keys of the active set. So the default number of keys may take a quarter of the
// budget.
constexpr std::uint32_t kUsualKeys = 256;
constexpr double kMostForUsualKeys = 0.25;
constexpr std::uint64_t kBytesPerName = 20;  // long names borrow from short ones

constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// The largest number from least to most that fits, or least if none does. If a number fits, all smaller ones must.
template <class Fits>
std::uint64_t largest(std::uint64_t least, std::uint64_t most, const Fits& fits) {
  while (least < most) {
    const std::uint64_t middle = least + (most - least + 1) / 2;
    if (fits(middle)) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

class Search {
 public:
  explicit Search(const ShapeRequest& request)
      : request_(request),
        lines_(has_lines(request.kind, request.exact_set)),
        bucket_(owns_cells(request.kind, request.step == StepKind::adaptive) ? kWays : 1),
        given_(request.sizes) {
    given_.width = static_cast<std::uint32_t>(round_up(given_.width, bucket_));
    if (given_.active_set_size != 0 && lines_)
      given_.active_set_size = LineSet<FloatSlot>::round_capacity(given_.active_set_size);
  }

  bool free_keys() const { return has_set(request_.kind) && given_.active_set_size == 0; }
  bool free_cells() const { return has_cells(request_.kind) && given_.width == 0; }
  std::uint64_t bytes(const StoreConfig& sizes) const {
    return nbytes_of(request_.kind, request_.exact_set, sizes, {.kind = request_.step});
  }

  StoreConfig with_names(StoreConfig sizes) const {
    if (!has_set(request_.kind)) return sizes;
    const std::uint64_t keys = sizes.active_set_size;
    std::uint64_t names = request_.named ? kBytesPerName * keys : 0;
    if (request_.name_bytes)  // the arena has a minimum
      names =
          *request_.name_bytes == 0 ? 0 : std::max<std::uint64_t>(*request_.name_bytes, NameArena::kLeastBytes * keys);
    sizes.name_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(names, NameArena::kMostBytes));
    return sizes;
  }
  StoreConfig without_budget() const { return with_names(given_); }

  // The largest sizes within the budget, or the smallest possible ones if none fit.
  StoreConfig within(std::int64_t budget) const {
    StoreConfig sizes = given_;
    if (free_keys()) {
      if (free_cells()) sizes.width = bucket_;
      sizes.active_set_size = keys_within(budget, sizes);
    }
    sizes = with_names(sizes);
    if (!free_cells()) return sizes;
    const std::uint64_t most = (std::uint64_t{1} << 31) / sizes.depth / bucket_;
    sizes.width = bucket_ * static_cast<std::uint32_t>(largest(1, most, [&](std::uint64_t n) {
                    StoreConfig wider = sizes;
                    wider.width = static_cast<std::uint32_t>(n) * bucket_;
                    return static_cast<std::int64_t>(bytes(wider)) <= budget;
                  }));
    return sizes;
  }

 private:
  std::uint32_t keys_within(std::int64_t budget, const StoreConfig& cells) const {
    const std::uint32_t step = lines_ ? kWays : 1, least = lines_ ? 2 * kWays : 1;
    const auto bytes_with = [&](std::uint64_t keys) {
      StoreConfig sizes = cells;
      sizes.active_set_size = static_cast<std::uint32_t>(keys);
      return static_cast<double>(bytes(with_names(sizes)));
    };
    const double overhead = 2 * bytes_with(least) - bytes_with(2 * least);  // of a learner without keys
    const auto within_share = [&](double share) {
      const double room = overhead + share * (static_cast<double>(budget) - overhead);
      return step * largest(least / step, (std::uint64_t{1} << 28) / step,
                            [&](std::uint64_t n) { return bytes_with(n * step) <= room; });
    };
    const double share = free_cells() ? request_.set_share : 1.0;
    std::uint64_t keys = within_share(share);
    if (bucket_ > 1 && share < kMostForUsualKeys)
      keys = std::max(keys, std::min<std::uint64_t>(kUsualKeys, within_share(kMostForUsualKeys)));
    const double asked = kKeysPerFeatureAsked * request_.top_k;
    if (asked > static_cast<double>(keys))
      keys = std::max(keys, std::min(round_up(static_cast<std::uint64_t>(asked), step),
                                     within_share(std::max(share, kMostForKeys))));
    return static_cast<std::uint32_t>(keys);
  }

  const ShapeRequest& request_;
  const bool lines_;
  const std::uint32_t bucket_;  // cells come in groups of this size
  StoreConfig given_;
};

}  // namespace

StoreConfig choose_shape(const ShapeRequest& request) {
  const Search search(request);
  const bool all_given = !search.free_keys() && !search.free_cells();
  if (request.budget_is_default && all_given) return search.without_budget();
  const auto budget = static_cast<std::int64_t>(request.budget), reserved = static_cast<std::int64_t>(request.reserved);
  const StoreConfig sizes = search.within(budget - reserved);
  const std::uint64_t taken = search.bytes(sizes) + request.reserved;
  if (taken <= request.budget) return sizes;
  const std::uint64_t smallest = search.bytes(search.within(0)) + request.reserved;
  if (all_given || smallest <= request.budget)
    throw parameter_error(
        "budget", "is " + std::to_string(request.budget) + " bytes, but this shape takes " + std::to_string(taken));
  throw parameter_error(
      "budget", "must be at least " + std::to_string(smallest) + " bytes" + (sizes.name_bytes > 0 ? " with names" : ""),
      request.budget);
}

}  // namespace wmsketch
