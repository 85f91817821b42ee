"""What an engine says of a result, for people."""

from __future__ import annotations

import json

import pyarrow as pa

_NOTES_KEY = b"assay.notes"


def notes_of(table: pa.Table) -> tuple[str, ...]:
    """The notes that came with a result of `context.query`."""
    metadata = table.schema.metadata or {}
    return tuple(json.loads(metadata[_NOTES_KEY])) if _NOTES_KEY in metadata else ()
