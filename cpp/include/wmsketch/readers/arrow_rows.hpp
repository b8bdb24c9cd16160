// Arrow record batches become rows, without a copy of the columns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wmsketch/readers/arrow_abi.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

namespace arrow {
struct Range;
}

// Texts (u, U, vu and their binary kin) and dictionaries of them, numbers, decimals, booleans, dates
// and timestamps (as text).
// Structures become dotted names, lists too: `a.b`, `a.0` (as in json_lines.hpp).
class ArrowRows {
 public:
  struct Field;

  // Takes the stream over. Throws std::invalid_argument when it is not one of record batches.
  ArrowRows(RowEncoder& encoder, ArrowArrayStream* stream, std::uint64_t rows_before = 0);
  ~ArrowRows();

  // All columns, those inside structures too.
  std::vector<std::string> columns() const;

  // Up to some thousand rows; null at the end. After a bad row: the rows before it, and `error` is set.
  // Throws std::runtime_error with the producer's words when it fails.
  std::unique_ptr<RowBlock> next();
  const std::optional<RejectedRow>& error() const { return error_; }
  void set_rejects(RejectOptions options) { rejected_.set_options(options); }
  RejectedRows::Counts take_rejected() { return rejected_.take(); }

 private:
  struct Element;  // the element of a list that a value lies in

  RowEncoder::ColumnId column_of(const Field& field, const Element* element);
  void emit(const Field& field, const ArrowArray& array, std::int64_t i, const Element* element);
  void emit_list(const Field& field, const ArrowArray& items, arrow::Range range, const Element* element);
  void emit_text(const Field& field, RowEncoder::ColumnId column, std::string_view text);
  void emit_bool(RowEncoder::ColumnId column, bool value);
  void emit_number(RowEncoder::ColumnId column, auto value, const Element* element);
  void emit_missing(const Field& field, const Element* element);
  void resolve(Field& field, const ArrowArray& array);
  static void check(const Field& field, const ArrowArray* array, std::int64_t rows);

  RowEncoder& encoder_;
  ArrowOwner<ArrowArrayStream> stream_;
  ArrowOwner<ArrowArray> batch_;
  std::int64_t at_ = 0;         // the next row of the batch
  std::size_t text_bytes_ = 0;  // of the block being made
  std::uint64_t n_rows_;
  std::unique_ptr<Field> root_;
  std::optional<RejectedRow> error_;
  RejectedRows rejected_;
};

}  // namespace wmsketch
