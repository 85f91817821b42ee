"""The push-down engine of databases that are spoken to through a `Target`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from mesh.policy import Policy
from services.executor.databases.address import Address
from services.executor.databases.live import only_database
from services.executor.databases.masking import pseudonyms
from services.executor.databases.session import Interrupted, Sessions
from services.executor.engines.arrow_types import friendly, under_names_of
from services.executor.engines.engine import annotated
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.limits import collected, stopped_by
from services.executor.engines.plan import Plan, Twins, planned
from services.executor.engines.presenting import presentable
from services.executor.pushdown.guard import checked
from services.executor.pushdown.received import of_plan
from services.executor.pushdown.target import Target
from services.executor.pushdown.translate import translation
from services.executor.sources.prepared import PreparedSource

log = logging.getLogger("assay.executor")
Failed = Callable[[Exception, Address], Exception]
"""What a failed statement is told as: a ToolError, an AssayError, or NotExpressible."""


class PushdownEngine:
    """Translates statements and runs them where their tables are. Serves all threads.

    `errors` is what speaking to a server raises, `failed` says what that means of a statement;
    `byte_limit` is the most a result may take in memory.
    """

    def __init__(
        self,
        target: Target,
        sessions: Sessions,
        errors: tuple[type[Exception], ...],
        failed: Failed,
        *,
        byte_limit: int = 1 << 30,
    ) -> None:
        self.name = target.engine.name
        self.sessions = sessions
        self._target, self._errors, self._failed = target, errors, failed
        self._twins = Twins()
        self._byte_limit = byte_limit

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
    ) -> pa.Table:
        """As `Engine.query`; all sources are one database.

        Raises NotExpressible, too, where the server cannot say what the statement means.
        """
        plan = self.planned(sources, sql, parameters, row_limit=row_limit, policy=policy)
        return self.run(
            sources, plan, row_limit=row_limit, seconds=seconds, cancelled=cancelled, policy=policy
        )

    def planned(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: Sequence[Any],
        *,
        row_limit: int,
        policy: Policy,
    ) -> Plan:
        """The statement, guarded and bound, cut one row above the limit. Raises ToolError."""
        return planned(
            sources, sql, parameters, policy=policy, row_limit=row_limit, twins=self._twins
        )

    def run(
        self,
        sources: Sequence[PreparedSource],
        plan: Plan,
        *,
        row_limit: int,
        seconds: float,
        cancelled: threading.Event,
        policy: Policy,
    ) -> pa.Table:
        """The rows of a statement that was planned for these sources, as `query`."""
        database = only_database(sources)
        if database is None:
            raise NotExpressible("tables of several places")
        # What cannot be said is known before anybody is asked.
        statement = checked(self._target, translation(self._target, plan, {}))
        read = plan.columns_read() if policy.blocked_patterns else frozenset()
        try:
            with self.sessions.open(database.address, seconds, cancelled) as session:
                if policy.blocked_patterns:
                    known = pseudonyms(session, database, plan.used, read, policy)
                    statement = checked(self._target, translation(self._target, plan, known))
                reader = session.stream(statement, of_plan(plan))  # type: ignore[attr-defined]
                table = collected(reader, row_limit, self._byte_limit)
        except Interrupted as stopped:
            raise stopped_by(stopped, seconds) from None
        except pa.ArrowException as error:
            log.info("A result of a database is not taken: %s", type(error).__name__)
            raise NotExpressible("a value that is none of its type") from None
        except self._errors as error:
            raise self._failed(error, database.address) from None
        result, notes = presentable(under_names_of(plan.schema, friendly(table)), policy)
        return annotated(result, self.name, notes)

    def close(self) -> None:
        """Nothing is held: connections belong to the library of databases."""
