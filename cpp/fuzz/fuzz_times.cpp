// Times that anybody may have written: a finite number of seconds, or none.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wmsketch/readers/times.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);  // of its own, so that a step outside is seen
  const auto seconds = wmsketch::seconds_in(text);
  if (seconds && !std::isfinite(*seconds)) std::abort();
  return 0;
}
