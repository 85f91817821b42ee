"""An analysis of several steps: what is done to the rows, and which figures are told of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field as Spec

from services.planner.domain.catalogue import Frozen
from services.planner.domain.query.defining.terms import Term
from services.planner.domain.query.tested_by import TestSettings

Statistic = Literal[
    "count",
    "share",
    "missing",
    "share missing",
    "distinct",
    "mean",
    "median",
    "standard deviation",
    "population standard deviation",
    "variance",
    "population variance",
    "minimum",
    "maximum",
    "range",
    "sum",
    "interquartile range",
    "skewness",
    "kurtosis",
    "coefficient of variation",
    "standard error",
    "percentile",
]
Comparison = Literal["<", "<=", ">", ">=", "==", "!="]


class Keep(Frozen):
    """Only rows for which the term holds go on."""

    kind: Literal["keep"] = "keep"
    term: Term
    text: str


class Derive(Frozen):
    """A column is added, or takes the place of the one of that name."""

    kind: Literal["derive"] = "derive"
    column: str
    term: Term
    text: str


Step = Annotated[Keep | Derive, Spec(discriminator="kind")]


class Number(Frozen):
    """One number of the rows that the first `stage` steps leave, of those `where` a term holds.

    "count" counts them, "share" is theirs of all (or of those `among` which another term holds),
    from 0 to 1. `part` goes with a percentile.
    """

    kind: Literal["number"] = "number"
    statistic: Statistic
    column: str = ""
    where: Term | None = None
    among: Term | None = None
    part: float | None = None
    stage: int = 0


class Extreme(Frozen):
    """The group of `by` with the highest (or lowest) number: its name, the number, or its share.

    The share is of the sum of that number over all groups.
    """

    kind: Literal["extreme"] = "extreme"
    by: str
    number: Number
    descending: bool = True
    tells: Literal["name", "value", "share"] = "name"


class Each(Frozen):
    """The number of each group of `by`, in the order of the groups."""

    kind: Literal["each"] = "each"
    by: str
    number: Number


class Test(TestSettings):
    """A run of `stats.test` over the rows that the first `stage` steps leave, `where` a term holds.

    Its fields are that tool's arguments.
    """

    test: str
    columns: tuple[str, ...] = ()
    by: str = ""
    groups: tuple[str, ...] = ()
    predictors: tuple[str, ...] = ()
    where: Term | None = None
    stage: int = 0


class Tested(Frozen):
    """A number of a test's result: of the `statistic`, `about` the thing where it has several.

    `rank` takes the first, second and so on of that statistic; `tells` its name instead of the
    number, less the words `without` that all names begin with.
    """

    kind: Literal["tested"] = "tested"
    test: Test
    statistic: str
    about: str = ""
    rank: int = 0
    tells: Literal["name", "value"] = "value"
    without: str = ""


class Difference(Frozen):
    """One number less another."""

    kind: Literal["difference"] = "difference"
    first: Number | Tested
    second: Number | Tested
    absolute: bool = False


class Verdict(Frozen):
    """What is said if a number compares so with a limit, and what otherwise."""

    kind: Literal["verdict"] = "verdict"
    of: Number | Tested | Difference
    comparison: Comparison
    limit: float
    yes: str
    no: str
    absolute: bool = False


Source = Annotated[
    Number | Extreme | Each | Tested | Difference | Verdict, Spec(discriminator="kind")
]


class Figure(Frozen):
    """A figure to be told: `label` in plain words, `name` where the question gave it one.

    `decimals` are those asked for; with `percent` a share is told times 100.
    """

    label: str
    source: Source
    name: str = ""
    decimals: int | None = None
    percent: bool = False


class Analysis(Frozen):
    """The steps over the rows of `table`, in order, and the figures; `notes` are for people."""

    table: str
    steps: tuple[Step, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
