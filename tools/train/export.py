"""From the floats of a training to the whole numbers of the bot's file, and back."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from tools.train.inputs import Net
from tools.train.learn import Layers, Learner, Shape, parts
from tools.train.rules import Array
from tools.train.run import Training

from dalmuti.client.bots.network import NETWORKS, Layer, pack, read

LARGEST = 32767
MOST_PLACES = 14


def pairs(net: Layers) -> list[tuple[Array, Array]]:
    """The weights and biases of each layer."""
    return [(net.w1, net.b1), (net.w2, net.b2), (net.w3, net.b3)]


def whole(weights: Array, biases: Array) -> Layer:
    """A layer in units of 2**-places, with as many places as its largest number leaves."""
    most = max(float(np.abs(weights).max()), float(np.abs(biases).max()))
    places = min(MOST_PLACES, math.floor(math.log2(LARGEST / most)))
    return Layer(
        np.rint(weights * 2**places).astype(int).tolist(),
        np.rint(biases * 2**places).astype(int).tolist(),
        places,
    )


def layers_of(flat: Array, shape: Shape) -> list[Layer]:
    """The layers of a network as whole numbers."""
    net = parts(flat, shape)
    return [
        whole(net.w1.T, net.b1),
        whole(net.w2.T, net.b2),
        whole(net.w3.reshape(1, -1), net.b3),
    ]


def packed(tricks: Learner, deals: Learner) -> bytes:
    """The bot's file, made from the slow averages."""
    return pack(
        {
            "tricks": layers_of(tricks.slow, tricks.shape),
            "deal": layers_of(deals.slow, deals.shape),
        }
    )


def nets_of(data: bytes) -> dict[str, Net]:
    """The networks of a file in the form that compiled code plays with."""
    found = {}
    for name, layers in read(data).items():
        shape = Shape(NETWORKS[name], len(layers[0].weights), len(layers[1].weights))
        flat = np.zeros(shape.parameters, np.float32)
        for layer, (weights, biases) in zip(layers, pairs(parts(flat, shape)), strict=True):
            scale = 2.0**-layer.places
            weights[:] = (np.array(layer.weights).T * scale).reshape(weights.shape)
            biases[:] = np.array(layer.biases) * scale
        learner = Learner(shape, np.random.default_rng(0))
        learner.flat[:] = flat
        found[name] = learner.net()
    return found


def export(folder: Path, file: Path) -> None:
    """Writes the bot's file from the checkpoint in `folder`."""
    made = Training.load(folder / "checkpoint.npz")
    data = packed(made.tricks, made.deals)
    file.write_bytes(data)
    print(f"{file}: {len(data)} bytes, from {made.hands} hands; SHA-256 {data[-32:].hex()}")
