#include "same_rows.hpp"
#include "wmsketch/readers/vw.hpp"

namespace {

struct Parser {
  explicit Parser(std::uint8_t choice) : parser(wmsketch::label_options(choice)) {}
  wmsketch::VwParser parser;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wmsketch::check_any_cut<Parser>(data, size);
  return 0;
}
