"""What the screen itself remembers, beside the model: overlays, scrolling, what is being chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dalmuti.client.model import Model
from dalmuti.client.tui.selector import Selector
from dalmuti.client.words.lesson import Course
from dalmuti.core.moves import Move

Overlay = Literal["", "help", "rules", "scores", "leave", "log"]
SceneName = Literal["lobby", "room", "draw", "revolution", "taxes", "play", "result"]


@dataclass
class Ui:
    """The state of the screen. Only `control.Control` changes it."""

    join_lines: tuple[str, ...] = ()
    """What others type to join, shown to the host while the table waits."""
    ascii: bool = False
    theme: str = "default"
    mouse: bool = True
    bell: bool = True
    title: bool = True
    hidden: bool = False
    """What only we may see is not shown: somebody looks over our shoulder."""
    passing: bool = False
    """We pass by ourselves until the trick is over."""
    course: Course | None = None
    """The lesson, where there is one."""
    advice: str = ""
    """What the expert bot would do, where that was asked for."""
    selector: Selector | None = None
    """Our own pending decision; None when there is none, or its answer is on the way."""
    sent: Move | None = None
    """The last answer, until the next decision comes."""
    hint: str = ""
    next_step: str = ""
    """What happens by itself after this hand."""
    overlay: Overlay = ""
    chatting: bool = False
    """The chat line has the keys."""
    offered: tuple[str, ...] = ()
    """What the command in the chat line may become."""
    log_back: int = 0
    """How many lines the log is scrolled back."""
    held_until: float | None = None
    """While the connection is lost: until when the table waits for us, at least."""
    lobby_index: int = 0
    told: tuple[str, tuple[str, ...]] | None = None
    """In a replay, where a choice would be: a title, and what happened last."""
    draw_step: int | None = None
    """How much of the first draw is shown: its rounds, then the titles; None: not any more."""


def scene_of(model: Model, ui: Ui) -> SceneName:
    """Which screen this state calls for."""
    table = model.table
    if table is None:
        return "lobby"
    if ui.draw_step is not None and table.draw is not None:
        return "draw"
    if table.hand is not None:
        match table.hand.phase:
            case "revolution":
                return "revolution"
            case "taxes":
                return "taxes"
            case _:
                return "play"
    return "result" if table.result is not None else "room"
