"""The picture that goes with a test, and the test that goes with a picture."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue, ColumnRole
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Field,
    Intent,
    Measure,
    Statistic,
)
from services.planner.domain.reader.statistics.phrases import DRAWN

_RELATED = re.compile(
    r"\bcorrelat|\brelat(?:ed|es|ion|ions|ionship|ionships)\b|\bassociat(?:ed|ion)\b"
    r"|\bdepend(?:s|ent|ence)?\b|\b(?:pearson|spearman|kendall)\b",
    re.IGNORECASE,
)
_GROUPED = ("t_test", "anova", "kruskal", "mann_whitney", "levene")
_WHOLE = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
_PAIR = 2


def drawn(statistic: Statistic, catalogue: Catalogue) -> tuple[ChartType | None, tuple[Field, ...]]:
    """The chart of the rows that are tested, and the columns that are its numbers.

    Points for a pair of numbers, boxes for groups, a histogram for the shape of one.
    """
    columns, others = statistic.columns, statistic.predictors
    chart, numbers = None, columns
    if statistic.test == "correlation" and len(columns) == _PAIR:
        chart = ChartType.SCATTER
    elif statistic.test == "linear_regression" and len(others) == 1:
        chart, numbers = ChartType.SCATTER, (others[0], columns[0])
    elif statistic.test in _GROUPED or (statistic.by and statistic.test == "outliers"):
        chart = ChartType.BOX
    elif statistic.test == "normality" and statistic.by is None:
        chart = ChartType.HISTOGRAM
    if chart is None or not all(_drawable(f, catalogue) for f in numbers):
        return None, ()
    return chart, numbers


def with_test(intent: Intent, question: str, catalogue: Catalogue) -> Intent:
    """The intent with the correlation of its two numbers, where a relation is asked for.

    Where a chart is asked for, its rows are the answer, and the correlation is told beside it.
    """
    pair = len(intent.measures) == _PAIR and not intent.derived and intent.limit is None
    if intent.chart is not ChartType.SCATTER or not pair or not _RELATED.search(question):
        return intent
    if not all(_counts_or_measures(measure, catalogue) for measure in intent.measures):
        return intent
    method = next((m for m in ("spearman", "kendall") if m in question.lower()), "")
    beside = DRAWN.search(question) is not None
    statistic = Statistic(test="correlation", method=method, beside=beside)
    return intent.model_copy(update={"statistic": statistic})


def _counts_or_measures(measure: Measure, catalogue: Catalogue) -> bool:
    if measure.aggregate in _WHOLE or not isinstance(measure.expression, Field):
        return True
    return _drawable(measure.expression, catalogue)


def _drawable(target: Field, catalogue: Catalogue) -> bool:
    table = catalogue.table(target.table)
    column = table.column(target.column) if table is not None else None
    return column is not None and numeric(column.data_type) and column.role is not ColumnRole.ID
