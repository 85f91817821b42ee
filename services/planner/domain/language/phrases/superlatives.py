"""The wish for only some: "top 5", "the 3 largest", "which … the most", "the cheapest …"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import ColumnRole, DataType
from services.planner.domain.language.dimensions.recency import LATEST_FIRST
from services.planner.domain.language.normalising.cues import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    SUPERLATIVES,
)
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.columns import numeric

_SOME = 10
_PLAIN = frozenset(LATEST_FIRST) | frozenset("best worst biggest smallest greatest lowest".split())
MERITS = frozenset(["best", "worst"])
_OWNING = frozenset(["has", "have", "with", "having"])
_OWNING_REACH = 4
_DOING = frozenset(
    """has have had with sold sell sells is was made bought are were generated brought spent
    earned""".split()
)


@dataclass(slots=True)
class Top:
    """Only the first `count` by something, most first unless `descending` is off.

    With `per_group` they are the first of each group. So many as are to `skip` go before them.
    """

    count: int
    descending: bool
    position: int
    mention: int | None = None
    per_group: bool = False
    word: str = ""
    skip: int = 0


def find_top(scene: Scene) -> Top | None:
    """The wish for the first or best few, or None; its words are marked as used."""
    tokens = scene.tokens
    for index, token in enumerate(tokens):
        if token.used or token.quoted:
            continue
        word = token.lower
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if word in ("top", "bottom", "first", "best", "worst") and after is not None:
            if after.number is not None and not after.used:
                after.used = token.used = "top"
                falling = word not in ("bottom", "worst")
                return Top(int(after.number), falling, index + 2, word=word)
            if word in ("top", "bottom") and after.stem:
                token.used = "top"
                some = _SOME if _plural(after.lower) else 1
                return Top(some, word == "top", index + 1, word=word)
        if word in SUPERLATIVES and after is not None and after.number is not None:
            token.used = after.used = "top"
            return Top(int(after.number), SUPERLATIVES[word], index + 2, word=word)
        if token.number is not None and after is not None and after.lower in SUPERLATIVES:
            token.used = after.used = "top"
            return Top(int(token.number), SUPERLATIVES[after.lower], index + 2, word=after.lower)
    return _single_best(scene)


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def _single_best(scene: Scene) -> Top | None:
    """ "Which employee sold the most", "the cheapest product": one row is wanted."""
    words = [t.lower for t in scene.tokens]
    of_each = _best_of_each(scene)
    if of_each is not None:
        return of_each
    if {"each", "per", "every", "grouped", "across"} & set(words):
        return None
    for index, word in enumerate(words):
        token = scene.tokens[index]
        named = any(m.first <= index < m.last for m in scene.mentions)  # "highest position"
        free = not (token.used or token.quoted or named) and word in SUPERLATIVES
        if (
            not free
            or words[index - 1 : index] == ["at"]
            or words[index + 1 : index + 2] == ["than"]
        ):
            continue
        before = set(words[max(0, index - 4) : index])
        asked = words[0] in ("which", "who", "where") or "who" in words or before & _OWNING
        if (asked and (before & _DOING or words[0] in ("which", "who"))) or _of_a_thing(
            scene, index
        ):
            token.used = "top"
            return Top(_how_many(scene, index), SUPERLATIVES[word], index + 1, word=word)
    return None


def _best_of_each(scene: Scene) -> Top | None:
    """ "The cheapest product per category", "best selling product in each country"."""
    for index, token in enumerate(scene.tokens):
        if token.used or token.quoted or token.lower not in SUPERLATIVES:
            continue
        words = scene.words(index, index + 2)
        named = scene.starting(index + 1)
        thing_follows = named is not None and scene.mentions[named].chosen.kind == "table"
        adjective = words[0] in ADJECTIVES
        adjective = adjective and (thing_follows or words[0] not in AGGREGATE_WORDS)
        double = _is_double(words)
        selling = words == ["best", "selling"]
        size = 2 if double or selling else 1
        thing = scene.starting(index + size)
        owner = _owner_of_number(scene, index)
        if owner is not None:
            token.used = "top"
            return Top(1, SUPERLATIVES[words[0]], scene.mentions[owner].first, word=words[0])
        if thing is None or not (adjective or double or selling):
            continue
        mention = scene.mentions[thing]
        each = {"each", "per", "every"} & set(scene.words(mention.last, mention.last + 2))
        if mention.chosen.kind == "table" and each:
            for word in scene.tokens[index : index + size]:
                word.used = "top"
            return Top(1, SUPERLATIVES[words[0]], index + size, word=words[size - 1])
    return None


def _is_double(words: Sequence[str]) -> bool:
    """ "Most expensive", "highest paid"."""
    more = words[0] in ("most", "least") and words[-1] in ADJECTIVES
    return more or (words[0] in ("highest", "lowest", "best", "worst") and words[-1] == "paid")


def _owner_of_number(scene: Scene, index: int) -> int | None:
    """The school of "the school that has the smallest enrollment in each state"."""
    number = scene.starting(index + 1)
    column = scene.column(scene.mentions[number]) if number is not None else None
    owner = scene.ending(index, within=_OWNING_REACH)
    if number is None or owner is None or column is None or not numeric(column.data_type):
        return None
    last = scene.mentions[number].last
    each = set(scene.words(last, last + 2)) & {"each", "every", "per"}
    owned = _OWNING & set(scene.words(scene.mentions[owner].last, index))
    told_apart = scene.mentions[owner].chosen.kind == "table" or not _is_number(scene, owner)
    return owner if each and owned and told_apart else None


def _is_number(scene: Scene, index: int) -> bool:
    column = scene.column(scene.mentions[index])
    return column is None or numeric(column.data_type)


def _how_many(scene: Scene, superlative: int) -> int:
    """How many of the best: a number said before ("which 5 products …"), some for a plural."""
    for index in range(superlative):
        token = scene.tokens[index]
        if token.number is not None and not token.used and scene.starting(index + 1) is not None:
            token.used = "top"
            return int(token.number)
    near = (scene.starting(superlative + step) for step in (1, 2))
    things = (
        i
        for i in near
        if i is not None and (scene.mentions[i].chosen.kind == "table" or _names_kinds(scene, i))
    )
    thing = next(things, None)
    timely = scene.tokens[superlative].lower in LATEST_FIRST
    if (superlative == 0 or timely) and thing is not None:
        return _SOME if _plural(scene.tokens[scene.mentions[thing].last - 1].lower) else 1
    return 1


def _of_a_number(scene: Scene, position: int) -> bool:
    """ "The lowest revenue month": a number, and right after it what it is of."""
    number = scene.starting(position)
    if number is None or scene.mentions[number].chosen.kind != "revenue":
        return False
    thing = scene.starting(scene.mentions[number].last)
    return thing is not None and scene.mentions[thing].chosen.kind in ("grain", "table")


def _of_a_thing(scene: Scene, index: int) -> bool:
    """ "The most expensive product", "the oldest employee": an adjective, then the thing."""
    words = scene.words(index, index + 2)
    double = _is_double(words)
    size = 2 if double or words == ["best", "selling"] else 1
    if size == 1 and words[0] not in ADJECTIVES:
        number = _of_a_number(scene, index + 1)
        if number or words[0] not in _PLAIN:
            return number
    thing = scene.starting(index + size)
    if thing is None:
        return False
    if words[0] in LATEST_FIRST and _is_date(scene, thing):
        return True
    merit = words[0] in MERITS and size == 1
    return scene.mentions[thing].chosen.kind == "table" or (merit and _names_kinds(scene, thing))


def _is_date(scene: Scene, index: int) -> bool:
    column = scene.column(scene.mentions[index])
    return column is not None and column.role is ColumnRole.TIMESTAMP


def _names_kinds(scene: Scene, index: int) -> bool:
    """Whether a column says what a row is about: the countries of "best countries"."""
    mention = scene.mentions[index]
    column = scene.column(mention)
    plural = _plural(scene.tokens[mention.last - 1].lower)
    text = column is not None and column.data_type is DataType.STRING
    return mention.chosen.kind == "column" and text and plural
