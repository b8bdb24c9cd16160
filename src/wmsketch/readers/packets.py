"""Captured packets (pcap and pcapng) as rows of addresses, networks, ports and protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wmsketch._core import PcapParser, RowBlock, RowEncoder
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.findings import Findings
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream
from wmsketch.readers.rejects import RejectBatch

PACKET_COLUMNS = ("src", "dst", "src_net", "dst_net", "sport", "dport", "proto")


class PacketRows:
    """Reads the packets of one capture after the other; each packet is a row.

    `items` are columns from PACKET_COLUMNS, by default all; `pairs` are pairs of such columns that are also counted
    together. Ephemeral ports (32768 and above) are one item, unless `all_ports`. With `weight="bytes"` a packet weighs
    its length on the wire. Damage raises a BadInput with the byte of the (uncompressed) file, after all packets before
    it were returned.

    >>> import io
    >>> head = bytes.fromhex("d4c3b2a1020004000000000000000000ffff000065000000")  # raw IP
    >>> packet = bytes.fromhex("4500001c000000004011000001020304c0a80001003500500008000000")[:28]
    >>> record = bytes(8) + (28).to_bytes(4, "little") * 2 + packet
    >>> [block] = PacketRows(["src", "dport"]).blocks(ByteStream(io.BytesIO(head + record), "dns.pcap"))
    >>> [block.name(i) for i in range(2)]
    ['src=1.2.3.4', 'dport=80']
    """

    findings = Findings  # packets have no labels and no user columns

    def __init__(
        self,
        items: Sequence[str] = (),
        pairs: Sequence[tuple[str, str]] = (),
        weight: str | None = None,
        *,
        all_ports: bool = False,
        name_seed: int | None = None,
    ) -> None:
        wanted = list(items) or list(PACKET_COLUMNS)
        for name in [*wanted, *(name for pair in pairs for name in pair)]:
            if name not in PACKET_COLUMNS:
                raise ValueError(f"packets have no column {name!r}; the columns are {', '.join(PACKET_COLUMNS)}")
        if weight not in (None, "", "bytes", "packets"):
            raise ValueError(f"weight must be 'packets' or 'bytes' for packets, got {weight!r}")
        inside = [name for pair in pairs for name in pair]
        self._encoder = RowEncoder(
            features=wanted + inside,
            interactions=list(pairs),
            weight="bytes" if weight == "bytes" else "",
            name_seed=name_seed,
        )
        self._parser = PcapParser(self._encoder, all_ports)

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]:
        """Yield the packets of a stream."""
        self._parser.next_file()
        for chunk in stream.chunks(CHUNK_BYTES):
            yield from self._feed(chunk, stream)
        yield from self._feed(b"", stream, final=True)

    def take_rejected(self) -> RejectBatch:
        """Return nothing: packets are never skipped."""
        return RejectBatch()

    def _feed(self, chunk: bytes, stream: ByteStream, final: bool = False) -> Iterator[RowBlock]:
        block = self._parser.feed(chunk, final)
        if len(block):
            yield block
        if self._parser.error:
            offset, message = self._parser.error
            raise BadInput(f"byte {offset}: {message}", stream.name)
