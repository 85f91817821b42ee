"""What running a candidate's query showed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from services.planner.domain.language.planning.sql import Query


@dataclass(frozen=True, slots=True)
class Outcome:
    """Rows seen (up to a cap), a digest of them (in order where it is sorted), what is empty.

    `missing` is the share of empty cells, `alike` the share of rows whose first column repeats,
    `ones` that the last column holds nothing but 0 and 1. `first` is the first row.
    """

    ran: bool
    rows: int = 0
    digest: str = ""
    ordered_digest: str = ""
    missing: float = 0.0
    distinct: float = 1.0
    alike: float = 0.0
    ones: bool = False
    first: tuple[Any, ...] = ()


Probe = Callable[[Sequence[Query]], Awaitable[Sequence[Outcome]]]
FAILED = Outcome(ran=False)
