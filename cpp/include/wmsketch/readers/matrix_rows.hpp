// Rows of matrices as batches: CSR matrices of the common types, and dense matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

inline constexpr std::size_t kEntriesPerBatch = 1 << 16;  // of matrices that need conversion

class MatrixRows {
 public:
  using Use = std::function<void(RowBatch& batch, std::size_t first_row)>;

  virtual ~MatrixRows() = default;
  virtual std::size_t size() const = 0;
  virtual bool named() const { return false; }
  virtual MatrixWidth width() const = 0;
  // Calls use(batch, first_row) for all rows in order, in one batch or several. `use` may add labels to the batch. If
  // `wide`, the batches also have the values before conversion to float.
  virtual void for_each_batch(const Use& use, bool wide = false) const = 0;
};

// float32 data with int32 indices is used in place. Other types are converted one chunk of rows at a time. Index is
// std::int32_t or std::int64_t, Value float or double.
template <class Index, class Value>
class CsrRows final : public MatrixRows {
 public:
  // Throws if the arrays are not a CSR matrix, and throws BadRow for an index that is not a feature id.
  CsrRows(std::span<const Index> starts, std::span<const Index> indices, std::span<const Value> values,
          std::size_t columns = 0);

  std::size_t size() const override { return starts_.size() - 1; }
  MatrixWidth width() const override { return {columns_, false}; }
  void for_each_batch(const Use& use, bool wide) const override;

 private:
  void check_ids();

  std::vector<std::int64_t> starts_;
  const Index* indices_;
  const Value* values_;
  std::size_t columns_;
  std::uint64_t key_limit_ = std::uint64_t{1} << 32;
  mutable std::optional<float> known_squares_{};  // see RowBatch
};

// The nonzero entries of a dense matrix, one chunk of rows at a time. Column c is feature c, or the feature with the
// name of the column. Value is float or double. With `may_miss`, NaN is a missing value: 0, and NaN among wide values.
template <class Value>
class DenseRows final : public MatrixRows {
 public:
  using Names = std::optional<std::vector<std::string>>;

  DenseRows(const Value* values, std::size_t rows, std::size_t columns, const Names& names, const NameSecret& secret,
            bool may_miss = false);

  std::size_t size() const override { return rows_; }
  bool named() const override { return named_; }
  MatrixWidth width() const override { return {columns_, true}; }
  void for_each_batch(const Use& use, bool wide) const override;

 private:
  struct ColumnNames final : NameSource {
    std::vector<std::string> columns;
    std::vector<std::uint32_t> column_of;  // for each entry of the chunk
    std::string name(std::size_t i) const override { return columns[column_of[i]]; }
  };

  const Value* values_;
  std::size_t rows_, columns_;
  bool named_, may_miss_;
  std::vector<Key> column_keys_;
  ColumnNames names_;
};

}  // namespace wmsketch
