"""Jobs as people name them: by the beginning of their id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError

if TYPE_CHECKING:
    from clients.python.client import AssayClient

_BEGINNING = re.compile(r"[0-9a-f]{4,32}")
_WHOLE = 32


async def whole_id(client: AssayClient, text: str) -> str:
    """The id of the job that a person means.

    Raises AssayError: INVALID_ARGUMENT for what cannot be an id, or begins several of them;
    NOT_FOUND.
    """
    start = text.strip().lower().replace("-", "")
    if not _BEGINNING.fullmatch(start):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{text[:40]!r} is not a job's id",
            hint="Give the id, or at least its first four characters; `assay jobs` lists yours.",
        )
    if len(start) == _WHOLE:
        return start
    found = await client.jobs_beginning_with(start)
    if not found:
        raise AssayError(NOT_FOUND, f"there is no job {start!r}", hint="`assay jobs` lists yours.")
    if len(found) > 1:
        raise AssayError(
            INVALID_ARGUMENT,
            f"several jobs begin with {start!r}",
            hint="Give more characters of the id.",
        )
    return found[0]
