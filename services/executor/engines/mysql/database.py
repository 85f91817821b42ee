"""MySQL and MariaDB as a kind of database (`databases.kind.DatabaseKind`)."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.policy import Policy
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.session import Places, Session, Sessions
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.address import address
from services.executor.engines.mysql.catalogue import read_catalogue
from services.executor.engines.mysql.engine import MysqlEngine
from services.executor.engines.mysql.errors import DRIVER_ERRORS
from services.executor.engines.mysql.errors import as_assay_error as failed
from services.executor.engines.mysql.facts import add_statistics
from services.executor.engines.mysql.relation import distinct_sql, exact_sql, suspects_sql
from services.executor.engines.mysql.rights import note_rights
from services.executor.engines.mysql.session import MysqlSession, Warned
from services.executor.engines.mysql.sessions import MysqlSessions
from services.executor.engines.mysql.whole import stamp, whole

__all__ = [
    "DRIVER_ERRORS",
    "address",
    "described",
    "distinct_sql",
    "engine",
    "exact_sql",
    "failed",
    "sessions",
    "stamp",
    "suspects",
    "whole",
]


def sessions(places: Places) -> MysqlSessions:
    """What opens sessions."""
    return MysqlSessions(places)


def described(session: Session, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, and whether they may write. Raises pymysql.MySQLError."""
    assert isinstance(session, MysqlSession)
    found = read_catalogue(session, schemas)
    add_statistics(found, session)
    note_rights(found, session)
    return found


def suspects(
    session: Session,
    relation: Relation,
    column: str,
    policy: Policy,
    most: int,
    *,
    digits: bool = False,
) -> list[tuple[str, bool]]:
    """Texts that may have to be masked (`suspects_sql`).

    Raises NotExpressible, too, where the server gave up looking at one: it might have been one.
    """
    assert isinstance(session, MysqlSession)
    sql = suspects_sql(relation, column, policy, most, session.collation, digits=digits)
    try:
        rows = session.exactly(sql)
    except Warned:
        raise NotExpressible("the blocked patterns, of some row") from None
    return [(str(text), str(own) == "1") for text, own in rows]


def engine(open_sessions: Sessions, byte_limit: int) -> MysqlEngine:
    """What runs statements in databases of this kind."""
    return MysqlEngine(open_sessions, byte_limit=byte_limit)
