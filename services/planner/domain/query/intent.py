"""What a question means, as typed values: the language pipeline's only output vocabulary.

An `Intent` says which numbers are wanted, split by what, of which rows, in which order. It names
tables and columns of the catalogue and never holds SQL; `sql.py` renders it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field as Spec

from mesh.remarks import NOT_USED
from services.planner.domain.catalogue import Frozen
from services.planner.domain.query.defining.terms import Definition
from services.planner.domain.query.filters import (
    Against,
    Condition,
    Copy,
    Expression,
    Field,
    Filter,
    FullName,
    Group,
    Membership,
    Product,
    Relation,
)
from services.planner.domain.query.kinds import (
    Aggregate,
    Calculation,
    ChartType,
    Grain,
    Operator,
)
from services.planner.domain.query.periods import Cohort, CohortView, Period
from services.planner.domain.query.tested_by import TestSettings

__all__ = [
    "Against",
    "Aggregate",
    "Bins",
    "Calculation",
    "ChartType",
    "Clarification",
    "Cohort",
    "CohortView",
    "Condition",
    "Copy",
    "Derived",
    "Dimension",
    "Expression",
    "Field",
    "Filter",
    "FullName",
    "Grain",
    "Group",
    "Having",
    "Intent",
    "Link",
    "Measure",
    "Membership",
    "NotUnderstood",
    "Operator",
    "Order",
    "Period",
    "Product",
    "Relation",
    "Statistic",
    "TopOfEach",
    "Understood",
]


class Measure(Frozen):
    """A number per group; without `expression` it counts the rows of `table`.

    `aggregate` None means the value of each row as it stands. With `per`, rows that share its value
    are summed (or counted) first, and the aggregate is over those sums: "average order value",
    "median number of orders per customer". `quantile` goes with a percentile, from 0 to 1, the
    `other` column with a correlation: Pearson's, or Spearman's of ranks, -1 to 1. With
    `where` only those rows count, with `during` only those of that period. Deviation and variance
    divide by n - 1. What is not `shown` only sorts the groups. With `once` each row of `table`
    counts once in each group, however often the joins repeat it.
    """

    aggregate: Aggregate | None
    table: str
    expression: Expression | None = None
    label: str
    additive: bool = True
    per: Field | None = None
    quantile: float | None = Spec(default=None, ge=0, le=1)
    other: Field | None = None
    where: Filter | None = None
    during: Period | None = None
    shown: bool = True
    once: bool = False


class Derived(Frozen):
    """A number worked out from the grouped numbers: column `of`, and `against` where two are named.

    `window` counts the units of time of a moving average, this one included. `back` says how many
    units of time the earlier value of a growth or change lies back: 12 months for year-over-year.
    Shares are of all groups before any limit, and `together` with those that rank before; growth is
    a fraction, missing where there is no earlier value. With `only` those groups are kept of which
    the number lies above, or below, nought; it goes with two numbers set `against` each other.
    """

    calculation: Calculation
    label: str
    of: int = 0
    against: int | None = None
    window: int = 3
    back: int = 1
    together: bool = False
    only: Literal["above", "below"] | None = None


class Bins(Frozen):
    """Ranges of one width that start at `origin`; each is named by its lower end."""

    width: float = Spec(gt=0)
    origin: float = 0.0


class Statistic(TestSettings):
    """A test that `stats.test` runs over the rows: its arguments, with columns of the data.

    `columns` are what is tested, `by` holds the groups, `predictors` explain the first column,
    `label` names the rows of outliers.
    `asked` names the statistics of a description that the question is about. Without `columns` the
    test is over the numbers of the answer. Where it is `beside` the rows, these are the answer.
    """

    test: str
    asked: tuple[str, ...] = ()
    columns: tuple[Field, ...] = ()
    by: Field | None = None
    label: Field | None = None
    predictors: tuple[Field, ...] = ()
    beside: bool = False


class Dimension(Frozen):
    """What the numbers are split by. `identity` keeps things of the same name apart.

    With `periods` rows are split by which of these they lie in, and those in none are left out.
    """

    expression: Expression
    label: str
    grain: Grain | None = None
    identity: Field | None = None
    bins: Bins | None = None
    periods: tuple[Period, ...] = ()


Measure.model_rebuild()


class Having(Frozen):
    """A condition on a number of each group."""

    measure: Measure
    operator: Operator
    values: tuple[float, ...]


class Order(Frozen):
    """Sorting by one output (`measure` or `dimension` index) or by a column not shown.

    Where `ranks` are told, texts go by their place among these, from the first; others come last.
    """

    target: Literal["measure", "dimension", "field"]
    index: int = 0
    field: Field | None = None
    descending: bool = False
    ranks: tuple[str, ...] = ()


class TopOfEach(Frozen):
    """Keeps, of what shares the values of the dimensions `within`, the first `most` by `by`.

    Of an intent that is not grouped rows are kept, else groups. What ties with the last that is
    kept is kept too, and what has no value to go by is not.
    """

    within: tuple[int, ...] = Spec(min_length=1)
    by: Order
    most: int = Spec(default=1, gt=0)


class Intent(Frozen):
    """A question's meaning. Rows are raw (not grouped) when no measure has an aggregate.

    `limit_per_series` keeps the first few, by the first measure, of each value of the dimension
    that `series` points at; `offset` rows go before those that are kept. `defined` are columns of
    the question's own, beside those of the data. `copies` are tables that are read twice, for rows
    that refer to others of the same table. With a `cohort` things are followed, and the numbers
    name the columns of what is told of them.
    """

    base: str
    measures: tuple[Measure, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    filters: tuple[Filter, ...] = ()
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    limit_per_series: int | None = None
    joins: tuple[Relation, ...] = ()
    distinct: bool = False
    deduplicate: bool = False
    series: int | None = None
    chart: ChartType | None = None
    chart_named: bool = False
    profile: bool = False
    derived: tuple[Derived, ...] = ()
    statistic: Statistic | None = None
    defined: tuple[Definition, ...] = ()
    copies: tuple[Copy, ...] = ()
    cohort: Cohort | None = None
    top_of_each: TopOfEach | None = None

    @property
    def grouped(self) -> bool:
        """True when rows are collapsed into groups."""
        return bool(self.having) or any(m.aggregate is not None for m in self.measures)

    @property
    def gives_rows(self) -> bool:
        """Whether a query alone answers it."""
        return self.statistic is None and not self.profile and self.cohort is None


class Link(Frozen):
    """Which words were tied to what, how surely (0 to 1), and why.

    `names` are those of the table, the columns and the values that the target is, by which its
    place in a statement is found.
    """

    phrase: str
    target: str
    score: float
    reason: str
    names: tuple[str, ...] = ()


def unread_in(assumptions: Iterable[str]) -> tuple[str, ...]:
    """Words of a question that have no part in its reading, as its assumptions tell them."""
    texts = [one.removeprefix(NOT_USED) for one in assumptions if one.startswith(NOT_USED)]
    return tuple(word.strip(' "') for text in texts for word in text.split(","))


class Rival(Frozen):
    """Another reading of a question that is not surely read, in one line, with a little of what it
    gives; `glimpse` is empty where it was not tried."""

    intent: Intent
    summary: str
    glimpse: str = ""


class Understood(Frozen):
    """A settled reading. `summary` is one line for people.

    `confidence` is from 0 to 1; where `measured`, answers told as this sure are right that often.
    `odds` are those of its result among all readings that were tried, None where none were.
    `rivals` are the likeliest of those, where it is not sure.
    """

    intent: Intent
    summary: str
    confidence: float
    odds: float | None = None
    measured: bool = False
    links: tuple[Link, ...] = ()
    assumptions: tuple[str, ...] = ()
    rivals: tuple[Rival, ...] = ()

    @property
    def unread(self) -> tuple[str, ...]:
        """Words that have no part in it, as its assumptions tell them."""
        return unread_in(self.assumptions)


class Clarification(Frozen):
    """One question back, with the readings to choose from, the likeliest first.

    `readings` are what each option stands for, and `glimpses` a little of what each gives; both are
    empty where nobody looked.
    """

    question: str
    options: tuple[str, ...]
    readings: tuple[Understood, ...] = ()
    glimpses: tuple[str, ...] = ()


class NotUnderstood(Frozen):
    """No reading can be answered; `available` lists what there is.

    `nearest` are questions that can be answered in its place, tried on the data.
    """

    message: str
    available: tuple[str, ...]
    nearest: tuple[str, ...] = ()
