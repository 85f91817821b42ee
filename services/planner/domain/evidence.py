"""What the data says of candidate readings, asked before one of them is chosen.

The planner reads no rows: it hands the executor queries, and is told which of them run, which
agree, and a glimpse of at most three rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from services.planner.domain.catalogue import Frozen

Value = bool | int | float | datetime | date | str | None
"""A value of a row, or for a question mark of a query."""


class ProbedQuery(Frozen):
    """One SELECT in DuckDB's dialect; `?` in it stands for the next of `params`."""

    sql: str
    params: tuple[Value, ...] = ()


class ProbeLimits(Frozen):
    """Most `rows` of a query that are looked at (2,000 at most), most `seconds` for all (10 at
    most), most seconds for `each`, and most rows of a `glimpse` (500 at most)."""

    rows: int = 2_000
    seconds: float = 2.0
    each: float = 0.5
    glimpse: int = 3


def usual_limits(seconds: float) -> ProbeLimits:
    """Of a first try that may last `seconds`, each of its queries a quarter of that."""
    return ProbeLimits(seconds=seconds, each=seconds / 4)


USUAL_LIMITS = usual_limits(2.0)
PATIENT_LIMITS = ProbeLimits(seconds=8.0, each=2.0)
"""For a second try where hardly anything came back within the usual ones."""


NONE_TRIED = "no other reading could be tried: the data did not answer in time"
NOT_ALL_TRIED = "not all likely readings could be tried on the data in time"
"""What is told of an answer that another moment might have read otherwise; nothing is learnt from
it."""


def was_hurried(texts: Sequence[str]) -> bool:
    """Whether what is told of an answer says that another moment might have read otherwise."""
    return NONE_TRIED in texts or NOT_ALL_TRIED in texts


class ProbeState(StrEnum):
    """How a probe of one query ended."""

    OK = "ok"
    FAILED = "failed"
    CUT_OFF = "cut_off"
    NOT_REACHED = "not_reached"
    NOT_PROBED = "not_probed"


class ProbedColumn(Frozen):
    """A column of the rows looked at. `empty_share`, 0 to 1, counts null and empty texts;
    `distinct_share` is how many different values there are for each row; 0 where there are none.
    `digest` is of its values in any order of rows."""

    name: str
    empty_share: float
    distinct_share: float
    digest: str = ""


class Outcome(Frozen):
    """What the data says of one query; all but `state` and `reason` are of one that ran.

    `reason` is the stable code of why a query failed, or was not probed. Digests are equal for
    equal rows in equal order of columns, whatever the columns are called: `multiset_digest` in any
    order of rows, `ordered_digest` in theirs, `content_digest` in any order of rows and of columns.
    Numbers count to 6 significant digits, midnight is its day, an empty text is null. With `more`
    all of it speaks of the first `rows` rows alone.
    `glimpse` holds the first rows, 3 or as many as the limits say; what the policy blocks is a
    pseudonym.
    """

    state: ProbeState
    reason: str = ""
    rows: int = 0
    more: bool = False
    multiset_digest: str = ""
    ordered_digest: str = ""
    columns: tuple[ProbedColumn, ...] = ()
    glimpse: tuple[tuple[Value, ...], ...] = ()
    distinct_share: float = 0.0
    content_digest: str = ""


class Evidence(Protocol):
    """Asks the data about candidate queries."""

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        """An outcome for each query, in their order; the likeliest, first, are tried first.

        At most 200 queries; equal ones are run once. Raises AssayError when the data cannot be
        asked at all. Cancelling the call ends the work.
        """
        ...
