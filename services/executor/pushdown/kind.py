"""What a kind of database has to have, of a `Target` and its sessions (`databases.kind`)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from typing import cast

import pyarrow as pa

from mesh.policy import Policy
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.session import Session, Sessions
from services.executor.pushdown import relation as asked
from services.executor.pushdown.engine import Failed, PushdownEngine
from services.executor.pushdown.facts import add_statistics
from services.executor.pushdown.received import of_relation
from services.executor.pushdown.session import PushedSession
from services.executor.pushdown.target import Target

Read = Callable[[PushedSession, Sequence[str]], Catalogue]
Stamp = Callable[[PushedSession, Relation], str]


def unknown_stamp(session: PushedSession, relation: Relation) -> str:
    """Of a database that does not tell when somebody wrote: another one every time."""
    del session, relation
    return secrets.token_hex(16)


class Pushed:
    """The parts of a kind of database that are the same for all that have a `Target`.

    `read` reads the catalogue, `stamped` tells writes, `errors` are the driver's, `failed` says
    what a failed statement is told as.
    """

    def __init__(
        self,
        target: Target,
        read: Read,
        errors: tuple[type[Exception], ...],
        failed: Failed,
        stamped: Stamp = unknown_stamp,
    ) -> None:
        self._target, self._read, self._stamp = target, read, stamped
        self._errors, self._failed = errors, failed

    def described(self, session: Session, schemas: Sequence[str]) -> Catalogue:
        """As `DatabaseKind.described`."""
        speaking = cast("PushedSession", session)
        found = self._read(speaking, schemas)
        add_statistics(self._target, found, speaking, self._errors)
        return found

    def stamp(self, session: Session, relation: Relation) -> str:
        """As `DatabaseKind.stamp`."""
        return self._stamp(cast("PushedSession", session), relation)

    def whole(self, session: Session, relation: Relation) -> pa.RecordBatchReader:
        """As `DatabaseKind.whole`."""
        sql = asked.whole_sql(self._target, relation)
        return cast("PushedSession", session).stream(sql, of_relation(relation))

    def suspects(
        self,
        session: Session,
        relation: Relation,
        column: str,
        policy: Policy,
        most: int,
        *,
        digits: bool = False,
    ) -> list[tuple[str, bool]]:
        """As `DatabaseKind.suspects`; where the database has other regular expressions than ours,
        all texts of a column that has few of them are judged here."""
        sql = asked.suspects_sql(self._target, relation, column, policy, most, digits=digits)
        rows = [(str(text), bool(own)) for text, own in session.rows(sql)]
        if self._target.re2:
            return rows
        own = [re.compile(e, re.IGNORECASE) for e in policy.own_expressions]
        return [(text, any(e.search(text) for e in own)) for text, _ in rows]

    def distinct_sql(
        self, relation: Relation, columns: Sequence[str], column: str, longest: int, most: int
    ) -> str:
        """As `DatabaseKind.distinct_sql`."""
        del columns
        return asked.distinct_sql(self._target, relation, column, longest, most)

    def exact_sql(self, relation: Relation, column: str, texts: Sequence[str], most: int) -> str:
        """As `DatabaseKind.exact_sql`."""
        return asked.exact_sql(self._target, relation, column, texts, most)

    def engine(self, open_sessions: Sessions, byte_limit: int) -> PushdownEngine:
        """As `DatabaseKind.engine`."""
        return PushdownEngine(
            self._target, open_sessions, self._errors, self._failed, byte_limit=byte_limit
        )
