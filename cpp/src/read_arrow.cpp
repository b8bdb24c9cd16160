#include <algorithm>
#include <charconv>
#include <type_traits>

#include "wmsketch/readers/arrow_rows.hpp"
#include "wmsketch/readers/arrow_values.hpp"

namespace wmsketch {
using namespace arrow;
using Role = RowEncoder::Role;

namespace {

constexpr std::int64_t kRowsPerBlock = 8192;

ColumnKind column_kind(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return ColumnKind::boolean;
    case Kind::text:
    case Kind::large_text:
    case Kind::text_view:
    case Kind::date_days:
    case Kind::date_ms:
    case Kind::timestamp:
      return ColumnKind::text;
    case Kind::null:
    case Kind::structure:
    case Kind::list:
    case Kind::large_list:
    case Kind::fixed_list:
    case Kind::unknown:
      return ColumnKind::unknown;
    default:
      return ColumnKind::number;
  }
}

// Whether an element of a list has a column of its own, `a.0`, and not that of the list.
bool has_place(Kind kind) {
  return kind == Kind::structure || kind == Kind::list || kind == Kind::large_list || kind == Kind::fixed_list ||
         kind == Kind::float16 || kind == Kind::float32 || kind == Kind::float64 || kind == Kind::decimal;
}

}  // namespace

struct ArrowRows::Field {
  Field(const ArrowSchema& schema, std::string full_name) : name(std::move(full_name)), format(schema.format) {
    kind = kind_of(format);
    if (kind == Kind::fixed_list) list_size = std::stoll(format.substr(3));
    if (kind == Kind::decimal) decimal_scale = std::stoi(format.substr(format.find(',') + 1));
    if (schema.dictionary) dictionary = std::make_unique<Field>(*schema.dictionary, name);
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& child = *schema.children[i];
      const std::string own = child.name ? child.name : "";
      children.emplace_back(child, kind != Kind::structure ? name : name.empty() ? own : name + '.' + own);
    }
  }

  std::string name, format;
  Kind kind;
  std::int64_t list_size = 0;
  int decimal_scale = 0;
  RowEncoder::ColumnId column = 0;
  bool skip = false;
  std::unique_ptr<Field> dictionary;
  std::vector<Field> children;
};

ArrowRows::ArrowRows(RowEncoder& encoder, ArrowArrayStream* stream, std::uint64_t rows_before)
    : encoder_(encoder), stream_(stream), n_rows_(rows_before) {
  ArrowOwner<ArrowSchema> schema;
  if (stream_.empty() || stream_->get_schema(stream_.get(), schema.get()) != 0)
    throw std::invalid_argument("expected a stream of Arrow record batches");
  root_ = std::make_unique<Field>(*schema, "");
  if (root_->kind != Kind::structure)
    throw std::invalid_argument("expected record batches, found a stream of one array");
}

ArrowRows::~ArrowRows() = default;

std::vector<std::string> ArrowRows::columns() const {
  std::vector<std::string> names;
  const auto collect = [&](const auto& self, const Field& field) -> void {
    if (!field.name.empty() && (names.empty() || names.back() != field.name)) names.push_back(field.name);
    for (const Field& child : field.children) self(self, child);
  };
  collect(collect, *root_);
  return names;
}

void ArrowRows::resolve(Field& field) {
  field.column = encoder_.column(field.name);
  const ColumnKind kind = field.dictionary ? ColumnKind::text : column_kind(field.kind);  // a category, of any type
  if (kind != ColumnKind::unknown && encoder_.role(field.column) == Role::automatic &&
      encoder_.kind(field.column) == ColumnKind::unknown)
    encoder_.set_kind(field.column, kind);
  field.skip = field.children.empty() && encoder_.role(field.column) == Role::skip;
  if (field.dictionary) field.dictionary->column = field.column;
  if (field.kind != Kind::structure) return;  // elements of lists have columns of their own
  for (Field& child : field.children) resolve(child);
}

std::unique_ptr<RowBlock> ArrowRows::next() {
  while (batch_.empty() || at_ == batch_->length) {
    batch_.reset();
    at_ = 0;
    if (stream_->get_next(stream_.get(), batch_.get()) != 0) {
      const char* const words = stream_->get_last_error(stream_.get());
      throw std::runtime_error(words ? words : "the Arrow stream failed");
    }
    if (batch_.empty()) return nullptr;
  }
  for (Field& field : root_->children) resolve(field);
  for (const std::int64_t stop = std::min(batch_->length, at_ + kRowsPerBlock); at_ < stop && !error_; ++at_) {
    ++n_rows_;
    try {
      emit(*root_, *batch_, at_, nullptr);
      encoder_.end_row();
    } catch (BadValue& bad) {
      encoder_.drop_row();
      RejectedRow row{n_rows_, 0, std::move(bad.message), bad.fault, std::move(bad.name), std::move(bad.value)};
      if (rejected_.passes_over(row.fault)) {
        rejected_.add(std::move(row));
      } else {
        error_ = std::move(row);
      }
    }
  }
  return encoder_.take();
}

struct ArrowRows::Element {
  std::string path;       // its name, as `a.0`
  std::size_t list_size;  // of the list's own name in the schema, which the path stands for
  bool integers_are_names;
};

RowEncoder::ColumnId ArrowRows::column_of(const Field& field, const Element* element) {
  return element ? encoder_.column(element->path + field.name.substr(element->list_size)) : field.column;
}

// What is nested in a structure that is missing is missing too.
void ArrowRows::emit_missing(const Field& field, const Element* element) {
  if (field.kind != Kind::structure) return encoder_.add_missing(column_of(field, element));
  for (const Field& child : field.children)
    if (!child.skip || element) emit_missing(child, element);
}

void ArrowRows::emit_bool(RowEncoder::ColumnId column, bool value) {
  encoder_.add_bool(column, value, value ? "true" : "false");
}

void ArrowRows::emit_number(RowEncoder::ColumnId column, auto value, const Element* element) {
  char text[32];
  const char* end = text;
  if (std::is_integral_v<decltype(value)> && element && element->integers_are_names) {
    end = std::to_chars(text, text + sizeof text, value).ptr;
    return encoder_.add_text(column, {text, end});
  }
  if (encoder_.wants_text(column)) end = std::to_chars(text, text + sizeof text, value).ptr;
  encoder_.add_number(column, static_cast<double>(value), {text, end});
}

void ArrowRows::emit_list(const Field& field, const ArrowArray& items, std::int64_t begin, std::int64_t end,
                          const Element* element) {
  const RowEncoder::ColumnId column = column_of(field, element);
  const Role role = encoder_.role(column);
  const bool one_column =
      role == Role::text || role == Role::categorical || role == Role::numeric || !has_place(field.children[0].kind);
  if (begin == end) return encoder_.add_nothing(column);
  const std::string name = element ? element->path + field.name.substr(element->list_size) : field.name;
  for (std::int64_t i = begin; i < end; ++i) {
    const Element here{one_column ? name : name + '.' + std::to_string(i - begin), field.name.size(),
                       role == Role::automatic};
    emit(field.children[0], items, i, &here);
  }
}

void ArrowRows::emit(const Field& field, const ArrowArray& array, std::int64_t row, const Element* element) {
  const std::int64_t i = row + array.offset;
  const bool is_null = field.kind == Kind::null ||
                       (array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] && !bit(array.buffers[0], i));
  if (is_null) return emit_missing(field, element);
  if (field.dictionary) return emit(*field.dictionary, *array.dictionary, index_at(field.kind, array, i), element);
  if (field.kind == Kind::structure) {
    for (std::size_t child = 0; child < field.children.size(); ++child) {
      const Field& part = field.children[child];
      if (part.skip && !element) continue;
      emit(part, *array.children[child], i, element);
    }
    return;
  }
  const RowEncoder::ColumnId column = column_of(field, element);
  switch (field.kind) {
    case Kind::boolean:
      return emit_bool(column, bit(array.buffers[1], i));
    case Kind::int8:
      return emit_number(column, at<std::int8_t>(array, 1, i), element);
    case Kind::uint8:
      return emit_number(column, at<std::uint8_t>(array, 1, i), element);
    case Kind::int16:
      return emit_number(column, at<std::int16_t>(array, 1, i), element);
    case Kind::uint16:
      return emit_number(column, at<std::uint16_t>(array, 1, i), element);
    case Kind::int32:
      return emit_number(column, at<std::int32_t>(array, 1, i), element);
    case Kind::uint32:
      return emit_number(column, at<std::uint32_t>(array, 1, i), element);
    case Kind::int64:
      return emit_number(column, at<std::int64_t>(array, 1, i), element);
    case Kind::uint64:
      return emit_number(column, at<std::uint64_t>(array, 1, i), element);
    case Kind::float16:
      return emit_number(column, from_half(at<std::uint16_t>(array, 1, i)), element);
    case Kind::float32:
      return emit_number(column, at<float>(array, 1, i), element);
    case Kind::float64:
      return emit_number(column, at<double>(array, 1, i), element);
    case Kind::decimal:
      return emit_number(column, decimal_at(array, i, field.decimal_scale), element);
    case Kind::text:
      return encoder_.add_text(column, text_at<std::int32_t>(array, i));
    case Kind::large_text:
      return encoder_.add_text(column, text_at<std::int64_t>(array, i));
    case Kind::text_view:
      return encoder_.add_text(column, view_at(array, i));
    case Kind::date_days:
      return encoder_.add_text(column, text_of_time(at<std::int32_t>(array, 1, i), {1, 0}, 86400));
    case Kind::date_ms:
      return encoder_.add_text(column, text_of_time(at<std::int64_t>(array, 1, i), {1000, 3}));
    case Kind::timestamp:
      return encoder_.add_text(column, text_of_time(at<std::int64_t>(array, 1, i), unit_of(field.format[2])));
    case Kind::list:
      return emit_list(field, *array.children[0], at<std::int32_t>(array, 1, i), at<std::int32_t>(array, 1, i + 1),
                       element);
    case Kind::large_list:
      return emit_list(field, *array.children[0], at<std::int64_t>(array, 1, i), at<std::int64_t>(array, 1, i + 1),
                       element);
    case Kind::fixed_list:
      return emit_list(field, *array.children[0], i * field.list_size, (i + 1) * field.list_size, element);
    case Kind::unknown:
      if (encoder_.role(column) == Role::skip) return;
      throw BadValue{"column \"" + field.name + "\" has the Arrow type " + field.format +
                     ", which makes no feature: ignore it, or make it text or a number"};
    case Kind::null:
    case Kind::structure:
      return;
  }
}

}  // namespace wmsketch
