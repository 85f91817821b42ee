"""Which sketches plain words rule out: one where three are asked for, texts as numbers."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.catalogue import DataType
from services.planner.domain.query.defining.terms import references
from services.planner.domain.query.kinds import Aggregate, Calculation, Grain, Operator
from services.planner.domain.reader.chart import sets_said
from services.planner.domain.reader.chart.calculated import misses
from services.planner.domain.reader.chart.dated import (
    has_other_action,
    names_day,
    splits_by_other_action,
    splits_month,
    tells_other_date,
)
from services.planner.domain.reader.chart.denied import denies_other, passes_over_denial
from services.planner.domain.reader.chart.described import tells_described
from services.planner.domain.reader.chart.made_columns import (
    passes_over_metric,
    splits_by_its_part,
)
from services.planner.domain.reader.chart.names_asked import is_named
from services.planner.domain.reader.chart.per_entity import averages_rows
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Sketch
from services.planner.domain.reader.chart.so_many import misses_so_many
from services.planner.domain.reader.chart.split_by import passes_over_split, splits_by_used_words
from services.planner.domain.reader.grammar import (
    aggregation,
    changing,
    counting,
    leading,
    ordering,
)
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import names_of, people_of, sole_measures
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.units_asked import in_other_unit, units_asked
from services.planner.domain.semantics.kinds import Kind, counts_rows
from services.planner.domain.semantics.units import Unit

_WHO = ("who", "whom")
_WHOLE_NAME, _IN_PART, _SAME_NAME = 0.7, 0.5, 0.95
_OWN_ROW, _BOTH = 0.99, 2
_COUNTING = (None, Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
_CLAUSES = frozenset("whose that who which with without".split())


def _adds_kind(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a yes or no is added up that says which of the numbers after it are meant:
    "billable hours" are the hours that are."""
    places = {n.place.index: n.place for n in sketch.made if n.place is not None}
    kinds = [m for m in requirements.scene.mentions if m.place.flag and m.place.index in places]
    return any(
        m.last + 1 == other.first and other.place.number and not other.place.flag
        for m in kinds
        for other in requirements.scene.mentions
        if other.coverage >= _WHOLE_NAME
    )


def _one_of_each(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the last year is taken, which nobody states, where the numbers are told by year."""
    places = (*sketch.shown, *sketch.split)
    return any(c.rule == "latest" and c.place in places for c in sketch.conditions)


def _splits_unasked(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the smokers" are told beside those who do not smoke."""
    groups = (*sketch.shown, *sketch.split)
    return sketch.grouped and not find_kinds(requirements.scene).isdisjoint(groups)


@lru_cache(maxsize=8)
def find_kinds(scene: Scene) -> set[Place]:
    """Columns of yes or no by which a plural names those that are so, where no word asks for
    groups: "the smokers"."""
    if splits(scene.words):
        return set()
    return {
        m.place
        for m in scene.mentions
        if m.place.flag and m.first == m.last and scene.tokens[m.first].lower.endswith("s")
    }


def _of_itself(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the highest, lowest or average of a column is told for each of its values."""
    shown = {place.index for place in sketch.shown} if sketch.grouped else set[int]()
    return any(
        number.place is not None
        and number.place.index in shown
        and number.aggregate not in (None, Aggregate.COUNT, Aggregate.SUM)
        for number in sketch.made
    )


def _denial_of_number(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "without discount" is told by the discounts, which no condition leaves out."""
    denied = _find_denied_numbers(requirements.scene)
    return bool(denied) and any(p.index in denied for p in (*sketch.shown_places, *sketch.split))


@lru_cache(maxsize=8)
def _find_denied_numbers(scene: Scene) -> frozenset[int]:
    """The numbers, by index, that are named right behind "no" or "without"."""
    return frozenset(
        m.place.index
        for m in scene.mentions
        if m.place.number
        and m.tie is Tie.NAME
        and m.coverage >= _WHOLE_NAME
        and scene.tokens[m.first - 1 : m.first]
        and scene.tokens[m.first - 1].lower in ("no", "without")
    )


def _adds_running(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether totals so far are added up, each of which holds those before."""
    running = [n.aggregate for n in sketch.made if n.place is not None and n.place.running]
    if not running or any(place.time for place in (*sketch.shown, *sketch.split)):
        return False
    averaged = any(
        c.means is Aggregate.AVERAGE for c in requirements.scene.words.find(aggregation.RULES)
    )
    unasked = (Aggregate.SUM,) if averaged else (Aggregate.SUM, Aggregate.AVERAGE)
    return any(aggregate in unasked for aggregate in running)


def _other_unit(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether it tells in milliseconds what is asked for in minutes."""
    places = [n.place for n in sketch.numbers if n.place is not None]
    return any(
        in_other_unit(unit, place) for unit in _units(requirements.scene) for place in places
    )


@lru_cache(maxsize=8)
def _units(scene: Scene) -> tuple[Unit, ...]:
    """The units asked for; the same for all drafts."""
    return tuple(units_asked(scene.tokens))


def _adds_ends(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a change from one month to the next is told as what both have together."""
    both = {one.place for one in sketch.either}
    places = (*sketch.shown, *sketch.split)
    return (
        bool(both)
        and sketch.change is None
        and both.isdisjoint(places)
        and bool(requirements.scene.words.find(changing.RULES))
    )


def _hours_of_days(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether rows are told by the hour of days that have none."""
    days = (p.column.data_type is DataType.DATE for p in (*sketch.shown, *sketch.split))
    return sketch.grain is Grain.HOUR and any(days)


def _other_day(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether who "joined each month in 2024" is told by the month of another day, or of another
    day in that year, which nobody speaks of."""
    bounds = {
        c.place
        for c in sketch.conditions
        if c.place is not None and c.place.time and c.against is None
    }
    places = {p for p in (*sketch.shown, *sketch.split) if p.time} if sketch.grain else set[Place]()
    if not bounds:
        return False
    spoken = _find_spoken_days(requirements.scene)
    missing = (bounds | places) - spoken
    return any(
        place.table is other.table
        for place in missing
        for other in (spoken or (bounds - places if place in places else ()))
    )


@lru_cache(maxsize=8)
def _find_spoken_days(scene: Scene) -> frozenset[Place]:
    """The columns of days that words name, or the verbs for what happened on them."""
    return frozenset(m.place for m in scene.mentions if m.place.time and names_day(m, scene))


def _adds_for_number(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "how many people" is answered by the sum of a number that nobody speaks of, or by
    reckoning with one that only numbers the rows."""
    first = [token.lower for token in requirements.scene.tokens[:2]]
    if first != ["how", "many"]:
        return False
    made = [(n.place, n.aggregate) for n in sketch.numbers if n.place is not None]
    if any(counts_rows(p.column, p.table, fewest=_BOTH) and a not in _COUNTING for p, a in made):
        return True
    places = [place for place, aggregate in made if aggregate is Aggregate.SUM]
    mentions = requirements.scene.by_place
    return COUNT not in sketch.numbers and any(
        all(m.coverage < _IN_PART for m in mentions.get(p.index, ())) for p in places
    )


def _never_true(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a column is to be two things at once, or one of the two is said of a like column in a
    table that nobody speaks of: "how many are in Canada and how many in Brazil"."""
    if sketch.sets is not None or sketch.change is not None:
        return False
    fixed = [
        c
        for c in sketch.rows
        if c.place is not None
        and c.operator is Operator.EQUAL
        and not c.denied
        and c.values
        and c not in sketch.either
        and c not in sketch.share
    ]
    for at, one in enumerate(fixed):
        for other in fixed[:at]:
            if one.place is None or other.place is None or one.values == other.values:
                continue
            tables = {one.place.table.name, other.place.table.name}
            missing = len(tables) > 1 and not tables <= set(requirements.scene.spoken_tables)
            if one.place is other.place or (missing and one.place.last == other.place.last):
                return True
    return False


def _first_for_most(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "who ordered the most" is told by whoever comes first, in no order or by a name."""
    place = sketch.sorted_by
    named = place is not None and place.text and place.index not in requirements.scene.scales
    return (
        sketch.limit is not None
        and (sketch.sorting is None or (named and sketch.sorting.by is place))
        and requirements.scene.lower.endswith(
            ("the most", "the most ?", "the least", "the least ?")
        )
    )


def _counts_named(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether it counts where things are asked for by what is so of them: "products out of stock",
    "products whose stock is below the reorder level", where the things have names."""
    scene = requirements.scene
    if sketch.numbers != (COUNT,) or sketch.shown or requirements.counts or scene.charted:
        return False
    words = [token.lower for token in scene.tokens]
    return any(
        t.first == 0
        and t.coverage >= _WHOLE_NAME
        and (bool(sketch.conditions) or not _CLAUSES.isdisjoint(words[t.last + 1 : t.last + 2]))
        and (names := names_of(scene.schema, t.table.name))
        and names[0].kind is not Kind.ID
        for t in scene.tables
    )


def _own_highest(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "who has the highest salary in each department" is told everybody's own highest."""
    scene = requirements.scene
    asked = bool(scene.tokens) and scene.tokens[0].lower in _WHO
    if not asked or sketch.within or not sketch.grouped or not scene.words.find(leading.ENDS):
        return False
    places = {place for names in people_of(scene.schema) for place in names} & {*sketch.shown}
    ends = {n.aggregate for n in sketch.numbers} & {Aggregate.MAXIMUM, Aggregate.MINIMUM}
    return bool(places and ends and scene.words.find(leading.EACH))


def _shares_one(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a share is told of each row or of each of the values it is of, 1 or 0, or of those
    that are and are not so, though no word asks for groups."""
    groups = bool(splits(requirements.scene.words, Split.OF_EACH))
    of = {one.place for one in sketch.share if one.operator is Operator.EQUAL}
    return (
        bool(sketch.share)
        and sketch.bins is None
        and any(
            place.unique >= _OWN_ROW or place in of or (place.flag and not groups)
            for place in sketch.shown
        )
    )


def _misses_rate(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "conversion rate" is told of other than the share of those that have converted."""
    flags = _find_rated_flags(requirements.scene)
    if not flags:
        return False
    shares = bool(sketch.share) and all(one.place in flags for one in sketch.share)
    means = bool(sketch.numbers) and all(
        n.aggregate is Aggregate.AVERAGE and n.place in flags for n in sketch.numbers
    )
    return not ((shares and not sketch.numbers) or means)


@lru_cache(maxsize=8)
def _find_rated_flags(scene: Scene) -> frozenset[Place]:
    """The columns of yes or no whose rate is asked for, where no other column is called a rate."""
    named = any(
        m.coverage >= _SAME_NAME
        and m.tie is Tie.NAME
        and not m.place.flag
        and scene.between(m.last, m.last + 1) in ("rate", "rates")
        for m in scene.mentions
    )
    if named:
        return frozenset()
    return frozenset(
        m.place
        for m in scene.mentions
        if m.place.flag
        and m.tie is Tie.NAME
        and m.coverage >= _IN_PART
        and scene.between(m.last + 1, m.last + 2) in ("rate", "rates")
    )


def _misses_part(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the highest proportion of smokers" is told by their number."""
    if not requirements.scene.words.find(counting.MOST_OF_ALL):
        return False
    whole = sketch.share or sketch.ratio or sketch.worked or sketch.change
    rates = any(
        n.place is not None and (n.place.flag or n.place.kind is Kind.INTENSIVE)
        for n in sketch.made
    )
    return not (whole or rates)


def _end_of_keys(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the lowest or the highest id stands for things that are only spoken of, as in "orders
    by weekday", or that of a span of time for how long something takes."""
    ends = (Aggregate.MINIMUM, Aggregate.MAXIMUM)
    made = [n for n in sketch.made if n.aggregate in ends]
    if not made:
        return False
    asked = {cue.means for cue in requirements.scene.words.find(aggregation.RULES)}
    superlative = requirements.extreme or any(
        t.lower.endswith("est") for t in requirements.scene.tokens
    )
    return any(
        n.place is not None
        and (
            (n.place.kind is Kind.ID and not is_named(n.place, requirements))
            or (n.place.definition is not None and not superlative)
        )
        for n in made
        if n.aggregate not in asked
    )


def _splits_span(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the hours from one day to another are told for each of these, which only say of what
    the hours are: "median hours to close"."""
    if splits(requirements.scene.words) or sketch.grain is not None:
        return False
    ends = {
        (one.table, one.column)
        for n in sketch.made
        if n.place is not None and n.place.definition is not None
        for one in references(n.place.definition.term)
    }
    return any(p.time and (p.table.name, p.column.name) in ends for p in sketch.shown)


def _misses_amount(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "how much does the last treatment cost" is told by a day or a name."""
    if [token.lower for token in requirements.scene.tokens[:2]] != [
        "how",
        "much",
    ] or not sketch.shown:
        return False
    places = [
        p for p in sketch.shown_places if p.number and p.kind not in (Kind.ID, Kind.DATE_PART)
    ]
    return not (places or sketch.numbers or sketch.share or sketch.change)


def _not_latest(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the most recent is the one with the most of something else, where days tell it."""
    place = sketch.sorted_by
    if place is None or sketch.limit != 1:
        return False
    words = [token.lower for token in requirements.scene.tokens]
    recent = "most recent" in requirements.scene.lower or not {"latest", "newest"}.isdisjoint(words)
    other = any(
        cue.rule.name in ("most", "least") for cue in requirements.scene.words.find(ordering.TOP)
    )
    if not recent or other:
        return False
    if (
        place.time
        or place.kind is Kind.DATE_PART
        or any(w.endswith("est") for w in words if w not in ("latest", "newest"))
    ):
        return False
    return any(p.time for p in requirements.scene.schema.of_table(place.table.name))


def _works_on_rows(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether growth, or a running total, of no number in particular is of rows, where their table
    holds one number alone."""
    counts = sketch.worked is not None and sketch.numbers == (COUNT,)
    timed = counts and sketch.worked is not None and sketch.worked.how is not Calculation.SHARE
    if not timed or requirements.counts or requirements.scene.spoken_tables:
        return False
    tables = sketch.tables()
    return any(place.table.name in tables for place in sole_measures(requirements.scene.schema))


def _counts_kind(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "how many smokers" counts other than the rows that say yes: their two answers, or an
    average of these."""
    counted = requirements.scene.counted_words
    kinds = {
        m.place
        for m in requirements.scene.mentions
        if m.place.flag
        and m.tie is Tie.NAME
        and m.coverage >= _WHOLE_NAME
        and requirements.scene.tokens[m.first].lower in counted
        and requirements.scene.tokens[m.last].lower.endswith("s")
    }
    if not kinds or sketch.share:
        return False
    if len(sketch.numbers) == 1 and sketch.numbers[0].place in kinds:
        return sketch.numbers[0].aggregate is not Aggregate.SUM
    fits = any(c.place in kinds and not c.denied for c in sketch.rows)
    return not fits or any(n.place in kinds for n in sketch.made)


def _misses_which(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "which products were sold" is told by one number of all of them."""
    scene = requirements.scene
    if sketch.shown or not scene.tokens or scene.tokens[0].lower not in ("which", "list"):
        return False
    return bool(sketch.numbers) and any(
        t.first == 1 and t.coverage >= _WHOLE_NAME for t in scene.tables
    )


def _splits_described(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "discount on dairy products" is told for each product."""
    return tells_described(sketch, requirements.scene)


def _group_as_value(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the word after "by" both tells groups and is a value: by office, working in one."""
    if not sketch.rows:
        return False
    numbers = {place.index for place in (*sketch.shown, *sketch.split)}
    after = {cue.last + 1 for cue in splits(requirements.scene.words, Split.OF_EACH)}
    named = {
        m.first
        for m in requirements.scene.mentions
        if m.first in after and m.coverage >= _SAME_NAME and m.place.index in numbers
    }
    return any(c.first in named and c.place is not None for c in sketch.rows)


def _shares_the_whole(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "what percentage of women survived" is a count, or the part that women are."""
    found = requirements.scene.words.find(counting.PART_AFTER)
    if not found:
        return False
    if not sketch.share:  # a count is no percentage
        other = sketch.ratio or sketch.worked or sketch.change
        return not other and all(number.place is None for number in sketch.made)
    stated = sorted((*sketch.rows, *sketch.share), key=lambda one: one.first)
    if len(stated) < 2:  # nothing is said of the whole
        return False
    after = [one for one in stated if found[0].means and one.first > found[0].last]
    part = after[0] if after else _done(stated, requirements) or stated[-1]
    return sketch.share != (part,)


def _done(stated: list[Proposal], requirements: Requirements) -> Proposal | None:
    """The condition that a verb states: "of orders returned in May", the returned."""
    tokens = requirements.scene.tokens
    ends = [
        one
        for one in stated
        if one.last >= one.first
        and tokens[one.first].lower.endswith("ed")
        and not requirements.scene.tabled[min(one.last + 1, len(tokens) - 1)]
    ]
    return ends[0] if ends else None


def _misses_calculation(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether growth, a running total or ranges are asked for and not told."""
    if requirements.width is not None and sketch.bins is None:
        return True
    return misses(requirements.scene, sketch)


def _misses_when(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "when was the last order" is told by other than a day."""
    if not requirements.scene.words.find(leading.DAY_OF_END):
        return False
    days = (*sketch.shown, *(n.place for n in sketch.numbers))
    return not any(p is not None and (p.time or p.kind is Kind.DATE_PART) for p in days)


RULES = (
    misses_so_many,
    splits_by_used_words,
    splits_by_other_action,
    *sets_said.RULES,
    _misses_when,
    _misses_calculation,
    splits_by_its_part,
    passes_over_metric,
    _denial_of_number,
    tells_other_date,
    has_other_action,
    splits_month,
    _misses_which,
    _shares_one,
    _counts_kind,
    _misses_rate,
    _misses_part,
    passes_over_split,
    passes_over_denial,
    denies_other,
    averages_rows,
    _end_of_keys,
    _splits_span,
    _misses_amount,
    _works_on_rows,
    _not_latest,
    _adds_running,
    _other_unit,
    _adds_kind,
    _hours_of_days,
    _adds_ends,
    _other_day,
    _adds_for_number,
    _splits_unasked,
    _one_of_each,
    _of_itself,
    _splits_described,
    _group_as_value,
    _shares_the_whole,
    _counts_named,
    _never_true,
    _first_for_most,
    _own_highest,
)
