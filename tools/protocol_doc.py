"""Writes the generated parts of docs/protocol.md, and checks that they are current.

    python -m tools.protocol_doc            writes docs/protocol.md, the schema and the examples
    python -m tools.protocol_doc --check    writes nothing; exit code 1 if anything is not current

Parts between `<!-- begin NAME -->` and `<!-- end -->` are made from the classes of the messages and
from a session of the real server (`protocol_session`). The check records a session again and
compares it with the committed one, but for times and the name of the instance.
"""

from __future__ import annotations

import difflib
import hashlib
import hmac
import json
import re
import sys
from pathlib import Path
from typing import Any, Final

import trio
from tools.protocol_session import Recording, record

from dalmuti.core import deal
from dalmuti.core.cards import DECK
from dalmuti.protocol import codec, describe, framing
from dalmuti.protocol.messages import PROTOCOL_VERSION, Hello

DOCS: Final = Path(__file__).parents[1] / "docs"
DOCUMENT: Final = DOCS / "protocol.md"
SCHEMA: Final = DOCS / f"protocol-v{PROTOCOL_VERSION}.schema.json"
EXAMPLES: Final = DOCS / f"protocol-v{PROTOCOL_VERSION}.examples.json"
WALK: Final = "a bot's evening"
"""The key under which the messages of one connection are kept beside the examples."""
MASKED: Final = {"instance", "server", "key"}


def captured() -> dict[str, Any]:
    """The examples of a fresh session, and all messages of Bob's connection."""
    recording: Recording = trio.run(record)
    table = "Kitchen"
    walk = []
    for client, direction, message in recording.by_client:
        if client == "Bob" and table:
            walk.append([direction, message])
            if message["t"] == "bye":
                table = ""
    return {**recording.examples(), WALK: walk}


def written(examples: dict[str, Any], old: str) -> str:
    """The document with its generated parts made new."""
    parts = describe.sections(examples)
    parts["hello in hex"] = _hex()
    parts["walk"] = _walk(examples[WALK])
    parts["vectors"] = _vectors(examples)
    parts["limits"] = _limits()
    text, found = old, set()
    for name in re.findall(r"<!-- begin (.*?) -->", old):
        begin, end = f"<!-- begin {name} -->", "<!-- end -->"
        before, _, rest = text.partition(begin)
        after = rest.partition(end)[2]
        text = f"{before}{begin}\n{parts[name]}\n{end}{after}"
        found.add(name)
    missing = parts.keys() - found
    if missing:
        raise SystemExit(f"{DOCUMENT.name} has no place for {', '.join(sorted(missing))}")
    return text


def _hex() -> str:
    message = Hello(versions=(1, 1), name="Ada", kind="bot")
    data = framing.frame(codec.encode(message))
    lines = [data[:4].hex(" "), *(data[n : n + 24].hex(" ") for n in range(4, len(data), 24))]
    shown = json.dumps(codec.unpack(data[4:], codec.TO_SERVER))
    return "```\n" + "\n".join(lines) + f"\n```\n\nThat is `{shown}`."


def _limits() -> str:
    rows = [
        ("bytes of a frame", f"{framing.TO_SERVER_LIMIT} ({framing.HELLO_LIMIT} for the `hello`)"),
        ("entries of an array", str(codec.TO_SERVER.array)),
        ("entries of a map", str(codec.TO_SERVER.map)),
        ("bytes of a text", str(codec.TO_SERVER.text)),
        ("levels of maps and arrays", str(codec.TO_SERVER.depth)),
    ]
    client = [
        str(framing.TO_CLIENT_LIMIT),
        str(codec.TO_CLIENT.array),
        str(codec.TO_CLIENT.map),
        str(codec.TO_CLIENT.text),
        str(codec.TO_CLIENT.depth),
    ]
    lines = ["| at most | to the server | to the client |", "|---|---|---|"]
    lines += [f"| {what} | {to} | {of} |" for (what, to), of in zip(rows, client, strict=True)]
    return "\n".join(lines)


def _walk(walk: list[list[Any]]) -> str:
    """From the hello to the second play of the bot, then the end of the hand and of the session."""
    acts = [n for n, (_, message) in enumerate(walk) if message["t"] == "act"]
    begin = walk[: acts[2] + 2]
    over = next(n for n, (_, m) in enumerate(walk) if m.get("event", {}).get("e") == "hand_ended")
    end = walk[over : over + 5]
    lines = [_arrow(direction, message) for direction, message in begin]
    lines += ["", "... one decision after the other, until the hand is over:", ""]
    lines += [_arrow(direction, message) for direction, message in end]
    lines += ["", "... and so on, until the table closes:", ""]
    lines += [_arrow(direction, message) for direction, message in walk[-3:]]
    return "```\n" + "\n".join(lines) + "\n```"


def _arrow(direction: str, message: dict[str, Any]) -> str:
    shown = json.dumps(message, ensure_ascii=False)
    return ("> " if direction == "to_server" else "< ") + shown


def _vectors(examples: dict[str, Any]) -> str:
    """The first hand of the examples, recomputed step by step."""
    walk = [message["event"] for _, message in examples[WALK] if message["t"] == "event"]
    started = next(event for event in walk if event["e"] == "hand_started")
    drawn = next(event for event in walk if event["e"] == "titles_drawn")
    revealed = next(event for event in walk if event["e"] == "deal_revealed")
    own = next(event for event in walk if event["e"] == "dealt")["cards"]
    table = examples["to_client seated"]["table"]
    seed = bytes.fromhex(revealed["seed"])
    nonces = {each["player"]: bytes.fromhex(each["nonce"]) for each in started["nonces"]}
    commitment = deal.commitment(table, started["hand"], seed)
    digest, key, words, deck = _by_the_book(seed, nonces)
    assert deck == deal.deck_of(seed, nonces)
    titles = deal.shuffled(DECK, seed, nonces, "titles")
    bare = deal.deck_of(seed, {})
    fixed = deal.fixed_seed(1, 1)
    assert commitment == started["commitment"]
    assert sorted(deck[started["order"].index(2) :: len(started["order"])]) == own
    first = drawn["rounds"][0]["draws"]
    assert titles[: len(first)] == [draw["card"] for draw in first]
    rows = [
        ("table, hand", f"`{table}`, {started['hand']}"),
        ("seed", f"`{seed.hex()}`"),
        ("commitment", f"`{commitment}`"),
        ("nonces", ", ".join(f"player {n}: `{nonce.hex()}`" for n, nonce in nonces.items())),
        ("nonce digest", f"`{digest.hex()}`"),
        ("key", f"`{key.hex()}`"),
        ('first words, label "deck"', ", ".join(map(str, words))),
        ("deck", " ".join(map(str, deck))),
        ("titles deck", " ".join(map(str, titles))),
        ("deck without any nonce", " ".join(map(str, bare))),
        ("fixed seed of `seed` 1, hand 1", f"`{fixed.hex()}`"),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows)])


def _by_the_book(
    seed: bytes, nonces: dict[int, bytes]
) -> tuple[bytes, bytes, list[int], list[int]]:
    """The deck as the document has it in words, apart from `core.deal`, with what is in between."""

    def number(value: int) -> bytes:
        return value.to_bytes(4, "big")

    def word(index: int) -> int:
        block = hmac.digest(key, b"deck" + number(index // 8), "sha256")
        return int.from_bytes(block[index % 8 * 4 :][:4], "big")

    added = b"".join(number(p) + number(len(nonce)) + nonce for p, nonce in sorted(nonces.items()))
    digest = hashlib.sha256(b"dalmuti-nonces-v1" + added).digest()
    key = hmac.digest(seed, digest, "sha256")
    deck = [rank for rank in range(1, 13) for _ in range(rank)] + [13, 13]
    index = 0
    for last in range(79, 0, -1):
        while word(index) >= 2**32 // (last + 1) * (last + 1):
            index += 1
        pick = word(index) % (last + 1)
        index += 1
        deck[last], deck[pick] = deck[pick], deck[last]
    return digest, key, [word(n) for n in range(4)], deck


def masked(value: Any, within: str = "") -> Any:
    """A recording without what differs each time: instance, keys, what is left of a clock."""
    if isinstance(value, dict):
        clock = {"ms"} if value.get("t") == "snapshot" or within == "countdowns" else set()
        return {
            key: "..." if key in MASKED | clock else masked(item, key)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item, within) for item in value]
    return value


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Lines that tell two recordings apart."""

    def lines(recording: dict[str, Any]) -> list[str]:
        walk = [f"{WALK}: {json.dumps(masked(each))}" for each in recording[WALK]]
        rest = sorted((key, part) for key, part in recording.items() if key != WALK)
        return [f"{key}: {json.dumps(masked(part))}" for key, part in rest] + walk

    return list(
        difflib.unified_diff(lines(old), lines(new), "committed", "recorded now", "", "", 0, "")
    )


def check() -> list[str]:
    """What is not current; empty if all is."""
    examples = json.loads(EXAMPLES.read_text())
    wrong = [line[:300] for line in differences(examples, captured())]
    wrong += [f"no example: {key}" for key in describe.example_keys() if key not in examples]
    document = DOCUMENT.read_text()
    if written(examples, document) != document:
        wrong.append(f"{DOCUMENT.name}: a generated part is not current")
    if SCHEMA.read_text() != describe.json():
        wrong.append(f"{SCHEMA.name} is not current")
    return wrong


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit code."""
    if arguments == ["--check"]:
        wrong = check()
        if wrong:
            wrong.append("if that is as it should be, run: python -m tools.protocol_doc")
        print("\n".join(wrong) or "everything generated is current")
        return 1 if wrong else 0
    if arguments:
        print("usage: python -m tools.protocol_doc [--check]", file=sys.stderr)
        return 2
    examples = captured()
    lines = [f"{json.dumps(key)}: {_kept(key, part)}" for key, part in examples.items()]
    EXAMPLES.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    SCHEMA.write_text(describe.json())
    DOCUMENT.write_text(written(examples, DOCUMENT.read_text()))
    return 0


def _kept(key: str, part: Any) -> str:
    """One message a line, so that a change of the recording can be read as one."""
    if key != WALK:
        return json.dumps(part, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in part) + "\n]"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
