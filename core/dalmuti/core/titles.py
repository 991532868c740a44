"""Titles by seat, the first draw, and who sits where next (rules.md F1, F2, P8, J1, J2)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby
from typing import Annotated

from msgspec import Meta, Struct


class Title(StrEnum):
    """The social standing of a seat. The words people see are translations."""

    GREATER_DALMUTI = "greater_dalmuti"
    LESSER_DALMUTI = "lesser_dalmuti"
    MERCHANT = "merchant"
    LESSER_PEON = "lesser_peon"
    GREATER_PEON = "greater_peon"


def title_of(seat: int, seats: int) -> Title:
    """The title of `seat` at a table of `seats` (rules.md, Vocabulary)."""
    if seat == 0:
        return Title.GREATER_DALMUTI
    if seat == seats - 1:
        return Title.GREATER_PEON
    if seats >= 4 and seat == 1:
        return Title.LESSER_DALMUTI
    if seats >= 4 and seat == seats - 2:
        return Title.LESSER_PEON
    return Title.MERCHANT


def seat_newcomer(order: Sequence[int], player: int) -> list[int]:
    """The seating with `player` as the lowest Merchant (rules.md J1).

    Called once for each of several newcomers in order of arrival, who thus sit in that order. From
    2 to 3 players the newcomer is the Merchant; from 3 to 4 he takes seat 2 and is Lesser Peon, and
    a fifth player, as the lowest Merchant, sits down above him.
    """
    seats = len(order)
    if seats < 2:
        return [*order, player]
    above = 1 if seats <= 3 else 2
    return [*order[: seats - above], player, *order[seats - above :]]


class Draw(Struct, frozen=True, gc=False):
    """One card drawn for the first titles."""

    player: int
    card: Annotated[int, Meta(ge=1, le=13, description="13: a Jester.")]


class DrawRound(Struct, frozen=True, gc=False):
    """One round of drawing: everybody, or those who tied, to order themselves (F2)."""

    draws: tuple[Draw, ...]


def draw_titles(players: Sequence[int], deck: Sequence[int]) -> tuple[list[DrawRound], list[int]]:
    """Draws for the first titles from the top of a shuffled deck, with redraws (F1, F2).

    Returns the rounds as they happened and the players from Greater Dalmuti to Greater Peon.
    Players who tie draw again among themselves for the places they tie for, the best tie first.
    Ten players cannot use up the 80 cards short of ties that no shuffle makes; if the deck does
    run out the players still tied stay in the order in which they sit.
    """
    rounds: list[DrawRound] = []
    rest = iter(deck)

    def settle(tied: list[int]) -> list[int]:
        cards = [card for _, card in zip(tied, rest, strict=False)]
        if len(cards) < len(tied):
            return tied
        draws = tuple(Draw(player, card) for player, card in zip(tied, cards, strict=True))
        rounds.append(DrawRound(draws))
        by_card = sorted(draws, key=lambda draw: draw.card)
        groups = [[d.player for d in same] for _, same in groupby(by_card, lambda d: d.card)]
        return [
            player for group in groups for player in (group if len(group) == 1 else settle(group))
        ]

    return rounds, settle(list(players))
