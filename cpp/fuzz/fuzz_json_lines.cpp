#include "same_rows.hpp"
#include "wmsketch/readers/json_lines.hpp"

namespace {

wmsketch::EncoderOptions options(std::uint8_t choice) {
  wmsketch::EncoderOptions options;
  options.require_labels = choice & 1;
  if (choice & 2) options.label = "y";
  if (choice & 4) options.weight = "w";
  if (choice & 8) options.positive = "1";
  if (choice & 16) options.interactions = {{"a", "b"}};
  if (choice & 32) options.text = {"t"};
  if (choice & 64) options.numeric = {"n"};
  options.lowercase = choice & 128;
  options.ngrams = 2;
  return options;
}

struct Parser {
  explicit Parser(std::uint8_t choice) : encoder(options(choice)), parser(encoder) {}
  wmsketch::RowEncoder encoder;
  wmsketch::JsonLinesParser parser;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wmsketch::check_any_cut<Parser>(data, size);
  return 0;
}
