"""Who plays which part: counts, aggregated numbers, groupings, superlatives and plain targets."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.planner.domain.catalogue import ColumnRole, DataType
from services.planner.domain.language.conditions import Scene
from services.planner.domain.language.intent import Aggregate
from services.planner.domain.language.link import Mention, numeric
from services.planner.domain.language.vocabulary import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    GROUP_CUES,
    SKIPPABLE,
    SUPERLATIVES,
)

_DIFFERENT = frozenset(["different", "various", "distinct", "each"])
_SERIES_CUES = frozenset(
    [
        "split",
        "categorized",
        "categorised",
        "categorizing",
        "categorize",
        "colored",
        "coloured",
        "color",
        "stacked",
        "broken",
        "group",
        "grouping",
        "grouped",
        "groups",
        "classified",
        "classify",
        "breakdown",
    ]
)
_OWNING = frozenset(["has", "with"])
_DOING = frozenset(
    [
        "has",
        "have",
        "had",
        "with",
        "sold",
        "sell",
        "sells",
        "is",
        "was",
        "made",
        "bought",
        "are",
        "were",
        "generated",
        "brought",
        "spent",
        "earned",
    ]
)
_COUNTED = frozenset(["number", "numbers", "count", "counts", "how", "amount"])
_COUNT_STARTS = (("how", "many"), ("number", "of"), ("numbers", "of"), ("count", "of"), ("count",),
                 ("counts", "of"), ("number",), ("amount", "of"))  # fmt: skip


@dataclass(slots=True)
class Count:
    """A number of things: which mention is counted (None: rows), whether only different ones."""

    mention: int | None
    distinct: bool
    position: int


@dataclass(slots=True)
class Top:
    """Only the first `count` by something, most first unless `descending` is off."""

    count: int
    descending: bool
    position: int
    mention: int | None = None
    per_group: bool = False
    word: str = ""


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


def find_parts(scene: Scene) -> Parts:
    """Assigns every mention that is still free to a part."""
    parts = Parts()
    parts.top = _top(scene)
    _owners(scene)
    _counts(scene, parts)
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
        adjacent = mention.last == following.first
        owned = following.chosen.kind in ("column", "table")
        if mention.chosen.kind == "table" and owned and adjacent:
            if scene.free(index):
                scene.roles[index] = "owner"


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


def _top(scene: Scene) -> Top | None:
    tokens = scene.tokens
    for index, token in enumerate(tokens):
        if token.used or token.quoted:
            continue
        word = token.lower
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if word in ("top", "bottom", "first", "best", "worst") and after is not None:
            if after.number is not None and not after.used:
                after.used = token.used = "top"
                return Top(int(after.number), word not in ("bottom", "worst"), index + 2)
            if word in ("top", "bottom") and after.stem:
                token.used = "top"
                return Top(10 if _plural(after.lower) else 1, word == "top", index + 1)
        if token.number is not None and after is not None and after.lower in SUPERLATIVES:
            token.used = after.used = "top"
            return Top(int(token.number), SUPERLATIVES[after.lower], index + 2, word=after.lower)
    return _single_best(scene)


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def _single_best(scene: Scene) -> Top | None:
    """ "Which employee sold the most", "the cheapest product": one row is wanted."""
    words = [t.lower for t in scene.tokens]
    if {"each", "per", "every", "grouped", "across"} & set(words):
        return None
    for index, word in enumerate(words):
        token = scene.tokens[index]
        free = not token.used and not token.quoted and word in SUPERLATIVES
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
            return Top(1, SUPERLATIVES[word], index + 1, word=word)
    return None


def _of_a_thing(scene: Scene, index: int) -> bool:
    """ "The most expensive product", "the oldest employee": an adjective, then the thing."""
    words = scene.words(index, index + 2)
    size = 2 if words[0] in ("most", "least") and words[-1] in ADJECTIVES else 1
    if size == 1 and words[0] not in ADJECTIVES:
        return False
    thing = scene.starting(index + size)
    return thing is not None and scene.mentions[thing].chosen.kind == "table"


def _counts(scene: Scene, parts: Parts) -> None:
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
        parts.counts.append(Count(target, distinct, index))
        for token in scene.tokens[index:end]:
            token.used = token.used or "count"
        index = end


def _count_words(scene: Scene, index: int) -> int:
    token = scene.tokens[index]
    if token.used or token.quoted or _inside_mention(scene, index):
        return 0
    for words in _COUNT_STARTS:
        if scene.words(index, index + len(words)) == list(words):
            if words == ("amount", "of") and not _followed_by_table(scene, index + 2):
                return 0
            return len(words)
    if scene.words(index, index + 1) == ["total"] and not _aggregated_after(scene, index + 1):
        return 1
    return 0


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


def _inside_mention(scene: Scene, token: int) -> bool:
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


def _aggregates(scene: Scene, parts: Parts) -> None:
    for index, token in enumerate(scene.tokens):
        if token.used or token.quoted or _inside_mention(scene, index):
            continue
        word = AGGREGATE_WORDS.get(token.lower)
        if word is None:
            continue
        if token.lower in SUPERLATIVES and (
            parts.top is not None
            or scene.words(index + 1, index + 2) in (["number"], ["total"], ["count"], ["amount"])
        ):
            continue
        following = [w for w in scene.words(index + 1, index + 3) if w != "the"][:1]
        if word == "sum" and following and following[0] in _COUNTED | set(AGGREGATE_WORDS):
            continue
        for found in _aggregated(scene, index + 1):
            scene.roles[found] = "measure"
            aggregate = Aggregate(word)
            if (found, aggregate) not in parts.aggregates:
                parts.aggregates.append((found, aggregate))
        token.used = "aggregate"
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
        if (
            gap in (["and"], [","], [",", "and"])
            and column is not None
            and numeric(column.data_type)
        ):
            if column.role is ColumnRole.MEASURE and mention.chosen.kind == "column":
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
