"""SHA-256 of bytes, of files and of tables."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def sha256_hex(content: bytes) -> str:
    """SHA-256 as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def file_digest(path: Path) -> str:
    """`sha256_hex` of a file's content, read in pieces. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def frame_digest(table: pa.Table) -> str:
    """SHA-256 of the logical table, as 64 hexadecimal digits.

    What counts, what does not and how bytes are laid out is defined in `mesh.frames.canonical`.
    Reads every value once, about as fast as SHA-256 runs. Raises TypeError for an Arrow type that
    has no canonical form.
    """
    from mesh.frames.canonical import table_digest

    return table_digest(table)
