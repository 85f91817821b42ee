"""Boards: pinned answers, what came of asking for them again, and what is told of that."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from gateway.domain.board_schedule import OFF, Schedule
from gateway.domain.standing import Known
from mesh.errors import INVALID_ARGUMENT, RESOURCE_EXHAUSTED, AssayError
from mesh.text.harmless import harmless_line

LONGEST_TITLE = 200
MOST_BOARDS, MOST_PINS, MOST_RUNS, MOST_ALERTS = 200, 50, 1_000, 1_000
"""Of a tenant, of a board, and kept of the history of a pin and of what a board told."""
KEPT_CHANGES = 50
REMOVED_KEPT = timedelta(days=30)
"""How long a pin that was taken off can be brought back."""
SHOWN_RUNS, SHOWN_ALERTS = 30, 50


class AlertKind(StrEnum):
    """What is told once when it begins."""

    OUT_OF_RANGE = "out_of_range"
    RUN_FAILED = "run_failed"
    MEANING_CHANGED = "meaning_changed"
    PAUSED = "paused"


class RunState(StrEnum):
    """How a run stands."""

    DUE = "due"
    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"


class DeliveryState(StrEnum):
    """How the sending of an alert stands."""

    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Targets:
    """Where alerts go beside the board."""

    webhook: str = ""
    emails: tuple[str, ...] = ()

    def all(self) -> list[tuple[str, str]]:
        """Each channel with its target."""
        webhooks = [("webhook", self.webhook)] if self.webhook else []
        return [*webhooks, *(("email", address) for address in self.emails)]


@dataclass(frozen=True, slots=True)
class Range:
    """Which of an answer's numbers is watched, and between what it is expected to lie."""

    column: str = ""
    claim: int = 0
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A number of an answer's text: the cell's exact value, and how it is printed."""

    value: str
    text: str
    unit: str
    column: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a job that ended came to; with a `reason`, that there is no answer."""

    headline: str = ""
    numbers: tuple[Number, ...] = ()
    confidence: int = 0
    understood: str = ""
    statement: str = ""
    statement_sha256: str = ""
    data_at: str = ""
    data_column: str = ""
    data_format: int = 0
    reason: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of asking for a pin once. `job_id` is whose answer it is: of one that was asked for
    by the board its `run_id`."""

    run_id: str
    job_id: str
    pin_id: str
    board_id: str
    due_at: datetime
    state: RunState = RunState.DUE
    ended_at: datetime | None = None
    result: Result = Result()
    number: Number | None = None
    meaning_changed: bool = False
    out_of_range: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """That a board was changed. `kept` says that what was set of it then can be restored."""

    version: int
    at: datetime
    by: str
    what: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """An alert on its way to somebody."""

    delivery_id: str
    channel: str
    target: str
    state: DeliveryState = DeliveryState.PENDING
    attempts: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that somebody ought to look at."""

    alert_id: str
    pin_id: str
    run_id: str
    kind: AlertKind
    words: str
    at: datetime
    deliveries: tuple[Delivery, ...] = ()


@dataclass(frozen=True, slots=True)
class Pause:
    """That a pin is not asked: since when, and why in words."""

    since: datetime
    why: str


@dataclass(frozen=True, slots=True)
class Pin:
    """An answer on a board. `request` is the job's, as JSON of the contract; `pinned_by` is on
    whose behalf it is asked, `how` how they were known, and `local` says that they may name files
    of this machine; `changed` is the run in which the meaning changed and that nobody accepted,
    `before` the answer that was before it. Of a new one `file_ids` are uploads that it keeps, and
    `session_id` is the session of whose tables it asks, empty for none."""

    pin_id: str
    board_id: str
    tenant: str
    title: str
    question: str
    request: str
    session_id: str
    local: bool
    pinned_by: str
    pinned_at: datetime
    job_id: str
    how: Known = Known.TOKEN
    range: Range | None = None
    alerting: frozenset[AlertKind] = frozenset()
    before: str = ""
    changed: str = ""
    pause: Pause | None = None
    file_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PinShown:
    """A pin with what came of it; `gone` is one of an old version that cannot be brought back."""

    pin: Pin
    runs: tuple[Run, ...] = ()
    under_way: Run | None = None
    answer: Run | None = None
    change: tuple[Run, Run] | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """A board; `opened_title` is the title it was made with."""

    board_id: str
    tenant: str
    title: str
    opened_title: str
    created_at: datetime
    created_by: str
    schedule: Schedule = OFF
    targets: Targets = Targets()
    version: int = 1
    next_run_at: datetime | None = None
    changes: tuple[Change, ...] = ()
    pin_count: int = 0
    alerting_count: int = 0
    pins: tuple[PinShown, ...] = field(default=())
    alerts: tuple[Alert, ...] = field(default=())

    def changed(self, at: datetime, by: str, what: str) -> Board:
        """It with one more change on record, the newest first."""
        version = self.version + 1
        kept = (Change(version, at, by, what), *self.changes)[:KEPT_CHANGES]
        return replace(self, version=version, changes=kept)


def checked_title(text: str, instead: str = "") -> str:
    """A title on one line. Raises AssayError(INVALID_ARGUMENT)."""
    title = " ".join(harmless_line(text).split())
    if not title and instead:
        title = " ".join(harmless_line(instead).split())[:LONGEST_TITLE].strip()
    if not 0 < len(title) <= LONGEST_TITLE:
        raise AssayError(
            INVALID_ARGUMENT,
            f"a title has 1 to {LONGEST_TITLE} characters",
            fields={"title": f"must have 1 to {LONGEST_TITLE} characters"},
        )
    return title


def checked_range(given: Range) -> Range | None:
    """A range, None where it has no limit. Raises AssayError(INVALID_ARGUMENT)."""
    low, high = given.low, given.high
    limits = [limit for limit in (low, high) if limit is not None]
    if any(not math.isfinite(limit) for limit in limits):
        raise _no_range("low and high must be numbers", "range.low")
    if low is not None and high is not None and low > high:
        raise _no_range("low must not be above high", "range.low")
    if not 0 <= given.claim <= 1_000:
        raise _no_range("claim must be between 0 and 1,000", "range.claim")
    if len(given.column) > 1_000:
        raise _no_range("a column has at most 1,000 characters", "range.column")
    return given if limits else None


def too_many(what: str, most: int) -> AssayError:
    """The refusal of one more."""
    return AssayError(
        RESOURCE_EXHAUSTED,
        f"there are {most:,} {what} already",
        hint="Delete one that is no longer used.",
    )


def _no_range(said: str, name: str) -> AssayError:
    return AssayError(INVALID_ARGUMENT, f"invalid range: {said}", fields={name: said})
