"""The AWM-Sketch with adaptive steps, to the bit: each cell has one owner, and keys compete for it at random."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tests.reference.adaptive import AdaptiveOracle, Hash, Row, Step
from tests.reference.adaptive_pairs import ZERO, Pair
from tests.reference.adaptive_sketches import WAYS, Places
from tests.reference.float32 import PackedCell, PackedSlot, f32, mix
from tests.reference.online_linear import Rule

ADMISSION = 5_033_165  # about .3, in 2^-24
SETTLED_LEVEL = 4
HEAVIER_TO_ENTER = f32(1.2)


@dataclass
class Way:
    """A place in a bucket; a tag of 0 means free."""

    tag: int = 0
    cell: int = 0

    def size(self) -> np.float32:
        return abs(PackedCell.values(self.cell)[0])


class TaggedSketch:
    """Buckets of eight ways. A key can only be in its bucket; its weight is 0 if its tag is not there."""

    def __init__(self, width: int, hash_key: Hash) -> None:
        self.hash_key = hash_key
        self.buckets = [[Way() for _ in range(WAYS)] for _ in range(width // WAYS)]
        self.unit = f32(0)

    def bucket(self, key: int) -> list[Way]:
        return self.buckets[self.hash_key(0, key) * len(self.buckets) >> 32]

    def tag(self, key: int) -> int:
        return max(self.hash_key(0, key) & 255, 1)

    def find(self, key: int) -> Way | None:
        return next((way for way in self.bucket(key) if way.tag == self.tag(key)), None)

    def room(self, key: int) -> Way | None:
        return next((way for way in self.bucket(key) if way.tag == 0), None)

    def lightest(self, key: int) -> Way:
        return min(self.bucket(key), key=Way.size)

    def pair(self, cell: int) -> Pair:
        weight, units = PackedCell.values(cell)
        return weight, self.unit * units

    def estimate(self, key: int) -> np.float32:
        way = self.find(key)
        return f32(0) if way is None else self.pair(way.cell)[0]

    def owned(self) -> list[Way]:
        return [way for bucket in self.buckets for way in bucket if way.tag]

    def multiply(self, factor: np.float32) -> None:
        for way in self.owned():
            weight, units = PackedCell.values(way.cell)
            way.cell = PackedCell.nearest(weight * factor, units)

    def multiply_squares(self, factor: np.float32) -> None:
        self.unit = self.unit * factor

    def follow_unit(self, wanted: np.float32) -> None:
        if wanted <= 8 * self.unit and self.unit <= 8 * wanted:
            return
        factor = self.unit / wanted
        for way in self.owned():
            weight, units = PackedCell.values(way.cell)
            way.cell = PackedCell.nearest(weight, factor * units)
        self.unit = wanted


class AdaptiveAWMSketchOracle(AdaptiveOracle):
    """Heavy keys in packed slots, the rest in cells that have one owner each, at the same speed.

    After the step the heaviest enter the set; then keys without a cell may take one. An evicted key gets a cell
    (`paper`) or is lost (`drop`).
    """

    def __init__(
        self,
        rule: Rule,
        seed: int,
        width: int,
        active_set_size: int,
        hash_key: Hash,
        exact: bool,
        depth: int = 1,
        eviction: str = "paper",
    ) -> None:
        assert depth == 1
        super().__init__(rule, seed)
        self.places = Places(exact, active_set_size, hash_key)
        self.tail = TaggedSketch(width, hash_key)
        self.eviction = eviction
        self.active: dict[int, int] = {}  # slots
        self.evicted = self.admitted = self.refused = 0

    def raw(self, key: int) -> np.float32:
        return PackedSlot.values(self.active[key])[0] if key in self.active else self.tail.estimate(key)

    def multiply(self, factor: np.float32) -> None:
        self.tail.multiply(factor)
        for key, slot in self.active.items():
            weight, squares = PackedSlot.values(slot)
            self.active[key] = PackedSlot.nearest(weight * factor, squares)

    def multiply_squares(self, factor: np.float32) -> None:
        self.tail.multiply_squares(factor)
        for key, slot in self.active.items():
            weight, squares = PackedSlot.values(slot)
            self.active[key] = PackedSlot.nearest(weight, squares * factor)

    def members(self) -> Iterable[int]:
        return list(self.active)

    def size(self, key: int) -> np.float32:
        return abs(PackedSlot.values(self.active[key])[0])

    def lightest(self, key: int) -> np.float32:
        """The weight that a key must exceed to enter: none while there is room."""
        member = self.places.line(key)[self.places.victim(key, self.size)]
        return f32(0) if member is None else self.size(member)

    def add(self, x: Row, step: Step) -> None:
        tail = [key for key in x if key not in self.active]
        if tail and self.tail.unit == 0:
            self.tail.unit = step.unit()
        before = {key: None if (way := self.tail.find(key)) is None else way.cell for key in tail}
        room = {key: self.tail.room(key) is not None for key in tail}
        noted = {} if self.places.exact else {key: self.lightest(key) for key in tail}
        stepped, after = {}, {}
        for key, value in x.items():
            random = mix(self.tail.hash_key(0, key), step.seeds)
            if key in self.active:
                self.active[key] = PackedSlot.rounded(*step.apply(*PackedSlot.values(self.active[key]), value), random)
                continue
            cell = before[key]
            old = ZERO if cell is None else self.tail.pair(cell)
            weight, squares = stepped[key] = step.apply(*old, value)
            after[key] = PackedCell.rounded(weight, squares * (f32(1) / self.tail.unit), random)
            if cell is not None:
                way = self.tail.find(key)
                assert way is not None
                if way.cell == cell:
                    way.cell = after[key]
                else:  # another feature of the row has its tag
                    now, units = PackedCell.values(way.cell)
                    more = step.square_of(step.gradient * value) / self.tail.unit
                    way.cell = PackedCell.rounded(now + (weight - old[0]), units + more, random)
        if self.places.exact:
            noted = {key: self.lightest(key) for key in tail}
        candidates = [key for key in tail if abs(stepped[key][0]) > HEAVIER_TO_ENTER * noted[key]]
        owners = set()
        for key in sorted(candidates, key=lambda key: -abs(stepped[key][0])):
            if abs(stepped[key][0]) > HEAVIER_TO_ENTER * self.lightest(key):
                self.own(key, stepped[key], step)
                owners.add(key)  # even if another feature of the row takes its slot
        for key in tail:
            if before[key] is None and key not in owners and stepped[key][0] != 0:
                self.ask(key, stepped[key][0], after[key], room[key], step)
        if tail:
            self.tail.follow_unit(step.unit())

    def own(self, key: int, stepped: Pair, step: Step) -> None:
        """A key takes the lightest slot and frees its cell; the evicted key always gets a cell."""
        line, place = self.places.line(key), self.places.victim(key, self.size)
        if (way := self.tail.find(key)) is not None:
            way.tag = way.cell = 0
        victim = line[place]
        if victim is not None:
            self.evicted += 1
            weight, squares = PackedSlot.values(self.active.pop(victim))
            if self.eviction == "paper":
                way = self.tail.find(victim) or self.tail.room(victim) or self.tail.lightest(victim)
                way.tag = self.tail.tag(victim)
                random = mix(self.tail.hash_key(0, victim), step.seeds)
                way.cell = PackedCell.rounded(weight, squares / self.tail.unit, random)
        line[place] = key
        self.active[key] = PackedSlot.nearest(*stepped)

    def ask(self, key: int, weight: np.float32, cell: int, had_room: bool, step: Step) -> None:
        """A key without a cell takes an empty one, or the lightest with the probability
        .3 * 2^-level * |weight| / (|weight| + |its weight|). If that is settled, the lightest of three drawn."""
        draw = (mix(self.tail.hash_key(0, key), step.seeds) * 0x9E3779B1 % 2**32) >> 8
        if not (had_room or draw < ADMISSION) or self.tail.find(key) is not None:
            return
        way = self.tail.room(key) if had_room else None
        if way is None:
            way = self.tail.lightest(key)
            if way.cell & 15 >= SETTLED_LEVEL:
                ways = sorted((draw + further) % WAYS for further in (0, 1, 3))
                way = min((self.tail.bucket(key)[number] for number in ways), key=Way.size)
            most = f32(ADMISSION) * f32(2.0 ** -(way.cell & 15))
            if not f32(draw) * (abs(weight) + way.size()) < most * abs(weight):
                self.refused += 1
                return
        way.tag, way.cell = self.tail.tag(key), cell
        self.admitted += 1
