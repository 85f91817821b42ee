"""Words that ask for an average over things: "average order value", "median sales per customer"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.language.linking.mention import Mention, averaged
from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS, SUPERLATIVES
from services.planner.domain.language.phrases.calculations import QuantileWish
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.intent import Aggregate, Field
from services.planner.domain.query.measures.metrics import is_overall

_WORTH = frozenset(
    """value values worth size sizes total totals revenue sales spend amount""".split()
)
_OVER_THINGS = frozenset(
    Aggregate(word) for word in ("avg", "median", "max", "min", "stddev", "variance")
)
_BETWEEN = frozenset(["of", "the", "all"])
_SPLITTING = frozenset("per by each every".split())
_SPLIT_REACH = 2


@dataclass(frozen=True, slots=True)
class PerThing:
    """Sums of money for each thing, or counts of what is `counted`, that become one number.

    `before` are the other numbers of "average and median order value", as they are said; `worth`
    is the metric that is summed, where one is named.
    """

    thing: int
    aggregate: Aggregate
    quantile: float | None = None
    counted: int | None = None
    before: tuple[Aggregate, ...] = ()
    worth: Field | None = None


@dataclass(frozen=True, slots=True)
class _Start:
    """Words that say how: tokens `first` up to, not including, `last`."""

    first: int
    last: int
    aggregate: Aggregate
    quantile: float | None = None
    superlative: bool = False


def find_averaged_thing(scene: Scene, quantiles: Sequence[QuantileWish] = ()) -> PerThing | None:
    """The thing whose worth is to be averaged, or the like; what says so is marked as used."""
    for start in _starts(scene, quantiles):
        thing = scene.starting(start.last, within=1)
        if thing is None:
            continue
        found = _worth_of(scene, start, thing) or _money_per(scene, start, thing)
        if found is not None:
            return found
    return None


def _starts(scene: Scene, quantiles: Sequence[QuantileWish]) -> list[_Start]:
    found = [
        _Start(wish.after, wish.after, Aggregate.PERCENTILE, wish.quantile) for wish in quantiles
    ]
    for position, token in enumerate(scene.tokens):
        word = AGGREGATE_WORDS.get(token.lower, "")
        if token.used or not word or Aggregate(word) not in _OVER_THINGS:
            continue
        last = position + 1
        while last < len(scene.tokens) and scene.tokens[last].lower in _BETWEEN:
            last += 1
        superlative = token.lower in SUPERLATIVES
        first = position - (scene.words(position - 1, position) == ["standard"])
        found.append(_Start(first, last, Aggregate(word), superlative=superlative))
    return found


def _worth_of(scene: Scene, start: _Start, thing: int) -> PerThing | None:
    """The orders of "order value" and of "order sales"."""
    mention = scene.mentions[thing]
    if not _is_thing(scene, mention):
        return None
    last = mention.last
    if scene.tokens[last - 1].lower in _WORTH and mention.first < last - 1:
        return _taken(scene, start, thing, None, last)
    said = scene.tokens[last : last + 1]
    following = scene.starting(last)
    kind = scene.mentions[following].chosen.kind if following is not None else ""
    if said and said[0].lower in _WORTH and kind in ("", "revenue", "table"):
        worth = following if kind == "revenue" else None  # a table: "order value of customers"
        return _taken(scene, start, thing, worth, last + 1)
    return None


def _money_per(scene: Scene, start: _Start, money: int) -> PerThing | None:
    """The orders of "revenue per order", money or another metric that is added up."""
    mention = scene.mentions[money]
    column = scene.column(mention)
    metric = column is not None and column.formula and not is_overall(column)
    summed = metric and column is not None and not averaged(column)
    if not (summed or mention.chosen.kind == "revenue") or start.superlative:
        return None
    worth = Field(table=mention.chosen.table, column=mention.chosen.column) if summed else None
    last = scene.mentions[money].last
    per = scene.starting(last + 1)
    each = scene.words(last, last + 1) == ["per"]
    if each and per is not None and _is_thing(scene, scene.mentions[per]):
        found = _taken(scene, start, per, money, last + 1)
        return replace(found, worth=worth) if found is not None else None
    return None


def _taken(
    scene: Scene, start: _Start, thing: int, worth: int | None, last: int
) -> PerThing | None:
    """The thing, its words marked as used; "the largest order value" alone is a ranking."""
    if start.superlative and not _SPLITTING & set(scene.words(last, last + _SPLIT_REACH)):
        scene.tokens[last - 1].used = scene.tokens[last - 1].used or "aggregate"
        return None
    first, before = _said_before(scene, start.first)
    _take(scene, thing, worth, first, last)
    return PerThing(thing, start.aggregate, start.quantile, before=before)


def _said_before(scene: Scene, first: int) -> tuple[int, tuple[Aggregate, ...]]:
    """The "average" of "average and median order value", and where the words begin."""
    found: list[Aggregate] = []
    while True:
        words = scene.words(first - 2, first)
        word = AGGREGATE_WORDS.get(words[0], "") if words[1:] in (["and"], [","]) else ""
        if not word or Aggregate(word) not in _OVER_THINGS:
            return first, tuple(reversed(found))
        found.append(Aggregate(word))
        first -= 2


def find_average_count(scene: Scene, quantiles: Sequence[QuantileWish] = ()) -> PerThing | None:
    """In "average number of orders per customer": what is counted, and per what."""
    for start in _starts(scene, quantiles):
        words = scene.words(start.last, start.last + 2)
        if start.superlative or words != ["number", "of"]:
            continue
        counted = scene.starting(start.last + 2, within=1)
        if counted is None or scene.mentions[counted].chosen.kind != "table":
            continue
        last = scene.mentions[counted].last
        gap = scene.words(last, last + 4)
        thing = scene.starting(last, within=3)
        said = set(gap) & {"per", "each", "every", "by"}
        if not said or thing is None or not _is_thing(scene, scene.mentions[thing]):
            continue
        if scene.mentions[thing].chosen.table == scene.mentions[counted].chosen.table:
            continue
        _take(scene, counted, thing, start.first, scene.mentions[thing].first)
        return PerThing(thing, start.aggregate, start.quantile, counted)
    return None


def _is_thing(scene: Scene, mention: Mention) -> bool:
    column = scene.column(mention)
    named = mention.chosen.kind == "column" and column is not None
    return mention.chosen.kind == "table" or (
        named and column is not None and column.role is ColumnRole.ID
    )


def _take(scene: Scene, thing: int, worth: int | None, first: int, last: int) -> None:
    scene.roles[thing] = "averaged"
    if worth is not None:
        scene.roles[worth] = "averaged"
    for token in scene.tokens[first:last]:
        token.used = token.used or "aggregate"
