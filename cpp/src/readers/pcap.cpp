#include "wmsketch/readers/pcap.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace wmsketch {
namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4, kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kSection = 0x0a0d0d0a, kByteOrder = 0x1a2b3c4d;
constexpr std::size_t kFileHeader = 24, kPacketHeader = 16, kBlockFrame = 12;  // frame of a block: type, length, length
enum BlockType : std::uint32_t { kInterface = 1, kOldPacket = 2, kSimplePacket = 3, kPacket = 6 };
constexpr std::uint32_t kLargestBlock = PcapParser::kLargestPacket + (1 << 16);  // includes the options of the block

std::uint32_t little_word(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}
std::uint32_t swapped(std::uint32_t value) {
  return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

std::string hex(std::uint32_t value) {
  std::array<char, 8> digits;
  return "0x" + std::string(digits.data(), std::to_chars(digits.data(), digits.data() + 8, value, 16).ptr);
}

}  // namespace

std::unique_ptr<RowBlock> PcapParser::feed(std::string_view chunk, bool final) {
  if (error_) throw std::invalid_argument("the parser has found a damaged capture and accepts no more input");
  buffer_.erase(0, at_);
  buffer_offset_ += at_;
  at_ = 0;
  buffer_ += chunk;
  try {
    while (take_record()) {
    }
    if (final && (!rest().empty() || skip_ > 0)) throw Problem{offset(), "the capture ends in the middle of a record"};
  } catch (Problem& problem) {
    error_ = {problem.offset, std::move(problem.message)};
  }
  return encoder_.take();
}

void PcapParser::next_file() {
  kind_ = Kind::unknown;
  interfaces_.clear();
  buffer_.clear();
  at_ = 0;
  buffer_offset_ = 0;
  skip_ = 0;
}

std::uint32_t PcapParser::word(std::string_view bytes, std::size_t at) const {
  const std::uint32_t value = little_word(bytes, at);
  return big_endian_ ? swapped(value) : value;
}

std::uint32_t PcapParser::half(std::string_view bytes, std::size_t at) const {
  const auto first = static_cast<std::uint8_t>(bytes[at]), second = static_cast<std::uint8_t>(bytes[at + 1]);
  return static_cast<std::uint32_t>(big_endian_ ? first << 8 | second : second << 8 | first);
}

bool PcapParser::take_record() {
  if (skip_ > 0) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, rest().size()));
    at_ += n;
    skip_ -= n;
    if (skip_ > 0) return false;
  }
  switch (kind_) {
    case Kind::unknown:
      return take_file_header();
    case Kind::classic:
      return take_classic_packet();
    case Kind::ng:
      return take_block();
  }
  return false;
}

bool PcapParser::take_file_header() {
  if (rest().size() < 4) return false;
  const std::uint32_t magic = little_word(rest(), 0);
  if (magic == kSection) {
    kind_ = Kind::ng;
    return true;
  }
  const auto is_classic = [](std::uint32_t value) { return value == kMicroseconds || value == kNanoseconds; };
  if (!is_classic(magic) && !is_classic(swapped(magic)))
    throw Problem{offset(), "expected a capture (pcap or pcapng), found the first word " + hex(magic)};
  if (rest().size() < kFileHeader) return false;
  big_endian_ = is_classic(swapped(magic));
  if (const std::uint32_t version = half(rest(), 4); version != 2)
    throw Problem{offset() + 4, "expected version 2 of the pcap format, found " + std::to_string(version)};
  interfaces_.push_back(
      {word(rest(), 20) & 0x0fffffff, kLargestPacket});  // the upper bits are flags of the frame check sequence
  kind_ = Kind::classic;
  at_ += kFileHeader;
  return true;
}

bool PcapParser::take_classic_packet() {
  const std::string_view record = rest();
  if (record.size() < kPacketHeader) return false;
  const std::uint32_t captured = word(record, 8), on_the_wire = word(record, 12);
  if (captured > kLargestPacket)
    throw Problem{offset() + 8, "expected a packet of at most " + std::to_string(kLargestPacket) + " bytes, found " +
                                    std::to_string(captured)};
  if (record.size() - kPacketHeader < captured) return false;
  add_packet(0, record.substr(kPacketHeader, captured), on_the_wire, offset());
  at_ += kPacketHeader + captured;
  return true;
}

bool PcapParser::take_block() {
  const std::string_view block = rest();
  if (block.size() < kBlockFrame) return false;
  const bool is_section = little_word(block, 0) == kSection;  // a palindrome, the same in both byte orders
  if (is_section) {
    const std::uint32_t mark = little_word(block, 8);
    if (mark != kByteOrder && swapped(mark) != kByteOrder)
      throw Problem{offset() + 8, "expected a byte order mark in a section header, found " + hex(mark)};
    big_endian_ = mark != kByteOrder;
    interfaces_.clear();  // each section has its own interfaces
  }
  const std::uint32_t type = word(block, 0), length = word(block, 4);
  if (length < kBlockFrame + (is_section ? 16 : 0) || length % 4 != 0)
    throw Problem{offset() + 4, "expected the length of a block, found " + std::to_string(length)};
  const bool has_news = type == kInterface || type == kOldPacket || type == kSimplePacket || type == kPacket;
  if (!has_news) {
    skip_ = length;  // names, statistics, secrets: of any length
    return true;
  }
  if (length > kLargestBlock)
    throw Problem{offset() + 4, "expected a block of at most " + std::to_string(kLargestBlock) + " bytes, found " +
                                    std::to_string(length)};
  if (block.size() < length) return false;
  if (word(block, length - 4) != length)
    throw Problem{offset() + length - 4, "expected the block to end with its length " + std::to_string(length) +
                                             ", found " + std::to_string(word(block, length - 4))};
  read_block(type, block.substr(8, length - kBlockFrame));
  at_ += length;
  return true;
}

void PcapParser::read_block(std::uint32_t type, std::string_view body) {
  const std::size_t least = type == kInterface ? 8 : type == kSimplePacket ? 4 : 20;
  if (body.size() < least)
    throw Problem{offset() + 4, "expected a block of at least " + std::to_string(least + kBlockFrame) + " bytes"};
  if (type == kInterface) {
    if (interfaces_.size() >= 0x10000) throw Problem{offset(), "expected at most 65536 interfaces"};
    interfaces_.push_back({half(body, 0), word(body, 4)});
    return;
  }
  const std::uint32_t interface = type == kPacket ? word(body, 0) : type == kOldPacket ? half(body, 0) : 0;
  if (interface >= interfaces_.size())
    throw Problem{offset() + 8,
                  "found a packet of interface " + std::to_string(interface) + ", which no earlier block describes"};
  const std::string_view data = body.substr(least);
  std::uint32_t captured, on_the_wire;
  if (type == kSimplePacket) {
    on_the_wire = word(body, 0);
    const std::uint32_t snap = interfaces_[0].snap_length;
    captured = std::min({on_the_wire, snap == 0 ? on_the_wire : snap, static_cast<std::uint32_t>(data.size())});
  } else {
    captured = word(body, 12);
    on_the_wire = word(body, 16);
  }
  if (captured > data.size())
    throw Problem{offset() + 20, "expected a packet of at most " + std::to_string(data.size()) +
                                     " bytes in its block, found " + std::to_string(captured)};
  add_packet(interface, data.substr(0, captured), on_the_wire, offset());
}

void PcapParser::add_packet(std::uint32_t interface, std::string_view packet, std::uint32_t on_the_wire,
                            std::uint64_t at) {
  const std::uint32_t link_type = interfaces_[interface].link_type;
  if (!is_link_type_known(link_type))
    throw Problem{at, "expected packets of Ethernet, raw IP, Linux cooked or loopback, found link type " +
                          std::to_string(link_type)};
  const PacketFields fields = read_packet(link_type, packet);
  const auto add_number = [&](const char* column, int number) {
    std::array<char, 16> digits;
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    if (number >= 0) encoder_.add_text(encoder_.column(column), {digits.data(), end});
  };
  if (fields.ip_version != 0) {
    add_addresses("src", "src_net", fields.ip_version, fields.src);
    add_addresses("dst", "dst_net", fields.ip_version, fields.dst);
    for (const auto& [column, port] : {std::pair("sport", fields.sport), std::pair("dport", fields.dport)}) {
      if (all_ports_ || port < kFirstEphemeral)
        add_number(column, port);
      else
        encoder_.add_text(encoder_.column(column), "ephemeral");
    }
  }
  const RowEncoder::ColumnId proto = encoder_.column("proto");
  if (const std::string_view name = name_of_protocol(fields.protocol); !name.empty()) {
    encoder_.add_text(proto, name);
  } else if (fields.protocol >= 0) {
    add_number("proto", fields.protocol);
  } else if (fields.ether_type == 0x0806) {
    encoder_.add_text(proto, "arp");
  } else if (fields.ether_type >= 0x0600) {
    encoder_.add_text(proto, hex(static_cast<std::uint32_t>(fields.ether_type)));
  } else {
    encoder_.add_text(proto, fields.ether_type >= 0 ? "llc" : "unknown");  // IEEE 802.3 has a length instead of a type
  }
  const RowEncoder::ColumnId bytes = encoder_.column("bytes");
  if (encoder_.role(bytes) == RowEncoder::Role::weight) encoder_.add_number(bytes, on_the_wire, "");
  encoder_.end_row();
}

void PcapParser::add_addresses(const char* column, const char* net_column, int ip_version,
                               const PacketFields::Address& address) {
  const auto add = [&](const char* name, unsigned bits) {
    const RowEncoder::ColumnId id = encoder_.column(name);
    if (encoder_.role(id) == RowEncoder::Role::skip) return;
    text_.clear();
    append_address(text_, ip_version, address, bits);
    encoder_.add_text(id, text_);
  };
  add(column, ip_version == 4 ? 32 : 128);
  constexpr std::array<unsigned, 3> kIpv4{8, 16, 24}, kIpv6{32, 48, 64};
  for (const unsigned bits : ip_version == 4 ? kIpv4 : kIpv6) add(net_column, bits);
}

}  // namespace wmsketch
