"""What a probe asks and what it tells."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal

MOST_QUERIES, MOST_ROWS, MOST_SECONDS = 200, 2_000, 10.0
MOST_GLIMPSED = 500
MOST_PARAMETERS, LONGEST_STATEMENT = 1_000, 50_000

Parameter = str | int | float | bool | date | datetime | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One SELECT in DuckDB's dialect; `?` stands for the next parameter."""

    sql: str
    parameters: tuple[Parameter, ...] = ()

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for equal candidates: 1, 1.0 and True are three parameters."""
        return (self.sql, *((type(one).__name__, one) for one in self.parameters))


@dataclass(frozen=True, slots=True)
class Limits:
    """`rows` of a query that are looked at and `glimpse` that are given, `seconds` for all and
    `each` for one query."""

    rows: int = MOST_ROWS
    seconds: float = 2.0
    each: float = 0.5
    glimpse: int = 3


class State(StrEnum):
    """How a probe of one query ended."""

    OK = "ok"
    FAILED = "failed"
    CUT_OFF = "cut_off"
    NOT_REACHED = "not_reached"
    NOT_PROBED = "not_probed"


CellKind = Literal["", "truth", "whole", "number", "text", "day", "moment"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One value; `kind` is empty for null. Days and moments are texts in ISO form."""

    kind: CellKind = ""
    value: bool | int | float | str | None = None


@dataclass(frozen=True, slots=True)
class ColumnSeen:
    """A column of the rows looked at; `empty_share` counts null and empty texts, `digest` is of its
    values in any order."""

    name: str
    empty_share: float
    distinct_share: float
    digest: str = ""


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What the data says of one query; all but `state` and `reason` are of one that ran."""

    state: State
    reason: str = ""
    rows: int = 0
    more: bool = False
    multiset_digest: str = ""
    ordered_digest: str = ""
    columns: tuple[ColumnSeen, ...] = ()
    glimpse: tuple[tuple[Cell, ...], ...] = ()
    distinct_share: float = 0.0
    content_digest: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


def read_outcome(values: dict[str, Any]) -> QueryOutcome:
    """An outcome as `QueryOutcome.told` gave it."""
    return QueryOutcome(
        **{
            **values,
            "state": State(values["state"]),
            "columns": tuple(ColumnSeen(**column) for column in values["columns"]),
            "glimpse": tuple(tuple(Cell(**cell) for cell in row) for row in values["glimpse"]),
        }
    )


def failed(reason: str) -> QueryOutcome:
    """Of a query that cannot be run as it is."""
    return QueryOutcome(State.FAILED, reason)


def not_probed(reason: str) -> QueryOutcome:
    """Of a query that was not tried."""
    return QueryOutcome(State.NOT_PROBED, reason)


CUT_OFF = QueryOutcome(State.CUT_OFF)
NOT_REACHED = QueryOutcome(State.NOT_REACHED)
