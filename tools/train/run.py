"""A whole training: rounds of self-play and learning, the schedule, checkpoints, the curve."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from tools.train.evaluate import score, sessions, strength
from tools.train.inputs import DEAL_TRAITS, TRAITS
from tools.train.learn import Learner, Shape
from tools.train.play import MOST_SAMPLES, self_play
from tools.train.policies import CAREFUL, GREEDY, NET

from dalmuti.client.bots.layout import DEAL, TRICKS

DEAL_FIRST, DEAL_SECOND = 32, 16
BATCH = 512
PURE = 0.35
"""The share of hands in which the network plays every seat."""
GIVES_FROM = 0.04
"""The part of the training after which the network decides what a Dalmuti gives back."""


def schedule(done: float) -> tuple[float, float, float]:
    """Learning rate, share of chance moves, memory of the slow average, at a part of the way."""
    rate = 1e-3 * (0.02 ** max(0.0, (done - 0.1) / 0.9))
    noise = 0.08 * (0.125**done)
    keep = 0.99 if done < 0.05 else 0.999 if done < 0.5 else 0.9998
    return rate, noise, keep


class Training:
    """Everything between two rounds. The chance of a round comes from the seed and its number."""

    def __init__(self, seed: int, first: int, second: int) -> None:
        rng = np.random.default_rng([seed, 0])
        self.seed, self.round, self.hands, self.samples = seed, 0, 0, 0
        self.seconds = 0.0
        self.tricks = Learner(Shape(TRICKS, first, second), rng)
        self.deals = Learner(Shape(DEAL, DEAL_FIRST, DEAL_SECOND), rng)

    def save(self, path: Path) -> None:
        """Writes a checkpoint, whole or not at all."""
        fields: dict[str, Any] = {
            "state": np.array([self.seed, self.round, self.hands, self.samples]),
            "seconds": np.array(self.seconds),
            "shape": np.array([self.tricks.shape.first, self.tricks.shape.second]),
        }
        for name, learner in (("tricks", self.tricks), ("deals", self.deals)):
            fields[name] = learner.flat
            fields[f"{name}_moments"] = learner.moments
            fields[f"{name}_slow"] = learner.slow
            fields[f"{name}_steps"] = np.array(learner.steps)
        beside = path.with_suffix(".new.npz")
        np.savez(beside, **fields)
        os.replace(beside, path)

    @classmethod
    def load(cls, path: Path) -> Training:
        """A training as a checkpoint left it."""
        with np.load(path) as kept:
            seed, round_, hands, samples = (int(n) for n in kept["state"])
            first, second = (int(n) for n in kept["shape"])
            made = cls(seed, first, second)
            made.round, made.hands, made.samples = round_, hands, samples
            made.seconds = float(kept["seconds"])
            for name, learner in (("tricks", made.tricks), ("deals", made.deals)):
                learner.flat[:] = kept[name]
                learner.moments[:] = kept[f"{name}_moments"]
                learner.slow[:] = kept[f"{name}_slow"]
                learner.steps = int(kept[f"{name}_steps"])
        return made

    def one_round(self, rounds: int, hands: int, threads: int) -> tuple[float, float]:
        """Plays and learns; returns the mean squared errors."""
        began = time.monotonic()
        done = self.round / rounds
        rate, noise, keep = schedule(done)
        slots = np.zeros((hands, MOST_SAMPLES, TRAITS), np.uint8)
        targets = np.zeros((hands, MOST_SAMPLES), np.float32)
        deal_slots = np.zeros((hands, 24, DEAL_TRAITS), np.uint8)
        deal_targets = np.zeros((hands, 24), np.float32)
        found = np.zeros((hands, 2), np.int64)
        self_play(
            self.tricks.net(), self.deals.net(), threads, self.seed, self.round, hands, noise, PURE,
            done >= GIVES_FROM, slots, targets, deal_slots, deal_targets, found,
        )  # fmt: skip
        rng = np.random.default_rng([self.seed, 1, self.round])
        errors = []
        for learner, rows, wanted, column in (
            (self.tricks, slots, targets, 0),
            (self.deals, deal_slots, deal_targets, 1),
        ):
            mask = np.arange(wanted.shape[1]) < found[:, column : column + 1]
            order = rng.permutation(int(mask.sum()))
            errors.append(learner.learn(rows[mask][order], wanted[mask][order], BATCH, rate, keep))
            self.samples += len(order)
        self.round += 1
        self.hands += hands
        self.seconds += time.monotonic() - began
        return errors[0], errors[1]

    def trial(self, deals: int, threads: int) -> dict[str, str]:
        """The strength of the slow averages."""
        net, deal_net = self.tricks.net(slow=True), self.deals.net(slow=True)
        found = {
            f"{seats} seats, {name}": str(
                strength(net, seats, NET, field, deals=deals, threads=threads)
            )
            for seats in (4, 6, 8)
            for name, field in (("greedy", GREEDY), ("careful", CAREFUL))
        }
        taxed = sessions(net, deal_net, threads, 1, deals // 10, 100, 6, NET, CAREFUL, True, True)
        found["6 seats, careful, with taxes"] = str(score(taxed))
        return found


def train(given: argparse.Namespace) -> None:
    """Goes on to `--rounds`, or so far as `--stop-after` lets it."""
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    path, curve = folder / "checkpoint.npz", folder / "curve.jsonl"
    made = Training.load(path) if path.exists() else Training(given.seed, given.first, given.second)
    end = min(given.rounds, made.round + (given.stop_after or given.rounds))
    error = np.zeros(2)
    while made.round < end:
        error = 0.95 * error + 0.05 * np.array(
            made.one_round(given.rounds, given.hands, given.threads)
        )
        if made.round % given.try_every == 0 or made.round == given.rounds:
            made.save(path)
            line = {
                "round": made.round,
                "hands": made.hands,
                "samples": made.samples,
                "seconds": round(made.seconds),
                "error": [round(float(e), 4) for e in error],
                **made.trial(given.deals, given.threads),
            }
            with curve.open("a") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            print(json.dumps(line, ensure_ascii=False), flush=True)
    made.save(path)
