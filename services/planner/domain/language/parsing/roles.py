"""Who plays which part: counts, aggregated numbers, groupings, superlatives and plain targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.dimensions.group_cues import (
    continues_group,
    group_cue,
    take_cue,
)
from services.planner.domain.language.linking.mention import Mention, with_candidate_first
from services.planner.domain.language.measures.averaged import (
    PerThing,
    find_average_count,
    find_averaged_thing,
)
from services.planner.domain.language.measures.counting import Count, find_counts, inside_mention
from services.planner.domain.language.normalising.cues import (
    AGGREGATE_WORDS,
    GROUP_CUES,
    SUPERLATIVES,
)
from services.planner.domain.language.phrases.calculations import QuantileWish
from services.planner.domain.language.phrases.ordinals import place_in_ranking, with_place
from services.planner.domain.language.phrases.superlatives import Top, find_top
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.columns import is_measure, numeric
from services.planner.domain.query.intent import Aggregate

_OF = frozenset("of in from for with".split())
_COLOURED = frozenset("colored coloured stacked color colour".split())
_ARTICLES = frozenset(["of", "the"])
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
    averaged: PerThing | None = None
    average_count: PerThing | None = None


def find_parts(scene: Scene, quantiles: Sequence[QuantileWish] = ()) -> Parts:
    """Assigns every mention that is still free to a part."""
    parts = Parts()
    parts.average_count = find_average_count(scene, quantiles)
    parts.averaged = find_averaged_thing(scene, quantiles)
    _amounts_named_as_tables(scene)
    place = place_in_ranking(scene)
    parts.top = with_place(scene, find_top(scene), place)
    _owners(scene)
    parts.counts = find_counts(scene)
    _aggregates(scene, parts)
    for index, mention in enumerate(scene.mentions):
        if not scene.free(index):
            continue
        cue = "" if _told_by_kind(scene, index) else group_cue(scene, mention)
        if cue:
            scene.roles[index] = "group"
            take_cue(scene, mention)
            (parts.series if cue == "series" and parts.groups else parts.groups).append(index)
        elif continues_group(scene, index):
            scene.roles[index] = "group"
            parts.groups.append(index)
        elif mention.chosen.kind == "table":
            scene.roles[index] = "table"
            parts.tables.append(index)
        else:
            scene.roles[index] = "target"
            parts.targets.append(index)
    _colour_what_is_split(scene, parts)
    return parts


def _colour_what_is_split(scene: Scene, parts: Parts) -> None:
    """ "Location and number of schools, colored by type": the locations are what is split."""
    named = [i for i in parts.targets if is_text(scene, scene.mentions[i])]
    if len(parts.groups) != 1 or not parts.counts or not named or parts.series:
        return
    first = scene.mentions[parts.groups[0]].first
    if _COLOURED & set(scene.words(first - 3, first)):
        parts.series, parts.groups = parts.groups, []


def _told_by_kind(scene: Scene, index: int) -> bool:
    """Whether things are split by a column of theirs: "played by members of each nationality"."""
    mention = scene.mentions[index]
    if mention.chosen.kind != "table" or index + 1 == len(scene.mentions):
        return False
    following = scene.mentions[index + 1]
    own = following.chosen.kind == "column" and following.chosen.table == mention.chosen.table
    gap = scene.words(mention.last, following.first)
    return own and len(gap) == 2 and gap[0] in _OF and gap[1] in ("each", "every")


def _amounts_named_as_tables(scene: Scene) -> None:
    """In "the sum of degrees" the column of that name is meant, not the rows of its table."""
    for place, token in enumerate(scene.tokens):
        if token.used or token.quoted or token.lower not in AGGREGATE_WORDS:
            continue
        start = place + 1
        while scene.words(start, start + 1) and scene.words(start, start + 1)[0] in _ARTICLES:
            start += 1
        found = scene.starting(start)
        mention = scene.mentions[found] if found is not None else None
        if found is None or mention is None or mention.chosen.kind != "table":
            continue
        for candidate in mention.candidates:
            made = with_candidate_first(mention, candidate)
            column = scene.column(made)
            own = candidate.table == mention.chosen.table and candidate.kind == "column"
            if own and column is not None and is_measure(column.role, column.data_type):
                scene.mentions = [*scene.mentions[:found], made, *scene.mentions[found + 1 :]]
                break


def _owners(scene: Scene) -> None:
    """In "instructor's first name" the table only says whose column is meant."""
    for index, mention in enumerate(scene.mentions[:-1]):
        following = scene.mentions[index + 1]
        adjacent = mention.last == following.first and scene.roles.get(index) != "averaged"
        owned = following.chosen.kind in ("column", "table")
        owned = owned and scene.roles.get(index + 1) != "dated"
        doing = {word[-2:] for word in following.phrase.lower().split()}
        did = following.chosen.kind == "table" and "ed" in doing
        owned = owned and not did  # "customers ordered" are no customers' orders
        owner = (mention.chosen.kind == "table" and owned) or _is_its_key(mention, following)
        if owner and adjacent and scene.free(index):
            scene.roles[index] = "owner"


def _is_its_key(mention: Mention, following: Mention) -> bool:
    """Whether a thing that is told by its name goes before its key: "the continent id"."""
    kinds = {mention.chosen.kind, following.chosen.kind}
    same = mention.chosen.table == following.chosen.table
    return kinds == {"column"} and same and following.stems == ("id",)


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
        if token.lower in ("from", "across", "over") and index > position:
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


def is_text(scene: Scene, mention: Mention) -> bool:
    """True for columns that name or classify rather than measure."""
    column = scene.column(mention)
    return column is not None and (
        not numeric(column.data_type) or column.data_type is DataType.BOOLEAN
    )
