#include "wmsketch/readers/pcap_packet.hpp"

#include <algorithm>
#include <charconv>

namespace wmsketch {
namespace {

enum LinkType : std::uint32_t {
  kNull = 0,
  kEthernet = 1,
  kRawBsd = 12,
  kRawOpenBsd = 14,
  kRaw = 101,
  kLoop = 108,
  kLinuxCooked = 113,
  kIpv4 = 228,
  kIpv6 = 229,
  kLinuxCooked2 = 276,
};

constexpr int kTypeIpv4 = 0x0800, kTypeIpv6 = 0x86dd;

// A cursor over bytes. Reading beyond the end gives -1; skipping beyond the end stops there.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool has(std::size_t n) const { return bytes_.size() >= n; }
  int byte(std::size_t at) const { return at < bytes_.size() ? static_cast<std::uint8_t>(bytes_[at]) : -1; }
  int half(std::size_t at) const { return has(at + 2) ? byte(at) << 8 | byte(at + 1) : -1; }  // network order
  void skip(std::size_t n) { bytes_.remove_prefix(std::min(n, bytes_.size())); }
  void copy(std::size_t at, std::size_t n, PacketFields::Address& out) const {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), n, out.begin());
  }

 private:
  std::string_view bytes_;
};

// TCP, UDP, DCCP, SCTP and UDP-Lite all start with the two ports.
void read_ports(Bytes bytes, PacketFields& fields) {
  switch (fields.protocol) {
    case 6:
    case 17:
    case 33:
    case 132:
    case 136:
      fields.sport = bytes.half(0);
      fields.dport = bytes.half(2);
      break;
    default:
      break;
  }
}

void read_ipv4(Bytes bytes, PacketFields& fields) {
  constexpr std::size_t kShortest = 20;
  const std::size_t header = 4 * static_cast<std::size_t>(bytes.byte(0) & 15);
  if (!bytes.has(kShortest) || header < kShortest) return;
  fields.ip_version = 4;
  fields.protocol = bytes.byte(9);
  bytes.copy(12, 4, fields.src);
  bytes.copy(16, 4, fields.dst);
  const bool first_fragment = (bytes.half(6) & 0x1fff) == 0;
  bytes.skip(header);
  if (first_fragment) read_ports(bytes, fields);
}

void read_ipv6(Bytes bytes, PacketFields& fields) {
  constexpr std::size_t kHeader = 40;
  if (!bytes.has(kHeader)) return;
  fields.ip_version = 6;
  bytes.copy(8, 16, fields.src);
  bytes.copy(24, 16, fields.dst);
  int next = bytes.byte(6);
  bytes.skip(kHeader);
  bool first_fragment = true;
  for (;;) {  // terminates: every round skips at least 8 bytes
    const int length = bytes.byte(1);
    const bool is_fragment = next == 44, is_authentication = next == 51;
    const bool is_extension = next == 0 || next == 43 || next == 60 || next == 135 || next == 139 || next == 140;
    if (!first_fragment || !(is_fragment || is_authentication || is_extension) || length < 0) break;
    if (is_fragment && bytes.half(2) < 0) break;
    if (is_fragment) first_fragment = (bytes.half(2) & 0xfff8) == 0;
    next = bytes.byte(0);
    const auto units = static_cast<std::size_t>(length);
    bytes.skip(is_fragment ? 8 : is_authentication ? 4 * (units + 2) : 8 * (units + 1));
  }
  fields.protocol = next;
  if (first_fragment) read_ports(bytes, fields);
}

void read_ip(Bytes bytes, PacketFields& fields) {
  const int version = bytes.byte(0) < 0 ? 0 : bytes.byte(0) >> 4;
  if (version == 4) read_ipv4(bytes, fields);
  if (version == 6) read_ipv6(bytes, fields);
}

void read_ether_type(int type, Bytes bytes, PacketFields& fields) {
  while (type == 0x8100 || type == 0x88a8 || type == 0x9100) {  // VLAN tags, also stacked
    type = bytes.half(2);
    bytes.skip(4);
  }
  if (type == kTypeIpv4 || type == kTypeIpv6) {
    read_ip(bytes, fields);
  } else {
    fields.ether_type = type;
  }
}

}  // namespace

bool is_link_type_known(std::uint32_t link_type) {
  switch (link_type) {
    case kNull:
    case kEthernet:
    case kRawBsd:
    case kRawOpenBsd:
    case kRaw:
    case kLoop:
    case kLinuxCooked:
    case kIpv4:
    case kIpv6:
    case kLinuxCooked2:
      return true;
    default:
      return false;
  }
}

PacketFields read_packet(std::uint32_t link_type, std::string_view packet) {
  PacketFields fields;
  Bytes bytes(packet);
  switch (link_type) {
    case kEthernet: {
      const int type = bytes.half(12);
      bytes.skip(14);
      read_ether_type(type, bytes, fields);
      break;
    }
    case kLinuxCooked: {
      const int type = bytes.half(14);
      bytes.skip(16);
      read_ether_type(type, bytes, fields);
      break;
    }
    case kLinuxCooked2: {
      const int type = bytes.half(0);
      bytes.skip(20);
      read_ether_type(type, bytes, fields);
      break;
    }
    case kNull:  // address families differ between systems, so use the IP version
    case kLoop:
      bytes.skip(4);
      read_ip(bytes, fields);
      break;
    default:
      read_ip(bytes, fields);
  }
  return fields;
}

std::string_view name_of_protocol(int protocol) {
  switch (protocol) {
    case 1:
      return "icmp";
    case 2:
      return "igmp";
    case 6:
      return "tcp";
    case 17:
      return "udp";
    case 47:
      return "gre";
    case 50:
      return "esp";
    case 51:
      return "ah";
    case 58:
      return "icmpv6";
    case 89:
      return "ospf";
    case 132:
      return "sctp";
    default:
      return {};
  }
}

void append_address(std::string& out, int ip_version, PacketFields::Address address, unsigned bits) {
  const unsigned n_bytes = ip_version == 4 ? 4 : 16;
  for (unsigned i = 0; i < n_bytes; ++i) {
    const unsigned kept = std::clamp(static_cast<int>(bits) - static_cast<int>(8 * i), 0, 8);
    address[i] = static_cast<std::uint8_t>(address[i] & (0xff00u >> kept));
  }
  std::array<char, 8> digits;
  const auto append_number = [&](unsigned number, int base) {
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr);
  };
  if (ip_version == 4) {
    for (unsigned i = 0; i < 4; ++i) {
      if (i > 0) out += '.';
      append_number(address[i], 10);
    }
  } else {
    const auto group = [&](unsigned i) { return static_cast<unsigned>(address[2 * i] << 8 | address[2 * i + 1]); };
    unsigned zeros_at = 8, n_zeros = 1;  // the first longest run of at least two zero groups
    for (unsigned i = 0; i < 8; ++i) {
      unsigned n = 0;
      while (i + n < 8 && group(i + n) == 0) ++n;
      if (n > n_zeros) zeros_at = i, n_zeros = n;
    }
    for (unsigned i = 0; i < 8; ++i) {
      if (i == zeros_at) {
        out += "::";
        i += n_zeros - 1;
        continue;
      }
      if (i > 0 && out.back() != ':') out += ':';
      append_number(group(i), 16);
    }
  }
  if (bits < 8 * n_bytes) {
    out += '/';
    append_number(bits, 10);
  }
}

}  // namespace wmsketch
