"""Conditions on texts: "starts with A", "contains 'ing'", "whose region is empty"."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.language.normalising.cues import BEING, NEGATIONS, TEXT_OPERATORS
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.intent import (
    Condition,
    Field,
    Operator,
)

_LETTERS = frozenset(["letter", "letters"])
_EMPTY = frozenset(["empty", "missing", "null", "blank", "unknown"])


def emptiness(scene: Scene) -> list[tuple[int, Condition]]:
    """ "whose region is empty", "where the date is not missing"."""
    found: list[tuple[int, Condition]] = []
    for position, token in enumerate(scene.tokens):
        if token.lower not in _EMPTY or token.used or token.quoted:
            continue
        before = scene.ending(position, within=3)
        if before is None or scene.mentions[before].chosen.kind != "column":
            continue
        gap = scene.words(scene.mentions[before].last, position)
        while gap and gap[0] in ("that", "which"):
            gap = gap[1:]
        if not gap or gap[0] not in BEING:
            continue
        chosen = scene.mentions[before].chosen
        first = scene.mentions[before].first
        if scene.words(first - 1, first) not in (["each"], ["every"], ["per"], ["by"]):
            scene.roles[before] = "condition"
        token.used = "condition"
        operator = Operator.NOT_NULL if set(gap) & NEGATIONS else Operator.IS_NULL
        target = Field(table=chosen.table, column=chosen.column)
        found.append((position, condition_of(target, operator, ())))
    return found


def text_matches(scene: Scene) -> list[tuple[int, Condition]]:
    """ "Starts with A", "containing 'ing'": the conditions, with the token where each is said."""
    found: list[tuple[int, Condition]] = []
    for position in range(len(scene.tokens)):
        for phrase, sign in TEXT_OPERATORS:
            words = phrase.split()
            end = position + len(words)
            if scene.words(position, end) != words or scene.tokens[position].used:
                continue
            value_at = _text_after(scene, end)
            before = scene.ending(position, within=4)
            if value_at is None or before is None or _names_thing(scene, value_at):
                continue
            chosen = scene.mentions[before].chosen
            if not chosen.column:
                continue  # "orders that contain more than 5 products"
            scene.roles[before] = "condition"
            taken = scene.starting(value_at)
            if taken is not None:
                scene.roles[taken] = "condition"
            target = Field(table=chosen.table, column=chosen.column)
            last = value_at
            found.append((position, _matching(scene, target, sign, value_at)))
            while _ties(scene, last + 1) and _is_quoted(scene, last + 2):
                last += 2
                found.append((last, _matching(scene, target, sign, last)))
            for token in scene.tokens[position : last + 1]:
                token.used = token.used or "condition"
            break
    return found


def _matching(scene: Scene, target: Field, sign: str, value_at: int) -> Condition:
    return condition_of(target, Operator(sign), (scene.tokens[value_at].text,))


def _is_quoted(scene: Scene, position: int) -> bool:
    """Whether a text that nothing in the data matched stands there in quotes: "… and 'e'"."""
    quoted = position < len(scene.tokens) and scene.tokens[position].quoted
    return quoted and scene.starting(position) is None


def letters_within(scene: Scene) -> list[tuple[int, Condition]]:
    """ "With the letter M in their name", "the letters D or S in the first name"."""
    found: list[tuple[int, Condition]] = []
    for position, token in enumerate(scene.tokens):
        if token.lower not in _LETTERS or token.used:
            continue
        last = position + 1
        places: list[int] = []
        while last < len(scene.tokens) and (_is_letter(scene, last) or _ties(scene, last)):
            places += [last] if _is_letter(scene, last) else []
            last += 1
        within = scene.starting(last + 1, within=2)
        if not places or scene.words(last, last + 1) != ["in"] or within is None:
            continue
        chosen = scene.mentions[within].chosen
        if chosen.kind != "column":
            continue
        scene.roles[within] = "condition"
        target = Field(table=chosen.table, column=chosen.column)
        for place in places:
            linked = scene.starting(place)
            if linked is not None:
                scene.roles[linked] = "condition"
            text = scene.tokens[place].text
            found.append((place, condition_of(target, Operator.CONTAINS, (text,))))
        for taken in scene.tokens[position:last]:
            taken.used = taken.used or "condition"
    return found


def _is_letter(scene: Scene, position: int) -> bool:
    token = scene.tokens[position]
    return token.quoted or (len(token.text) == 1 and token.text.isalpha())


def _ties(scene: Scene, position: int) -> bool:
    return position < len(scene.tokens) and scene.tokens[position].lower in ("or", "and", ",")


def _names_thing(scene: Scene, position: int) -> bool:
    """Whether things follow, and no text: "playlists that contain no tracks"."""
    thing = scene.starting(position)
    named = thing is not None and scene.mentions[thing].chosen.kind == "table"
    return scene.tokens[position].lower in NEGATIONS or named


def _text_after(scene: Scene, position: int) -> int | None:
    skip = ("the", "letter", "letters", "word", "a", "string", "substring", "text", "phrase")
    for index in range(position, min(position + 4, len(scene.tokens))):
        token = scene.tokens[index]
        if token.quoted or (token.lower not in skip and not token.mark):
            return index
    return None


def condition_of(target: Field, operator: Operator, values: Sequence[float | str]) -> Condition:
    """A comparison of a column; whole numbers are written without a fraction."""
    return Condition(field=target, operator=operator, values=tuple(_plain(v) for v in values))


def _plain(value: float | str) -> float | int | str:
    return int(value) if isinstance(value, float) and value.is_integer() else value
