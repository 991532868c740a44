"""The expert's networks: the file they come in, and their arithmetic in whole numbers.

Everything is computed with whole numbers, so that a choice is the same on every machine and with
every version of Python: sums of floats are not.

The file is `dalmuti-weights-1\\n`, one line of JSON (the units of the two networks and their binary
places), the weights as little-endian 16-bit numbers, and the SHA-256 of all that. Weights are in
units of 2**-places, a number of places for each layer; the biases of a layer follow its weights.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, pairwise
from operator import mul
from typing import Final, NamedTuple

from dalmuti.client.bots.layout import DEAL, TRICKS, UNIT, Trait, codes, starts, width
from dalmuti.client.bots.load import BotError

MAGIC: Final = b"dalmuti-weights-1\n"
PLACES: Final = 12
"""Binary places of what passes from layer to layer."""
UNIT_PLACES: Final = UNIT.bit_length() - 1
NETWORKS: Final[dict[str, tuple[Trait, ...]]] = {"tricks": TRICKS, "deal": DEAL}


class WeightsError(BotError):
    """A file of weights cannot be used; the text says why, for people."""


class Layer(NamedTuple):
    """One layer as in the file: [unit of this layer][unit of the layer before]."""

    weights: list[list[int]]
    biases: list[int]
    places: int


class Network:
    """One network, ready to compute with."""

    def __init__(self, traits: Sequence[Trait], layers: Sequence[Layer]) -> None:
        first, second, last = layers
        self.starts = starts(traits)
        self.rows: list[list[int]] = []
        """For each value of each trait, what it adds to the units of the first layer."""
        for code in codes(traits):
            used = [(column, value) for column, value in enumerate(code) if value]
            self.rows.append(
                [sum(value * unit[column] for column, value in used) for unit in first.weights]
            )
        self.first_bias = [bias << UNIT_PLACES for bias in first.biases]
        self.first_shift = first.places + UNIT_PLACES - PLACES
        self.second = [
            (unit, bias << PLACES) for unit, bias in zip(second.weights, second.biases, strict=True)
        ]
        self.second_shift = second.places
        self.last = last.weights[0]
        self.last_bias = last.biases[0] << PLACES
        self.scale = 1 << (PLACES + last.places)
        """What a value of 1 is as a whole number."""

    def start(self, traits: Iterable[tuple[int, int]]) -> list[int]:
        """The sums of the first layer for these (place of the trait, value)."""
        return self.add(self.first_bias, traits)

    def add(self, sums: list[int], traits: Iterable[tuple[int, int]]) -> list[int]:
        """`sums` with more traits added to them."""
        begins, rows = self.starts, self.rows
        chosen = [rows[begins[trait] + value] for trait, value in traits]
        return list(map(sum, zip(sums, *chosen, strict=True)))

    def value(self, sums: Iterable[int]) -> int:
        """What a position is worth, by the sums of its first layer, in units of 1 / `scale`."""
        shift, deep_shift = self.first_shift, self.second_shift
        units = [x >> shift if x > 0 else 0 for x in sums]
        value = self.last_bias
        for (weights, bias), last in zip(self.second, self.last, strict=True):
            unit = bias + sum(map(mul, units, weights))
            if unit > 0:
                value += (unit >> deep_shift) * last
        return value


def pack(networks: Mapping[str, Sequence[Layer]]) -> bytes:
    """The file of some networks."""
    head: dict[str, dict[str, list[int]]] = {}
    body = array("h")
    for name, layers in networks.items():
        head[name] = {
            "units": [len(layer.weights) for layer in layers],
            "places": [layer.places for layer in layers],
        }
        for layer in layers:
            for unit in layer.weights:
                body.extend(unit)
            body.extend(layer.biases)
    if sys.byteorder == "big":
        body.byteswap()
    data = MAGIC + json.dumps(head).encode() + b"\n" + body.tobytes()
    return data + hashlib.sha256(data).digest()


def unpack(data: bytes) -> dict[str, Network]:
    """The networks of a file. Raises WeightsError as `read` does."""
    return {name: Network(NETWORKS[name], layers) for name, layers in read(data).items()}


def read(data: bytes) -> dict[str, list[Layer]]:
    """The layers in a file. Raises WeightsError with a sentence when it is not whole."""
    if not data.startswith(MAGIC):
        raise WeightsError(
            f"this is no file of weights for this version: expected it to begin with"
            f" {MAGIC.decode().strip()!r}, found {data[: len(MAGIC)]!r}"
        )
    found = hashlib.sha256(data[:-32]).digest()
    if found != data[-32:]:
        raise WeightsError(
            f"the weights are damaged: expected the SHA-256 {data[-32:].hex()},"
            f" found {found.hex()}; install dalmuti again"
        )
    line, _, rest = data[len(MAGIC) : -32].partition(b"\n")
    head = json.loads(line)
    count = len(rest) // 2
    wanted = sum(
        units * (before + 1)
        for name, traits in NETWORKS.items()
        for before, units in pairwise([width(traits), *head[name]["units"]])
    )
    if count != wanted:
        raise WeightsError(
            f"the weights are for other networks than this version has:"
            f" expected {wanted} of them, found {count}"
        )
    numbers = iter(struct.unpack(f"<{count}h", rest))
    made: dict[str, list[Layer]] = {}
    for name, traits in NETWORKS.items():
        before = width(traits)
        layers: list[Layer] = []
        for units, places in zip(head[name]["units"], head[name]["places"], strict=True):
            weights = [list(islice(numbers, before)) for _ in range(units)]
            layers.append(Layer(weights, list(islice(numbers, units)), places))
            before = units
        made[name] = layers
    return made
