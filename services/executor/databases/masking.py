"""Which texts of a database policy blocks: asked of it, and judged here.

A database has none of the recognisers. It names the texts that may be personal data, in the same
snapshot that the query reads; pseudonyms are made here and go along with the query.
"""

from __future__ import annotations

from collections.abc import Iterable

from mesh.policy import Policy
from services.executor.databases.kind import DatabaseKind, kind_of
from services.executor.databases.live import LiveSource, Relation
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.databases.session import Session
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.masking import Masking
from services.executor.engines.workspace import FlatTable
from services.executor.sources.manifest import StoredColumn

MOST_TEXTS = 1_000
"""Of one column that may have to be masked; with more, the query is run over a copy."""


def pseudonyms(
    session: Session,
    source: LiveSource,
    tables: Iterable[FlatTable],
    read: frozenset[str],
    policy: Policy,
) -> dict[str, Pseudonyms]:
    """By table: what stands for which texts of the columns that are read.

    `read` are names of columns in lower case. Raises NotExpressible where there are too many, or
    an expression of the caller's could mean something else in the database.
    """
    masking = Masking([source], policy)
    kind = kind_of(source.address.kind)
    return {
        table.name: {
            column.name: _of_column(
                session, kind, source.relations[table.stored.name], column, policy, masking
            )
            if column.name.casefold() in read
            else None
            for column in table.columns
            if column.type == "VARCHAR"
        }
        for table in tables
    }


def _of_column(
    session: Session,
    kind: DatabaseKind,
    relation: Relation,
    column: StoredColumn,
    policy: Policy,
    masking: Masking,
) -> dict[str, str]:
    rows = kind.suspects(
        session, relation, column.name, policy, MOST_TEXTS + 1, digits=bool(column.digits)
    )
    if len(rows) > MOST_TEXTS:
        raise NotExpressible(f"more than {MOST_TEXTS:,} texts that policy may block")
    found = {}
    for cell, own in rows:
        if column.digits:
            stands = masking.digits(column.digits, cell)
        else:
            stands = masking.blocked(cell) if own else masking.suspected(cell)
        if stands != cell:
            found[cell] = stands
    return found
