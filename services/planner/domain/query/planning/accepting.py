"""What the result of a question's query has to be: acceptance criteria made of its intent."""

from __future__ import annotations

from services.planner.domain.acceptance import (
    a_share,
    at_most,
    has_columns,
    never_negative,
    one_row_each,
)
from services.planner.domain.query.intent import Aggregate, Calculation, Intent, Measure
from services.planner.domain.query.planning.sql import Query

_COUNTING = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def criteria_of(intent: Intent, query: Query) -> list[str]:
    """Columns, grain, ranges and number of rows that the question asked for.

    Where something is tested, described or followed, the query gives the rows for that, which are
    not what the question asked for. Things of one name are told apart by what is not shown: of
    their grain a reader is told, and nothing is checked.
    """
    if intent.statistic is not None or intent.profile or intent.cohort is not None:
        return []
    texts = [has_columns(query.columns)] if query.columns else []
    if intent.grouped and intent.dimensions:
        grain = one_row_each([dimension.label for dimension in intent.dimensions])
        apart = any(dimension.identity is not None for dimension in intent.dimensions)
        texts.append(f"{grain}, apart where they have one name" if apart else grain)
    texts += [never_negative(m.label) for m in intent.measures if m.shown and _counts(m)]
    for derived in intent.derived:
        if derived.calculation is Calculation.SHARE and _counts(intent.measures[derived.of]):
            texts.append(a_share(derived.label))
    if intent.limit is not None and intent.limit_per_series is None and intent.top_of_each is None:
        texts.append(at_most(intent.limit))
    return [sentence for sentence in texts if "\n" not in sentence]


def _counts(measure: Measure) -> bool:
    return measure.aggregate in _COUNTING and measure.per is None
