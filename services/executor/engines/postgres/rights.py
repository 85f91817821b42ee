"""Whether the user of a database may write to it."""

from __future__ import annotations

from services.executor.databases.found import Catalogue
from services.executor.databases.session import Session

_RIGHTS = """
SELECT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user),
       pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
"""
_CAN_WRITE = """
SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c WHERE c.oid IN ({oids}) AND
pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
"""


def note_rights(found: Catalogue, session: Session) -> None:
    """Note it, where it is so. Raises adbc.Error."""
    superuser, creates = session.rows(_RIGHTS)[0]
    oids = ", ".join(str(relation.oid) for relation in found.relations.values()) or "0"
    writes = int(str(session.rows(_CAN_WRITE.format(oids=oids))[0][0]))
    if superuser:
        found.notes.append("the database user is a superuser; a user who may only read is safer")
    elif writes or creates:
        found.notes.append("the database user may write; a user who may only read is safer")
