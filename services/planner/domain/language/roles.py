"""Who plays which part: counts, aggregated numbers, groupings, superlatives and plain targets."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.planner.domain.catalogue import ColumnRole, DataType
from services.planner.domain.language.averaged import find_average_count, find_averaged_thing
from services.planner.domain.language.counting import Count, find_counts, inside_mention
from services.planner.domain.language.cues import (
    AGGREGATE_WORDS,
    GROUP_CUES,
    SKIPPABLE,
    SUPERLATIVES,
)
from services.planner.domain.language.intent import Aggregate
from services.planner.domain.language.mention import Mention, is_measure, numeric
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.superlatives import Top, find_top

_DIFFERENT = frozenset(["different", "various", "distinct", "each"])
_SERIES_CUES = frozenset(
    """split categorized categorised categorizing categorize colored coloured color stacked broken
    group grouping grouped groups classified classify breakdown""".split()
)
_COUNTED = frozenset("number numbers count counts how amount".split())


@dataclass(slots=True)
class Parts:
    """The parts of a question, as indices of mentions in the order they are said."""

    counts: list[Count] = field(default_factory=list)
    aggregates: list[tuple[int, Aggregate]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    series: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    top: Top | None = None
    rows_counted: bool = False
    averaged: int | None = None
    average_count: tuple[int, int] | None = None


def find_parts(scene: Scene) -> Parts:
    """Assigns every mention that is still free to a part."""
    parts = Parts()
    parts.top = find_top(scene)
    parts.average_count = find_average_count(scene)
    parts.averaged = find_averaged_thing(scene)
    _owners(scene)
    parts.counts = find_counts(scene)
    _aggregates(scene, parts)
    for index, mention in enumerate(scene.mentions):
        if not scene.free(index):
            continue
        cue = _group_cue(scene, mention)
        if cue:
            scene.roles[index] = "group"
            (parts.series if cue == "series" and parts.groups else parts.groups).append(index)
        elif _continues_group(scene, index):
            scene.roles[index] = "group"
            parts.groups.append(index)
        elif mention.chosen.kind == "table":
            scene.roles[index] = "table"
            parts.tables.append(index)
        else:
            scene.roles[index] = "target"
            parts.targets.append(index)
    return parts


def _owners(scene: Scene) -> None:
    """In "instructor's first name" the table only says whose column is meant."""
    for index, mention in enumerate(scene.mentions[:-1]):
        following = scene.mentions[index + 1]
        adjacent = mention.last == following.first and scene.roles.get(index) != "averaged"
        owned = following.chosen.kind in ("column", "table")
        owned = owned and scene.roles.get(index + 1) != "dated"
        did = following.chosen.kind == "table" and following.phrase.lower().endswith("ed")
        owned = owned and not did  # "customers ordered" are no customers' orders
        owner = (mention.chosen.kind == "table" and owned) or _is_its_key(mention, following)
        if owner and adjacent and scene.free(index):
            scene.roles[index] = "owner"


def _is_its_key(mention: Mention, following: Mention) -> bool:
    """Whether a thing that is told by its name goes before its key: "the continent id"."""
    kinds = {mention.chosen.kind, following.chosen.kind}
    same = mention.chosen.table == following.chosen.table
    return kinds == {"column"} and same and following.stems == ("id",)


def _before_owner(scene: Scene, mention: Mention) -> int:
    """The token at which a mention starts, with the owner that stands in front of it."""
    index = scene.ending(mention.first)
    if index is not None and scene.roles.get(index) == "owner":
        return scene.mentions[index].first
    return mention.first


def _previous_words(scene: Scene, position: int, most: int = 5) -> list[tuple[int, str]]:
    """Words before a token, nearest first, leaving out those that say nothing."""
    found: list[tuple[int, str]] = []
    for index in range(position - 1, max(-1, position - 1 - most), -1):
        token = scene.tokens[index]
        if token.used in ("chart", "order", "axis"):
            found.append((index, "|"))
            break
        found.append((index, token.lower))
    return found


def _aggregates(scene: Scene, parts: Parts) -> None:
    for index, token in enumerate(scene.tokens):
        if token.used or token.quoted or inside_mention(scene, index):
            continue
        word = AGGREGATE_WORDS.get(token.lower)
        if word is None:
            continue
        if token.lower in SUPERLATIVES and (
            parts.top is not None
            or scene.words(index + 1, index + 2) in (["number"], ["total"], ["count"], ["amount"])
        ):
            continue
        following = [
            scene.tokens[i].lower
            for i in range(index + 1, min(index + 3, len(scene.tokens)))
            if scene.tokens[i].lower != "the" and not inside_mention(scene, i)
        ][:1]
        if word == "sum" and following and following[0] in _COUNTED | set(AGGREGATE_WORDS):
            continue
        for found in _aggregated(scene, index + 1):
            scene.roles[found] = "measure"
            aggregate = Aggregate(word)
            if (found, aggregate) not in parts.aggregates:
                parts.aggregates.append((found, aggregate))
        token.used = "aggregate"
        if token.lower == "deviation" and scene.words(index - 1, index) == ["standard"]:
            scene.tokens[index - 1].used = "aggregate"
    _share_conjunctions(scene, parts)


def _aggregated(scene: Scene, position: int) -> list[int]:
    index = position
    limit = min(len(scene.tokens), position + 6)
    while index < limit:
        token = scene.tokens[index]
        found = scene.starting(index)
        if found is not None:
            mention = scene.mentions[found]
            column = scene.column(mention)
            if mention.chosen.kind == "revenue" or (
                column is not None and mention.chosen.kind == "column"
            ):
                return [found] if scene.roles.get(found, "measure") == "measure" else []
            index = mention.last
            continue
        if token.lower in AGGREGATE_WORDS and index > position:
            limit = min(len(scene.tokens), limit + 2)  # "mean, median and deviation of fare"
        if token.mark and token.text not in "(,":
            return []
        if token.lower in GROUP_CUES and token.lower != "group":
            return []
        if token.lower in ("from", "across") and index > position:
            return []
        index += 1
    return []


def _share_conjunctions(scene: Scene, parts: Parts) -> None:
    """In "average age and salary" the aggregate holds for both columns."""
    for found, aggregate in list(parts.aggregates):
        following = found + 1
        if following >= len(scene.mentions) or not scene.free(following):
            continue
        mention = scene.mentions[following]
        column = scene.column(mention)
        gap = scene.words(scene.mentions[found].last, mention.first)
        number = mention.chosen.kind == "column" and column is not None
        joined = gap in (["and"], [","], [",", "and"])
        if joined and number and column and is_measure(column.role, column.data_type):
            scene.roles[following] = "measure"
            parts.aggregates.append((following, aggregate))


def _group_cue(scene: Scene, mention: Mention) -> str:
    """ "group", "series" or nothing, by the words before a mention."""
    if mention.chosen.kind == "value":
        return ""
    different = False
    for position, word in _previous_words(scene, _before_owner(scene, mention)):
        if word in _DIFFERENT:
            different = True
            if word == "each":
                return "group"
            continue
        if word in ("by", "with", "for", "on", "based"):
            before = set(scene.words(position - 4, position))
            if before & _SERIES_CUES:
                return "series"
        if word in ("versus", "vs", "against") and _is_number(scene, mention):
            return ""
        if word in ("per", "every", "across", "versus", "vs", "by"):
            return "group"
        if word == "over" and scene.column(mention) is not None:
            return "group"
        if word == "against":
            return "group"
        if different and word in ("in", "of", "for", "with", "from", "between", "among", "the"):
            return "group"
        if word in SKIPPABLE:
            continue
        if mention.chosen.kind == "grain":
            return "group" if word in ("|", "over", "for") else ""
        return ""
    return "group" if mention.chosen.kind == "grain" else ""


def _is_number(scene: Scene, mention: Mention) -> bool:
    column = scene.column(mention)
    return column is not None and is_measure(column.role, column.data_type)


def _continues_group(scene: Scene, index: int) -> bool:
    """ "by month and category": the second goes on with what the first began."""
    if not index or scene.roles.get(index - 1) != "group":
        return False
    mention, previous = scene.mentions[index], scene.mentions[index - 1]
    gap = scene.words(previous.last, mention.first)
    if mention.chosen.kind == "value" or gap[:1] not in (["and"], [","]):
        return mention.chosen.kind == "grain" and not gap
    column = scene.column(mention)
    if column is not None and numeric(column.data_type) and column.role is ColumnRole.MEASURE:
        return False
    return all(word in SKIPPABLE or word in ("and", ",") for word in gap)


def is_text(scene: Scene, mention: Mention) -> bool:
    """True for columns that name or classify rather than measure."""
    column = scene.column(mention)
    return column is not None and (
        not numeric(column.data_type) or column.data_type is DataType.BOOLEAN
    )
