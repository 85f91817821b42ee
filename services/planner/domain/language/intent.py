"""What a question means, as typed values: the language pipeline's only output vocabulary.

An `Intent` says which numbers are wanted, split by what, of which rows, in which order. It names
tables and columns of the catalogue and never holds SQL; `sql.py` renders it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field as Spec

from services.planner.domain.catalogue import Frozen
from services.planner.domain.language.defining.terms import Definition
from services.planner.domain.language.filters import (
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
from services.planner.domain.language.kinds import (
    Aggregate,
    Calculation,
    ChartType,
    Grain,
    Operator,
)
from services.planner.domain.language.phrases.periods import Cohort, CohortView, Period

__all__ = [
    "Against", "Aggregate", "Bins", "Calculation", "ChartType", "Clarification", "Cohort",
    "CohortView", "Condition", "Copy", "Derived", "Dimension", "Expression", "Field", "Filter",
    "FullName",
    "Grain", "Group", "Having", "Intent", "Link", "Measure", "Membership", "NotUnderstood",
    "Operator", "Order", "Period", "Product", "Relation", "Statistic", "Understood",
]  # fmt: skip


class Measure(Frozen):
    """A number per group; without `expression` it counts the rows of `table`.

    `aggregate` None means the value of each row as it stands. With `per`, rows that share its value
    are summed (or counted) first, and the aggregate is over those sums: "average order value",
    "median number of orders per customer". `quantile` goes with a percentile, from 0 to 1. With
    `where` only those rows count, with `during` only those of that period. Deviation and variance
    divide by n - 1. What is not `shown` only sorts the groups.
    """

    aggregate: Aggregate | None
    table: str
    expression: Expression | None = None
    label: str
    additive: bool = True
    per: Field | None = None
    quantile: float | None = Spec(default=None, ge=0, le=1)
    where: Filter | None = None
    during: Period | None = None
    shown: bool = True


class Derived(Frozen):
    """A number worked out from the grouped numbers: column `of`, and `against` where two are named.

    `window` counts the units of time of a moving average, this one included. `back` says how many
    units of time the earlier value of a growth or change lies back: 12 months for year-over-year.
    Shares are of all groups before any limit, and `together` with those that rank before; growth is
    a fraction, missing where there is no earlier value.
    """

    calculation: Calculation
    label: str
    of: int = 0
    against: int | None = None
    window: int = 3
    back: int = 1
    together: bool = False


class Bins(Frozen):
    """Ranges of one width that start at `origin`; each is named by its lower end."""

    width: float = Spec(gt=0)
    origin: float = 0.0


class Statistic(Frozen):
    """A test that `stats.test` runs over the rows: its arguments, with columns of the data.

    `columns` are what is tested, `by` holds the groups, `predictors` explain the first column,
    `label` names the rows of outliers.
    `asked` names the statistics of a description that the question is about. Without `columns` the
    test is over the numbers of the answer. Where it is `beside` the rows, these are the answer.
    A model is tested on the share of rows `held_out`: those that `seed` picks, or the last.
    """

    test: str
    asked: tuple[str, ...] = ()
    columns: tuple[Field, ...] = ()
    by: Field | None = None
    label: Field | None = None
    predictors: tuple[Field, ...] = ()
    method: str = ""
    expected: float | None = None
    threshold: float | None = None
    ddof: int | None = None
    equal_variances: bool = False
    confidence: float | None = None
    held_out: float | None = None
    seed: int | None = None
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
    """Sorting by one output (`measure` or `dimension` index) or by a column not shown."""

    target: Literal["measure", "dimension", "field"]
    index: int = 0
    field: Field | None = None
    descending: bool = False


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

    @property
    def grouped(self) -> bool:
        """True when rows are collapsed into groups."""
        return bool(self.having) or any(m.aggregate is not None for m in self.measures)


class Link(Frozen):
    """Which words were tied to what, how surely (0 to 1), and why."""

    phrase: str
    target: str
    score: float
    reason: str


class Understood(Frozen):
    """A settled reading. `summary` is one line for people.

    `confidence` is from 0 to 1; where `measured`, answers told as this sure are right that often.
    """

    intent: Intent
    summary: str
    confidence: float
    measured: bool = False
    links: tuple[Link, ...] = ()
    assumptions: tuple[str, ...] = ()


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
