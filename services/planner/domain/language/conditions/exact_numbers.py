"""Numbers of things that a thing has exactly: "customers with two orders", "only one order"."""

from __future__ import annotations

from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import Token

_ONE = frozenset(["one", "single"])
_OWNING = frozenset(
    """with have has had having placed made bought sold wrote taught held won owns own owned gave
    took""".split()
)
_EXACTLY = frozenset(["only", "just", "a", "exactly", "precisely"])


def number_said(token: Token) -> float | None:
    """The number that a token is; "one" is one only where a number is looked for."""
    return 1.0 if token.lower in _ONE and not token.quoted else token.number


def number_after(scene: Scene, position: int) -> int | None:
    """Where the number is that a comparison at this place is with."""
    for index in range(position, min(position + 3, len(scene.tokens))):
        token = scene.tokens[index]
        if number_said(token) is not None and not token.quoted:
            return index
        if not (token.lower in ("the", "a", "an", "$", "number", "value") or token.text in "€£"):
            return None
    return None


def owned_exactly(scene: Scene, position: int) -> tuple[int, float, int] | None:
    """The things that are had, how many, and where the words for it begin."""
    token = scene.tokens[position]
    number, things = number_said(token), scene.starting(position + 1)
    if number is None or things is None or not number.is_integer():
        return None
    first = position
    while scene.words(first - 1, first) and scene.words(first - 1, first)[0] in _EXACTLY:
        first -= 1
    verb = scene.words(first - 1, first)
    chosen = scene.mentions[things].chosen
    owners = [m.chosen for m in scene.mentions[:things] if m.chosen.kind in ("table", "column")]
    had = bool(verb) and (verb[0] in _OWNING or verb[0].endswith("ed"))
    another = any(owner.table != chosen.table or owner.kind == "column" for owner in owners)
    if not had or chosen.kind != "table" or not another:
        return None
    return things, number, first
