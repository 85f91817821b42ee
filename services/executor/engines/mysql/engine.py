"""The push-down engine: a statement runs in the MySQL or MariaDB database where its tables are."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.arrow_types import WIDE
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.about import ENGINE
from services.executor.engines.mysql.errors import (
    DRIVER_ERRORS,
    PERMISSION,
    as_assay_error,
    code_of,
    parse_message,
)
from services.executor.engines.mysql.guard import checked
from services.executor.engines.mysql.limits import collation_of
from services.executor.engines.mysql.session import MysqlSession, Warned
from services.executor.engines.mysql.translate import mysql_sql
from services.executor.engines.plan import Plan
from services.executor.pushdown.base import DatabaseEngine

log = logging.getLogger("assay.executor")
Translated = Callable[[str], str]
"""A statement in a collation, which is known once a server is reached."""

# Statements, names and types that a server does not take.
_UNTRANSLATED = frozenset(
    (
        1052,
        1054,
        1055,
        1056,
        1060,
        1064,
        1066,
        1111,
        1140,
        1149,
        1210,
        1221,
        1222,
        1235,
        1241,
        1247,
        1248,
        1253,
        1267,
        1270,
        1271,
        1273,
        1292,
        1305,
        1411,
        1582,
        1583,
        3065,
        4015,
        4016,
        4017,
        4018,
        4020,
        4024,
        4107,
        1139,
        1436,
        1390,
        1117,
        1118,
        1116,
        1104,
        1406,
        1366,
        1441,
    )
)
_BEYOND, _SEVERAL_ROWS, _READ_ONLY = 1690, 1242, 1792


class MysqlEngine(DatabaseEngine):
    """Speaks to MySQL and MariaDB."""

    name = ENGINE.name
    errors = (Warned, pa.ArrowInvalid, *DRIVER_ERRORS)

    def translated(self, plan: Plan, known: Mapping[str, Pseudonyms]) -> Translated:
        """As `DatabaseEngine.translated`; the server says in which collation it is."""
        known_partial = partial(_in_collation, plan, known)
        known_partial(collation_of(is_mariadb=True))
        return known_partial

    def rows(
        self, session: MysqlSession, statement: Translated, plan: Plan
    ) -> pa.RecordBatchReader:
        """As `DatabaseEngine.rows`."""
        return session.stream(checked(statement(session.collation)), received_as(plan))

    def failure(self, error: Exception, address: Address, plan: Plan) -> Exception:
        """As `DatabaseEngine.failure`."""
        if isinstance(error, Warned | pa.ArrowInvalid):
            log.info("A result of a database is not taken: %s", type(error).__name__)
            text = str(error) if isinstance(error, Warned) else "a value that is none of its type"
            return NotExpressible(text)
        return _failure(error, address)


def _in_collation(plan: Plan, known: Mapping[str, Pseudonyms], collation: str) -> str:
    return mysql_sql(plan, collation, known)


def received_as(plan: Plan) -> pa.Schema:
    """The types in which rows arrive; whole numbers may be wider than they are in the end."""
    return pa.schema(
        [
            (f"c{number}", WIDE if pa.types.is_integer(field.type) else field.type)
            for number, field in enumerate(plan.schema)
        ]
    )


def _failure(error: Exception, address: Address) -> Exception:
    """What a repair, a person, or the engine over copies can act on."""
    code = code_of(error)
    if code == _BEYOND:
        if parse_message(error).startswith("DOUBLE"):
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
