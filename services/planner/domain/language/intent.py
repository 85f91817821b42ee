"""What a question means, as typed values: the language pipeline's only output vocabulary.

An `Intent` says which numbers are wanted, split by what, of which rows, in which order. It names
tables and columns of the catalogue and never holds SQL; `sql.py` renders it.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field as Spec

from services.planner.domain.catalogue import Frozen


class Aggregate(StrEnum):
    """How many rows become one number."""

    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "avg"
    MINIMUM = "min"
    MAXIMUM = "max"
    MEDIAN = "median"
    DEVIATION = "stddev"
    VARIANCE = "variance"
    PERCENTILE = "percentile"


class Grain(StrEnum):
    """The unit of time that dates are grouped by."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    WEEKDAY = "weekday"
    MONTH_OF_YEAR = "month_of_year"
    HOUR = "hour"


class Operator(StrEnum):
    """A comparison of one column with given values."""

    EQUAL = "="
    NOT_EQUAL = "!="
    GREATER = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    BETWEEN = "between"
    IN = "in"
    NOT_IN = "not in"
    CONTAINS = "contains"
    NOT_CONTAINS = "not contains"
    STARTS_WITH = "starts with"
    ENDS_WITH = "ends with"
    IS_NULL = "is empty"
    NOT_NULL = "is not empty"


class ChartType(StrEnum):
    """The kinds of chart that `plot.render` draws."""

    BAR = "bar"
    GROUPED_BAR = "grouped_bar"
    STACKED_BAR = "stacked_bar"
    LINE = "line"
    MULTI_LINE = "multi_line"
    AREA = "area"
    PIE = "pie"
    SCATTER = "scatter"
    HISTOGRAM = "histogram"
    BOX = "box"
    HEATMAP = "heatmap"


class Field(Frozen):
    """A column of a table."""

    kind: Literal["field"] = "field"
    table: str
    column: str


class Relation(Frozen):
    """One step of a join: `left` refers to `right`; `fans_out` when one may match several."""

    left: Field
    right: Field
    fans_out: bool = False


class FullName(Frozen):
    """The parts of a person's name, to be shown with spaces between them."""

    kind: Literal["full_name"] = "full_name"
    parts: tuple[Field, ...]


class Product(Frozen):
    """The factors multiplied; each of `discounts` is a fraction taken off (times 1 - d)."""

    kind: Literal["product"] = "product"
    factors: tuple[Field, ...]
    discounts: tuple[Field, ...] = ()


Expression = Annotated[Field | FullName | Product, Spec(discriminator="kind")]


class Measure(Frozen):
    """A number per group; without `expression` it counts the rows of `table`.

    `aggregate` None means the value of each row as it stands. With `per`, rows that share its value
    are summed (or counted) first, and the sums averaged: "average order value", "average number of
    orders per customer". `quantile` goes with a percentile, from 0 to 1. With `where` only those
    rows count. Deviation and variance divide by n - 1.
    """

    aggregate: Aggregate | None
    table: str
    expression: Expression | None = None
    label: str
    additive: bool = True
    per: Field | None = None
    quantile: float | None = Spec(default=None, ge=0, le=1)
    where: Filter | None = None


class Calculation(StrEnum):
    """How a number is worked out from the numbers of the groups."""

    SHARE = "share"
    RATIO = "ratio"
    DIFFERENCE = "difference"
    GROWTH = "growth"
    CHANGE = "change"
    RUNNING_TOTAL = "running total"
    MOVING_AVERAGE = "moving average"
    RANK = "rank"


class Derived(Frozen):
    """A number worked out from the grouped numbers: column `of`, and `against` where two are named.

    `window` counts the units of time of a moving average, this one included. `back` says how many
    units of time the earlier value of a growth or change lies back: 12 months for year-over-year.
    Shares are of all groups before any limit; growth is a fraction, missing where there is no
    earlier value.
    """

    calculation: Calculation
    label: str
    of: int = 0
    against: int | None = None
    window: int = 3
    back: int = 1


class Bins(Frozen):
    """Ranges of one width that start at `origin`; each is named by its lower end."""

    width: float = Spec(gt=0)
    origin: float = 0.0


class Statistic(Frozen):
    """A test that `stats.test` runs over the rows: its arguments, with columns of the data.

    `columns` are what is tested, `by` holds the groups, `predictors` explain the first column.
    `asked` names the statistic of a description that the question is about.
    """

    test: str
    asked: str = ""
    columns: tuple[Field, ...] = ()
    by: Field | None = None
    predictors: tuple[Field, ...] = ()
    method: str = ""
    expected: float | None = None
    threshold: float | None = None
    ddof: int | None = None
    equal_variances: bool = False


class Dimension(Frozen):
    """What the numbers are split by. `identity` keeps things of the same name apart."""

    expression: Expression
    label: str
    grain: Grain | None = None
    identity: Field | None = None
    bins: Bins | None = None


class Condition(Frozen):
    """One comparison with given values, or with the column's own average over all its rows.

    `note` is how to say it to people, where its own words are not best.
    """

    kind: Literal["condition"] = "condition"
    field: Field
    operator: Operator
    values: tuple[str | float | int | bool | date, ...] = ()
    than_average: bool = False
    note: str = ""


class Group(Frozen):
    """Conditions that hold together ("and") or in the alternative ("or")."""

    kind: Literal["group"] = "group"
    connective: Literal["and", "or"]
    members: tuple[Filter, ...]


class Membership(Frozen):
    """Keeps rows of `table` that have (or, when `absent`, have no) related row in `related`.

    `where` narrows which related rows count; `path` says how the tables are joined.
    """

    kind: Literal["membership"] = "membership"
    table: str
    related: str
    absent: bool = True
    where: Filter | None = None
    note: str = ""
    path: tuple[Relation, ...] = ()


Filter = Annotated[Condition | Group | Membership, Spec(discriminator="kind")]
Group.model_rebuild()
Membership.model_rebuild()
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
    that `series` points at.
    """

    base: str
    measures: tuple[Measure, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    filters: tuple[Filter, ...] = ()
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
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

    @property
    def grouped(self) -> bool:
        """True when rows are collapsed into groups."""
        return any(m.aggregate is not None for m in self.measures)


class Link(Frozen):
    """Which words were tied to what, how surely (0 to 1), and why."""

    phrase: str
    target: str
    score: float
    reason: str


class Understood(Frozen):
    """A settled reading. `summary` is one line for people."""

    intent: Intent
    summary: str
    confidence: float
    links: tuple[Link, ...] = ()
    assumptions: tuple[str, ...] = ()


class Clarification(Frozen):
    """One question back, with the readings to choose from."""

    question: str
    options: tuple[str, ...]


class NotUnderstood(Frozen):
    """Nothing of the question could be tied to the data; `available` lists what there is."""

    message: str
    available: tuple[str, ...]
