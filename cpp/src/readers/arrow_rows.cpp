#include "wmsketch/readers/arrow_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "wmsketch/data/utf8.hpp"
#include "wmsketch/readers/arrow_kinds.hpp"
#include "wmsketch/readers/arrow_values.hpp"
#include "wmsketch/readers/numbers.hpp"

namespace wmsketch {
using namespace arrow;
using Role = RowEncoder::Role;

namespace {

constexpr std::int64_t kRowsPerBlock = 8192;
constexpr std::size_t kTextPerBlock = std::size_t{16} << 20;  // a dictionary may repeat a long text in every row

ColumnKind column_kind(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return ColumnKind::boolean;
    case Kind::text:
    case Kind::large_text:
    case Kind::text_view:
      return ColumnKind::text;
    case Kind::date_days:
    case Kind::date_ms:
    case Kind::timestamp:
      return ColumnKind::time;
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

// Whether an element of a list gets its own column, such as `a.0`, instead of the column of the list.
bool has_place(Kind kind) {
  return kind == Kind::structure || kind == Kind::list || kind == Kind::large_list || kind == Kind::fixed_list ||
         kind == Kind::float16 || kind == Kind::float32 || kind == Kind::float64 || kind == Kind::decimal;
}

// A whole number of a column that is too long to be a measurement, as text; empty: there is none.
template <class Integer>
std::string first_long_code(const ArrowArray& array) {
  for (std::int64_t i = array.offset; i < array.offset + array.length; ++i) {
    const auto value = at<Integer>(array, 1, i);
    if (std::abs(static_cast<double>(value)) >= kFirstLongCode && !is_null_at(array, i)) return std::to_string(value);
  }
  return {};
}
std::string first_long_code(Kind kind, const ArrowArray& array) {
  if (kind == Kind::int64) return first_long_code<std::int64_t>(array);
  return kind == Kind::uint64 ? first_long_code<std::uint64_t>(array) : std::string();
}

}  // namespace

struct ArrowRows::Field {
  Field(const ArrowSchema* schema, std::string full_name, int depth = 0)
      : name(std::move(full_name)), format(checked(schema, depth).format) {
    kind = kind_of(format);
    if (kind == Kind::fixed_list) list_size = number_in(format.substr(3), 0, std::int64_t{1} << 31);
    if (kind == Kind::decimal)
      decimal_scale = static_cast<int>(number_in(format.substr(format.find(',') + 1), -1000, 1000));
    if (schema->dictionary) {
      if (!is_index(kind))
        throw std::invalid_argument("expected integers as indices of an Arrow dictionary, found the Arrow type " +
                                    format);
      dictionary = std::make_unique<Field>(schema->dictionary, name, depth + 1);
    }
    const std::int64_t expected = n_children_of(kind);
    if (expected >= 0 && schema->n_children != expected)
      throw std::invalid_argument("the Arrow type " + format + " has " + std::to_string(schema->n_children) +
                                  " children, expected " + std::to_string(expected));
    for (std::int64_t i = 0; i < schema->n_children; ++i) {
      const ArrowSchema* const child = schema->children[i];
      const std::string own = child && child->name ? child->name : "";
      if (find_invalid_utf8(own.data(), own.data() + own.size()) != nullptr)
        throw std::invalid_argument("expected names of Arrow columns in UTF-8, found other bytes" +
                                    (name.empty() ? "" : " in a part of \"" + name + '"'));
      children.emplace_back(child, kind != Kind::structure ? name : name.empty() ? own : name + '.' + own, depth + 1);
    }
  }

  static const ArrowSchema& checked(const ArrowSchema* schema, int depth) {
    constexpr int kDeepest = 64;
    if (!schema || !schema->format || schema->n_children < 0 || (schema->n_children > 0 && !schema->children))
      throw std::invalid_argument("expected an Arrow schema, found one without a format or children");
    if (depth > kDeepest) throw std::invalid_argument("expected Arrow types nested at most 64 deep");
    return *schema;
  }
  std::int64_t number_in(const std::string& text, std::int64_t least, std::int64_t most) const {
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc() || number < least ||
        number > most)
      throw std::invalid_argument("expected an Arrow type, found " + format);
    return number;
  }

  // The field of the values: that of the dictionary if there is one.
  const Field& values() const { return dictionary ? *dictionary : *this; }
  Field& values() { return dictionary ? *dictionary : *this; }
  bool has_parts() const { return values().kind == Kind::structure; }

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
  root_ = std::make_unique<Field>(schema.get(), "");
  if (root_->kind != Kind::structure)
    throw std::invalid_argument("expected record batches, found a stream of single arrays");
}

ArrowRows::~ArrowRows() = default;

std::vector<std::string> ArrowRows::columns() const {
  std::vector<std::string> names;
  const auto collect = [&](const auto& self, const Field& field) -> void {
    if (!field.name.empty() && (names.empty() || names.back() != field.name)) names.push_back(field.name);
    for (const Field& child : field.values().children) self(self, child);
  };
  collect(collect, *root_);
  return names;
}

// Checks the lengths, buffers and children of a column of `rows` rows. The contents of the buffers are checked when
// they are read. Only the producer knows the length of the buffers.
void ArrowRows::check(const Field& field, const ArrowArray* array, std::int64_t rows) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (!array) throw Damaged("a column is missing");
  if (array->length < rows || array->length > kMost || array->offset < 0 || array->offset > kMost)
    throw Damaged("a column has " + std::to_string(array->length) + " rows at offset " + std::to_string(array->offset) +
                  ", expected " + std::to_string(rows));
  if (array->n_buffers > 0 && !array->buffers) throw Damaged("a column has no buffers");
  if (field.kind == Kind::null || field.kind == Kind::unknown) return;
  const std::int64_t buffers = n_buffers_of(field.kind);
  if (array->n_buffers < buffers) throw Damaged("a column has too few buffers");
  const std::int64_t end = array->offset + array->length;
  if (buffers > 1 && array->length > 0 && !array->buffers[1]) throw Damaged("a column has no values");
  if (field.dictionary) return check(*field.dictionary, array->dictionary, 0);
  if (field.children.empty()) return;
  if (array->n_children != static_cast<std::int64_t>(field.children.size()) || !array->children)
    throw Damaged("a column has " + std::to_string(array->n_children) + " children, expected " +
                  std::to_string(field.children.size()));
  const std::int64_t needed = field.kind == Kind::structure ? end : field.kind == Kind::fixed_list ? -1 : 0;
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    check(field.children[i], array->children[i], std::max<std::int64_t>(needed, 0));
    if (needed < 0 && array->children[i]->length / std::max<std::int64_t>(field.list_size, 1) < end)
      throw Damaged("a column of lists of " + std::to_string(field.list_size) + " values has too few values");
  }
}

void ArrowRows::resolve(Field& field, const ArrowArray& array) {
  field.column = encoder_.column(field.name);
  ColumnKind kind = field.dictionary && !field.has_parts() ? ColumnKind::text  // categories of any type
                                                           : column_kind(field.values().kind);
  if (kind != ColumnKind::unknown && encoder_.role(field.column) == Role::automatic) {
    const ColumnKind known = encoder_.kind(field.column);
    if (known == ColumnKind::unknown && !field.dictionary) kind = kind_by_values(kind, field.kind, field.name, array);
    if (is_time(kind) && encoder_.had_words(field.column)) kind = ColumnKind::text;
    const bool may_differ = known == ColumnKind::unknown || (known == ColumnKind::text && kind == ColumnKind::number);
    const std::string code =
        may_differ && !field.dictionary && !is_time(kind) ? first_long_code(field.kind, array) : "";
    if (known == ColumnKind::unknown) encoder_.set_kind(field.column, code.empty() ? kind : ColumnKind::text);
    if (known == ColumnKind::unknown ? !code.empty() : may_differ && code.empty())
      encoder_.note_code(field.column, code, false);
  }
  field.skip =
      field.values().children.empty() && encoder_.role(field.column) == Role::skip && !encoder_.is_tested(field.column);
  field.values().column = field.column;
  if (!field.has_parts()) return;  // elements of lists are resolved when they are read
  const ArrowArray& values = field.dictionary ? *array.dictionary : array;
  for (std::size_t i = 0; i < field.values().children.size(); ++i)
    resolve(field.values().children[i], *values.children[i]);
}

std::unique_ptr<RowBlock> ArrowRows::next() {
  while (batch_.empty() || at_ >= batch_->length) {
    batch_.reset();
    at_ = 0;
    if (stream_->get_next(stream_.get(), batch_.get()) != 0) {
      const char* const words = stream_->get_last_error(stream_.get());
      throw std::runtime_error(words ? words : "the Arrow stream failed");
    }
    if (batch_.empty()) return nullptr;
  }
  try {
    if (at_ == 0) check(*root_, batch_.get(), batch_->length);
    for (std::size_t i = 0; i < root_->children.size(); ++i) resolve(root_->children[i], *batch_->children[i]);
  } catch (const Damaged& damage) {
    error_ = RejectedRow{n_rows_ + 1, 0, damage.what()};
    return encoder_.take();
  }
  text_bytes_ = 0;
  const std::int64_t stop = std::min(batch_->length, at_ + kRowsPerBlock);
  for (; at_ < stop && text_bytes_ < kTextPerBlock && !error_; ++at_) {
    ++n_rows_;
    try {
      if (encoder_.has_condition()) {
        encoder_.start_test();
        emit(*root_, *batch_, at_, nullptr);
        if (!encoder_.passes()) {
          rejected_.leave_out();
          continue;
        }
      }
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
    } catch (const Damaged& damage) {
      encoder_.drop_row();
      error_ = RejectedRow{n_rows_, 0, damage.what()};
    }
  }
  return encoder_.take();
}

struct ArrowRows::Element {
  std::string path;       // name of the element, such as `a.0`
  std::size_t list_size;  // length of the list's name in the schema, which `path` replaces
  bool integers_are_names;
};

RowEncoder::ColumnId ArrowRows::column_of(const Field& field, const Element* element) {
  return element ? encoder_.column(element->path + field.name.substr(element->list_size)) : field.column;
}

// If a structure is missing, everything nested in it is missing.
void ArrowRows::emit_missing(const Field& field, const Element* element) {
  if (!field.has_parts()) return encoder_.add_missing(column_of(field, element));
  for (const Field& child : field.values().children)
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
  const bool may_be_code =
      std::is_integral_v<decltype(value)> && std::abs(static_cast<double>(value)) >= kFirstLongCode;
  if (may_be_code || encoder_.wants_text(column)) end = std::to_chars(text, text + sizeof text, value).ptr;
  encoder_.add_number(column, static_cast<double>(value), {text, end});
}

void ArrowRows::emit_text(const Field& field, RowEncoder::ColumnId column, std::string_view text) {
  if (find_invalid_utf8(text.data(), text.data() + text.size()) != nullptr)
    throw BadValue{"expected text in UTF-8 in column \"" + field.name + "\", found other bytes: ignore it"};
  text_bytes_ += text.size();
  encoder_.add_text(column, text);
}

void ArrowRows::emit_list(const Field& field, const ArrowArray& items, Range range, const Element* element) {
  const auto [begin, end] = range;
  const RowEncoder::ColumnId column = column_of(field, element);
  const Role role = encoder_.role(column);
  const bool one_column = encoder_.takes_whole_lists(column) || !has_place(field.children[0].kind);
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
  const bool is_null = field.kind == Kind::null || is_null_at(array, i);
  if (is_null) return emit_missing(field, element);
  if (field.dictionary) {
    const std::int64_t index = index_at(field.kind, array, i);
    if (index < 0 || index >= array.dictionary->length)
      throw Damaged("the index " + std::to_string(index) + " is outside a dictionary of " +
                    std::to_string(array.dictionary->length));
    return emit(*field.dictionary, *array.dictionary, index, element);
  }
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
      return emit_text(field, column, text_at<std::int32_t>(array, i));
    case Kind::large_text:
      return emit_text(field, column, text_at<std::int64_t>(array, i));
    case Kind::text_view:
      return emit_text(field, column, view_at(array, i));
    case Kind::date_days:
      return encoder_.add_text(column, text_of_time(at<std::int32_t>(array, 1, i), {1, 0}, 86400));
    case Kind::date_ms:
      return encoder_.add_text(column, text_of_time(at<std::int64_t>(array, 1, i), {1000, 3}));
    case Kind::timestamp:
      return encoder_.add_text(column, text_of_time(at<std::int64_t>(array, 1, i), unit_of(field.format[2])));
    case Kind::duration: {
      const auto per_second = static_cast<double>(unit_of(field.format[2]).per_second);
      return emit_number(column, static_cast<double>(at<std::int64_t>(array, 1, i)) / per_second, element);
    }
    case Kind::list:
      return emit_list(field, *array.children[0], range_at<std::int32_t>(array, i, array.children[0]->length), element);
    case Kind::large_list:
      return emit_list(field, *array.children[0], range_at<std::int64_t>(array, i, array.children[0]->length), element);
    case Kind::fixed_list:
      return emit_list(field, *array.children[0], {i * field.list_size, (i + 1) * field.list_size}, element);
    case Kind::unknown:
      if (encoder_.role(column) == Role::skip) return;
      throw BadValue{"column \"" + field.name + "\" has the Arrow type " + field.format +
                     ", which cannot become a feature: ignore it, or convert it to text or a number"};
    case Kind::null:
    case Kind::structure:
      return;
  }
}

}  // namespace wmsketch
