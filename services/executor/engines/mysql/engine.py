"""The push-down engine: a statement runs in the MySQL or MariaDB database where its tables are."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address
from services.executor.databases.live import only_database
from services.executor.databases.masking import pseudonyms
from services.executor.databases.session import Interrupted, Sessions
from services.executor.engines.arrow_types import WIDE, friendly, under_names_of
from services.executor.engines.engine import annotated
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.limits import collected, stopped_by
from services.executor.engines.mysql.about import ENGINE
from services.executor.engines.mysql.errors import (
    DRIVER_ERRORS,
    PERMISSION,
    as_assay_error,
    code_of,
    said,
)
from services.executor.engines.mysql.guard import checked
from services.executor.engines.mysql.limits import collation_of
from services.executor.engines.mysql.session import MysqlSession, Warned
from services.executor.engines.mysql.translate import mysql_sql
from services.executor.engines.plan import Plan, Twins, planned
from services.executor.engines.presenting import presentable
from services.executor.sources.prepared import PreparedSource

log = logging.getLogger("assay.executor")

# Statements, names and types that a server does not take.
_UNTRANSLATED = frozenset(
    (1052, 1054, 1055, 1056, 1060, 1064, 1066, 1111, 1140, 1149, 1210, 1221, 1222, 1235, 1241,
     1247, 1248, 1253, 1267, 1270, 1271, 1273, 1292, 1305, 1411, 1582, 1583, 3065, 4015, 4016, 4017,
     4018, 4020, 4024, 4107, 1139, 1436, 1390, 1117, 1118, 1116, 1104, 1406, 1366, 1441)
)  # fmt: skip
_BEYOND, _SEVERAL_ROWS, _READ_ONLY = 1690, 1242, 1792


class MysqlEngine:
    """Translates statements and runs them in read-only transactions. Serves all threads.

    `byte_limit` is the most a result may take in memory.
    """

    name = ENGINE.name

    def __init__(
        self, sessions: Sessions, twins: Twins | None = None, *, byte_limit: int = 1 << 30
    ) -> None:
        self.sessions = sessions
        self._twins = twins or Twins()
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
        mysql_sql(plan, collation_of(is_mariadb=True), {})
        read = plan.columns_read() if policy.blocked_patterns else frozenset()
        address = database.address
        try:
            with self.sessions.open(address, seconds, cancelled) as session:
                assert isinstance(session, MysqlSession)
                known = (
                    pseudonyms(session, database, plan.used, read, policy)
                    if policy.blocked_patterns
                    else {}
                )
                statement = checked(mysql_sql(plan, session.collation, known))
                reader = session.stream(statement, received_as(plan))
                table = collected(reader, row_limit, self._byte_limit)
        except Interrupted as stopped:
            raise stopped_by(stopped, seconds) from None
        except (Warned, pa.ArrowInvalid) as error:
            log.info("A result of a database is not taken: %s", type(error).__name__)
            raise NotExpressible(_changed(error)) from None
        except DRIVER_ERRORS as error:
            raise _failure(error, address) from None
        result, notes = presentable(under_names_of(plan.schema, friendly(table)), policy)
        return annotated(result, self.name, notes)

    def close(self) -> None:
        """Nothing is held: connections belong to the library of databases."""


def received_as(plan: Plan) -> pa.Schema:
    """The types in which rows arrive; whole numbers may be wider than they are in the end."""
    return pa.schema(
        [
            (f"c{number}", WIDE if pa.types.is_integer(field.type) else field.type)
            for number, field in enumerate(plan.schema)
        ]
    )


def _changed(error: Exception) -> str:
    return str(error) if isinstance(error, Warned) else "a value that is none of its type"


def _failure(error: Exception, address: Address) -> Exception:
    """What a repair, a person, or the engine over copies can act on."""
    code = code_of(error)
    if code == _BEYOND:
        if said(error).startswith("DOUBLE"):
            return NotExpressible("a number that is not finite, or a text as a value")
        return ToolError(ErrorCategory.TYPE_MISMATCH, "a number or time is too large for its type.")
    if code == _SEVERAL_ROWS:
        return ToolError(
            ErrorCategory.TYPE_MISMATCH,
            "a subquery in the place of a value gives more than one row.",
        )
    if code in PERMISSION:
        denied = as_assay_error(error, address)
        return ToolError(
            ErrorCategory.POLICY_DENIED,
            denied.message,
            hint=denied.remedy,
            details={"reason": denied.reason.code},
        )
    if code == _READ_ONLY:
        return ToolError(
            ErrorCategory.POLICY_DENIED,
            "the database refuses: the transaction is read-only.",
            details={"reason": "SQL_REFUSED"},
        )
    if code in _UNTRANSLATED:
        # The statement is right, as the twin has shown: it was not translated well enough.
        log.info("MySQL does not take a translated statement: error %s", code)
        return NotExpressible(f"this statement (error {code})")
    return as_assay_error(error, address)
