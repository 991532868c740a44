"""What the server counts about itself, and how Prometheus reads it.

Counters are plain numbers that the one event loop changes; what can be looked up (connections,
tables, memory) is looked up when somebody asks. Nothing here has a name of a player, an address or
a card: whoever may read the figures learns no more than how busy the server is.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

FAST: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0)
"""Bounds of histograms, in seconds."""

PREFIX: Final = "dalmuti_"


class Histogram:
    """How long something took, in seconds."""

    def __init__(self, bounds: tuple[float, ...] = FAST) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, seconds: float) -> None:
        """Counts one."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()
        """Moves by who made them: player, standin, clock."""
        self.decision_seconds = Histogram()
        """From the arrival of an answer to a decision until it has been told to all."""
        self.journal_seconds = Histogram((*FAST, 5.0))
        """From handing facts to the journal until they are kept."""
        self.outbox_peak_items = 0
        self.outbox_peak_bytes = 0
        self.slow_consumers = 0
        self.errors: Counter[str] = Counter()
        """Requests that were refused, by error code."""
        self.byes: Counter[str] = Counter()
        """Connections that the server ended, by reason."""
        self.resumes: Counter[str] = Counter()
        """Attempts to take a seat back: ok, failed."""
        self.handshakes_failed = 0
        self.longest_step = 0.0
        """The longest time, in seconds, that one task has held up all others."""
        self.slow_steps = 0
        self.rated_matches: Counter[str] = Counter()
        """Matches of the ladder: rated, or void because a house bot did not come."""
        self.entrants: Counter[str] = Counter({"waiting": 0, "playing": 0})
        """Bots that are enlisted in the ladder now."""

    def outbox(self, items: int, size: int) -> None:
        """Notes how full an outbox is."""
        if items > self.outbox_peak_items:
            self.outbox_peak_items = items
        if size > self.outbox_peak_bytes:
            self.outbox_peak_bytes = size

    def text(self, connections: dict[str, int], tables: int, hands: int) -> str:
        """Everything in Prometheus' text format; the arguments are what is there now."""
        lines = [
            *_family("connections", "gauge", "Open connections by kind.", connections, "kind"),
            *_single("tables", "gauge", "Open tables.", tables),
            *_single("hands_running", "gauge", "Tables at which a hand is played.", hands),
            *_family("decisions_total", "counter", "Moves by who made them.", self.decisions, "by"),
            *_single(
                "standin_moves_total", "counter", "Moves of stand-ins.", self.decisions["standin"]
            ),
            *_histogram(
                "decision_seconds", "From an answer to its effect.", self.decision_seconds
            ),
            *_histogram(
                "journal_seconds", "Until facts are in the journal.", self.journal_seconds
            ),
            *_single(
                "outbox_peak_items", "gauge", "Most messages that waited.", self.outbox_peak_items
            ),
            *_single(
                "outbox_peak_bytes", "gauge", "Most bytes that waited.", self.outbox_peak_bytes
            ),
            *_single(
                "slow_consumers_total", "counter", "Clients given up.", self.slow_consumers
            ),
            *_family("refused_total", "counter", "Refused requests by code.", self.errors, "code"),
            *_family("byes_total", "counter", "Ended connections by reason.", self.byes, "reason"),
            *_family("resumes_total", "counter", "Seats taken back.", self.resumes, "result"),
            *_single(
                "handshakes_failed_total", "counter", "Failed TLS handshakes.",
                self.handshakes_failed,
            ),
            *_single("loop_lag_seconds", "gauge", "The longest step of a task.", self.longest_step),
            *_single("slow_steps_total", "counter", "Steps over 50 ms.", self.slow_steps),
            *_family(
                "rated_matches_total", "counter", "Ended matches of the ladder.",
                self.rated_matches, "result",
            ),
            *_family(
                "ladder_entrants", "gauge", "Bots enlisted in the ladder.", self.entrants, "state"
            ),
            *_single("resident_bytes", "gauge", "Memory of the process.", resident_bytes()),
        ]  # fmt: skip
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, about: str, values: dict[str, int], label: str) -> Iterator[str]:
    yield from _head(name, kind, about)
    for key, value in sorted(values.items()):
        yield f'{PREFIX}{name}{{{label}="{key}"}} {value}'


def _single(name: str, kind: str, about: str, value: float) -> Iterable[str]:
    yield from _head(name, kind, about)
    yield f"{PREFIX}{name} {value}"


def _histogram(name: str, about: str, values: Histogram) -> Iterator[str]:
    yield from _head(name, "histogram", about)
    seen = 0
    for bound, number in zip((*values.bounds, "+Inf"), values.counts, strict=True):
        seen += number
        yield f'{PREFIX}{name}_bucket{{le="{bound}"}} {seen}'
    yield f"{PREFIX}{name}_sum {values.total}"
    yield f"{PREFIX}{name}_count {seen}"


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {PREFIX}{name} {about}"
    yield f"# TYPE {PREFIX}{name} {kind}"


def resident_bytes() -> int:
    """The memory that this process has in RAM; where the system does not tell, 0."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
