#include "same_rows.hpp"
#include "wmsketch/readers/csv.hpp"

namespace {

// Every column is given its kind, because a guess may depend on where the first chunk ends.
wmsketch::EncoderOptions options(std::uint8_t choice) {
  wmsketch::EncoderOptions options;
  options.require_labels = choice & 1;
  if (choice & 2) options.positive = "1";
  if (choice & 16) {
    options.label = "n";
    options.kinds["n"] = wmsketch::ColumnKind::number;
  }
  options.text = {"t"};
  options.numeric = {"n"};
  options.categorical = {"c"};
  if ((choice & 20) == 4) options.interactions = {{"c", "n"}};
  return options;
}

struct Parser {
  using Quoting = wmsketch::Quoting;
  explicit Parser(std::uint8_t choice)
      : encoder(options(choice)),
        parser(encoder, choice & 8 ? ';' : ',', {"c", "n", "t"}, Quoting{static_cast<std::uint8_t>(choice / 32 % 3)}) {}
  wmsketch::RowEncoder encoder;
  wmsketch::CsvParser parser;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wmsketch::check_any_cut<Parser>(data, size);
  return 0;
}
