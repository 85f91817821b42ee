"""The numbers of a reading, changed by a fragment."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Aggregate, Field, Intent, Measure
from services.planner.domain.query.labels import count_of_rows, measure_label
from services.planner.domain.reader.chart.measurable import is_measurable
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.reader.fragments.fragment import Fragment
from services.planner.domain.reader.fragments.parts import columns_of
from services.planner.domain.semantics.kinds import Kind, kind_of

_OF_COLUMNS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def changed_numbers(
    intent: Intent, fragment: Fragment, catalogue: Catalogue
) -> tuple[Intent, list[str]]:
    """The reading with its measures changed, and what was done in words."""
    new = [_measure(number, intent, catalogue) for number in fragment.numbers]
    if not new and fragment.aggregate is not None:
        again = _again(intent, fragment.aggregate)
        new = [again] if again is not None else []
    measures = list(intent.measures)
    gone = {place.field for place in fragment.gone}
    texts: list[str] = []
    for measure in new:
        if any(m == measure for m in measures):
            continue
        at = None if fragment.adds or not measures else _replaced(measures, gone)
        if at is None:
            measures.append(measure)
            texts.append(f"{measure.label} as well" if measures[:-1] else measure.label)
        else:
            texts.append(f"{measure.label} instead of {measures[at].label}")
            fragment.doubts += _doubts(measure, measures[at], fragment, catalogue)
            measures[at] = measure
    if measures == list(intent.measures):
        return intent, []
    return intent.model_copy(update={"measures": tuple(measures)}), texts


def _replaced(measures: list[Measure], gone: set[Field]) -> int:
    """Which number it takes the place of: the one that was not meant, else the first."""
    for at, measure in enumerate(measures):
        if measure.expression is not None and set(columns_of(measure.expression)) & gone:
            return at
    return 0


def _measure(number: Number, intent: Intent, catalogue: Catalogue) -> Measure:
    place = number.place
    if place is None:
        return count_of_rows(intent.base)
    name = readable(place.column.name)
    if number.aggregate is None and intent.measures and intent.measures[0].aggregate is None:
        return Measure(aggregate=None, table=place.table.name, expression=place.field, label=name)
    aggregate = number.aggregate or _usual(number, intent, catalogue)
    return Measure(
        aggregate=aggregate,
        table=place.table.name,
        expression=place.field,
        label=measure_label(aggregate, name),
        additive=aggregate is Aggregate.SUM,
    )


def _usual(number: Number, intent: Intent, catalogue: Catalogue) -> Aggregate:
    """The aggregate of the number that it takes the place of, else what suits the column."""
    place = number.place
    assert place is not None
    before = intent.measures[0].aggregate if intent.measures else None
    if before is Aggregate.SUM and place.number and _intensive(intent.measures[0], catalogue):
        return before  # what does not add up was added up because that was asked for
    suits = Aggregate.AVERAGE if place.kind is Kind.INTENSIVE else Aggregate.SUM
    if not place.number:
        return Aggregate.COUNT_DISTINCT
    if before in (None, *_OF_COLUMNS) or not is_measurable(Number(before, place)):
        return suits
    return suits if (before, place.kind) == (Aggregate.SUM, Kind.INTENSIVE) else before


def _doubts(new: Measure, old: Measure, fragment: Fragment, catalogue: Catalogue) -> list[str]:
    """That what adds up is averaged because what stood there before does not."""
    is_mentioned = any(number.aggregate is not None for number in fragment.numbers)
    averages = new.aggregate is Aggregate.AVERAGE and old.aggregate is Aggregate.AVERAGE
    if is_mentioned or not averages or _intensive(new, catalogue) or not _intensive(old, catalogue):
        return []
    total = measure_label(Aggregate.SUM, new.label.removeprefix("average "))
    return [f"averaged as {old.label.removeprefix('average ')} was; say “{total}” for the sum"]


def _intensive(measure: Measure, catalogue: Catalogue) -> bool:
    """Whether a number is of one column that does not add up, such as a price."""
    if not isinstance(measure.expression, Field):
        return False
    table = catalogue.table(measure.expression.table)
    column = table.column(measure.expression.column) if table is not None else None
    return column is not None and table is not None and kind_of(column, table) is Kind.INTENSIVE


def _again(intent: Intent, aggregate: Aggregate) -> Measure | None:
    """The first number of a column once more, made otherwise: "no, the median"."""
    first = next((m for m in intent.measures if m.expression is not None), None)
    if first is None or first.expression is None:
        return None
    field = columns_of(first.expression)[0]
    name = readable(field.column) if isinstance(first.expression, Field) else first.label
    return first.model_copy(
        update={
            "aggregate": aggregate,
            "label": measure_label(aggregate, name),
            "additive": aggregate is Aggregate.SUM and first.additive,
            "quantile": None,
        }
    )
