"""The protocol describes itself, completely, and a released version changes by addition only."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from dalmuti.core.events import Seen
from dalmuti.core.options import TableOptions
from dalmuti.protocol import describe
from dalmuti.protocol.errors import ByeReason, ErrorCode
from dalmuti.protocol.meanings import MEANINGS
from dalmuti.protocol.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Countdown,
    Ok,
    Pong,
    ServerMessage,
)

HERE = Path(__file__).parent
CURRENT = HERE.parents[1] / "docs" / f"protocol-v{PROTOCOL_VERSION}.schema.json"
RELEASED = HERE / f"released-v{PROTOCOL_VERSION}.schema.json"


def test_the_schema_has_every_message_and_event() -> None:
    schema = describe.schema()
    assert len(schema["to_server"]["anyOf"]) == len(get_args(ClientMessage))
    assert len(schema["to_client"]["anyOf"]) == len(get_args(ServerMessage))
    tags = {
        name
        for part in schema["$defs"].values()
        for field in ("t", "e")
        for name in part["properties"].get(field, {}).get("enum", [])
    }
    for cls in (*get_args(ClientMessage), *get_args(ServerMessage), *get_args(Seen)):
        assert cls.__struct_config__.tag in tags


def test_every_reference_of_the_schema_leads_somewhere() -> None:
    schema = describe.schema()
    found: list[str] = []

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            found.extend([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
            for each in value.values():
                visit(each)
        elif isinstance(value, list):
            for each in value:
                visit(each)

    visit(schema)
    assert {ref.removeprefix("#/$defs/") for ref in found} <= schema["$defs"].keys()
    assert not [name for name in schema["$defs"] if "." in name]


def test_the_committed_schema_is_current() -> None:
    assert CURRENT.read_text() == describe.json(), "run tools/protocol_doc.py"


def test_the_released_version_has_changed_by_addition_only() -> None:
    """The file beside this test is what was released. It is never written again: what changes or
    removes something needs a new PROTOCOL_VERSION, and then a file of its own."""
    released = json.loads(RELEASED.read_text())
    assert describe.breaks(released, describe.schema()) == []


def _add_message(schema: Any) -> None:
    schema["$defs"]["Sing"] = {"properties": {"t": {"enum": ["sing"]}}, "required": ["t"]}
    schema["to_server"]["anyOf"].append({"$ref": "#/$defs/Sing"})


def _add_event(schema: Any) -> None:
    schema["$defs"]["Snowed"] = {"properties": {"e": {"enum": ["snowed"]}}, "required": ["e"]}
    event = schema["$defs"]["EventMessage"]["properties"]["event"]
    event["anyOf"].append({"$ref": "#/$defs/Snowed"})
    event["discriminator"]["mapping"]["snowed"] = "#/$defs/Snowed"


def _add_optional_field(schema: Any) -> None:
    schema["$defs"]["Chat"]["properties"]["loud"] = {"type": "boolean", "default": False}


def _add_code(schema: Any) -> None:
    schema["errors"].append("no_singing")


def _say_it_otherwise(schema: Any) -> None:
    schema["$defs"]["Chat"]["description"] = "Says something."


@pytest.mark.parametrize(
    "change", [_add_message, _add_event, _add_optional_field, _add_code, _say_it_otherwise]
)
def test_additions_are_free(change: Callable[[Any], None]) -> None:
    old = describe.schema()
    new = copy.deepcopy(old)
    change(new)
    assert new != old
    assert describe.breaks(old, new) == []
    if change is not _say_it_otherwise:
        assert describe.breaks(new, old) != []


def _places(value: Any, names: bool = False) -> Iterator[tuple[Any, bool]]:
    """Every map and list of a schema, and whether it is a map of names."""
    if isinstance(value, dict):
        yield value, names
        for key, inner in value.items():
            of_names = not names and key in ("properties", "$defs", "mapping")
            yield from _places(inner, of_names)
    elif isinstance(value, list):
        yield value, False
        for inner in value:
            yield from _places(inner)


def _faults(place: Any, names: bool) -> Iterator[Callable[[], None]]:
    """Changes of one place, none of which is an addition. Each is undone by the caller."""
    if isinstance(place, list):
        for at in range(len(place)):
            yield partial(place.pop, at)
        yield partial(place.append, "another")
        return
    for key in list(place):
        if not names and key in ("description", "title"):
            continue
        yield partial(place.pop, key)
        if not isinstance(place[key], dict | list):
            yield partial(place.update, {key: "another"})
            if isinstance(place[key], bool | int):
                yield partial(place.update, {key: place[key] + 1})
    if not names:
        bounds: list[dict[str, Any]] = [
            {"minimum": 3},
            {"pattern": "x"},
            {"not": {"type": "null"}},
            {"additionalProperties": {"type": "string"}},
        ]
        for bound in bounds:
            if not bound.keys() & place.keys():
                yield partial(place.update, bound)


def test_no_change_but_addition_goes_unnoticed() -> None:
    """Every place of the schema of a message, event or part, with every kind of change to it."""
    tried = 0
    for name, part in describe.schema()["$defs"].items():
        where = f"$.$defs.{name}"
        new = copy.deepcopy(part)
        for place, names in list(_places(new)):
            kept = copy.copy(place)
            for fault in _faults(place, names):
                fault()
                assert describe.breaks(part, new, where) != [], (where, kept, place)
                tried += 1
                place.clear()
                place.extend(kept) if isinstance(place, list) else place.update(kept)
        assert new == part
    assert tried > 5000


def _say_an_alternative_otherwise(schema: Any) -> None:
    schema["$defs"]["HandView"]["properties"]["seat"]["anyOf"][0]["description"] = "A seat."


def _order_differently(schema: Any) -> None:
    schema["$defs"]["Chat"]["required"].reverse()
    schema["to_client"]["anyOf"].reverse()


@pytest.mark.parametrize("change", [_say_an_alternative_otherwise, _order_differently])
def test_words_and_order_are_free(change: Callable[[Any], None]) -> None:
    old = describe.schema()
    new = copy.deepcopy(old)
    change(new)
    assert new != old and describe.breaks(old, new) == []


def _drop_message(schema: Any) -> None:
    schema["to_server"]["anyOf"].pop()


def _drop_part(schema: Any) -> None:
    del schema["$defs"]["Chat"]


def _drop_field(schema: Any) -> None:
    del schema["$defs"]["PlayerInfo"]["properties"]["kind"]


def _change_type(schema: Any) -> None:
    schema["$defs"]["Chat"]["properties"]["text"]["type"] = "integer"


def _change_bound(schema: Any) -> None:
    schema["$defs"]["Chat"]["properties"]["text"]["maxLength"] = 100


def _add_bound(schema: Any) -> None:
    schema["$defs"]["Welcome"]["properties"]["version"]["minimum"] = 1


def _change_default(schema: Any) -> None:
    schema["$defs"]["JoinTable"]["properties"]["watch"]["default"] = True


def _require_more(schema: Any) -> None:
    schema["$defs"]["JoinTable"]["properties"]["mood"] = {"type": "string"}
    schema["$defs"]["JoinTable"]["required"].append("mood")


def _require_less(schema: Any) -> None:
    schema["$defs"]["Welcome"]["required"].remove("limits")


def _another_value(schema: Any) -> None:
    schema["$defs"]["PlayerInfo"]["properties"]["presence"]["enum"].append("asleep")


def _may_be_nil(schema: Any) -> None:
    schema["$defs"]["HandView"]["properties"]["seat"]["anyOf"].append({"type": "string"})


def _another_part(schema: Any) -> None:
    schema["$defs"]["TableView"]["properties"]["draw"]["anyOf"].append({"$ref": "#/$defs/Ok"})


def _another_choice(schema: Any) -> None:
    choice = schema["$defs"]["Act"]["properties"]["choice"]
    choice["anyOf"].append({"$ref": "#/$defs/Ok"})
    choice["discriminator"]["mapping"]["ok"] = "#/$defs/Ok"


def _fewer_values(schema: Any) -> None:
    schema["$defs"]["PlayerInfo"]["properties"]["presence"]["enum"].pop()


def _drop_event(schema: Any) -> None:
    schema["$defs"]["EventMessage"]["properties"]["event"]["anyOf"].pop()


def _drop_code(schema: Any) -> None:
    schema["byes"].remove("idle")


def _rename_tag(schema: Any) -> None:
    schema["$defs"]["Chat"]["properties"]["t"]["enum"] = ["say"]


@pytest.mark.parametrize(
    "change",
    [
        _drop_message,
        _drop_part,
        _drop_field,
        _change_type,
        _change_bound,
        _add_bound,
        _change_default,
        _require_more,
        _require_less,
        _another_value,
        _may_be_nil,
        _another_part,
        _another_choice,
        _fewer_values,
        _drop_event,
        _drop_code,
        _rename_tag,
    ],
)
def test_anything_else_breaks_clients(change: Callable[[Any], None]) -> None:
    old = describe.schema()
    new = copy.deepcopy(old)
    change(new)
    assert describe.breaks(old, new) != []


def test_every_field_has_a_meaning_and_every_meaning_a_field() -> None:
    known = set()
    for cls in describe.everything():
        for field in describe.structure(cls).fields:
            assert describe.meaning(cls, field), f"{cls.__name__}.{field.name}"
            known |= {field.name, f"{describe.name_of(cls)}.{field.name}"}
    assert MEANINGS.keys() <= known


def test_every_class_says_what_it_is_for() -> None:
    own = {cls.__doc__ for cls in describe.everything()}
    assert None not in own
    assert len(own) == len(describe.everything())


def test_the_description_for_people_is_complete() -> None:
    text = describe.text()
    for cls in describe.everything():
        assert f"### {describe.title_of(cls)}\n" in text
    for code in (*ErrorCode, *ByeReason):
        assert f"| `{code.value}` |" in text
    for option in TableOptions.__struct_fields__:
        assert f"| `{option}` |" in text
    assert "rules.md" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert not [row for row in rows if row.replace("\\|", "").count("|") not in (3, 5)]


def test_examples_are_shown_where_they_belong() -> None:
    pong = msgspec.to_builtins(Pong(n=5))
    parts = describe.sections({"to_server pong": pong})
    assert "### pong\n\nThe answer to `ping`." in parts["to_server"]
    assert '```json\n{"t": "pong", "n": 5}\n```' in parts["to_server"]
    assert "```" not in parts["to_client"]
    keys = describe.example_keys()
    assert len(set(keys)) == len(keys)
    assert {"to_server pong", "to_client pong", "event played"} <= set(keys)


def test_long_json_is_broken_where_it_has_to_be() -> None:
    value = {"t": "x", "long": [{"a": "y" * 40}, {"b": "z" * 40}], "numbers": [1] * 60, "e": []}
    shown = describe.pretty(value)
    assert json.loads(shown) == value
    assert '    {"a": "' in shown and shown.startswith('{\n  "t": "x",\n')
    assert describe.pretty(msgspec.to_builtins(Ok(re=1))) == '{"t": "ok", "re": 1}'
    assert describe.pretty(msgspec.to_builtins(Countdown(1, 2))) == '{"player": 1, "ms": 2}'
