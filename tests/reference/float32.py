"""Numbers in few bits as in the core: float32 and smaller formats. Slow, one number at a time."""

from __future__ import annotations

import numpy as np

f32 = np.float32
ZERO, ONE = f32(0), f32(1)
MASK = 2**32 - 1


def bits(x: np.float32) -> int:
    return int(f32(x).view(np.uint32))


def from_bits(pattern: int) -> np.float32:
    return np.uint32(pattern & MASK).view(np.float32)


def mix(key: int, seeds: tuple[int, int]) -> int:
    """The mixer hash: 32 bits from a key and two seeds."""
    h = (key + seeds[0]) & MASK
    h ^= h >> 16
    h = h * 0x7FEB352D & MASK
    h = (h + seeds[1]) & MASK
    h ^= h >> 15
    h = h * 0x846CA68B & MASK
    return h ^ (h >> 16)


def splitmix64(state: int) -> int:
    """The number that follows this state."""
    mask = 2**64 - 1
    z = (state + 0x9E3779B97F4A7C15) & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return z ^ (z >> 31)


def exp_same_everywhere(x: float) -> float:
    """The exp of the core, independent of the C library: a polynomial, term by term."""
    x = min(max(x, -700.0), 700.0)
    big = float.fromhex("0x1.8p52")
    k = (x * float.fromhex("0x1.71547652b82fep0") + big) - big
    r = (x - k * float.fromhex("0x1.62e42fefap-1")) - k * float.fromhex("0x1.cf79abc9e3b3ap-40")
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6))
    middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040))
    high = 1.0 / 40320 + r * (1.0 / 362880)
    return (low + r4 * (middle + r4 * high)) * 2.0**k


def dot(left: list[np.float32], right: list[np.float32]) -> np.float32:
    """Eight partial sums, added in a fixed order."""
    lanes = [f32(0)] * 8
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        lanes[i % 8] = lanes[i % 8] + a * b
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


class PackedSlot:
    """The upper 20 bits of a weight, and the upper 12 of a sum without its sign."""

    zero = 0

    @staticmethod
    def values(slot: int) -> tuple[np.float32, np.float32]:
        return from_bits(slot & 0xFFFFF000), from_bits((slot & 0xFFF) << 19)

    @staticmethod
    def rounded(weight: np.float32, squares: np.float32, random: int) -> int:
        return ((bits(weight) + (random & 0xFFF)) & 0xFFFFF000 & MASK) | ((bits(squares) + (random >> 13)) >> 19)

    @staticmethod
    def nearest(weight: np.float32, squares: np.float32) -> int:
        return ((bits(weight) + 0x800) & 0xFFFFF000 & MASK) | ((bits(squares) + (1 << 18)) >> 19)


class BfloatCell:
    """Two bfloat16: a weight in the upper half, a sum in the lower half."""

    @staticmethod
    def values(cell: int) -> tuple[np.float32, np.float32]:
        return from_bits(cell >> 16 << 16), from_bits(cell << 16)

    @staticmethod
    def rounded(weight: np.float32, squares: np.float32, random: int) -> int:
        upper = (bits(weight) + (random & 0xFFFF)) >> 16 & 0xFFFF
        return upper << 16 | (bits(squares) + (random >> 16)) >> 16

    @staticmethod
    def nearest(weight: np.float32, squares: np.float32) -> int:
        return BfloatCell.rounded(weight, squares, 0x80008000)


class PackedCell:
    """A sign, 11 bits of a weight between 2^-20 and 2^12, and 4 bits n for a sum of 2^n - 1 units."""

    below_least = 107 << 23
    least = below_least + (1 << 17)
    most = below_least + (0x7FF << 17)

    @staticmethod
    def values(cell: int) -> tuple[np.float32, np.float32]:
        code, sign = (cell >> 4) & 0x7FF, (cell & 0x8000) << 16
        weight = from_bits(sign | (PackedCell.below_least + (code << 17))) if code else f32(0)
        return weight, from_bits((127 + (cell & 15)) << 23) - f32(1)

    @staticmethod
    def packed(weight: np.float32, squares: np.float32, weight_random: int, sum_random: int) -> int:
        size = bits(weight) & 0x7FFFFFFF
        code = min(size + weight_random, PackedCell.most)
        if size < PackedCell.least:
            least = from_bits(PackedCell.least)
            up = from_bits(size) + f32(weight_random) * (f32(2.0**-17) * least) >= least
            code = PackedCell.least if up else PackedCell.below_least
        level = ((bits(squares + f32(1)) + sum_random) >> 23) - 127
        return (bits(weight) >> 16 & 0x8000) | ((code - PackedCell.below_least) >> 17 << 4) | min(level, 15)

    @staticmethod
    def rounded(weight: np.float32, squares: np.float32, random: int) -> int:
        return PackedCell.packed(weight, squares, random & 0x1FFFF, random >> 17 << 8)

    @staticmethod
    def nearest(weight: np.float32, squares: np.float32) -> int:
        return PackedCell.packed(weight, squares, 0x10000, 0x400000)
