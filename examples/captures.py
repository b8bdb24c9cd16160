"""Write quiet.pcap and attack.pcap: generated packets between a few networks. In the second, one network is loud.

python examples/captures.py
"""

import random
import struct
from pathlib import Path

FILE_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)  # 101: packets begin with their IP header


def packet(source: bytes, target: bytes, seconds: int) -> bytes:
    """Return the record of a UDP packet with 20 bytes of data."""
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 48, 0, 0, 64, 17, 0, source, target)
    data = ip + struct.pack(">HHHH", 40000, 53, 28, 0) + bytes(20)
    return struct.pack("<IIII", seconds, 0, len(data), len(data)) + data


def capture(draw: random.Random, n: int, loud: float) -> bytes:
    """Return a file of n packets; a share of them comes from 198.51.100.0/24."""
    records = []
    for i in range(n):
        network = b"\xc6\x33\x64" if draw.random() < loud else bytes([10, draw.randrange(4), draw.randrange(16)])
        records.append(packet(network + bytes([draw.randrange(1, 255)]), b"\xc0\x00\x02\x07", 1_700_000_000 + i // 100))
    return FILE_HEADER + b"".join(records)


def main() -> None:
    """Write both files into the current folder."""
    draw = random.Random(11)
    Path("quiet.pcap").write_bytes(capture(draw, 20_000, 0.005))
    Path("attack.pcap").write_bytes(capture(draw, 20_000, 0.3))


if __name__ == "__main__":
    main()
