"""Which keys the last line names: those of the moment, and none of them that does nothing.

Each screen has a table of its keys (`keytexts`); here it is measured by what is really there. What
is chosen changes words in their places; keys that come and go with it stand behind the others, so
that the line does not jump with every arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import TYPE_CHECKING, Final

from dalmuti.client import autopass
from dalmuti.client.i18n import tr
from dalmuti.client.tui import keytexts, labels, tabletexts
from dalmuti.client.tui.keytexts import Keys
from dalmuti.client.tui.selector import PlaySelector, RevolutionSelector, Selector
from dalmuti.client.tui.state import scene_of

if TYPE_CHECKING:
    from dalmuti.client.tui.screens.base import Scene

_HELP: Final[Keys] = (keytexts.KEY_HELP,)
_BOXES: Final[Mapping[str, Keys]] = {
    "help": keytexts.KEYS_IN_HELP,
    "scores": keytexts.KEYS_IN_SCORES,
    "log": keytexts.KEYS_IN_LOG,
}


def of_moment(scene: Scene, keys: Keys) -> tuple[list[tuple[str, str]], Keys]:
    """The keys that do something now, and that for help, which goes last of all.

    A box over the screen takes the keys for itself, and so does the chat line.
    """
    if scene.ui.chatting:
        return list(keytexts.KEYS_CHAT), ()
    if scene.ui.overlay == "leave" or is_lost(scene):
        leaving = scene.ui.overlay == "leave"
        return list(keytexts.KEYS_LEAVING if leaving else keytexts.KEYS_LOST), ()
    if scene.ui.overlay:
        return list(_BOXES[scene.ui.overlay]), ()
    useful = [each for each in keys if _USEFUL.get(each[0], _always)(scene)]
    return [(_named(scene, key), _does(scene, key, what)) for key, what in useful], _HELP


def is_lost(scene: Scene) -> bool:
    """Whether we sit before a table, or a lobby, of which we hear nothing."""
    link = scene.model.link.state
    return link == "lost" or (link == "connecting" and scene.model.table is not None)


def is_advised(scene: Scene) -> bool:
    """Whether the expert's advice is shown: where what it is about can be seen."""
    behind = scene.ui.hidden or scene_of(scene.model, scene.ui) == "draw"
    return bool(scene.ui.advice) and not behind


def way_to_talk(scene: Scene) -> str:
    """What stands above the keys while nothing else does: how to talk, where somebody hears it."""
    return tr(labels.CHAT_LINE if _somebody_hears(scene) else labels.COMMAND_LINE)


def _always(scene: Scene) -> bool:
    return True


def _somebody_hears(scene: Scene) -> bool:
    """Whether there is anybody to talk to: bots do not listen."""
    return scene.model.table is not None and not scene.table.solo and not is_lost(scene)


def _names_chat(scene: Scene) -> bool:
    """Whether the way to talk is not told above the keys already."""
    above = is_advised(scene) or bool(scene.ui.hint or scene.model.refusal)
    return _somebody_hears(scene) and above


def _may_pass_on(scene: Scene) -> bool:
    return scene.ui.passing or not autopass.refused(scene.model)


def _has_cards(scene: Scene) -> bool:
    hand = scene.model.table.hand if scene.model.table else None
    return scene.ui.hidden or (hand is not None and bool(hand.cards))


def _some_tables(scene: Scene) -> bool:
    lobby = scene.model.lobby
    return scene.model.table is not None or (lobby is not None and len(lobby.tables) > 1)


def _selector(scene: Scene) -> Selector | None:
    """What is being chosen, as far as it can be seen: neither behind the draw nor while hidden."""
    behind = scene.ui.hidden or scene_of(scene.model, scene.ui) == "draw"
    return None if behind else scene.ui.selector


def _may_enter(scene: Scene) -> bool:
    """In the lobby: the chosen table has a seat. Elsewhere Enter means something else."""
    tables = scene.model.lobby.tables if scene.model.lobby else ()
    if scene.model.table is not None or not tables:
        return True
    return tabletexts.has_seat(tables[min(scene.ui.lobby_index, len(tables) - 1)])


def _changes(*keys: str) -> Callable[[Scene], bool]:
    """Whether one of these keys changes what is chosen, if something is."""

    def useful(scene: Scene) -> bool:
        now = _selector(scene)
        return now is None or any(now.press(key, inf).selector != now for key in keys)

    return useful


def _sitting(scene: Scene) -> int:
    return sum(info.presence != "left" for info in scene.table.players)


def _may_deal(scene: Scene) -> bool:
    """Two can play. Elsewhere than between hands Space means something else."""
    table = scene.model.table
    return table is None or table.hand is not None or _sitting(scene) > 1


def _may_add(scene: Scene) -> bool:
    welcome = scene.model.welcome
    return _sitting(scene) < scene.table.options.seats and (welcome is None or bool(welcome.bots))


def _may_remove(scene: Scene) -> bool:
    return any(info.kind != "human" and info.presence != "left" for info in scene.table.players)


_USEFUL: Final[Mapping[str, Callable[[Scene], bool]]] = {
    "t": _names_chat,
    "a": _may_pass_on,
    "h": _has_cards,
    "PgUp": lambda scene: scene.log_is_longer,
    "Arrows": _some_tables,
    "Enter": _may_enter,
    "Left Right": _changes("left", "right"),
    "Up Down": _changes("up", "down"),
    "j": _changes("j"),
    "-": _changes("-"),
    "Esc": _changes("escape"),
    "Space": _may_deal,
    "b": _may_add,
    "k": _may_remove,
}
"""When a key does something, where that is not always so while it is in the table of a screen."""


def _named(scene: Scene, key: str) -> str:
    """After what cannot be played Enter plays nothing: then the key that forgets it is named."""
    return "Backspace" if key == "Enter" and _disarmed(scene) else key


def _does(scene: Scene, key: str, what: str) -> str:
    """What a key does now."""
    selector, table = _selector(scene), scene.model.table
    if key == "Enter" and _disarmed(scene):
        return keytexts.FORGET
    if key == "Enter" and isinstance(selector, PlaySelector):
        return what if selector.chosen else keytexts.PASS
    if key == "Enter" and isinstance(selector, RevolutionSelector) and selector.index:
        return keytexts.CALL
    if key == "a" and scene.ui.passing:
        return keytexts.CHOOSE_AGAIN
    if key == "Space" and table is not None and table.state == "over" and scene.ui.told is None:
        return keytexts.NEW_MATCH
    return what


def _disarmed(scene: Scene) -> bool:
    selector = _selector(scene)
    return isinstance(selector, PlaySelector) and not selector.armed
