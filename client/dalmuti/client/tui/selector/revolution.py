"""The revolution window: Enter is always no, a call takes two keys."""

from __future__ import annotations

from typing import ClassVar, Self

from msgspec import Struct
from msgspec.structs import replace

from dalmuti.client.i18n import tr
from dalmuti.client.tui import labels
from dalmuti.client.tui.selector.base import Step
from dalmuti.core.moves import Call, Decline
from dalmuti.protocol.messages import Decision


class RevolutionSelector(Struct, frozen=True, kw_only=True):
    """To call a revolution or not: `choices` starts with not calling."""

    KEYS: ClassVar[str] = "rgp"
    """The keys of one character that mean something here, whatever is held."""

    choices: tuple[Call | Decline, ...]
    index: int = 0
    awake_at: float = 0.0

    @classmethod
    def of(cls, decision: Decision, awake_at: float = 0.0) -> Self:
        """Starts on not calling."""
        choices = tuple(c for c in decision.choices if isinstance(c, Call | Decline))
        return cls(
            choices=tuple(sorted(choices, key=lambda c: isinstance(c, Call))), awake_at=awake_at
        )

    @property
    def may_call(self) -> bool:
        """Whether there is anything to decide: both Jesters were dealt to us."""
        return len(self.choices) > 1

    def press(self, key: str, now: float) -> Step:
        """One key: Enter takes what is chosen; `r` chooses a call, and once more calls."""
        if now < self.awake_at and key == "enter":
            return Step(self, hint=tr(labels.TOO_FAST))
        match key:
            case "enter":
                return Step(self, self.choices[self.index])
            case "r" if not self.may_call:
                return Step(self, hint=tr(labels.NO_CALL))
            case "r" if self.index:
                return Step(self, self.choices[self.index])
            case "r":
                return Step(replace(self, index=1), hint=tr(labels.CALL_AGAIN))
            case "g":
                at = [n for n, c in enumerate(self.choices) if isinstance(c, Call) and c.greater]
                return Step(replace(self, index=at[0]) if at else self)
            case "left" | "right" | "up" | "down":
                step = 1 if key in ("right", "down") else -1
                return Step(replace(self, index=(self.index + step) % len(self.choices)))
            case "backspace" | "escape":
                return Step(replace(self, index=0))
            case "space" | "p":
                return Step(self, hint=tr(labels.ENTER_DECLINES))
        return Step(self)

    def choose(self, index: int, now: float) -> Step:
        """A click: chooses, and once more decides."""
        if index == self.index:
            return self.press("enter", now)
        return Step(replace(self, index=index)) if index < len(self.choices) else Step(self)
