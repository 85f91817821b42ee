"""Whether the user of a database may write to it."""

from __future__ import annotations

import re

from services.executor.databases.found import Catalogue
from services.executor.databases.session import Session

_WRITING = re.compile(
    r"\b(ALL PRIVILEGES|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|SUPER|FILE|EXECUTE|TRIGGER)\b"
)
_EVERYTHING = re.compile(r"^GRANT (ALL PRIVILEGES|.*\b(SUPER|FILE)\b.*) ON \*\.\*")


def note_rights(found: Catalogue, session: Session) -> None:
    """Note it, where it is so. Raises pymysql.MySQLError."""
    grants = [str(row[0]) for row in session.rows("SHOW GRANTS FOR CURRENT_USER")]
    given = [grant.partition(" ON ")[0] for grant in grants]
    if any(_EVERYTHING.match(grant) for grant in grants):
        found.notes.append("the database user may do everything; one who may only read is safer")
    elif any(_WRITING.search(what) for what in given):
        found.notes.append("the database user may write; a user who may only read is safer")
