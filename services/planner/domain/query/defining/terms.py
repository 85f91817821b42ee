"""What a column that a question defines is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field as Spec

from services.planner.domain.catalogue import Frozen

Function = Literal[
    "+",
    "-",
    "*",
    "/",
    "**",
    "%",
    "negative",
    "absolute",
    "root",
    "exponential",
    "ln",
    "log2",
    "log10",
    "ln1p",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "and",
    "or",
    "not",
    "filled",
    "present",
    "day",
    "days",
    "elapsed",
    "years",
    "weekday",
    "year",
    "quarter",
    "month",
    "hour",
    "one spelling",
    "day of parts",
]
WholeColumn = Literal[
    "mean",
    "median",
    "mode",
    "minimum",
    "maximum",
    "deviation",
    "lower quartile",
    "upper quartile",
    "quantile",
]


class Reference(Frozen):
    """A column of the data."""

    kind: Literal["field"] = "field"
    table: str
    column: str


class Constant(Frozen):
    """A number or text that the question states."""

    kind: Literal["constant"] = "constant"
    value: int | float | str


class Computed(Frozen):
    """An operation. Logarithms, roots and quotients that have no value are missing.

    "filled" is the first operand, or the second where the first is missing; "present" holds where
    its operand is not missing. "day" is a moment without its time, "days" and full "years" lie
    between the days of two moments, and "elapsed" are days too, with the parts of a day.
    "weekday" is the name of a day: "Monday"; "year", "quarter", "month" and "hour" are numbers.
    "day of parts" is the day of a year, a month and a day. "one spelling" is a text as it is first
    spelt, by the alphabet, of all its spellings that differ by case and by spaces around alone.
    """

    kind: Literal["computed"] = "computed"
    function: Function
    operands: tuple[Term, ...]


class Overall(Frozen):
    """A statistic over all rows of a column's table; deviations divide by n - 1.

    A quantile has the `part` of the rows below it, from 0 to 1.
    """

    kind: Literal["overall"] = "overall"
    statistic: WholeColumn
    of: Term
    part: float | None = None


class Branch(Frozen):
    """What holds, and what the value is then."""

    when: Term
    then: Term


class Choice(Frozen):
    """The value of the first branch that holds; else `otherwise`, or missing."""

    kind: Literal["choice"] = "choice"
    branches: tuple[Branch, ...]
    otherwise: Term | None = None


Term = Annotated[Reference | Constant | Computed | Overall | Choice, Spec(discriminator="kind")]
Computed.model_rebuild()
Overall.model_rebuild()
Branch.model_rebuild()
Choice.model_rebuild()


class Definition(Frozen):
    """A column of `table` that the question defines; `text` is its formula for people.

    One with the name of a column of the data takes its place. With `keeps` it is no column: rows
    for which the term does not hold are left out of everything.
    """

    table: str
    column: str
    text: str
    term: Term
    keeps: bool = False


def references(term: Term) -> Iterator[Reference]:
    """Every column of the data that a term is computed from."""
    if isinstance(term, Reference):
        yield term
    elif isinstance(term, Computed):
        for operand in term.operands:
            yield from references(operand)
    elif isinstance(term, Overall):
        yield from references(term.of)
    elif isinstance(term, Choice):
        for branch in term.branches:
            yield from references(branch.when)
            yield from references(branch.then)
        if term.otherwise is not None:
            yield from references(term.otherwise)
