"""Numbers over things rather than rows: "average order value", "median revenue per order"."""

from __future__ import annotations

from dataclasses import replace

from services.planner.domain.language.measures.averaged import PerThing
from services.planner.domain.language.measures.revenues import revenue
from services.planner.domain.language.work import Work, field_of, formula_table
from services.planner.domain.lexicon.normalise import name_words, readable, stem
from services.planner.domain.query.intent import Aggregate, Field, Measure
from services.planner.domain.query.joining.entities import singular
from services.planner.domain.query.joining.joins import key_of, unique
from services.planner.domain.query.labels import count_label

_NO_FORMULA = (
    "The data has no price with a quantity, and no column of totals, to work out a value from."
)


_CALLED = {
    Aggregate.AVERAGE: "average",
    Aggregate.MEDIAN: "median",
    Aggregate.MAXIMUM: "highest",
    Aggregate.MINIMUM: "lowest",
    Aggregate.DEVIATION: "standard deviation of",
    Aggregate.VARIANCE: "variance of",
}


def _how(wanted: PerThing) -> str:
    if wanted.quantile is not None:
        return f"{wanted.quantile * 100:g}th percentile of"
    return _CALLED[wanted.aggregate]


def numbers_per_thing(work: Work, wanted: PerThing) -> list[Measure]:
    """Each number over the sums, in the order they are said."""
    each = [
        *(replace(wanted, aggregate=aggregate, quantile=None) for aggregate in wanted.before),
        wanted,
    ]
    found = [_per_thing(work, one) for one in each]
    return [measure for measure in found if measure is not None]


def _per_thing(work: Work, wanted: PerThing) -> Measure | None:
    """The sums for each thing as one number; `draft.problem` says so where it cannot be had."""
    mention = work.mention(wanted.thing)
    formula = wanted.worth or revenue(work)
    if formula is None:
        work.draft.problem = _NO_FORMULA
        return None
    table = formula_table(formula)
    thing = mention.chosen.table
    label = f"{_how(wanted)} {singular(thing)} value"
    per = field_of(mention) if mention.chosen.column else _key(work, table, thing)
    if per is None and table != thing:
        work.draft.problem = f"{readable(thing)} have no key by which their values could be summed."
        return None
    if per is not None and mention.chosen.column:
        words = [w for w in readable(per.column).split() if w not in ("id", "key", "number")]
        label = f"{_how(wanted)} {' '.join(words)} value"
    if wanted.worth is not None:
        label = f"{_how(wanted)} {readable(wanted.worth.column)} per {singular(thing)}"
    return Measure(
        aggregate=wanted.aggregate,
        table=table,
        expression=formula,
        label=label,
        additive=False,
        per=per,
        quantile=wanted.quantile,
    )


def average_count(work: Work, wanted: PerThing) -> Measure | None:
    """How many there are for each thing that has any, as one number; says so as a note."""
    if wanted.counted is None:
        return None
    counted, thing = work.mention(wanted.counted), work.mention(wanted.thing)
    table, owner = counted.chosen.table, thing.chosen.table
    per = field_of(thing) if thing.chosen.column else _key(work, table, owner)
    if per is None:
        work.draft.problem = f"{readable(owner)} have no key by which they could be counted."
        return None
    what, whom = count_label(table).removeprefix("number of "), singular(owner)
    said = "averaged" if wanted.aggregate is Aggregate.AVERAGE else "taken"
    work.draft.notes.append(f"{said} over each {whom} that has {what}")
    return Measure(
        aggregate=wanted.aggregate,
        table=table,
        label=f"{_how(wanted)} number of {what} per {whom}",
        additive=False,
        per=per,
        quantile=wanted.quantile,
    )


def _key(work: Work, table: str, thing: str) -> Field | None:
    """What tells the things apart in, or nearest to, the rows that are summed."""
    described = work.catalogue.table(thing)
    if described is None:
        return None
    if table == thing:
        own = {stem(singular(thing)), "id"}
        repeated = (
            column.name
            for column in described.columns
            if set(name_words(column.name)) == own and not unique(described, column.name)
        )
        found = next(repeated, None)
        return Field(table=thing, column=found) if found else None
    relation = work.graph.direct(table, thing)
    if relation is not None and not relation.fans_out:
        return relation.left
    keys = key_of(described)
    return Field(table=thing, column=keys[0]) if len(keys) == 1 else None
