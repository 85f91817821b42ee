"""Flight SQL servers as a kind of database (`databases.kind.DatabaseKind`)."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.policy import Policy
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.session import Places, Session, Sessions
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.flightsql.address import address
from services.executor.engines.flightsql.catalogue import read_catalogue
from services.executor.engines.flightsql.connect import FlightSessions
from services.executor.engines.flightsql.engine import FlightEngine
from services.executor.engines.flightsql.errors import DRIVER_ERRORS
from services.executor.engines.flightsql.errors import as_assay_error as failed
from services.executor.engines.flightsql.facts import add_statistics
from services.executor.engines.flightsql.relation import distinct_sql, exact_sql, suspects_sql
from services.executor.engines.flightsql.session import FlightSession
from services.executor.engines.flightsql.whole import stamp, whole

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


def sessions(places: Places) -> FlightSessions:
    """What opens sessions."""
    return FlightSessions(places)


def described(session: Session, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read. Raises adbc.Error."""
    assert isinstance(session, FlightSession)
    found = read_catalogue(session, schemas)
    add_statistics(found, session)
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

    Raises NotExpressible where the server is no DuckDB, whose expressions these are.
    """
    assert isinstance(session, FlightSession)
    if not session.is_duckdb:
        raise NotExpressible("the blocked patterns")
    rows = session.rows(suspects_sql(relation, column, policy, most, digits=digits))
    return [(str(text), bool(own)) for text, own in rows]


def engine(open_sessions: Sessions, byte_limit: int) -> FlightEngine:
    """What runs statements behind servers of this kind."""
    return FlightEngine(open_sessions, byte_limit=byte_limit)
