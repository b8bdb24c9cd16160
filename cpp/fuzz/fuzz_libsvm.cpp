#include "same_rows.hpp"
#include "wmsketch/readers/libsvm.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wmsketch::check_any_cut<wmsketch::LabelledRows<wmsketch::LibsvmParser>>(data, size);
  return 0;
}
