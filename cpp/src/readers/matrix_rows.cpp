#include "wmsketch/readers/matrix_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "wmsketch/data/error.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {
namespace {

template <class Index>
bool is_id(Index index) {
  if constexpr (sizeof(Index) > sizeof(Key)) return index >= 0 && index <= Index{0xffffffff};
  return index >= 0;
}

}  // namespace

template <class Index, class Value>
CsrRows<Index, Value>::CsrRows(std::span<const Index> starts, std::span<const Index> indices,
                               std::span<const Value> values, std::size_t columns)
    : starts_(starts.begin(), starts.end()), indices_(indices.data()), values_(values.data()), columns_(columns) {
  if (starts_.empty()) throw std::invalid_argument("broken CSR: indptr is empty");
  if (indices.size() != values.size())
    throw std::invalid_argument("broken CSR: indices has " + std::to_string(indices.size()) +
                                " entries, but data has " + std::to_string(values.size()));
  if (starts_[0] < 0)
    throw std::invalid_argument("broken CSR: indptr starts at " + std::to_string(starts_[0]) + ", below 0");
  for (std::size_t r = 1; r < starts_.size(); ++r)
    if (starts_[r] < starts_[r - 1])
      throw BadRow(r - 1, "broken CSR: indptr falls from " + std::to_string(starts_[r - 1]) + " to " +
                              std::to_string(starts_[r]));
  if (static_cast<std::uint64_t>(starts_.back()) > indices.size())
    throw std::invalid_argument("broken CSR: indptr ends at " + std::to_string(starts_.back()) + ", but indices has " +
                                std::to_string(indices.size()) + " entries");
  check_ids();
}

template <class Index, class Value>
void CsrRows<Index, Value>::for_each_batch(const Use& use, bool wide) const {
  if constexpr (sizeof(Index) == sizeof(Key) && std::is_same_v<Value, float>) {
    const auto end = static_cast<std::size_t>(starts_.back());
    RowBatch batch{starts_, {reinterpret_cast<const Key*>(indices_), end}, {values_, end}, {}, {}, nullptr};
    batch.key_limit = key_limit_;
    batch.known_squares = known_squares_;
    use(batch, std::size_t{0});
    known_squares_ = batch.known_squares;  // kept, because rows are checked in one pass and learned in another
  } else {
    std::vector<std::int64_t> starts;
    std::vector<Key> keys;
    std::vector<float> values;
    for (std::size_t first = 0, last = 0; first < size(); first = last) {
      const auto fits = [&](std::size_t row) {
        return static_cast<std::size_t>(starts_[row + 1] - starts_[first]) <= kEntriesPerBatch;
      };
      for (last = first + 1; last < size() && fits(last);) ++last;
      const std::int64_t begin = starts_[first];
      starts.clear();
      for (std::size_t r = first; r <= last; ++r) starts.push_back(starts_[r] - begin);
      keys.assign(indices_ + begin, indices_ + starts_[last]);
      values.assign(values_ + begin, values_ + starts_[last]);
      RowBatch batch{starts, keys, values, {}, {}, nullptr};
      if constexpr (std::is_same_v<Value, double>)
        if (wide) batch.wide = {values_ + begin, values.size()};
      use(batch, first);
    }
  }
}

template <class Index, class Value>
void CsrRows<Index, Value>::check_ids() {
  const auto begin = static_cast<std::size_t>(starts_.front()), end = static_cast<std::size_t>(starts_.back());
  bool inside = true;
  if constexpr (sizeof(Index) == sizeof(Key)) {  // as unsigned numbers, negative ids are large
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

template <class Value>
DenseRows<Value>::DenseRows(const Value* values, std::size_t rows, std::size_t columns, const Names& names,
                            const NameSecret& secret, bool may_miss)
    : values_(values), rows_(rows), columns_(columns), named_(names.has_value()), may_miss_(may_miss) {
  if (names && names->size() != columns_)
    throw std::invalid_argument("the matrix has " + std::to_string(columns_) + " columns, but " +
                                std::to_string(names->size()) + " column names were given");
  for (std::size_t c = 0; c < columns_; ++c)
    column_keys_.push_back(names ? key_of_name((*names)[c], secret) : static_cast<Key>(c));
  if (names) names_.columns = *names;
}

template <class Value>
void DenseRows<Value>::for_each_batch(const Use& use, bool wide) const {
  const std::size_t chunk = std::max<std::size_t>(1, kEntriesPerBatch / std::max<std::size_t>(1, columns_));
  std::vector<std::int64_t> starts;
  std::vector<Key> keys;
  std::vector<float> values;
  std::vector<double> wide_values;
  ColumnNames names = names_;
  for (std::size_t first = 0; first < rows_; first += chunk) {
    starts.assign(1, 0);
    keys.clear();
    values.clear();
    wide_values.clear();
    names.column_of.clear();
    for (std::size_t r = first; r < std::min(rows_, first + chunk); ++r) {
      for (std::size_t c = 0; c < columns_; ++c) {
        const Value given = values_[r * columns_ + c];
        const float value = may_miss_ && std::isnan(given) ? 0.0f : static_cast<float>(given);
        if (value == 0.0f && (!wide || given == 0)) continue;
        keys.push_back(column_keys_[c]);
        values.push_back(value);
        if (wide) wide_values.push_back(static_cast<double>(given));
        if (named_) names.column_of.push_back(static_cast<std::uint32_t>(c));
      }
      starts.push_back(static_cast<std::int64_t>(keys.size()));
    }
    RowBatch batch{starts, keys, values, {}, {}, named_ ? &names : nullptr};
    batch.wide = wide_values;
    use(batch, first);
  }
}

template class CsrRows<std::int32_t, float>;
template class CsrRows<std::int32_t, double>;
template class CsrRows<std::int64_t, float>;
template class CsrRows<std::int64_t, double>;
template class DenseRows<float>;
template class DenseRows<double>;

}  // namespace wmsketch
