"""What the executor needs of a kind of database, whichever it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import pyarrow as pa

from mesh.errors import AssayError
from mesh.policy import Policy
from services.executor.databases.address import Address
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.session import Places, Session, Sessions, SessionsOfKind
from services.executor.engines.engine import DatabaseEngine
from services.executor.engines.registry import database_module


class DatabaseKind(Protocol):
    """A kind of database: a module that has these (`engines/<folder>/database.py`)."""

    @property
    def DRIVER_ERRORS(self) -> tuple[type[Exception], ...]:  # noqa: N802 - a constant of a module
        """What speaking to a server raises."""
        ...

    def address(self, url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
        """The address that a URL names. Raises AssayError(SOURCE_NOT_FOUND)."""
        ...

    def sessions(self, places: Places) -> SessionsOfKind:
        """What opens sessions."""
        ...

    def described(self, session: Session, schemas: Sequence[str]) -> Catalogue:
        """Everything the user may read, of these schemas or all: tables with keys, comments, row
        counts and statistics, and a note where the user may write. Raises the driver's errors."""
        ...

    def failed(self, error: Exception, address: Address) -> AssayError:
        """What failed, and what to do about it, without secrets."""
        ...

    def stamp(self, session: Session, relation: Relation) -> str:
        """What changes when somebody writes to a relation."""
        ...

    def whole(self, session: Session, relation: Relation) -> pa.RecordBatchReader:
        """All rows of a relation as they arrive, under the names and in the types they have in a
        request."""
        ...

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
        """The texts of a column that may have to be masked, at most so many, and whether an
        expression of the caller's matches them; with `digits`, plain digits are among them.

        Raises NotExpressible for an expression whose meaning could be another there.
        """
        ...

    def distinct_sql(
        self, relation: Relation, columns: Sequence[str], column: str, longest: int, most: int
    ) -> str:
        """Asks for at most so many different texts of a column, none of them longer."""
        ...

    def exact_sql(self, relation: Relation, column: str, texts: Sequence[str], most: int) -> str:
        """Asks for those texts that a column holds, so that an index can find them."""
        ...

    def engine(self, open_sessions: Sessions, byte_limit: int) -> DatabaseEngine:
        """What runs statements in databases of this kind."""
        ...


def kind_of(name: str) -> DatabaseKind:
    """The kind of database of that name."""
    return cast("DatabaseKind", database_module(name))
