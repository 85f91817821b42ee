"""Values of columns of digits, of the first rows of a relation."""

from __future__ import annotations

import json

from adbc_driver_manager import Error as DriverError

from services.executor.databases.digits import ROWS, SECONDS
from services.executor.databases.live import Relation
from services.executor.databases.session import Session
from services.executor.engines.postgres.relation import relation_sql
from services.executor.sources.digits import VALUES
from services.executor.sources.sql import quoted


def digit_values(session: Session, relation: Relation, names: list[str]) -> dict[str, list[str]]:
    """Different values of each column as text; empty where they cannot be had in time."""
    first = f"(SELECT * FROM {relation_sql(relation, names, digits=names)} AS r LIMIT {ROWS}) AS s"
    terms = ", ".join(
        "pg_catalog.array_to_json((pg_catalog.array_agg("
        f"DISTINCT pg_catalog.btrim({quoted(name)})))[1:{VALUES}])::text"
        for name in names
    )
    try:
        session.rows("SAVEPOINT digits")
        session.rows(f"SELECT pg_catalog.set_config('statement_timeout', '{SECONDS}s', true)")
        values = session.rows(f"SELECT {terms} FROM {first}")[0]
        session.rows("RELEASE SAVEPOINT digits")
    except DriverError:
        session.rows("ROLLBACK TO SAVEPOINT digits")
        return {}
    return {
        name: [text for text in json.loads(str(array or "[]")) if text]
        for name, array in zip(names, values, strict=True)
    }
