"""Which columns of digits of a database hold personal data: by its first rows, within two seconds.

The same is asked of the same columns as of those of files (`sources.digits`), of up to 2,000
different values in the first 10,000 rows.
"""

from __future__ import annotations

import json
import time

from adbc_driver_manager import Error as DriverError

from mesh.recognising.columns import kinds
from services.executor.databases.live import Relation
from services.executor.databases.relation import relation_sql
from services.executor.databases.session import Session
from services.executor.sources.digits import VALUES, may_be_digits
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted

ROWS = 10_000
_SECONDS = 2


def judged(session: Session, relation: Relation, table: StoredTable, until: float) -> StoredTable:
    """The table with what its columns of digits hold.

    Where the rows cannot be had in time, or it is later than `until` by the monotonic clock, the
    values among its statistics are looked at.
    """
    names = [
        column.name
        for column in table.columns
        if any(may_be_digits(column, table.statistics[column.name]))
    ]
    if not names:
        return table
    asked = _values(session, relation, names) if time.monotonic() < until else {}
    values = asked or {
        name: [text for text in (s.minimum, s.maximum, *s.samples) if text]
        for name in names
        for s in [table.statistics[name]]
    }
    return table.model_copy(
        update={
            "columns": tuple(
                column.model_copy(
                    update={
                        "digits": kinds(
                            column.name,
                            values[column.name],
                            table.statistics[column.name].distinct,
                        )
                    }
                )
                if column.name in values
                else column
                for column in table.columns
            )
        }
    )


def _values(session: Session, relation: Relation, names: list[str]) -> dict[str, list[str]]:
    """Different values of each column as text; empty where they cannot be had in time."""
    first = f"(SELECT * FROM {relation_sql(relation, names, digits=names)} AS r LIMIT {ROWS}) AS s"
    terms = ", ".join(
        "pg_catalog.array_to_json((pg_catalog.array_agg("
        f"DISTINCT pg_catalog.btrim({quoted(name)})))[1:{VALUES}])::text"
        for name in names
    )
    try:
        session.rows("SAVEPOINT digits")
        session.rows(f"SELECT pg_catalog.set_config('statement_timeout', '{_SECONDS}s', true)")
        told = session.rows(f"SELECT {terms} FROM {first}")[0]
        session.rows("RELEASE SAVEPOINT digits")
    except DriverError:
        session.rows("ROLLBACK TO SAVEPOINT digits")
        return {}
    return {
        name: [text for text in json.loads(str(array or "[]")) if text]
        for name, array in zip(names, told, strict=True)
    }
