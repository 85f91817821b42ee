"""Which engine answers: by where the data is and how much there is, unless it is forced."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from mesh.errors import ENGINE_UNAVAILABLE, INVALID_ARGUMENT, AssayError
from mesh.policy import Policy
from services.executor.databases.copying import Copies
from services.executor.databases.live import live, only_database
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engine import DatabaseEngine, Engine
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Twins, planned
from services.executor.engines.registry import AUTOMATIC, declared
from services.executor.probing.outcome import Candidate, Limits, QueryOutcome, not_probed
from services.executor.probing.prober import TOO_LARGE, Prober
from services.executor.sources.prepared import PreparedSource


class Engines:
    """Gives each statement to an engine.

    - All tables in one database: the engine of `databases` for that kind of database, unless the
      statement means something it cannot say.
    - Files alone: `local`, or `large` (where there is one) above `large_bytes` of files,
      unless the statement means something that engine cannot say.
    - Anything else: `local`, over copies of the tables of databases that the statement reads.

    `forced` names one engine for all statements, `wanted` one for this; an engine that cannot
    serve the sources is refused, and so is another than the one that all are forced to.
    """

    def __init__(
        self,
        local: DuckDBEngine,
        databases: Mapping[str, DatabaseEngine],
        copies: Copies,
        *,
        large: Engine | None = None,
        large_bytes: int = 1 << 62,
        forced: str = AUTOMATIC,
    ) -> None:
        self._local = local
        self._databases = databases
        self._copies = copies
        self._large = large
        self._large_bytes = large_bytes
        self._forced = forced
        self._twins = Twins()
        self._prober = Prober(local, databases)

    def query(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: Sequence[Any] = (),
        *,
        row_limit: int,
        seconds: float,
        cancelled: threading.Event,
        policy: Policy,
        wanted: str = "",
    ) -> pa.Table:
        """As `Engine.query`, by the engine that fits."""
        forced = self._named(wanted)
        limits: dict[str, Any] = {
            "row_limit": row_limit,
            "seconds": seconds,
            "cancelled": cancelled,
            "policy": policy,
        }
        if not any(live(source) for source in sources):
            return self._over_files(sources, sql, parameters, limits, forced)
        deadline = _Clock(seconds)
        database = only_database(sources)
        kind = database.address.kind if database is not None else ""
        if kind and forced in (AUTOMATIC, kind):
            try:
                return self._databases[kind].query(sources, sql, parameters, **limits)
            except NotExpressible as reason:
                if forced == kind:
                    raise _wordless(forced, reason) from None
        elif forced in self._databases:
            where = "one database" if not kind else f"a {declared()[forced].product} database"
            raise _unfit(forced, f"needs all tables in {where}")
        plan = planned(
            sources, sql, parameters, policy=policy, row_limit=row_limit, twins=self._twins
        )
        copied = self._copies.instead(sources, plan, deadline.left(), cancelled)
        limits["seconds"] = deadline.left()
        return self._over_files(copied, sql, parameters, limits, forced)

    def probe(
        self,
        sources: Sequence[PreparedSource],
        candidates: Sequence[Candidate],
        limits: Limits,
        *,
        cancelled: threading.Event,
        policy: Policy,
    ) -> list[QueryOutcome]:
        """What the data says of each candidate, in their order (`Prober.probe`)."""
        if self._is_for_large(sources):
            return [not_probed(TOO_LARGE)] * len(candidates)
        return self._prober.probe(sources, candidates, limits, policy, cancelled)

    def _is_for_large(self, sources: Sequence[PreparedSource]) -> bool:
        if self._large is None or any(live(source) for source in sources):
            return False
        return self._forced == self._large.name or _bytes(sources) > self._large_bytes

    def close(self) -> None:
        """Close every engine."""
        self._local.close()
        if self._large is not None:
            self._large.close()
        for engine in self._databases.values():
            engine.close()

    def _named(self, wanted: str) -> str:
        """The engine that must be taken, or AUTOMATIC."""
        if wanted in ("", AUTOMATIC, self._forced):
            return self._forced
        if self._forced != AUTOMATIC:
            raise AssayError(
                INVALID_ARGUMENT,
                f"this server runs every query by {self._forced}, not by {wanted}.",
                hint="Name no engine, or that one.",
            )
        return wanted

    def _over_files(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: Sequence[Any],
        limits: dict[str, Any],
        forced: str,
    ) -> pa.Table:
        if forced in self._databases:
            raise _unfit(forced, "needs a database, not files")
        large = self._large
        if large is None and forced not in (AUTOMATIC, self._local.name):
            raise _absent(forced)
        only_large = large is not None and forced == large.name
        if large is None or not (
            only_large or (forced == AUTOMATIC and _bytes(sources) > self._large_bytes)
        ):
            return self._local.query(sources, sql, parameters, **limits)
        try:
            return large.query(sources, sql, parameters, **limits)
        except NotExpressible as reason:
            if only_large:
                raise _wordless(large.name, reason) from None
            return self._local.query(sources, sql, parameters, **limits)


class _Clock:
    def __init__(self, seconds: float) -> None:
        import time

        self._now = time.monotonic
        self._end = self._now() + seconds

    def left(self) -> float:
        return max(0.05, self._end - self._now())


def _bytes(sources: Sequence[PreparedSource]) -> int:
    """Bytes of the files that hold the tables."""
    files = {s.file(table) or s.database for s in sources for table in s.tables}
    return sum(file.stat().st_size for file in files if file.exists())


def _wordless(engine: str, reason: NotExpressible) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"the engine {engine} cannot run this statement: it has no words for {reason}.",
        hint="Let the engine be chosen: name none (or set ASSAY_EXECUTOR_ENGINE=auto).",
    )


def _absent(engine: str) -> AssayError:
    return AssayError(
        ENGINE_UNAVAILABLE,
        f"the query was to be run by {engine}, and no server of it is named.",
        hint=f"Set {declared()[engine].setting}, or let the engine be chosen.",
    )


def _unfit(engine: str, why: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"the engine {engine} {why}.",
        hint="Let the engine be chosen: name none (or set ASSAY_EXECUTOR_ENGINE=auto).",
    )
