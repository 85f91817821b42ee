"""Numbers of things: "how many", "number of", "total", and what it is that is counted."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.language.normalising.cues import (
    AGGREGATE_WORDS,
    GROUP_CUES,
    SUPERLATIVES,
)
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.columns import numeric

_COUNT_STARTS = (("how", "many"), ("number", "of"), ("numbers", "of"), ("count", "of"), ("count",),
                 ("counts", "of"), ("number",), ("amount", "of"))  # fmt: skip


@dataclass(slots=True)
class Count:
    """A number of things: which mention is counted (None: rows), whether only different ones."""

    mention: int | None
    distinct: bool
    position: int


def find_counts(scene: Scene) -> list[Count]:
    """Every number of things that is asked for; what is counted gets the role "count"."""
    found: list[Count] = []
    index = 0
    while index < len(scene.tokens):
        size = _count_words(scene, index)
        if not size:
            index += 1
            continue
        end = index + size
        target, distinct = _counted(scene, end)
        follows = scene.words(end, end + 1)
        if target is None and follows == ["(", "*"][:1]:
            end += 1
        if target is not None:
            scene.roles[target] = "count"
        found.append(Count(target, distinct, index))
        for token in scene.tokens[index:end]:
            token.used = token.used or "count"
        index = end
    return found


def _count_words(scene: Scene, index: int) -> int:
    token = scene.tokens[index]
    if token.used or token.quoted or inside_mention(scene, index):
        return 0
    if token.lower == "numbers" and _ends_number(scene, index):
        token.used = "count"
        return 0
    before = scene.words(index - 1, index)
    if before and AGGREGATE_WORDS.get(before[0], "sum") != "sum" and before[0] not in SUPERLATIVES:
        return 0
    for words in _COUNT_STARTS:
        if scene.words(index, index + len(words)) == list(words):
            if words == ("amount", "of") and not _followed_by_table(scene, index + 2):
                return 0
            return len(words)
    if scene.words(index, index + 1) == ["total"] and not _aggregated_after(scene, index + 1):
        return 1
    return 0


def _ends_number(scene: Scene, position: int) -> bool:
    """Whether a number is named just before: "the graduate numbers of schools" count nothing."""
    before = scene.ending(position)
    column = scene.column(scene.mentions[before]) if before is not None else None
    return column is not None and numeric(column.data_type)


def _aggregated_after(scene: Scene, position: int) -> bool:
    following = scene.starting(position, within=2)
    if following is not None:
        chosen = scene.mentions[following]
        column = scene.column(chosen)
        if chosen.chosen.kind == "revenue" or (
            column is not None and chosen.chosen.kind == "column"
        ):
            return True
    words = scene.words(position, position + 3)
    return (
        "number" in words
        or "count" in words
        or "of" in words
        or any(w in AGGREGATE_WORDS for w in words)
    )


def _followed_by_table(scene: Scene, position: int) -> bool:
    index = scene.starting(position, within=1)
    return index is not None and scene.mentions[index].chosen.kind == "table"


def inside_mention(scene: Scene, token: int) -> bool:
    """True for tokens that belong to a mention."""
    return any(m.first <= token < m.last for m in scene.mentions)


def _counted(scene: Scene, position: int) -> tuple[int | None, bool]:
    """What is counted after "how many" or "number of", passing over values and adjectives."""
    distinct = False
    limit = min(len(scene.tokens), position + 6)
    index = position
    while index < limit:
        token = scene.tokens[index]
        found = scene.starting(index)
        if found is not None:
            kind = scene.mentions[found].chosen.kind
            if kind in ("table", "column") and scene.free(found):
                return found, distinct
            if scene.roles.get(found) == "owner":
                index = scene.mentions[found].last
                continue
            if kind in ("value", "column") and not scene.free(found):
                index = scene.mentions[found].last
                continue
            return None, distinct
        if token.lower in ("different", "distinct", "unique"):
            distinct = True
        elif (token.mark and token.text not in "(*") or (
            token.used or token.lower in GROUP_CUES or token.lower in ("for", "in", "from", "them")
        ):
            return None, distinct
        index += 1
    return None, distinct
