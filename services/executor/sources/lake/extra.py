"""The libraries that read table formats: an extra, because few need them and they are large."""

from __future__ import annotations

from mesh.errors import SOURCE_NOT_SUPPORTED, AssayError


def missing(label: str, what: str) -> AssayError:
    """That `label`, which is `what`, cannot be read for want of a library."""
    return AssayError(
        SOURCE_NOT_SUPPORTED,
        f"{label} is {what}, and the library that reads it is not installed here.",
        hint="Install it where the executor runs: pip install 'assay[lake]'.",
    )
