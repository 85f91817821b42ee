"""Adds to a draft what the calculation and the ranges that were asked for make of it."""

from __future__ import annotations

from services.planner.domain.catalogue import Column
from services.planner.domain.language.linking.mention import averaged
from services.planner.domain.language.parsing.compared_periods import periods_to_compare
from services.planner.domain.language.work import Work, field_of
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.columns import holds_numbers, is_measure, numeric
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Derived,
    Dimension,
    Field,
    Grain,
    Measure,
)
from services.planner.domain.query.labels import count_of_rows, measure_label

_TIMED = (Calculation.GROWTH, Calculation.CHANGE, Calculation.RUNNING_TOTAL,
          Calculation.MOVING_AVERAGE)  # fmt: skip
_OF_TWO = (Calculation.RATIO, Calculation.DIFFERENCE)
_GRAINS = {grain.value: grain for grain in (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER,
                                            Grain.YEAR)}  # fmt: skip


def aggregate_for_calculation(work: Work) -> None:
    """Numbers that a calculation is about are summed where no word says how they come together."""
    wish, parts = work.wishes.calculation, work.parts
    if wish is None or wish.calculation is Calculation.RANK:
        return
    for index in list(parts.targets):
        mention = work.mention(index)
        column = work.scene.column(mention)
        if column is not None and mention.chosen.kind == "column" and _is_amount(column):
            parts.targets.remove(index)
            together = Aggregate.AVERAGE if averaged(column) else Aggregate.SUM
            parts.aggregates.append((index, together))


def _is_amount(column: Column) -> bool:
    return is_measure(column.role, column.data_type)


def count_if_compared(work: Work) -> None:
    """Between two moments rows are counted where no number is named: "difference in orders"."""
    wish, draft = work.wishes.calculation, work.draft
    asked = wish is not None and wish.between
    if asked and work.parts.top is not None:
        _rank_by_change(work)
    compared = asked or periods_to_compare(work) is not None
    if compared and not draft.measures and not work.parts.targets:
        draft.measures.append(count_of_rows(draft.base))


def _rank_by_change(work: Work) -> None:
    """ "Which category's revenue grew most": all of them, by how much they did."""
    draft, parts = work.draft, work.parts
    things = [i for i in (*parts.groups, *parts.tables, *parts.targets) if i not in parts.groups]
    if not draft.measures:
        draft.problem = "What is to be compared between the two? Name a number, such as revenue."
        return
    parts.top = None
    draft.notes.append("all are shown, those that rose most first")
    if not parts.groups and things:
        parts.groups.append(things[0])
        work.scene.roles[things[0]] = "group"
        for part in (parts.tables, parts.targets):
            part[:] = [place for place in part if place != things[0]]


def needs_time(work: Work) -> bool:
    """Whether something is to be followed over time, and no unit of time is named."""
    wish = work.wishes.calculation
    timed = wish is not None and wish.calculation in _TIMED and not wish.between
    return timed and not any(_is_time(work, d) for d in work.draft.dimensions)


def wanted_grain(work: Work) -> Grain | None:
    """The unit of time in the name of the calculation: "month-over-month growth"."""
    wish = work.wishes.calculation
    return _GRAINS.get(wish.per) if wish is not None else None


def _is_time(work: Work, dimension: Dimension) -> bool:
    if dimension.grain is not None:
        return True
    return "year" in dimension.label.split() and isinstance(dimension.expression, Field)


def add_derived(work: Work) -> list[Derived]:
    """The numbers to be worked out; `draft.problem` says why one cannot be."""
    wish, draft = work.wishes.calculation, work.draft
    if wish is None:
        return []
    kind = wish.calculation
    if not draft.measures:
        draft.measures.append(count_of_rows(draft.base))
    if wish.between and periods_to_compare(work) is not None:
        return []  # worked out from the two periods
    if kind in _OF_TWO:
        if len(draft.measures) < 2:
            draft.problem = f"A {kind.value} needs two numbers; only one was found."
            return []
        one, other = draft.measures[:2]
        sign = " − " if kind is Calculation.DIFFERENCE else " / "
        label = f"{one.label}{sign}{other.label}"
        return [Derived(calculation=kind, label=label, of=0, against=1)]
    if kind is not Calculation.RANK and not draft.aggregated:
        return []
    if not draft.dimensions:
        draft.problem = f"A {kind.value} needs something to be split by."
        return []
    if kind is Calculation.SHARE and len(draft.dimensions) > 1:
        first = draft.dimensions[0].label
        draft.notes.append(f"shares are of all together, not of each {first}")
    grain = next((d.grain for d in draft.dimensions if d.grain is not None), None)
    return [wish.derived(draft.measures[0].label, grain)]


def put_in_ranges(work: Work) -> None:
    """Numbers to be split by ranges: the dimension that holds numbers, else the number named."""
    wish, draft = work.wishes.bins, work.draft
    if wish is None:
        return
    if not any(_can_be_binned(work, d) for d in draft.dimensions):
        raw = [m for m in draft.measures if m.aggregate is None and isinstance(m.expression, Field)]
        if not raw:
            return
        draft.measures = [m for m in draft.measures if m is not raw[0]]
        expression = raw[0].expression
        if isinstance(expression, Field):
            draft.dimensions = [Dimension(expression=expression, label=raw[0].label)]
    for position, dimension in enumerate(draft.dimensions):
        column = _column(work, dimension)
        if column is None or not numeric(column.data_type):
            continue
        bins = wish.bins(_as_number(column.minimum), _as_number(column.maximum))
        if bins is not None:
            label = f"{dimension.label} from"
            draft.dimensions[position] = dimension.model_copy(
                update={"bins": bins, "label": label, "identity": None}
            )
            break
    if not draft.measures:
        draft.measures.append(count_of_rows(draft.base))


def _can_be_binned(work: Work, dimension: Dimension) -> bool:
    column = _column(work, dimension)
    return column is not None and numeric(column.data_type)


def _column(work: Work, dimension: Dimension) -> Column | None:
    return work.column(dimension.expression) if isinstance(dimension.expression, Field) else None


def _as_number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def add_quantiles(work: Work) -> None:
    """Percentiles of the numbers named after them; those are no longer asked for by themselves."""
    if work.parts.averaged is not None or work.parts.average_count is not None:
        return
    for wish in work.wishes.quantiles:
        index = work.scene.starting(wish.after, within=3)
        column = work.scene.column(work.mention(index)) if index is not None else None
        if index is None or column is None or not holds_numbers(column):
            continue
        target = field_of(work.mention(index))
        if index in work.parts.targets:
            work.parts.targets.remove(index)
        work.draft.base = target.table
        work.draft.add_measure(percentile_measure(target, wish.quantile))


def percentile_measure(target: Field, quantile: float) -> Measure:
    """The value below which that fraction of the rows lies, by linear interpolation."""
    percent = f"{quantile * 100:g}"
    name = "median" if quantile == 0.5 else f"{percent}th percentile of {readable(target.column)}"
    label = measure_label(Aggregate.MEDIAN, target.column) if name == "median" else name
    return Measure(
        aggregate=Aggregate.PERCENTILE,
        table=target.table,
        expression=target,
        label=label,
        additive=False,
        quantile=quantile,
    )
