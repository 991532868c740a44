"""The protocol describes itself: JSON Schema, and the tables of docs/protocol.md.

Everything comes from the classes of the messages, so it cannot say anything that is not so. The
schema is for programs, the tables are for people; `dalmuti describe` prints either. `breaks` is how
a released version is kept from changing under those who wrote a client for it.
"""

from __future__ import annotations

import inspect
import json as jsonlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, get_args

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec import inspect as types

from dalmuti.core.events import Event, Seen
from dalmuti.core.options import TableOptions, values_of
from dalmuti.protocol.errors import BYE_MEANINGS, ERROR_MEANINGS
from dalmuti.protocol.meanings import MEANINGS
from dalmuti.protocol.messages import (
    PROTOCOL_VERSION,
    Choice,
    ClientMessage,
    Message,
    ServerMessage,
)

_TO_SERVER: Final[tuple[type[Struct], ...]] = get_args(ClientMessage)
_TO_CLIENT: Final[tuple[type[Struct], ...]] = get_args(ServerMessage)
_EVENTS: Final[tuple[type[Struct], ...]] = get_args(Seen)
_CHOICES: Final[tuple[type[Struct], ...]] = get_args(Choice)

_NAMES: Final = {
    "dalmuti.core.events.Nonce": "PlayerNonce",
    "dalmuti.core.events.Act": "TrickAct",
    "dalmuti.protocol.messages.Nonce": "Nonce",
    "dalmuti.protocol.messages.Act": "Act",
}
"""Two names are used twice: by a request, and by a part of an event or a snapshot."""


# -- for programs -----------------------------------------------------------------------------


def schema() -> dict[str, Any]:
    """A JSON Schema (2020-12) of all messages, by direction, and of all events."""

    def ref(cls: type) -> dict[str, str]:
        return {"$ref": f"#/$defs/{name_of(cls)}"}

    everything = dict.fromkeys((*_TO_SERVER, *_TO_CLIENT, *_EVENTS))
    _, parts = msgspec.json.schema_components(everything, ref_template="#/$defs/{name}")
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Dalmuti protocol, version {PROTOCOL_VERSION}",
        "version": PROTOCOL_VERSION,
        "to_server": {"anyOf": [ref(cls) for cls in _TO_SERVER]},
        "to_client": {"anyOf": [ref(cls) for cls in _TO_CLIENT]},
        "errors": [code.value for code in ERROR_MEANINGS],
        "byes": [reason.value for reason in BYE_MEANINGS],
        "$defs": {_NAMES.get(name, name): part for name, part in parts.items()},
    }
    dumped = jsonlib.dumps(whole, default=list)
    for name, alias in _NAMES.items():
        dumped = dumped.replace(f"#/$defs/{name}", f"#/$defs/{alias}")
    made: dict[str, Any] = jsonlib.loads(dumped)
    return made


def json() -> str:
    """`schema` as text."""
    return jsonlib.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def breaks(old: Any, new: Any, where: str = "$", names: bool = False) -> list[str]:
    """What `new` changes in a schema other than by addition; empty if `old` clients can live.

    Free are new messages, events, codes and optional fields, and other words. Everything else
    is a break, in whichever direction it is said: what is gone, has another type, other bounds,
    other values, another default, or is required now. In a map of `names` (fields, parts, tags)
    a key is a name; elsewhere it is a word of JSON Schema, and a new one is a new bound.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        words = frozenset() if names else _WORDS
        found = []
        for key in old.keys() - words:
            at = f"{where}.{key}"
            if key not in new:
                found.append(f"{at} is gone")
            elif key == "anyOf" and not names:
                found += _alternatives(old[key], new[key], at)
            elif key == "required" and not names:
                if sorted(map(str, old[key])) != sorted(map(str, new[key])):
                    found.append(f"{where}: required are {new[key]}, were {old[key]}")
            elif at in ("$.errors", "$.byes"):
                found += [f"{at}: {item} is gone" for item in old[key] if item not in new[key]]
            else:
                found += breaks(old[key], new[key], at, not names and key in _OF_NAMES)
        added = () if names else new.keys() - old.keys() - words
        return found + [f"{where}.{key} is new" for key in added]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [text for at, pair in pairs for text in breaks(*pair, f"{where}[{at}]")]
    return [] if old == new and type(old) is type(new) else [f"{where} is {new!r}, was {old!r}"]


_WORDS: Final = frozenset({"description", "title", "$schema"})
"""What is said in a schema for people only."""
_OF_NAMES: Final = frozenset({"properties", "$defs", "mapping"})
_OPEN: Final = frozenset(
    {"$.to_server.anyOf", "$.to_client.anyOf", "$.$defs.EventMessage.properties.event.anyOf"}
)
"""Where there may be one more: who does not know it leaves it alone."""


def _alternatives(old: list[Any], new: list[Any], where: str) -> list[str]:
    def is_in(item: Any, those: list[Any]) -> bool:
        return any(not breaks(item, each, where) and not breaks(each, item) for each in those)

    gone = [f"{where}: {item} is gone" for item in old if not is_in(item, new)]
    added = [item for item in new if not is_in(item, old)]
    free = where in _OPEN and all(set(item) == {"$ref"} for item in added)
    return gone + ([] if free else [f"{where}: {item} is new" for item in added])


# -- for people -------------------------------------------------------------------------------


def text() -> str:
    """The whole description for people, in Markdown."""
    parts = sections()
    titles = {
        "to_server": "Messages to the server",
        "to_client": "Messages to the client",
        "events": "Events",
        "choices": "Choices",
        "parts": "Parts of messages",
        "options": "Table options",
        "errors": "Error codes",
        "byes": "Reasons of a bye",
    }
    whole = [f"# Dalmuti protocol, version {PROTOCOL_VERSION}"]
    for name, title in titles.items():
        whole += [f"## {title}", parts[name]]
    return "\n\n".join(whole) + "\n"


def sections(examples: Mapping[str, object] | None = None) -> dict[str, str]:
    """The generated parts of docs/protocol.md by name, in Markdown.

    `examples` are shown with the message, event or choice they belong to; their keys are those of
    `example_keys`.
    """
    shown = examples or {}
    return {
        "to_server": _section("to_server", _TO_SERVER, shown),
        "to_client": _section("to_client", _TO_CLIENT, shown),
        "events": _section("event", _EVENTS, shown),
        "choices": _section("choice", _CHOICES, shown),
        "parts": _section("part", _parts(), shown),
        "options": _options(),
        "errors": _codes("code", ERROR_MEANINGS),
        "byes": _codes("reason", BYE_MEANINGS),
    }


def example_keys() -> list[str]:
    """The keys that a complete set of examples has: `to_server hello`, `event played`, ..."""
    groups = {"to_server": _TO_SERVER, "to_client": _TO_CLIENT, "event": _EVENTS}
    return [f"{group} {title_of(cls)}" for group, classes in groups.items() for cls in classes]


def pretty(value: object, room: int = 96, indent: str = "") -> str:
    """JSON that breaks a line only where it has to."""
    flat = jsonlib.dumps(value, ensure_ascii=False)
    if len(flat) + len(indent) <= room or not isinstance(value, dict | list) or not value:
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        if not any(isinstance(item, dict | list) for item in value):
            return flat  # one long line of numbers reads better than many short ones
        lines = [inner + pretty(item, room, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    lines = [
        f"{inner}{jsonlib.dumps(key)}: {pretty(item, room - len(key) - 4, inner)}"
        for key, item in value.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def _section(group: str, classes: Iterable[type[Struct]], examples: Mapping[str, object]) -> str:
    blocks = []
    for cls in classes:
        lines = [f"### {title_of(cls)}", "", _about(cls)]
        fields = [_row(cls, field) for field in structure(cls).fields]
        if fields:
            lines += ["", "| field | type | | meaning |", "|---|---|---|---|", *fields]
        example = examples.get(f"{group} {title_of(cls)}")
        if example is not None:
            lines += ["", "```json", pretty(example), "```"]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _row(cls: type[Struct], field: types.Field) -> str:
    default = field.default if field.default_factory is NODEFAULT else field.default_factory()
    if field.required:
        need = "required"
    elif default is None:
        need = "optional"
    else:
        need = f"default `{jsonlib.dumps(msgspec.to_builtins(default))}`"
    cells = [f"`{field.name}`", _type(field.type), need, meaning(cls, field)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(info: types.Type) -> str:
    """The type of a field in words, with links to parts that have fields of their own."""
    match info:
        case types.Metadata(type=inner):
            return _type(inner)
        case types.IntType(ge=low, le=high):
            if low is None and high is None:
                return "int"
            return f"int {low} to {high}" if high is not None else f"int from {low}"
        case types.StrType(pattern=str(pattern)):
            return "hexadecimal text" if pattern == "^[0-9a-f]*$" else f"text like `{pattern}`"
        case types.StrType(max_length=int(most)):
            return f"text of at most {most} characters"
        case types.StrType():
            return "text"
        case types.BoolType():
            return "bool"
        case types.NoneType():
            return "nil"
        case types.LiteralType(values=values):
            return " or ".join(f"`{jsonlib.dumps(value)}`" for value in values)
        case types.UnionType(types=several):
            return _union(several)
        case types.TupleType(item_types=items):
            return f"array of {len(items)}: " + " and ".join(map(_type, items))
        case types.VarTupleType(item_type=item):
            return f"array of {_type(item)}"
        case types.DictType(key_type=key, value_type=value):
            return f"map from {_type(key)} to {_type(value)}"
        case types.StructType(cls=cls):
            return f"[{title_of(cls)}](#{title_of(cls).lower()})"
    raise TypeError(f"no words for {info}")


def _union(several: tuple[types.Type, ...]) -> str:
    classes = {each.cls for each in several if isinstance(each, types.StructType)}
    if classes == set(_EVENTS):
        return "an [event](#events)"
    if classes == set(_CHOICES):
        return "a [choice](#choices)"
    words = [_type(each) for each in several if not isinstance(each, types.NoneType)]
    return " or ".join(words) + (", or nil" if len(words) < len(several) else "")


def meaning(cls: type[Struct], field: types.Field) -> str:
    """What a field of a message or a part of one means; "" if nobody wrote it down."""
    name = f"{name_of(cls)}.{field.name}"
    return MEANINGS.get(name) or _meaning(field.type) or MEANINGS.get(field.name, "")


def _meaning(info: types.Type) -> str:
    """The nearest description: of the field, else of its type, else of what it is an array of."""
    match info:
        case types.Metadata(type=inner, extra_json_schema=extra):
            found = (extra or {}).get("description")
            return str(found) if found else _meaning(inner)
        case types.UnionType(types=several):
            return next(filter(None, map(_meaning, several)), "")
        case types.VarTupleType(item_type=item):
            return _meaning(item)
    return ""


def _options() -> str:
    lines = ["| option | values | default | meaning |", "|---|---|---|---|"]
    for field in structure(TableOptions).fields:
        row = [f"`{field.name}`", values_of(field.name), str(field.default), _meaning(field.type)]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def _codes(what: str, meanings: Mapping[Any, str]) -> str:
    lines = [f"| {what} | meaning |", "|---|---|"]
    return "\n".join(lines + [f"| `{code.value}` | {text} |" for code, text in meanings.items()])


def everything() -> list[type[Struct]]:
    """Every message, event, choice, and part of one."""
    return [*dict.fromkeys((*_TO_SERVER, *_TO_CLIENT, *_EVENTS, *_CHOICES, *_parts()))]


def _parts() -> list[type[Struct]]:
    """Structs inside messages that are no messages, events or choices themselves."""
    seen: dict[type[Struct], None] = {}

    def visit(info: Any) -> None:
        if isinstance(info, types.StructType):
            if info.cls in seen:
                return
            seen[info.cls] = None
            for field in info.fields:
                visit(field.type)
        for name in ("type", "item_type", "key_type", "value_type"):
            if hasattr(info, name):
                visit(getattr(info, name))
        for name in ("types", "item_types"):
            for each in getattr(info, name, ()):
                visit(each)

    for cls in (*_TO_SERVER, *_TO_CLIENT):
        visit(structure(cls))
    named = {*_TO_SERVER, *_TO_CLIENT, *_EVENTS, *_CHOICES}
    return [cls for cls in seen if cls not in named]


@cache
def structure(cls: type[Struct]) -> types.StructType:
    """What msgspec knows of a class."""
    found = types.type_info(cls)
    assert isinstance(found, types.StructType)
    return found


def _about(cls: type[Struct]) -> str:
    """The docstring; the numbers of rules stay, the name of the file they are in does not."""
    return re.sub(r"\brules\.md ", "", inspect.cleandoc(cls.__doc__ or ""))


def name_of(cls: type) -> str:
    """The name of a class in the schema."""
    return _NAMES.get(f"{cls.__module__}.{cls.__name__}", cls.__name__)


def title_of(cls: type[Struct]) -> str:
    """What a message, event or choice is called on the wire; for a part, the name of its class."""
    tag = cls.__struct_config__.tag
    if tag is not None and (issubclass(cls, Message | Event) or cls in _CHOICES):
        return str(tag)
    return name_of(cls)
