"""A service waits for the schema of its database, which somebody else brings there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from mesh.errors import SCHEMA_BEHIND, AssayError

EVERY_SECONDS = 1.0
"""How often it is looked whether the schema is there."""

log = logging.getLogger("assay.schema")


async def until_migrated(open_store: Callable[[], Awaitable[None]], seconds: float) -> None:
    """Return once a database opens, which until then is behind; at once where it is not.

    That it waits, for what and how long, is told in the log. Raises AssayError: SCHEMA_BEHIND when
    the schema is not there after `seconds`, and whatever else opening it raises, at once.
    """
    clock = asyncio.get_running_loop().time
    until, is_mentioned = clock() + seconds, False
    while True:
        try:
            await open_store()
        except AssayError as error:
            if error.reason is not SCHEMA_BEHIND or not seconds:
                raise
            if clock() >= until:
                waited = f"{error.message}; waited {seconds:g} s for it"
                raise AssayError(SCHEMA_BEHIND, waited) from error
            if not is_mentioned:
                fields = {"reason": error.reason.code, "remedy": error.remedy}
                log.warning(
                    "waiting for the schema, up to %g s: %s",
                    seconds,
                    error.message,
                    extra={"fields": fields},
                )
                is_mentioned = True
            await asyncio.sleep(EVERY_SECONDS)
        else:
            if is_mentioned:
                log.info("the schema is there")
            return
