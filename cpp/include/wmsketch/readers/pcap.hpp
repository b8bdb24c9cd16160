// Captured packets: classic pcap (micro- and nanoseconds, both byte orders) and pcapng, read in chunks. Each packet is
// a row with the columns
//   src, dst          addresses                         src=10.1.2.3
//   src_net, dst_net  networks of the addresses         src_net=10.1.0.0/16 (/8 /16 /24; for IPv6 /32 /48 /64)
//   sport, dport      ports                             dport=443
//   proto             protocol                          proto=tcp (not IP: the Ethernet type, proto=arp)
// and its length on the wire in the column `bytes`, for use as a weight. The parser never reads beyond the captured
// bytes. A packet that the capture truncated gives the columns that its bytes still contain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/readers/pcap_packet.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

struct BadCapture {
  std::uint64_t offset;  // offset in the uncompressed file
  std::string message;
};

class PcapParser {
 public:
  static constexpr std::uint32_t kLargestPacket = 1 << 20;  // more than any capture program writes

  static constexpr int kFirstEphemeral = 32768;  // ports from here on are assigned dynamically

  // all_ports: keep the numbers of ephemeral ports. Otherwise all of them become the value "ephemeral".
  explicit PcapParser(RowEncoder& encoder, bool all_ports = true) : encoder_(encoder), all_ports_(all_ports) {}

  // Returns the rows of the packets that this chunk completes. If the file is damaged, returns the rows before the
  // damage and sets `error`; the parser then accepts no more input. `final`: the file ends here.
  std::unique_ptr<RowBlock> feed(std::string_view chunk, bool final);

  const std::optional<BadCapture>& error() const { return error_; }
  void next_file();

 private:
  enum class Kind : std::uint8_t { unknown, classic, ng };
  struct Problem {
    std::uint64_t offset;
    std::string message;
  };

  bool take_record();  // one header, packet or block; false if incomplete
  bool take_file_header();
  bool take_classic_packet();
  bool take_block();
  void read_block(std::uint32_t type, std::string_view body);
  void add_packet(std::uint32_t interface, std::string_view packet, std::uint32_t on_the_wire, std::uint64_t at);
  void add_addresses(const char* column, const char* net_column, int ip_version, const PacketFields::Address& address);

  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }
  std::uint64_t offset() const { return buffer_offset_ + at_; }
  std::uint32_t word(std::string_view bytes, std::size_t at) const;  // in the byte order of the file
  std::uint32_t half(std::string_view bytes, std::size_t at) const;

  RowEncoder& encoder_;
  bool all_ports_;
  Kind kind_ = Kind::unknown;
  bool big_endian_ = false;
  struct Interface {
    std::uint32_t link_type, snap_length;
  };
  std::vector<Interface> interfaces_;  // classic files have one
  std::string buffer_;                 // unread input, from at_ on
  std::size_t at_ = 0;
  std::uint64_t buffer_offset_ = 0;  // offset of the buffer in the file
  std::uint64_t skip_ = 0;           // bytes still to skip of a block without packets
  std::string text_;
  std::optional<BadCapture> error_;
};

}  // namespace wmsketch
