// Rows with named columns, made by hand, and an in-memory archive, for tests of schemas and held rows.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

using NamedValues = std::vector<std::pair<std::string, std::optional<double>>>;  // nullopt: the value is missing

// Numeric columns. A column whose name ends in "=" is text, with one feature of value 1.
class NamedRows final : public RowBlock {
 public:
  NamedRows() { named = true; }
  explicit NamedRows(const std::vector<NamedValues>& rows) : NamedRows() {
    for (const NamedValues& row : rows) add(row);
  }

  void add(const NamedValues& row) {
    auto& columns = first_rows.emplace_back();
    for (const auto& [name, value] : row) {
      const bool text = name.ends_with("=");
      const ColumnKind kind = !value ? ColumnKind::unknown : text ? ColumnKind::text : ColumnKind::number;
      columns.push_back({static_cast<std::uint32_t>(column_names.size()), kind});
      column_names.push_back(text ? name.substr(0, name.size() - 1) : name);
      if (!value) continue;
      if (!text) numbers.push_back({*value, static_cast<std::uint32_t>(keys.size())});
      names_.push_back(text ? name + "v" : name);
      keys.push_back(key_of_name(names_.back()));
      values.push_back(text ? 1.0f : static_cast<float>(*value));
    }
    starts.push_back(static_cast<std::int64_t>(keys.size()));
    labels.push_back(size() % 2 == 0 ? 1 : -1);
  }

  std::string name(std::size_t i) const override { return names_[i]; }

 private:
  std::vector<std::string> names_;
};

// Arrays by name, as bytes: saved once, loaded any number of times.
class MemoryArchive final : public Archive {
 public:
  bool loading() const override { return loads; }
  bool loads = false;
  std::map<std::string, std::string> arrays;

  template <class T>
  T* data(const std::string& name) {
    return reinterpret_cast<T*>(arrays.at(name).data());
  }

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    const std::size_t bytes = size_of(type) * count;
    if (!loads) {
      arrays[std::string(name)] = std::string(static_cast<const char*>(data), bytes);
      sizes_[std::string(name)] = size_of(type);
      return;
    }
    const auto found = arrays.find(std::string(name));
    if (found == arrays.end() || found->second.size() != bytes)
      throw std::invalid_argument(std::string(name) + " is missing or has another length");
    if (bytes > 0) std::memcpy(data, found->second.data(), bytes);
  }
  std::size_t length(std::string_view name) const override {
    const auto found = arrays.find(std::string(name));
    if (found == arrays.end()) throw std::invalid_argument(std::string(name) + " is missing");
    return found->second.size() / sizes_.at(std::string(name));
  }

 private:
  std::map<std::string, std::size_t> sizes_;
};

// A part that is loaded from the damaged arrays must refuse them.
template <class Part, class Damage>
void expect_refused(const MemoryArchive& good, Damage damage) {
  MemoryArchive archive = good;
  damage(archive);
  Part loaded;
  EXPECT_THROW(loaded.archive(archive), std::invalid_argument);
}

template <class Part>
MemoryArchive saved(Part& part) {
  MemoryArchive archive;
  part.archive(archive);
  archive.loads = true;
  return archive;
}

}  // namespace wmsketch
