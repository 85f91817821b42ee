"""PostgreSQL as a kind of database (`databases.kind.DatabaseKind`)."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.policy import Policy
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.session import Places, Session, Sessions
from services.executor.engines.postgres.address import address
from services.executor.engines.postgres.catalogue import read_catalogue
from services.executor.engines.postgres.connect import PostgresSession, PostgresSessions
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.postgres.errors import DRIVER_ERRORS
from services.executor.engines.postgres.errors import as_assay_error as failed
from services.executor.engines.postgres.facts import add_statistics
from services.executor.engines.postgres.relation import distinct_sql, exact_sql, suspects_sql
from services.executor.engines.postgres.rights import note_rights
from services.executor.engines.postgres.whole import stamp, whole

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


def sessions(places: Places) -> PostgresSessions:
    """What opens sessions."""
    return PostgresSessions(places)


def described(session: Session, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, and whether they may write. Raises adbc.Error."""
    assert isinstance(session, PostgresSession)
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
    """Texts that may have to be masked (`suspects_sql`). Raises NotExpressible, adbc.Error."""
    rows = session.rows(suspects_sql(relation, column, policy, most, digits=digits))
    return [(str(text), bool(own)) for text, own in rows]


def engine(open_sessions: Sessions, byte_limit: int) -> PostgresEngine:
    """What runs statements in databases of this kind."""
    return PostgresEngine(open_sessions, byte_limit=byte_limit)
