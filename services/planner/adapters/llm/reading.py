"""The form of a reading: an `Intent` as small as a language model can be asked for it.

It names tables and columns and says what is made of them. Joins, labels and SQL are not the
model's. Field descriptions are part of the prompt: the model reads them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from services.planner.adapters.llm.proposal import Form

_NAME, _TEXT = 200, 200
AggregateName = Literal[
    "count", "count_distinct", "sum", "avg", "min", "max", "median", "stddev", "value"
]
OperatorName = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "in", "not in", "contains", "starts with",
    "ends with", "is empty", "is not empty",
]  # fmt: skip


_SAID_BY_NAMES = ("title", "description", "additionalProperties")
_CHECKED_ANYWAY = ("default", "maxLength", "maxItems", "minimum", "maximum")


def _lean(schema: dict[str, Any]) -> None:
    """Leave out of a schema what its names say, and limits that are checked when it is filled in:
    a prompt has better use for half of its tokens."""
    for key in _SAID_BY_NAMES:
        schema.pop(key, None)
    for part in schema["properties"].values():
        for key in ("title", *_CHECKED_ANYWAY):
            part.pop(key, None)


class Lean(Form):
    """A form whose schema is short."""

    model_config = ConfigDict(json_schema_extra=_lean)


class ReadMeasure(Lean):
    """A number of each group; without a column it counts rows of the base."""

    aggregate: AggregateName
    column: str = Field(default="", max_length=_NAME)


class ReadDimension(Lean):
    """What is shown, or what the numbers are split by."""

    column: str = Field(max_length=_NAME)
    grain: Literal["", "year", "quarter", "month", "week", "day", "weekday", "hour"] = Field(
        default="", description="of a date"
    )


class ReadFilter(Lean):
    """One condition, or several of which any or all hold."""

    column: str = Field(default="", max_length=_NAME)
    operator: OperatorName = "="
    values: tuple[int | float | str, ...] = Field(
        default=(), max_length=20, description='dates as YYYY-MM-DD; ["average"] for its average'
    )
    any: tuple[ReadFilter, ...] = Field(default=(), max_length=8)
    all: tuple[ReadFilter, ...] = Field(default=(), max_length=8)
    without: str = Field(default="", max_length=_NAME, description="a table with no row for it")


class ReadHaving(Lean):
    """A condition on a number of each group."""

    aggregate: AggregateName
    column: str = Field(default="", max_length=_NAME)
    operator: Literal["=", "!=", ">", ">=", "<", "<="]
    value: float


class ReadOrder(Lean):
    """Sorting by one of the measures or dimensions, counted from 0."""

    by: Literal["measure", "dimension"]
    index: int = Field(default=0, ge=0, le=20)
    descending: bool = False


class ReadWords(Lean):
    """Which words of the question a column stands for."""

    phrase: str = Field(max_length=_TEXT)
    column: str = Field(max_length=_NAME)


class ProposedReading(Lean):
    """What a question means over the tables; or that a plan is needed, or nothing can answer."""

    kind: Literal["reading", "plan", "impossible"]
    base: str = Field(default="", max_length=_NAME, description="the table whose rows are counted")
    measures: tuple[ReadMeasure, ...] = Field(default=(), max_length=6)
    dimensions: tuple[ReadDimension, ...] = Field(default=(), max_length=12)
    filters: tuple[ReadFilter, ...] = Field(default=(), max_length=12)
    having: tuple[ReadHaving, ...] = Field(default=(), max_length=4)
    order: tuple[ReadOrder, ...] = Field(default=(), max_length=4)
    limit: int = Field(default=0, ge=0, le=100_000)
    series: bool = Field(default=False, description="one line or colour for each last dimension")
    distinct: bool = False
    chart: Literal["", "bar", "line", "pie", "scatter", "histogram", "area", "box"] = ""
    words: tuple[ReadWords, ...] = Field(
        default=(), max_length=20, description="what in the question each column stands for"
    )
    reason: str = Field(default="", max_length=400, description="impossible: what lacks")


ReadFilter.model_rebuild()
