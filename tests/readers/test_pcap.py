"""Captures: the same fields as dpkt, in every variant of the file format, and damaged files."""

import gzip
import io
import ipaddress
import itertools
import struct

import dpkt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmsketch import _core
from wmsketch.formats import FORMATS
from wmsketch.readers import BadInput, ByteStream
from wmsketch.readers.packets import PacketRows

ETHERNET, RAW, COOKED, COOKED2, LOOPBACK = 1, 101, 113, 276, 0
MAC = bytes(6)


def udp(sport: int = 5353, dport: int = 53) -> bytes:
    return bytes(dpkt.udp.UDP(sport=sport, dport=dport, data=b"hello"))


def ipv4(
    src: str = "10.1.2.3", dst: str = "192.168.0.9", payload: bytes = b"", protocol: int = 17, **more: int
) -> bytes:
    addresses = {"src": ipaddress.ip_address(src).packed, "dst": ipaddress.ip_address(dst).packed}
    packet = dpkt.ip.IP(p=protocol, **addresses, **more)
    packet.data = payload or udp()
    packet.len = 20 + len(packet.data)
    return bytes(packet)


def ipv6(
    src: str = "2001:db8:1:2::5", dst: str = "fe80::1", next_header: int = 17, payload: bytes | None = None
) -> bytes:
    payload = udp() if payload is None else payload
    head = struct.pack(">IHBB", 6 << 28, len(payload), next_header, 64)
    return head + ipaddress.ip_address(src).packed + ipaddress.ip_address(dst).packed + payload


def ethernet(packet: bytes, kind: int = 0x0800, tags: bytes = b"") -> bytes:
    return MAC + MAC + tags + struct.pack(">H", kind) + packet


def classic(packets: list[bytes], link: int = ETHERNET, order: str = "<", magic: int = 0xA1B2C3D4) -> bytes:
    head = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    return head + b"".join(
        struct.pack(order + "IIII", 1, 2, len(packet), len(packet) + 100) + packet for packet in packets
    )


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", kind) + size + body + size


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link: int = ETHERNET, order: str = "<", snap: int = 0) -> bytes:
    return block(1, struct.pack(order + "HHI", link, 0, snap), order)


def enhanced(packet: bytes, number: int = 0, order: str = "<") -> bytes:
    return block(6, struct.pack(order + "IIIII", number, 0, 0, len(packet), len(packet) + 100) + packet, order)


def names(capture: bytes, **options: object) -> list[list[str]]:
    """The features of each packet."""
    rows = []
    for part in PacketRows(**options).blocks(ByteStream(io.BytesIO(capture), "x.pcap")):  # type: ignore[arg-type]
        starts = part.starts.tolist()
        rows += [[part.name(i) for i in range(*pair)] for pair in itertools.pairwise(starts)]
    return rows


ALL = [
    "src=10.1.2.3", "src_net=10.0.0.0/8", "src_net=10.1.0.0/16", "src_net=10.1.2.0/24",
    "dst=192.168.0.9", "dst_net=192.0.0.0/8", "dst_net=192.168.0.0/16", "dst_net=192.168.0.0/24",
    "sport=5353", "dport=53", "proto=udp",
]  # fmt: skip


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("magic", [0xA1B2C3D4, 0xA1B23C4D])
def test_classic_files_of_both_byte_orders_and_clocks(order, magic):
    capture = classic([ethernet(ipv4())] * 2, order=order, magic=magic)
    assert FORMATS["pcap"].begins(capture)
    assert names(capture) == [ALL, ALL]


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng_with_every_kind_of_packet_block_and_blocks_to_skip(order):
    packet = ethernet(ipv4())
    old = block(2, struct.pack(order + "HHIIII", 0, 0, 0, 0, len(packet), len(packet)) + packet, order)
    simple = block(3, struct.pack(order + "I", len(packet)) + packet, order)
    names_of_hosts = block(4, bytes(3_000_000), order)  # longer than a chunk
    capture = section(order) + interface(order=order) + enhanced(packet, order=order) + names_of_hosts + old + simple
    assert names(capture) == [ALL] * 3


def test_a_second_section_may_have_another_byte_order_and_other_interfaces():
    first = section() + interface() + interface(RAW) + enhanced(ipv4(), number=1)
    second = section(">") + interface(COOKED2, ">")
    cooked = struct.pack(">H", 0x0800) + bytes(18) + ipv4()
    assert names(first + second + enhanced(cooked, order=">")) == [ALL, ALL]


@pytest.mark.parametrize(
    ("link", "frame"),
    [
        (RAW, ipv4()),
        (228, ipv4()),
        (COOKED, bytes(14) + struct.pack(">H", 0x0800) + ipv4()),
        (COOKED2, struct.pack(">H", 0x0800) + bytes(18) + ipv4()),
        (LOOPBACK, struct.pack("<I", 2) + ipv4()),
        (ETHERNET, ethernet(ipv4(), tags=struct.pack(">HH", 0x8100, 7))),
        (ETHERNET, ethernet(ipv4(), tags=struct.pack(">HHHH", 0x88A8, 7, 0x8100, 8))),
    ],
)
def test_link_types_and_vlan_tags(link, frame):
    assert names(classic([frame], link)) == [ALL]


def test_ipv6_through_its_extension_headers():
    hop_by_hop = bytes([44, 1]) + bytes(14)  # 16 bytes, then a fragment header
    first_fragment = bytes([51, 0, 0, 1]) + bytes(4)
    authentication = bytes([17, 4]) + bytes(22)
    payload = hop_by_hop + first_fragment + authentication + udp()
    [row] = names(classic([ethernet(ipv6(next_header=0, payload=payload), 0x86DD)]))
    assert row == [
        "src=2001:db8:1:2::5", "src_net=2001:db8::/32", "src_net=2001:db8:1::/48", "src_net=2001:db8:1:2::/64",
        "dst=fe80::1", "dst_net=fe80::/32", "dst_net=fe80::/48", "dst_net=fe80::/64",
        "sport=5353", "dport=53", "proto=udp",
    ]  # fmt: skip


def test_later_fragments_have_no_ports():
    later = bytes([17, 0, 0, 8]) + bytes(4) + udp()
    rows = names(
        classic([ethernet(ipv6(next_header=44, payload=later), 0x86DD), ethernet(ipv4(_flags_offset=100))]),
        items=["sport", "dport", "proto"],
    )
    assert rows == [["proto=udp"], ["proto=udp"]]


def test_what_is_not_ip_is_named_by_its_type():
    frames = [ethernet(bytes(28), 0x0806), ethernet(b"", 0x88CC), ethernet(b"", 60), b"short"]
    assert names(classic(frames)) == [["proto=arp"], ["proto=0x88cc"], ["proto=llc"], ["proto=unknown"]]


def test_a_packet_that_was_cut_gives_what_is_left():
    whole = ethernet(ipv4())
    rows = names(classic([whole[:n] for n in range(len(whole) + 1)]))
    assert rows[14 + 19] == ["proto=unknown"]
    assert rows[14 + 20] == [*ALL[:8], "proto=udp"]
    assert rows[-1] == ALL


def test_items_pairs_and_bytes():
    capture = classic([ethernet(ipv4())])
    assert names(capture, items=["src"], pairs=[("dst", "dport")]) == [
        ["src=10.1.2.3", "dst=192.168.0.9", "dport=53", "dst=192.168.0.9&dport=53"]
    ]
    [part] = PacketRows(weight="bytes").blocks(ByteStream(io.BytesIO(capture), "x.pcap"))
    assert part.weights.tolist() == [len(ethernet(ipv4())) + 100]  # on the wire, not as captured
    with pytest.raises(ValueError, match="packets have no column 'port'; the columns are src"):
        PacketRows(["port"])
    with pytest.raises(ValueError, match="'packets' or 'bytes' for packets, got 'size'"):
        PacketRows(weight="size")


@given(st.binary(min_size=16, max_size=16), st.sampled_from([16, 32, 48, 64]))
def test_addresses_are_written_as_python_writes_them(packed, bits):
    address = ipaddress.IPv6Address(packed)
    [row] = names(classic([ipv6(src=str(address))], RAW), items=["src", "src_net"])
    plain = address.exploded if address.ipv4_mapped else str(address)
    if not address.ipv4_mapped:  # Python versions write these differently
        assert row[0] == f"src={plain}"
    nets = [ipaddress.ip_network((packed, n), strict=False) for n in (32, 48, 64)]
    assert row[1:] == [f"src_net={net}" for net in nets]


@given(st.lists(st.tuples(st.ip_addresses(v=4), st.ip_addresses(v=4), st.integers(0, 255), st.binary(max_size=60))))
def test_dpkt_reads_the_same_fields(packets):
    frames = [ethernet(ipv4(str(src), str(dst), payload or b"x", protocol)) for src, dst, protocol, payload in packets]
    capture = classic(frames)
    expected = []
    for _, frame in dpkt.pcap.Reader(io.BytesIO(capture)):
        ip = dpkt.ethernet.Ethernet(frame).data
        row = {"src": str(ipaddress.ip_address(ip.src)), "dst": str(ipaddress.ip_address(ip.dst))}
        if isinstance(ip.data, (dpkt.tcp.TCP, dpkt.udp.UDP)):
            row |= {"sport": str(ip.data.sport), "dport": str(ip.data.dport)}
        expected.append(row)
    rows = [dict(name.split("=") for name in row) for row in names(capture, items=["src", "dst", "sport", "dport"])]
    for ours, theirs, (_, _, _, payload) in zip(rows, expected, packets, strict=True):
        assert theirs.items() <= ours.items()  # dpkt reports ports only for complete headers
        assert ours.keys() <= {"src", "dst", "sport", "dport"} and ("sport" not in ours or len(payload) >= 2)


def test_damage_is_told_with_its_place_and_the_packets_before_it_count():
    packet = ethernet(ipv4())
    good = classic([packet] * 3)
    record = 16 + len(packet)
    bad_length = good[: 24 + record + 8] + b"\xff\xff\xff\x7f" + good[24 + record + 12 :]
    rows = PacketRows(["src"]).blocks(ByteStream(io.BytesIO(bad_length), "bad.pcap"))
    assert len(next(rows)) == 1
    with pytest.raises(
        BadInput, match=rf"^bad.pcap: byte {24 + record + 8}: expected a packet of at most 1048576 byte"
    ):
        next(rows)


@pytest.mark.parametrize(
    ("capture", "message"),
    [
        (b"GET / HTTP/1.1", "byte 0: expected a capture"),
        (classic([])[:20], "byte 0: the capture ends in the middle of a record"),
        (classic([b"x" * 60])[:-1], "byte 24: the capture ends in the middle of a record"),
        (classic([b"x"], link=105), "byte 24: .* found link type 105"),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 3, 0, 0, 0, 0, 1), "byte 4: expected version 2 .*, found 3"),
        (section() + enhanced(b""), "byte 36: found a packet of interface 0"),
        (section() + interface() + block(6, bytes(8)), "byte 52: expected a block of at least 32 bytes"),
        (section() + interface()[:-1] + b"\x09", "byte 44: expected the block to end with its length 20, found"),
        (section()[:8] + bytes(20), "byte 8: expected a byte order mark"),
        (section() + struct.pack("<III", 1, 13, 0), "byte 32: expected the length of a block, found 13"),
        (section() + block(5, bytes(40))[:-4], "the capture ends in the middle of a record"),
    ],
)
def test_every_kind_of_damage(capture, message):
    with pytest.raises(BadInput, match=message):
        list(PacketRows().blocks(ByteStream(io.BytesIO(capture), "bad.pcap")))


def test_every_truncated_prefix_is_refused_or_is_a_whole_number_of_packets():
    packets = [ethernet(ipv4()), ethernet(ipv6(), 0x86DD)]
    for capture in (classic(packets), section() + interface() + b"".join(map(enhanced, packets))):
        whole = 0
        for n in range(1, len(capture)):
            parser = _core.PcapParser(_core.RowEncoder())
            parser.feed(capture[:n], True)
            whole += parser.error is None
        assert whole <= 4  # after the header(s) and the first packet


def test_chunks_and_compression_do_not_matter():
    capture = section() + interface() + enhanced(ethernet(ipv4())) * 5
    encoder = _core.RowEncoder()
    parser = _core.PcapParser(encoder)
    assert sum(len(parser.feed(capture[i : i + 1], i + 1 == len(capture))) for i in range(len(capture))) == 5
    assert names(gzip.compress(capture)) == [ALL] * 5
