"""The push-down engine of databases that are spoken to through a `Target`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import pyarrow as pa

from services.executor.databases.address import Address
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.databases.session import Session, Sessions
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Plan
from services.executor.pushdown.base import DatabaseEngine
from services.executor.pushdown.guard import checked
from services.executor.pushdown.received import of_plan
from services.executor.pushdown.target import Target
from services.executor.pushdown.translate import translation

log = logging.getLogger("assay.executor")
Failed = Callable[[Exception, Address], Exception]
"""What a failed statement is told as: a ToolError, an AssayError, or NotExpressible."""


class PushdownEngine(DatabaseEngine):
    """Says statements as a target has them.

    `errors` is what speaking to a server raises, `failed` says what that means of a statement.
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
        super().__init__(sessions, byte_limit=byte_limit)
        self.name, self.errors = target.engine.name, (pa.ArrowException, *errors)
        self._target, self._failed = target, failed

    def translated(self, plan: Plan, known: Mapping[str, Pseudonyms]) -> str:
        """As `DatabaseEngine.translated`, guarded."""
        return checked(self._target, translation(self._target, plan, known))

    def rows(self, session: Session, statement: str, plan: Plan) -> pa.RecordBatchReader:
        """As `DatabaseEngine.rows`."""
        return session.stream(statement, of_plan(plan))  # type: ignore[attr-defined]

    def failure(self, error: Exception, address: Address, plan: Plan) -> Exception:
        """As `DatabaseEngine.failure`."""
        if isinstance(error, pa.ArrowException):
            log.info("A result of a database is not taken: %s", type(error).__name__)
            return NotExpressible("a value that is none of its type")
        return self._failed(error, address)
