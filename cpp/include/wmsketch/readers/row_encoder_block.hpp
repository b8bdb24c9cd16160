// The block of rows that the encoder fills.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

inline std::string quoted(std::string_view text) {
  return text.empty() ? "\"\"" : found_at(text.data(), text.data() + text.size(), "");
}

struct RowEncoder::Slice {
  std::uint32_t begin, size;
  ColumnId column;  // index into `columns` of the block
};

// Elements that a vector adds are not set, because they are written at once.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) {}  // NOLINT: allocators convert
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U{std::forward<Values>(values)...};
  }
};

// All names of a block are in one string. An interaction refers to two names.
class RowEncoder::Block final : public RowBlock {
 public:
  explicit Block(const NameSecret& of_names) {
    named = true;
    secret = of_names;
  }

  std::string name(std::size_t i) const override {
    const Slice slice = slices[names.at(i)];
    if (slice.size != kUnset) return arena.substr(slice.begin, slice.size);
    const Product& pair = products[slice.begin];
    return name(pair.left) + '&' + name(pair.right);
  }

  std::string_view name_view(std::size_t i, std::string& scratch) const override {
    const Slice slice = slices[names[i]];
    if (slice.size != kUnset) return std::string_view(arena).substr(slice.begin, slice.size);
    return scratch = name(i);
  }

  Cell cell(std::size_t i, std::string& scratch) const override {
    const Slice slice = slices[names[i]];
    if (slice.size == kUnset) return RowBlock::cell(i, scratch);
    const auto [begin, size] = columns[slice.column];
    const std::string_view column(arena.data() + begin, size);
    if (slice.begin == begin && slice.size == size) return {column, {}, true, slice.column};
    const std::uint32_t before = size == 0 ? 0 : size + 1;  // "column="
    return {column, {arena.data() + slice.begin + before, slice.size - before}, false, slice.column};
  }

  NumberedNames numbered_names() const override { return {names, slices.size()}; }

  std::uint32_t add_name(const Slice& slice) {
    slices.push_back(slice);
    return static_cast<std::uint32_t>(slices.size() - 1);
  }

  ColumnId add_column(std::string_view name) {
    columns.emplace_back(arena.size(), name.size());
    arena += name;
    return static_cast<ColumnId>(columns.size() - 1);
  }

  // Blocks of one input have similar sizes, and growing a block repeatedly would cost as much as filling it.
  void reserve_like(const Block& other) {
    const std::size_t n = other.keys.size() + other.keys.size() / 8;
    keys.reserve(n);
    values.reserve(n);
    names.reserve(n);
    slices.reserve(other.slices.size() + other.slices.size() / 8);
    numbers.reserve(other.numbers.size() + other.numbers.size() / 8);
    starts.reserve(other.starts.size() + other.starts.size() / 8);
    arena.reserve(other.arena.size() + other.arena.size() / 8);
  }

  void truncate(std::size_t n) {
    keys.resize(n);
    values.resize(n);
    names.resize(n);
    while (!numbers.empty() && numbers.back().place >= n) numbers.pop_back();
    while (!products.empty() && products.back().place >= n) products.pop_back();
  }

  std::string arena;
  std::vector<std::uint32_t, UnsetAllocator<std::uint32_t>> names;  // for each key: index into slices
  std::vector<Slice>
      slices;  // a name that is written once is here once; if size is kUnset, begin is an index into products
  std::vector<std::pair<std::uint32_t, std::uint32_t>> columns;  // begin and size of the name of each column
};

inline void RowEncoder::list_in_block(Column& column) {
  if (column.name_block == n_blocks_) return;
  column.name_block = n_blocks_;
  const auto begin = static_cast<std::uint32_t>(block_->arena.size());
  column.in_block = block_->add_column(column.name);
  column.name_in_block = block_->add_name({begin, static_cast<std::uint32_t>(column.name.size()), column.in_block});
}

}  // namespace wmsketch
