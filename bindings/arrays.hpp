// numpy and CSR arrays -> row batches, with their lengths, dtypes and ranges checked.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/models/learner.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = std::optional<Vector<std::int8_t>>;
using Weights = std::optional<Vector<float>>;
using Times = std::optional<Vector<double>>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::span<const T> span_of(const std::optional<Vector<T>>& array) {
  return array ? span_of(*array) : std::span<const T>{};
}

// A new numpy array that owns a copy of these values.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::span<const T> values) {
  auto* copy = new std::vector<T>(values.begin(), values.end());
  nb::capsule owner(copy, [](void* at) noexcept { delete static_cast<std::vector<T>*>(at); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(copy->data(), {copy->size()}, owner);
}

inline void check_lengths(std::size_t rows, std::size_t labels, std::size_t weights, std::size_t times) {
  const auto refuse = [&](const char* name, std::size_t length) {
    throw nb::value_error(
        (std::string(name) + " has " + std::to_string(length) + " entries for " + std::to_string(rows) + " rows")
            .c_str());
  };
  if (labels != rows) refuse("y", labels);
  if (weights != 0 && weights != rows) refuse("sample_weight", weights);
  if (times != 0 && times != rows) refuse("times", times);
}

// A CSR matrix of any of the usual types. float32 data with int32 indices is used where it lies; other types are
// converted a chunk of rows at a time.
template <class Index, class Value>
class CsrRows {
 public:
  CsrRows(const Vector<Index>& starts, const Vector<Index>& indices, const Vector<Value>& values)
      : starts_(starts.data(), starts.data() + starts.size()), indices_(indices.data()), values_(values.data()) {
    if (starts_.empty()) throw nb::value_error("broken CSR: indptr is empty");
    if (indices.size() != values.size()) throw nb::value_error("broken CSR: indices and data differ in length");
    if (starts_[0] < 0) throw nb::value_error("broken CSR: indptr starts below 0");
    for (std::size_t r = 1; r < starts_.size(); ++r)
      if (starts_[r] < starts_[r - 1])
        throw BadRow(r - 1, "broken CSR: indptr falls from " + std::to_string(starts_[r - 1]) + " to " +
                                std::to_string(starts_[r]));
    if (static_cast<std::uint64_t>(starts_.back()) > indices.size())
      throw nb::value_error("broken CSR: indptr points behind the end of indices");
    check_ids();
  }

  std::size_t size() const { return starts_.size() - 1; }
  bool named() const { return false; }

  // Calls use(batch, first_row) for the rows in order, as one batch or in several.
  template <class Use>
  void for_each_batch(Use use) const {
    if constexpr (sizeof(Index) == sizeof(Key) && std::is_same_v<Value, float>) {
      const auto end = static_cast<std::size_t>(starts_.back());
      RowBatch batch{starts_, {reinterpret_cast<const Key*>(indices_), end}, {values_, end}, {}, {}, nullptr};
      batch.key_limit = key_limit_;
      use(batch, std::size_t{0});
    } else {
      constexpr std::int64_t kChunk = 1 << 16;
      std::vector<std::int64_t> starts;
      std::vector<Key> keys;
      std::vector<float> values;
      for (std::size_t first = 0, last = 0; first < size(); first = last) {
        for (last = first + 1; last < size() && starts_[last + 1] - starts_[first] <= kChunk;) ++last;
        const std::int64_t begin = starts_[first];
        starts.clear();
        for (std::size_t r = first; r <= last; ++r) starts.push_back(starts_[r] - begin);
        keys.assign(indices_ + begin, indices_ + starts_[last]);
        values.assign(values_ + begin, values_ + starts_[last]);
        use(RowBatch{starts, keys, values, {}, {}, nullptr}, first);
      }
    }
  }

 private:
  void check_ids() {
    const auto begin = static_cast<std::size_t>(starts_.front()), end = static_cast<std::size_t>(starts_.back());
    bool inside = true;
    if constexpr (sizeof(Index) == sizeof(Key)) {  // a negative id is a large one to those who see no sign
      key_limit_ = std::uint64_t{kernels().largest(reinterpret_cast<const Key*>(indices_) + begin, end - begin)} + 1;
      inside = key_limit_ <= std::uint64_t{1} << 31;
    } else {
      for (std::size_t i = begin; i < end; ++i) inside &= is_id(indices_[i]);
    }
    for (std::size_t r = 0; !inside && r < size(); ++r)
      for (auto i = starts_[r]; i < starts_[r + 1]; ++i)
        if (!is_id(indices_[i]))
          throw BadRow(r, "feature ids must be between 0 and 4294967295, got " + std::to_string(indices_[i]));
  }
  static bool is_id(Index index) {
    if constexpr (sizeof(Index) > sizeof(Key)) return index >= 0 && index <= Index{0xffffffff};
    return index >= 0;
  }

  std::vector<std::int64_t> starts_;
  const Index* indices_;
  const Value* values_;
  std::uint64_t key_limit_ = std::uint64_t{1} << 32;
};

// The nonzero entries of a dense matrix, a chunk of rows at a time. Column c is feature c, or the feature of that name.
template <class Value>
class DenseRows {
 public:
  using Matrix = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Names = std::optional<std::vector<std::string>>;
  DenseRows(const Matrix& matrix, const Names& names, const NameSecret& secret)
      : values_(matrix.data()), rows_(matrix.shape(0)), columns_(matrix.shape(1)), named_(names.has_value()) {
    if (names && names->size() != columns_)
      throw nb::value_error(("the matrix has " + std::to_string(columns_) + " columns, but there are " +
                             std::to_string(names->size()) + " names")
                                .c_str());
    for (std::size_t c = 0; c < columns_; ++c)
      column_keys_.push_back(names ? key_of_name((*names)[c], secret) : static_cast<Key>(c));
    if (names) chunk_names_.columns = *names;
  }

  std::size_t size() const { return rows_; }
  bool named() const { return named_; }

  template <class Use>
  void for_each_batch(Use use) const {
    const std::size_t chunk = std::max<std::size_t>(1, (std::size_t{1} << 16) / std::max<std::size_t>(1, columns_));
    std::vector<std::int64_t> starts;
    std::vector<Key> keys;
    std::vector<float> values;
    ColumnNames names = chunk_names_;
    for (std::size_t first = 0; first < rows_; first += chunk) {
      starts.assign(1, 0);
      keys.clear();
      values.clear();
      names.column_of.clear();
      for (std::size_t r = first; r < std::min(rows_, first + chunk); ++r) {
        for (std::size_t c = 0; c < columns_; ++c) {
          const auto value = static_cast<float>(values_[r * columns_ + c]);
          if (value == 0.0f) continue;
          keys.push_back(column_keys_[c]);
          values.push_back(value);
          if (named_) names.column_of.push_back(static_cast<std::uint32_t>(c));
        }
        starts.push_back(static_cast<std::int64_t>(keys.size()));
      }
      use(RowBatch{starts, keys, values, {}, {}, named_ ? &names : nullptr}, first);
    }
  }

 private:
  struct ColumnNames final : NameSource {
    std::vector<std::string> columns;
    std::vector<std::uint32_t> column_of;  // of each entry of the chunk
    std::string name(std::size_t i) const override { return columns[column_of[i]]; }
  };

  const Value* values_;
  std::size_t rows_, columns_;
  bool named_;
  std::vector<Key> column_keys_;
  ColumnNames chunk_names_;
};

}  // namespace wmsketch::python
