"""What a person set once for all: a TOML file in the user's configuration folder.

The command line goes before it. A key or value that does not exist is refused by name, since a
setting that does nothing is worse than none.
"""

from __future__ import annotations

import getpass
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import msgspec
import platformdirs
from msgspec import Struct

from dalmuti.client.foreign import said
from dalmuti.client.i18n import tr
from dalmuti.protocol.text import clean_name

Mode = Literal["screen", "line", "plain"]
Theme = Literal["default", "high-contrast", "deuteranopia", "tritanopia", "mono"]
DEFAULT_NAME = "Player"


class SettingsError(ValueError):
    """The file, or a value, is wrong; the sentence says what was expected."""


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of settings.toml; what is not there is left to the command line."""

    name: str | None = None
    lang: Literal["en", "fr", "nl", "de"] | None = None
    """None: what the locale says."""
    mode: Mode = "screen"
    ascii: bool = False
    theme: Theme = "default"
    mouse: bool = True
    bell: bool = True
    """Ring when it is our turn."""
    title: bool = True
    """Say in the title of the window when it is our turn."""
    history: bool = True
    """Whether hands that were played are written down for `dalmuti stats`."""


def path() -> Path:
    """Where the file is looked for."""
    return platformdirs.user_config_path("dalmuti") / "settings.toml"


def load(file: Path | None = None) -> Settings:
    """The settings; all defaults without a file. Raises SettingsError."""
    file = file or path()
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise SettingsError(
            tr("{file} cannot be read: {reason}", file=file, reason=error.strerror)
        ) from None
    except (ValueError, RecursionError) as error:  # a number or a nesting without an end as well
        raise SettingsError(tr("{file} is not TOML: {reason}", file=file, reason=error)) from None
    unknown = [key for key in values if key not in Settings.__struct_fields__]
    if unknown:
        raise SettingsError(
            tr(
                "{file}: unknown key {key!r}; the keys are {keys}",
                file=file,
                key=unknown[0],
                keys=", ".join(Settings.__struct_fields__),
            )
        )
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{file}: {_expected(str(error), values)}") from None


def _expected(problem: str, values: dict[str, object]) -> str:
    """What a value should have been. The checker's own words name a path and no choices."""
    key = problem.rpartition("$.")[2].strip("`")
    hint = get_type_hints(Settings).get(key)
    if hint is None:
        return problem
    kinds = {str | None: tr("a text"), bool: tr("true or false")}
    choices = kinds.get(hint) or ", ".join(map(repr, _choices(hint)))
    return tr(
        "{key}: expected {choices}, found {found!r}", key=key, choices=choices, found=values[key]
    )


def _choices(hint: Any) -> list[Any]:
    """What a hint allows, but that it may be left out."""
    inner = [each for part in get_args(hint) for each in (get_args(part) or (part,))]
    return [each for each in inner if each is not type(None)]


def chosen_name(given: str | None, settings: Settings) -> tuple[str, bool]:
    """The name to play under, and whether somebody chose it.

    One that was chosen has to be right, or SettingsError is raised; else it is the login name, or
    `Player` where that cannot be shown or is reserved.
    """
    wanted = given if given is not None else settings.name
    if wanted is not None:
        try:
            return clean_name(wanted), True
        except ValueError as error:
            raise SettingsError(said(str(error))) from None
    try:
        return clean_name(getpass.getuser()), False
    except (ValueError, OSError, KeyError, ImportError):
        return DEFAULT_NAME, False
