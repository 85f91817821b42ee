"""Tries many candidate queries within one bound of time, a few at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.live import live, only_database
from services.executor.engines.binding import bound
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engine import DatabaseEngine
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.engines.masked_statement import statement_within
from services.executor.engines.quick_guard import quickly_guarded
from services.executor.engines.workspace import FlatTable, flat_tables
from services.executor.probing.batch import Batch, reason_of
from services.executor.probing.looking import seen
from services.executor.probing.outcome import (
    CUT_OFF,
    NOT_REACHED,
    Candidate,
    Limits,
    QueryOutcome,
    failed,
    not_probed,
)
from services.executor.sources.prepared import PreparedSource

TOO_LARGE, SIZE_UNKNOWN = "TOO_LARGE", "SIZE_UNKNOWN"
NEEDS_COPY, NOT_EXPRESSIBLE = "NEEDS_COPY", "NOT_EXPRESSIBLE"
MOST_ROWS_ELSEWHERE = 200_000
"""Rows of all tables that a query reads in a database, by its own estimate."""

_AT_A_TIME = 2  # on one executor, whoever asks
_TOGETHER = 16  # candidates that pass the guard together; the next ones pass while these run


class Prober:
    """Tries candidates in the embedded engine, or where their database is. Serves all threads."""

    def __init__(self, local: DuckDBEngine, databases: Mapping[str, DatabaseEngine]) -> None:
        self._local = local
        self._databases = databases
        self._turns = threading.Semaphore(_AT_A_TIME)

    def probe(
        self,
        sources: Sequence[PreparedSource],
        candidates: Sequence[Candidate],
        limits: Limits,
        policy: Policy,
        cancelled: threading.Event,
    ) -> list[QueryOutcome]:
        """An outcome for each candidate, in their order; equal candidates are tried once.

        Returns soon after `limits.seconds`, or after `cancelled` is set. Raises AssayError for a
        database that is away and for a pattern of the policy that no engine can evaluate.
        """
        elsewhere = any(live(source) for source in sources)
        database = only_database(sources)
        if elsewhere and database is None:
            return [not_probed(NEEDS_COPY)] * len(candidates)
        deadline = time.monotonic() + limits.seconds
        asked = self._databases[database.address.kind] if database is not None else None
        task = _Probe(sources, policy, limits, deadline, cancelled, candidates, asked)
        work = self._try_elsewhere if elsewhere else self._try_here
        runners = min(_AT_A_TIME, len(task.waiting))
        if not (elsewhere or self._local.apart):
            runners = min(1, runners)  # threads of one interpreter would only wait for each other
        with ThreadPoolExecutor(max(runners, 1), "probe") as threads:
            for future in [threads.submit(self._run, task, work, n == 0) for n in range(runners)]:
                future.result()
        return [task.found.get(one.identity, NOT_REACHED) for one in candidates]

    def _run(self, task: _Probe, work: _Work, is_first: bool) -> None:
        """Take some of the candidates, as long as there are any and there is time."""
        while not task.is_over():
            some = task.some()
            if not some or not self._turns.acquire(timeout=task.left()):
                return
            try:
                task.keep(some, work(task, some, is_first))
            finally:
                self._turns.release()

    def _try_here(
        self, task: _Probe, some: Sequence[Candidate], is_first: bool
    ) -> list[QueryOutcome]:
        guarded = _guarded(task, some)
        texts = [text for text in guarded if isinstance(text, str)]
        found = iter(self._looked(task, texts, is_first))
        return [next(found) if isinstance(one, str) else one for one in guarded]

    def _looked(self, task: _Probe, texts: Sequence[str], is_first: bool) -> list[QueryOutcome]:
        """Of statements that end their process together, each alone."""
        if not texts:
            return []
        limits = task.limits
        batch = Batch(tuple(texts), limits.rows, limits.each, task.deadline, limits.glimpse)
        try:
            return self._local.look(
                task.sources, batch, task.cancelled, task.policy, may_start=is_first
            )
        except ToolError as error:
            if task.is_over():
                return [NOT_REACHED] * len(texts)
            if len(texts) == 1:
                return [failed(reason_of(error))]
            return [one for text in texts for one in self._looked(task, [text], True)]

    def _try_elsewhere(
        self, task: _Probe, some: Sequence[Candidate], is_first: bool
    ) -> list[QueryOutcome]:
        return [self._asked(task, one) for one in some]

    def _asked(self, task: _Probe, one: Candidate) -> QueryOutcome:
        """What the database says, where little has to be read for it."""
        if task.is_over() or task.database is None:
            return NOT_REACHED
        rows, seconds = task.limits.rows, min(task.limits.each, task.left())
        try:
            plan = task.database.planned(
                task.sources, one.sql, one.parameters, row_limit=rows, policy=task.policy
            )
            if why := _too_much(plan.used):
                return not_probed(why)
            table = task.database.run(
                task.sources,
                plan,
                row_limit=MOST_ROWS_ELSEWHERE,
                seconds=seconds,
                cancelled=task.cancelled,
                policy=task.policy,
            )
        except NotExpressible:
            return not_probed(NOT_EXPRESSIBLE)
        except ToolError as error:
            if error.category is ErrorCategory.CANCELLED:
                return NOT_REACHED
            if error.details.get("unit") == "seconds":
                return CUT_OFF if seconds >= task.limits.each else NOT_REACHED
            return failed(reason_of(error))
        return seen(table, rows, task.policy, task.limits.glimpse)


@dataclass
class _Probe:
    """One probe under way; its runners share it."""

    sources: Sequence[PreparedSource]
    policy: Policy
    limits: Limits
    deadline: float
    cancelled: threading.Event
    candidates: Sequence[Candidate]
    database: DatabaseEngine | None = None
    """The engine of the one database that all sources are."""

    def __post_init__(self) -> None:
        self.waiting = deque({one.identity: one for one in self.candidates}.values())
        self.found: dict[tuple[object, ...], QueryOutcome] = {}
        self.tables: list[KnownTable] = [
            table.known for table in flat_tables(self.sources, self.policy)
        ]
        self._lock = threading.Lock()

    def left(self) -> float:
        """Seconds."""
        return max(0.0, self.deadline - time.monotonic())

    def is_over(self) -> bool:
        return self.cancelled.is_set() or not self.left()

    def some(self) -> list[Candidate]:
        """The next candidates, which nobody else gets."""
        with self._lock:
            return [self.waiting.popleft() for _ in range(min(_TOGETHER, len(self.waiting)))]

    def keep(self, some: Sequence[Candidate], outcomes: Sequence[QueryOutcome]) -> None:
        with self._lock:
            for one, outcome in zip(some, outcomes, strict=True):
                self.found[one.identity] = outcome


def _guarded(task: _Probe, some: Sequence[Candidate]) -> list[str | QueryOutcome]:
    """The text to run for each candidate, or why it is refused."""
    statements = [(one.sql, one.parameters) for one in some]
    quick = quickly_guarded(statements, task.tables, task.policy, task.limits.rows)
    return [
        text if text is not None else _guarded_alone(task, one)
        for one, text in zip(some, quick, strict=True)
    ]


def _guarded_alone(task: _Probe, one: Candidate) -> str | QueryOutcome:
    if task.is_over():
        return NOT_REACHED
    try:
        sql, parameters = statement_within(one.sql, one.parameters, task.policy)
        return bound(guard(sql, task.tables, task.limits.rows), parameters)
    except ToolError as error:
        return failed(reason_of(error))


def _too_much(tables: Sequence[FlatTable]) -> str:
    """Why a query over these tables of a database is not tried; empty where it may be."""
    for table in tables:
        source = live(table.source)
        if source is not None and not source.relations[table.stored.name].rows_known:
            return SIZE_UNKNOWN
    return TOO_LARGE if sum(t.stored.rows for t in tables) > MOST_ROWS_ELSEWHERE else ""


_Work = Callable[[_Probe, Sequence[Candidate], bool], list[QueryOutcome]]
