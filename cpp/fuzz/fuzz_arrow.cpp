// Arrow record batches from hostile producers. Buffers are as long as their array says, because a consumer cannot know
// their size. Everything else comes from the input: contents, lengths, children, types and dictionaries.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "wmsketch/readers/arrow_rows.hpp"

namespace {

using namespace wmsketch;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  std::uint8_t byte() { return at_ == end_ ? 0 : *at_++; }
  // A number near the limits of what is allowed, or far outside.
  std::int64_t number(std::int64_t fair) {
    constexpr std::int64_t kOdd[] = {-1, INT64_MIN, INT64_MAX, 1 << 20, INT32_MAX, INT32_MIN, 0, 1};
    const std::uint8_t choice = byte();
    return choice < 224 ? fair : choice < 232 ? fair + 1 : choice < 240 ? fair - 1 : kOdd[choice % 8];
  }

 private:
  const std::uint8_t *at_, *end_;
};

constexpr const char* kFormats[] = {
    "n",    "b", "c",  "C",   "s",   "S",       "i",  "I",  "l",  "L",    "e",     "f",     "g",    "u",
    "z",    "U", "vu", "tdD", "tdm", "tsu:UTC", "+s", "+l", "+L", "+w:2", "d:9,2", "+ud:0", "+w:x", "d:1,99999999999",
    "tss:", "x"};

// Owns everything that the structures point to.
struct World {
  std::deque<std::string> texts;
  std::deque<ArrowSchema> schemas;
  std::deque<ArrowArray> arrays;
  std::deque<std::vector<ArrowSchema*>> schema_lists;
  std::deque<std::vector<ArrowArray*>> array_lists;
  std::deque<std::vector<const void*>> buffer_lists;
  std::deque<std::vector<std::uint8_t>> buffers;
  int batches_left = 0;
  ArrowSchema* schema = nullptr;
  ArrowArray* array = nullptr;
};

constexpr std::size_t kTextBytes = 64;
constexpr std::int64_t kMostRows = 12;

ArrowSchema* make_schema(World& world, Input& input, int depth) {
  ArrowSchema& schema = world.schemas.emplace_back();
  schema = {};
  const std::size_t choice = depth == 0 ? 20 : input.byte() % std::size(kFormats);
  schema.format = kFormats[choice];
  schema.name = world.texts.emplace_back(1, static_cast<char>('a' + input.byte() % 4)).c_str();
  const std::string format = schema.format;
  if (format.starts_with("+") && depth < 5) {
    auto& children = world.schema_lists.emplace_back();
    const std::size_t n = format == "+s" ? 1 + input.byte() % 3 : 1 + (input.byte() > 250);
    for (std::size_t i = 0; i < n; ++i) children.push_back(make_schema(world, input, depth + 1));
    schema.n_children = static_cast<std::int64_t>(n);
    schema.children = children.data();
  } else if (depth > 0 && input.byte() % 4 == 0 && depth < 5) {
    schema.dictionary = make_schema(world, input, depth + 1);
  }
  return &schema;
}

ArrowArray* make_array(World& world, Input& input, const ArrowSchema& schema, std::int64_t rows) {
  ArrowArray& array = world.arrays.emplace_back();
  array = {};
  const std::int64_t before = input.byte() % 3;
  const std::string format = schema.format;
  const bool text = format == "u" || format == "z" || format == "U", view = format == "vu";
  array.null_count = input.byte() % 2;
  array.offset = before;
  array.length = rows;
  auto& buffers = world.buffer_lists.emplace_back();
  const std::size_t entries = static_cast<std::size_t>(before + rows) + 1;
  const auto add = [&](std::size_t size) -> std::vector<std::uint8_t>& {
    auto& buffer = world.buffers.emplace_back(size);
    for (auto& byte : buffer) byte = input.byte();
    buffers.push_back(buffer.data());
    return buffer;
  };
  add(entries / 8 + 1);
  if (format != "+s" && !format.starts_with("+w")) {
    auto& values = add(16 * entries);
    const std::size_t width = format == "U" ? 8 : 4;
    for (std::size_t i = 0; text && i < entries; ++i) {  // within the bytes, whose length only the producer knows
      std::memset(&values[i * width + 1], input.byte() > 250 ? 0xff : 0, width - 1);
      values[i * width] %= kTextBytes;
    }
  }
  if (text) add(kTextBytes);
  if (view) {
    add(kTextBytes);
    auto& sizes = add(8);
    const std::int64_t size = kTextBytes;
    std::memcpy(sizes.data(), &size, 8);
  }
  array.n_buffers = static_cast<std::int64_t>(buffers.size());
  array.buffers = buffers.data();
  if (schema.n_children > 0) {
    auto& children = world.array_lists.emplace_back();
    const std::int64_t needed = (before + rows) * (format.starts_with("+w") ? 2 : 1);
    for (std::int64_t i = 0; i < schema.n_children; ++i)
      children.push_back(input.byte() > 252 ? nullptr : make_array(world, input, *schema.children[i], needed));
    array.children = children.data();
    array.n_children = schema.n_children;
  }
  if (schema.dictionary && input.byte() < 250)
    array.dictionary = make_array(world, input, *schema.dictionary, input.byte() % kMostRows);
  // a consumer can detect arrays that are too small, but must trust the length of buffers
  if (input.byte() > 200) array.n_children = input.number(array.n_children);
  if (input.byte() > 200) array.n_buffers = std::min(array.n_buffers, input.number(array.n_buffers));
  if (input.byte() > 200) array.length = std::min(array.length, input.number(array.length));
  if (input.byte() > 200) array.offset = std::min(array.offset, input.number(array.offset));
  return &array;
}

void released_schema(ArrowSchema* schema) { schema->release = nullptr; }
void released_array(ArrowArray* array) { array->release = nullptr; }

ArrowArrayStream stream_of(World& world) {
  ArrowArrayStream stream{};
  stream.private_data = &world;
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    *out = *static_cast<World*>(self->private_data)->schema;
    out->release = released_schema;
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    World& own = *static_cast<World*>(self->private_data);
    *out = {};
    if (own.batches_left-- > 0) {
      *out = *own.array;
      out->release = released_array;
    }
    return 0;
  };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream.release = [](ArrowArrayStream* self) { self->release = nullptr; };
  return stream;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  World world;
  const std::uint8_t choice = input.byte();
  world.batches_left = 1 + choice % 2;
  world.schema = make_schema(world, input, 0);
  world.array = make_array(world, input, *world.schema, input.byte() % kMostRows);
  EncoderOptions options;
  options.require_labels = choice & 4;
  if (choice & 8) options.label = "a";
  if (choice & 16) options.text = {"b"};
  if (choice & 32) options.categorical = {"c"};
  RowEncoder encoder(options);
  ArrowArrayStream stream = stream_of(world);
  try {
    ArrowRows rows(encoder, &stream);
    rows.columns();
    while (const auto block = rows.next()) {
      for (const float value : block->values)
        if (!(value - value == 0)) std::abort();  // finite
      for (std::size_t i = 0; i < block->keys.size(); ++i) block->name(i);
      if (rows.error()) break;
    }
  } catch (const std::invalid_argument&) {  // not a stream of record batches
  }
  return 0;
}
