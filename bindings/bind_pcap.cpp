// Bindings of the packet reader.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "wmsketch/readers/pcap.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace wmsketch::python {

void bind_pcap(nb::module_& m) {
  nb::class_<PcapParser>(m, "PcapParser",
                         "Parser of captured packets (pcap and pcapng) in chunks; each packet is a row.")
      .def(nb::init<RowEncoder&, bool>(), "encoder"_a, "all_ports"_a = true, nb::keep_alive<1, 2>())
      .def(
          "feed",
          [](PcapParser& self, nb::bytes chunk, bool final) {
            const std::string_view bytes(chunk.c_str(), chunk.size());
            nb::gil_scoped_release unlocked;
            return self.feed(bytes, final);
          },
          "chunk"_a, "final"_a = false,
          "Return the packets that this chunk completes. If the file is damaged, return those before and set `error`.")
      .def_prop_ro(
          "error",
          [](const PcapParser& self) -> std::optional<std::pair<std::uint64_t, std::string>> {
            if (!self.error()) return std::nullopt;
            return std::pair(self.error()->offset, self.error()->message);
          },
          "None, or the byte offset (from 0) and the problem.")
      .def("next_file", &PcapParser::next_file, "Expect the start of a file.");
}

}  // namespace wmsketch::python
