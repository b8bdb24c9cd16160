// Captured packets: classic pcap (micro- and nanoseconds, both byte orders) and pcapng, fed in chunks. A packet is a
// row of the columns
//   src, dst          its addresses                     src=10.1.2.3
//   src_net, dst_net  the networks they lie in          src_net=10.1.0.0/16 (/8 /16 /24; for IPv6 /32 /48 /64)
//   sport, dport      ports                             dport=443
//   proto             the protocol                      proto=tcp (not IP: the Ethernet type, proto=arp)
// and its length on the wire in the column `bytes`, for weights. Nothing outside the captured bytes is ever read; a
// packet that was cut short by the capture gives what its bytes still say.
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
  std::uint64_t offset;  // in the (uncompressed) file
  std::string message;
};

class PcapParser {
 public:
  static constexpr std::uint32_t kLargestPacket = 1 << 20;  // above what any capture program writes

  static constexpr int kFirstEphemeral = 32768;  // ports that systems give to whoever asks

  // all_ports: ephemeral ports are values of their own; else they are one, "ephemeral".
  explicit PcapParser(RowEncoder& encoder, bool all_ports = true) : encoder_(encoder), all_ports_(all_ports) {}

  // The rows of the packets that this chunk completes. After damage: those before it; `error` then says what was wrong,
  // and the parser takes no more. `final` says that the file ends here.
  std::unique_ptr<RowBlock> feed(std::string_view chunk, bool final);

  const std::optional<BadCapture>& error() const { return error_; }
  void next_file();

 private:
  enum class Kind : std::uint8_t { unknown, classic, ng };
  struct Problem {
    std::uint64_t offset;
    std::string message;
  };

  bool take_record();  // one header, packet or block; false when it is not complete yet
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
  std::string buffer_;                 // what is not used up, from at_ on
  std::size_t at_ = 0;
  std::uint64_t buffer_offset_ = 0;  // where the buffer begins in the file
  std::uint64_t skip_ = 0;           // bytes of a block without packets that are still to come
  std::string text_;
  std::optional<BadCapture> error_;
};

}  // namespace wmsketch
