"""The server's configuration: one TOML file, every key with a default and a comment.

Unknown keys are refused by name. What the command line says goes over the file.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from dalmuti.server.ladder.settings import LadderSettings
from dalmuti.server.limits import HUMAN_DELAY, Limits
from dalmuti.server.log import Level

DEFAULT_PORT = 12013
SCHEMES: Final[tuple[Literal["tcp", "tls"], ...]] = ("tcp", "tls")


class ConfigError(ValueError):
    """A configuration that cannot be used; the sentence says where, what was expected and found."""


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set."""

    listen: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description='Addresses to listen on: "HOST:PORT"; port 0 is any. With a certificate'
            ' all use TLS but "tcp://HOST:PORT".',
        ),
    ] = (f"127.0.0.1:{DEFAULT_PORT}",)
    tls_cert: Annotated[
        str | None, Meta(description="The file with the certificate and its chain (PEM).")
    ] = None
    tls_key: Annotated[
        str | None, Meta(description="The file with its private key; empty: in the same file.")
    ] = None
    insecure: Annotated[
        bool,
        Meta(description="Let people come over the internet without TLS: all can be overheard."),
    ] = False
    lan_only: Annotated[
        bool,
        Meta(description="Without TLS let in those only who come from a private network."),
    ] = False
    password: Annotated[
        str | None, Meta(description="What everybody must know who connects; empty: nothing.")
    ] = None
    announce: Annotated[
        bool,
        Meta(description="Tell this network by mDNS that the server is here, for `dalmuti join`."),
    ] = False
    announce_name: Annotated[
        str | None,
        Meta(description="The name it is found by; empty: that of the machine."),
    ] = None
    greeting: Annotated[
        str, Meta(max_length=500, description="Shown to everybody who connects.")
    ] = ""
    data: Annotated[
        str | None, Meta(description="The folder for what the server keeps; empty: nothing.")
    ] = None
    records: Annotated[
        str | None,
        Meta(description="The folder for transcripts of matches; empty: data/matches, if any."),
    ] = None
    keep_matches: Annotated[
        int, Meta(ge=0, description="Transcripts kept in that folder, the newest; 0: all.")
    ] = 0
    durable: Annotated[
        bool,
        Meta(
            description="Not even a power cut may take back a move; each waits for the disk then."
            " A killed server loses nothing in any case."
        ),
    ] = False
    log_format: Annotated[
        Literal["text", "json"], Meta(description="Lines for people, or for programs.")
    ] = "text"
    log_level: Annotated[
        Level, Meta(description="What is less important than this is not in the log.")
    ] = "info"
    log_file: Annotated[
        str | None, Meta(description="The file for the log; empty: standard error.")
    ] = None
    log_file_bytes: Annotated[
        int, Meta(ge=10_000, le=2**40, description="A log file of this size is put aside.")
    ] = 5 * 2**20
    log_files: Annotated[
        int, Meta(ge=1, le=1000, description="Log files in all; the oldest is deleted.")
    ] = 10
    metrics: Annotated[
        str | None,
        Meta(description="Where Prometheus may ask, on this machine: 127.0.0.1:9464; empty: no."),
    ] = None
    bot_delay: Annotated[
        float, Meta(ge=0, le=60, description="Seconds a house bot takes for a move; 0: none.")
    ] = HUMAN_DELAY
    limits: Annotated[Limits, Meta(description="What the server does not go beyond.")] = Limits()
    ladder: Annotated[
        LadderSettings, Meta(description="Rated matches between bots (docs/ladder.md).")
    ] = LadderSettings()

    @property
    def matches(self) -> Path | None:
        """The folder for transcripts of matches."""
        if self.records is not None:
            return Path(self.records)
        return None if self.data is None else Path(self.data) / "matches"

    @property
    def pace(self) -> float:
        """How much slower than usual bots and stand-ins are; 0 is instant."""
        return self.bot_delay / HUMAN_DELAY


SECTIONS: Final[dict[str, type[Struct]]] = {"limits": Limits, "ladder": LadderSettings}
"""The keys that have keys of their own."""


def load(path: Path) -> Config:
    """Reads a configuration file. Raises ConfigError with one sentence."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # a number or a nesting without an end as well
        raise ConfigError(f"{path} is not TOML: {error}") from None
    try:
        return config_from(raw)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def config_from(raw: dict[str, Any]) -> Config:
    """The configuration in a TOML document. Raises ConfigError."""
    _check_keys(raw, Config, "")
    for name, form in SECTIONS.items():
        section = raw.get(name, {})
        if isinstance(section, dict):
            _check_keys(section, form, f"{name}.")
    _check_words(raw)
    values = {key: None if value == "" else value for key, value in raw.items()}
    if raw.get("greeting") == "":
        del values["greeting"]
    try:
        config = msgspec.convert(values, Config)
    except msgspec.ValidationError as error:
        where = str(error).rpartition("$.")[2].strip("`") if "$." in str(error) else ""
        what = str(error).partition(" - at ")[0]
        raise ConfigError(f"{where}: {what[:1].lower()}{what[1:]}".strip(": ")) from None
    check(config)
    return config


def check(config: Config) -> None:
    """What must fit together. Raises ConfigError."""
    for address in config.listen:
        scheme, _, _ = split_listen(address)
        if scheme == "tls" and config.tls_cert is None:
            raise ConfigError(f"listen: {address} needs a certificate; set tls_cert and tls_key")
    limits = config.limits
    if limits.ping_seconds >= limits.dead_seconds:
        raise ConfigError(
            f"limits.ping_seconds: expected less than limits.dead_seconds"
            f" ({limits.dead_seconds:g}), found {limits.ping_seconds:g}"
        )
    if config.tls_key is not None and config.tls_cert is None:
        raise ConfigError("tls_key: there is no tls_cert that it could belong to")
    if wrong := config.ladder.wrong():
        raise ConfigError(wrong)
    if config.metrics is not None:
        host, _ = split_address(config.metrics)
        if host not in ("localhost", "::1") and not host.startswith("127."):
            raise ConfigError(f"metrics: expected an address of this machine only, found {host}")


def _check_keys(raw: dict[str, Any], form: type[Struct], prefix: str) -> None:
    for key in raw:
        if key not in form.__struct_fields__:
            near = difflib.get_close_matches(key, form.__struct_fields__, n=1, cutoff=0.5)
            hint = f"; did you mean {prefix}{near[0]}?" if near else ""
            raise ConfigError(f"unknown key {prefix}{key}{hint}")


def _check_words(raw: dict[str, Any]) -> None:
    """Where only some words will do, names them; msgspec names only what it found."""
    for key, hint in get_type_hints(Config).items():
        if get_origin(hint) is Literal and isinstance(raw.get(key), str):
            words = get_args(hint)
            if raw[key] not in words:
                raise ConfigError(f"{key}: expected one of {', '.join(words)}, found {raw[key]}")


def split_listen(text: str) -> tuple[Literal["", "tcp", "tls"], str, int]:
    """An entry of `listen`: an address with or without `tls://` or `tcp://`. Raises ConfigError."""
    for scheme in SCHEMES:
        if text.startswith(f"{scheme}://"):
            return scheme, *split_address(text.removeprefix(f"{scheme}://"))
    return "", *split_address(text)


def split_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `[IPv6]:PORT`, `HOST` or `:PORT` (all interfaces). Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    if not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"expected HOST:PORT with a port of 0 to 65535, found {text!r}")
    return host.removeprefix("[").removesuffix("]") or "0.0.0.0", int(port)


def default_text() -> str:
    """A configuration file with every key, its default and a comment."""
    return "\n".join(["# The configuration of dalmuti-server.", *_lines(Config), ""])


def _lines(form: type[Struct]) -> list[str]:
    lines: list[str] = []
    for field in msgspec.structs.fields(form):
        hint = get_type_hints(form, include_extras=True)[field.name]
        meta = next(each for each in get_args(hint) if isinstance(each, Meta))
        lines += ["", f"# {meta.description}"]
        kind = get_args(hint)[0]
        if isinstance(kind, type) and issubclass(kind, Struct):
            lines += [f"[{field.name}]", *_lines(kind)]
            continue
        if get_origin(kind) is Literal:
            lines[-1] += f" One of: {', '.join(get_args(kind))}."
        default = "" if field.default is None else field.default
        lines.append(f"{field.name} = {json.dumps(default)}")  # JSON of these is TOML as well
    return lines
