// Reads rows from Arrow record batches without copying the columns.
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

// Supports text and binary columns and dictionaries of them, numbers, decimals, booleans, durations (in seconds), and
// dates and timestamps (as text). Structures and lists become dotted names such as `a.b` and `a.0`, as in
// json_lines.hpp.
class ArrowRows {
 public:
  struct Field;

  // Takes ownership of the stream. Throws std::invalid_argument if it is not a stream of record batches.
  ArrowRows(RowEncoder& encoder, ArrowArrayStream* stream, std::uint64_t rows_before = 0);
  ~ArrowRows();

  // All columns, including those inside structures.
  std::vector<std::string> columns() const;

  // Returns up to a few thousand rows, or null at the end. After a bad row, returns the rows before it and sets
  // `error`. Throws std::runtime_error with the producer's message if the producer fails.
  std::unique_ptr<RowBlock> next();
  const std::optional<RejectedRow>& error() const { return error_; }
  void set_rejects(RejectOptions options) { rejected_.set_options(options); }
  RejectedRows::Counts take_rejected() { return rejected_.take(); }

 private:
  struct Element;  // the list element that contains a value

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
  std::size_t text_bytes_ = 0;  // in the current block
  std::uint64_t n_rows_;
  std::unique_ptr<Field> root_;
  std::optional<RejectedRow> error_;
  RejectedRows rejected_;
};

}  // namespace wmsketch
