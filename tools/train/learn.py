"""The networks as they are trained: two hidden layers, squared error, Adam.

Weights are one flat array of 32-bit floats for each network, so that a checkpoint, Adam's moments
and the slow average are flat arrays as well; `parts` cuts it into the layers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from tools.train.inputs import Net
from tools.train.rules import Array

from dalmuti.client.bots import layout
from dalmuti.client.bots.layout import Trait

F = np.float32
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


class Shape(NamedTuple):
    """What a network looks like: its traits, and the units of its hidden layers."""

    traits: tuple[Trait, ...]
    first: int
    second: int

    @property
    def inputs(self) -> int:
        return layout.width(self.traits)

    @property
    def parameters(self) -> int:
        return self.inputs * self.first + self.first * (self.second + 1) + 2 * self.second + 1


class Layers(NamedTuple):
    """Views into a flat array of weights."""

    w1: Array
    b1: Array
    w2: Array
    b2: Array
    w3: Array
    b3: Array


def parts(flat: Array, shape: Shape) -> Layers:
    """The layers of a flat array."""
    sizes = (
        (shape.inputs, shape.first),
        (shape.first,),
        (shape.first, shape.second),
        (shape.second,),
        (shape.second,),
        (1,),
    )
    found, at = [], 0
    for size in sizes:
        n = int(np.prod(size))
        found.append(flat[at : at + n].reshape(size))
        at += n
    return Layers(*found)


class Learner:
    """One network with everything that its training needs to go on."""

    def __init__(self, shape: Shape, rng: np.random.Generator) -> None:
        self.shape = shape
        self.flat = np.zeros(shape.parameters, F)
        self.layers = parts(self.flat, shape)
        self.layers.w1[:] = rng.normal(0, np.sqrt(2 / 40), self.layers.w1.shape)
        self.layers.w2[:] = rng.normal(0, np.sqrt(2 / shape.first), self.layers.w2.shape)
        self.layers.w3[:] = rng.normal(0, np.sqrt(1 / shape.second), self.layers.w3.shape)
        self.layers.b3[:] = 0.5
        self.moments = np.zeros((2, shape.parameters), F)
        self.steps = 0
        self.slow = self.flat.copy()
        """A running average of the weights, which plays better than the last ones."""
        self.codes = np.array(list(layout.codes(shape.traits)), F) / layout.UNIT
        self.starts = np.array(layout.starts(shape.traits), np.int64)
        widths = np.array([trait.width for trait in shape.traits], np.int64)
        self.columns = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        self._gradient = np.zeros(shape.parameters, F)
        self._grad_layers = parts(self._gradient, shape)

    def net(self, slow: bool = False) -> Net:
        """The network for playing."""
        layers = parts(self.slow, self.shape) if slow else self.layers
        return Net(
            self.starts,
            np.ascontiguousarray(self.codes @ layers.w1),
            layers.b1.copy(),
            layers.w2.copy(),
            layers.b2.copy(),
            layers.w3.copy(),
            layers.b3.copy(),
        )

    def learn(self, samples: Array, targets: Array, batch: int, rate: float, keep: float) -> float:
        """One pass over the samples in their order; returns the mean squared error.

        `keep` is how much of the slow average remains in each step.
        """
        total = 0.0
        x = np.zeros((batch, self.shape.inputs), F)
        for low in range(0, len(samples) - batch + 1, batch):
            expand(samples[low : low + batch], self.starts, self.columns, self.codes, x)
            total += self._step(x, targets[low : low + batch], rate) * batch
            self.slow += F(1 - keep) * (self.flat - self.slow)
        return total / max(1, len(samples) // batch * batch)

    def _step(self, x: Array, y: Array, rate: float) -> float:
        w, g = self.layers, self._grad_layers
        h1 = np.maximum(x @ w.w1 + w.b1, 0)
        h2 = np.maximum(h1 @ w.w2 + w.b2, 0)
        error = h2 @ w.w3 + w.b3 - y
        d = error * F(2 / len(y))
        g.w3[:] = d @ h2
        g.b3[:] = d.sum()
        d2 = np.outer(d, w.w3) * (h2 > 0)
        g.w2[:] = h1.T @ d2
        g.b2[:] = d2.sum(axis=0)
        d1 = (d2 @ w.w2.T) * (h1 > 0)
        g.w1[:] = x.T @ d1
        g.b1[:] = d1.sum(axis=0)
        self.steps += 1
        scale = rate * np.sqrt(1 - BETA2**self.steps) / (1 - BETA1**self.steps)
        adam(self.flat, self._gradient, self.moments, F(scale))
        return float(error @ error) / len(y)


@njit(cache=True)
def expand(samples: Array, starts: Array, columns: Array, codes: Array, x: Array) -> None:
    """Writes the inputs of each sample to a row of `x`."""
    for i in range(len(samples)):
        for trait in range(len(starts)):
            row = starts[trait] + samples[i, trait]
            for column in range(columns[trait], columns[trait + 1]):
                x[i, column] = codes[row, column]


@njit(cache=True)
def adam(flat: Array, gradient: Array, moments: Array, scale: np.float32) -> None:
    """One step of Adam, in place."""
    for i in range(flat.size):
        g = gradient[i]
        moments[0, i] += np.float32(1 - BETA1) * (g - moments[0, i])
        moments[1, i] += np.float32(1 - BETA2) * (g * g - moments[1, i])
        flat[i] -= scale * moments[0, i] / (np.sqrt(moments[1, i]) + np.float32(EPSILON))
