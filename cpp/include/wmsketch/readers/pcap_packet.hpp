// Addresses, ports and protocol from the headers of one packet, as far as they were captured.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace wmsketch {

struct PacketFields {
  using Address = std::array<std::uint8_t, 16>;

  std::uint8_t ip_version = 0;  // 4 or 6; 0: not IP, or the captured part is too short
  Address src{}, dst{};         // the first 4 bytes for version 4
  int protocol = -1;            // IP protocol number; -1: unknown
  int sport = -1, dport = -1;
  int ether_type = -1;  // for packets that are not IP
};

// Whether packets of this link type are supported: Ethernet, raw IP, Linux cooked (both versions), BSD loopback.
bool is_link_type_known(std::uint32_t link_type);

PacketFields read_packet(std::uint32_t link_type, std::string_view packet);

std::string_view name_of_protocol(int protocol);  // empty if it has no common name

// Appends the address in RFC 5952 notation, or its network of this many bits.
void append_address(std::string& out, int ip_version, PacketFields::Address address, unsigned bits);

}  // namespace wmsketch
