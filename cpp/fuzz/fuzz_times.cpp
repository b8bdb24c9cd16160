// Any text as a time gives a finite number of seconds, or none.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wmsketch/readers/times.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data),
                         size);  // a copy, so that the sanitizer detects reads outside it
  const auto seconds = wmsketch::seconds_in(text);
  if (seconds && !std::isfinite(*seconds)) std::abort();
  return 0;
}
