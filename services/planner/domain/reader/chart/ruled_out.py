"""Which sketches plain words rule out: one where three are asked for, texts as numbers."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.catalogue import DataType
from services.planner.domain.query.kinds import Aggregate, Grain, Operator
from services.planner.domain.reader.chart import ends
from services.planner.domain.reader.chart.described import tells_described
from services.planner.domain.reader.chart.said import Said
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Sets, Sketch
from services.planner.domain.reader.grammar import aggregation, changing, ordering
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import people_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.semantics import NAMING_KINDS, Kind
from services.planner.domain.reader.links.told_in import in_other_unit, units_asked
from services.planner.domain.reader.links.units import Unit

_WHO = ("who", "whom")
_WHICH = ("which", "list", "show", "display", "name")
_WHOLE_NAME, _IN_PART, _SAME_NAME = 0.7, 0.5, 0.95
_EMPTY = (Operator.IS_NULL, Operator.NOT_NULL)
_MOST = frozenset(("most", "fewest", "least"))
_SUPERLATIVES = frozenset(("most", "least"))
_AND = frozenset(("and", "both", "also", "well", "but", "too", "yet"))


def is_ruled_out(sketch: Sketch, said: Said) -> bool:
    """Whether something that is said plainly, or what its columns hold, rules a sketch out."""
    return any(rule(sketch, said) for rule in (*_RULES, *ends.RULES))


def _half_a_name(sketch: Sketch, said: Said) -> bool:
    """Whether people are told by their first names alone though nobody asked for these."""
    for names in people_of(said.scene.schema):
        shown = [place for place in names if place in sketch.shown]
        if len(names) > 1 and len(shown) == 1 and not _named(shown[0], said):
            return True
    return False


def _other_name(sketch: Sketch, said: Said) -> bool:
    """Whether people are told by their titles though nobody asked for these."""
    for names in people_of(said.scene.schema):
        for place in sketch.shown if len(names) > 1 else ():
            other = place.table is names[0].table and place not in names
            if other and place.kind is Kind.NAME and not _named(place, said):
                return True
    return False


def _named(place: Place, said: Said) -> bool:
    mentions = said.scene.by_place.get(place.index, ())
    return any(m.tie is Tie.NAME and m.coverage >= _WHOLE_NAME for m in mentions)


def _ranks_names(sketch: Sketch, said: Said) -> bool:
    """Whether what is the most of something is told by the alphabet, or by numbers that name."""
    place = sketch.sorting.by if sketch.sorting is not None else None
    if not isinstance(place, Place) or place.index in said.scene.scales:
        return False
    if place.kind is Kind.ID and not place.text:
        return not _MOST.isdisjoint(token.lower for token in said.scene.tokens)
    if not place.text:
        return False
    if any(sample.strip()[:1].isdigit() for sample in place.column.samples):
        return False  # numbers and days that are kept as texts
    words = said.scene.words
    ends = {cue.rule.name for cue in words.find(ordering.DIRECTIONS)}
    return bool(ends) and ends <= _SUPERLATIVES and not words.find(ordering.SORTING) and not any(
        token.lower in ("first", "last") for token in said.scene.tokens
    )  # fmt: skip


def _adds_kind(sketch: Sketch, said: Said) -> bool:
    """Whether a yes or no is added up that says which of the numbers after it are meant:
    "billable hours" are the hours that are."""
    places = {n.place.index: n.place for n in sketch.made if n.place is not None}
    kinds = [m for m in said.scene.mentions if m.place.flag and m.place.index in places]
    return any(
        m.last + 1 == other.first and other.place.number and not other.place.flag
        for m in kinds for other in said.scene.mentions if other.coverage >= _WHOLE_NAME
    )  # fmt: skip


def _divides_names(sketch: Sketch, said: Said) -> bool:
    """Whether numbers are divided that are no quantities: "flights per month" has no ratio."""
    return any(place.kind in NAMING_KINDS for place in sketch.ratio)


def _one_of_each(sketch: Sketch, said: Said) -> bool:
    """Whether the last year is taken, which nobody states, where the numbers are told by year."""
    told = (*sketch.shown, *sketch.split)
    return any(c.rule == "latest" and c.place in told for c in sketch.conditions)


def _splits_unasked(sketch: Sketch, said: Said) -> bool:
    """Whether "the smokers" are told beside those who do not smoke."""
    groups = (*sketch.shown, *sketch.split)
    return sketch.grouped and not kinds_said(said.scene).isdisjoint(groups)


def kinds_said(scene: Scene) -> set[Place]:
    """Columns of yes or no by which a plural names those that are so, where no word asks for
    groups: "the smokers"."""
    if splits(scene.words):
        return set()
    return {
        m.place for m in scene.mentions
        if m.place.flag and m.first == m.last and scene.tokens[m.first].lower.endswith("s")
    }  # fmt: skip


def _of_itself(sketch: Sketch, said: Said) -> bool:
    """Whether the highest, lowest or average of a column is told for each of its values."""
    shown = {place.index for place in sketch.shown} if sketch.grouped else set[int]()
    return any(
        number.place is not None and number.place.index in shown
        and number.aggregate not in (None, Aggregate.COUNT, Aggregate.SUM)
        for number in sketch.made
    )  # fmt: skip


def _denies_twice(sketch: Sketch, said: Said) -> bool:
    """Whether one "without" stands for a gap and for rows of a table that nobody speaks of, or
    one "not" for a gap and for things that have none."""
    if sketch.sets is Sets.EXCEPT:
        return any(c.operator is Operator.IS_NULL for c in sketch.rows)
    if sketch.sets is not Sets.WITHOUT or sketch.lacking in said.scene.spoken_tables:
        return False
    return any(
        (c.operator in _EMPTY or c.denied)
        and c.place is not None and c.place.table.name != sketch.lacking
        for c in sketch.conditions
    )  # fmt: skip


def _adds_running(sketch: Sketch, said: Said) -> bool:
    """Whether totals so far are added up, each of which holds those before."""
    dated = any(place.time for place in (*sketch.shown, *sketch.split))
    averaged = any(c.means is Aggregate.AVERAGE for c in said.scene.words.find(aggregation.RULES))
    unasked = (Aggregate.SUM,) if averaged else (Aggregate.SUM, Aggregate.AVERAGE)
    return not dated and any(
        n.aggregate in unasked and n.place is not None and n.place.running for n in sketch.made
    )


def _both_unasked(sketch: Sketch, said: Said) -> bool:
    """Whether two conditions are met by different rows of a thing though no word says "and"."""
    if sketch.sets is not Sets.BOTH:
        return False
    return not any(token.lower in _AND or token.text in ("&", ",") for token in said.scene.tokens)


def _other_unit(sketch: Sketch, said: Said) -> bool:
    """Whether it tells in milliseconds what is asked for in minutes."""
    told = [n.place for n in sketch.numbers if n.place is not None]
    return any(in_other_unit(unit, place) for unit in _units(said.scene) for place in told)


@lru_cache(maxsize=8)
def _units(scene: Scene) -> tuple[Unit, ...]:
    """The units asked for; the same for all drafts."""
    return tuple(units_asked(scene.tokens))


def _adds_ends(sketch: Sketch, said: Said) -> bool:
    """Whether a change from one month to the next is told as what both have together."""
    both = {one.place for one in sketch.either}
    told = (*sketch.shown, *sketch.split)
    return (
        bool(both) and sketch.change is None and both.isdisjoint(told)
        and bool(said.scene.words.find(changing.RULES))
    )  # fmt: skip


def _hours_of_days(sketch: Sketch, said: Said) -> bool:
    """Whether rows are told by the hour of days that have none."""
    days = (p.column.data_type is DataType.DATE for p in (*sketch.shown, *sketch.split))
    return sketch.grain is Grain.HOUR and any(days)


def _other_day(sketch: Sketch, said: Said) -> bool:
    """Whether who "joined each month in 2024" is told by the month of another day, or of another
    day in that year, which nobody speaks of."""
    bounds = {c.place for c in sketch.conditions if c.place is not None and c.place.time}
    told = {p for p in (*sketch.shown, *sketch.split) if p.time} if sketch.grain else set[Place]()
    spoken = {m.place for m in said.scene.mentions if m.place.time and m.tie is Tie.NAME}
    unsaid = (bounds | told) - spoken
    return any(
        place.table is other.table
        for place in unsaid for other in (spoken or (bounds - told if place in told else ()))
        if bounds
    )  # fmt: skip


def _adds_for_number(sketch: Sketch, said: Said) -> bool:
    """Whether "how many people" is answered by the sum of a number that nobody speaks of."""
    first = [token.lower for token in said.scene.tokens[:2]]
    if first != ["how", "many"] or COUNT in sketch.numbers:
        return False
    places = [n.place for n in sketch.numbers if n.aggregate is Aggregate.SUM]
    mentions = said.scene.by_place
    return any(
        p is not None and all(m.coverage < _IN_PART for m in mentions.get(p.index, ()))
        for p in places
    )


def _counts_who(sketch: Sketch, said: Said) -> bool:
    """Whether it counts rows where people or things are asked for: "who is over 60"."""
    if sketch.numbers != (COUNT,) or said.counts or not said.scene.tokens:
        return False
    first = said.scene.tokens[0].lower
    if first not in _WHICH and not (first in _WHO and people_of(said.scene.schema)):
        return False
    return not sketch.shown or _one_each(sketch)


def _one_each(sketch: Sketch) -> bool:
    """Whether nothing but how many there are of a name is told: one each, but of namesakes."""
    (first, *more) = sketch.shown
    alone = not more and sketch.sorting is None and len(sketch.tables()) == 1
    return alone and first.kind is Kind.NAME and first.unique < 1


def _misses_who(sketch: Sketch, said: Said) -> bool:
    """Whether "who hit the most" is told by the hits, and no people are shown."""
    people = people_of(said.scene.schema)
    asked = bool(said.scene.tokens) and said.scene.tokens[0].lower in _WHO
    if not asked or not people or sketch.change is not None or not sketch.shown:
        return False
    return not any(place in sketch.shown for names in people for place in names)


def _splits_described(sketch: Sketch, said: Said) -> bool:
    """Whether "discount on dairy products" is told for each product."""
    return tells_described(sketch, said.scene)


def _group_as_value(sketch: Sketch, said: Said) -> bool:
    """Whether the word after "by" both tells groups and is a value: by office, working in one."""
    told = {place.index for place in (*sketch.shown, *sketch.split)}
    after = {cue.last + 1 for cue in splits(said.scene.words, Split.OF_EACH)}
    named = {
        m.first for m in said.scene.mentions
        if m.first in after and m.coverage >= _SAME_NAME and m.place.index in told
    }  # fmt: skip
    return any(c.first in named and c.place is not None for c in sketch.rows)


def _table_as_group(sketch: Sketch, said: Said) -> bool:
    """Whether "by shop" is read as the table shops alone, which has a column of that name."""
    scene = said.scene
    after = {cue.last + 1 for cue in splits(scene.words, Split.OF_EACH)}
    named = [m for m in scene.mentions if m.first in after and m.coverage >= _SAME_NAME]
    tables = {(t.first, t.table.name) for t in scene.tables}
    return any(
        m.tie is Tie.NAME and (m.first, m.place.table.name) in tables
        and not any(o.place.index in sketch.used for o in named if o.first == m.first)
        for m in named
    )  # fmt: skip


_RULES = (
    _table_as_group,
    _counts_who, _adds_running, _both_unasked, _other_unit,
    _half_a_name, _other_name, _ranks_names,
    _adds_kind, _hours_of_days, _adds_ends, _other_day, _adds_for_number,
    _splits_unasked,
    _divides_names, _one_of_each,
    _of_itself,
    _denies_twice, _misses_who, _splits_described,
    _group_as_value,
)  # fmt: skip
