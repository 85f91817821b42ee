"""Reasons that whoever operates the mesh can mend: something is away, full, damaged or of another
version; to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

SERVICE_UNAVAILABLE = reason(
    "SERVICE_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "A service of the mesh cannot be reached.",
    "Try again; if it stays away, check its address and that it runs.",
)
SCHEMA_BEHIND = reason(
    "SCHEMA_BEHIND",
    Kind.UNAVAILABLE,
    "A database is of an earlier version, and services may not change it (ASSAY_MIGRATIONS=check).",
    "Run `python -m services migrate` with the new version, then start the service again.",
)
SCHEMA_AHEAD = reason(
    "SCHEMA_AHEAD",
    Kind.UNAVAILABLE,
    "A database is of a newer version than this Assay.",
    "Use the version of Assay that wrote it or a newer one, or restore a copy of before.",
)
EXECUTOR_LOST = reason(
    "EXECUTOR_LOST",
    Kind.UNAVAILABLE,
    "The executor died every time it was asked for the same thing.",
    "Look at the executor's log; it may need more memory, or fewer rows at once.",
)
ENGINE_UNAVAILABLE = reason(
    "ENGINE_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "A query engine cannot be used: its driver is missing, or its server does not answer.",
    "Install its extra, check its address and that its server runs.",
)
SANDBOX_UNAVAILABLE = reason(
    "SANDBOX_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "Generated Python is not run, because nothing on this machine would keep it in.",
    "Install bubblewrap and libseccomp and allow user namespaces, or use a kernel with landlock.",
)
HOME_BUSY = reason(
    "HOME_BUSY",
    Kind.UNAVAILABLE,
    "Another Assay owns this home folder and did not let go in time.",
    "Wait for it, attach to it, or choose another home folder.",
)
DISK_FULL = reason(
    "DISK_FULL",
    Kind.UNAVAILABLE,
    "The disk under the home folder, or a quota on it, has no room left.",
    "Free some of it, or move the home folder to a larger disk; what is stored is kept.",
)
STATE_DAMAGED = reason(
    "STATE_DAMAGED",
    Kind.UNAVAILABLE,
    "A file that Assay keeps its state in is damaged, missing or cannot be used.",
    "Restore the file that the message names from a copy.",
)
AUDIT_UNAVAILABLE = reason(
    "AUDIT_UNAVAILABLE",
    Kind.UNAVAILABLE,
    "The audit log cannot be written, so nothing may be done.",
    "Free disk space or restore the audit service.",
)
