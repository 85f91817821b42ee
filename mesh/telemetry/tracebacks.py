"""Exceptions told by kind and place: what their messages say may repeat what the data holds."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from mesh.telemetry.metrics import failure_of


class ElsewhereError(RuntimeError):
    """What nobody expected in another process; its text is what `places` gave there."""


def places(error: BaseException | None) -> str:
    """An exception and what led to it, innermost last."""
    return "\n".join(_lines(error))


def _lines(error: BaseException | None) -> Iterator[str]:
    if error is None:
        return
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    yield from _lines(before)
    if isinstance(error, ElsewhereError):
        yield f"In another process:\n{error}"
    yield "Traceback, innermost last:"
    yield from (line.rstrip("\n") for line in traceback.format_tb(error.__traceback__))
    yield failure_of(error)
