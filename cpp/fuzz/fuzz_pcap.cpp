// A capture must give the same packets and the same error however it is split into chunks, without reads outside it.
#include <cstdlib>

#include "same_rows.hpp"
#include "wmsketch/readers/pcap.hpp"

namespace {

wmsketch::Parsed parse(const std::vector<std::string_view>& pieces, std::uint8_t choice) {
  wmsketch::EncoderOptions options;
  if (choice & 1) options.weight = "bytes";
  if (choice & 2) options.interactions = {{"src", "dport"}};
  wmsketch::RowEncoder encoder(options);
  wmsketch::PcapParser parser(encoder);
  wmsketch::Parsed parsed;
  for (std::size_t i = 0; i < pieces.size() && !parser.error(); ++i) {
    // each piece in its own memory, so that the sanitizer detects reads outside it
    const std::string piece(pieces[i]);
    parsed.add(*parser.feed(piece, i + 1 == pieces.size()));
  }
  if (const auto& error = parser.error()) {
    parsed.line = error->offset;
    parsed.message = error->message;
    std::size_t size = 0;
    for (const std::string_view piece : pieces) size += piece.size();
    if (error->offset > size) std::abort();
  }
  return parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view file(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t first = data[1] % (file.size() + 1), second = first + data[2] % (file.size() - first + 1);
  const std::vector<std::string_view> cut{file.substr(0, first), file.substr(first, second - first),
                                          file.substr(second)};
  if (!(parse({file}, data[0]) == parse(cut, data[0]))) std::abort();
  return 0;
}
