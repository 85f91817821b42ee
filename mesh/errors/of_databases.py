"""Reasons why a database is not asked; to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

DATABASE_UNREACHABLE = reason(
    "DATABASE_UNREACHABLE",
    Kind.UNAVAILABLE,
    "The server of a database does not answer, or went away.",
    "Check host, port and network, and that the server runs.",
)
DATABASE_HOST_REFUSED = reason(
    "DATABASE_HOST_REFUSED",
    Kind.POLICY,
    "This server does not open databases at that host.",
    "Ask its operator to list the host in ASSAY_EXECUTOR_DATABASE_HOSTS or to name the database in "
    "ASSAY_EXECUTOR_CONNECTIONS.",
)
DATABASE_LOGIN_REFUSED = reason(
    "DATABASE_LOGIN_REFUSED",
    Kind.POLICY,
    "A database does not let this user in.",
    "Check user and password, PGPASSWORD or .pgpass, and the server's pg_hba.conf.",
)
DATABASE_PERMISSION_DENIED = reason(
    "DATABASE_PERMISSION_DENIED",
    Kind.POLICY,
    "The database user may not read what the question needs.",
    "Ask the database's owner for SELECT on it.",
)
