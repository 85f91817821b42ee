"""Whether a log's newest checkpoint continues the last one seen. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.errors import VERIFICATION_FAILED, AssayError
from mesh.proof.checkpoint import Checkpoint
from mesh.proof.merkle import ProofError, verify_consistency


def require_continuation(seen: Checkpoint | None, new: Checkpoint, proof: Sequence[bytes]) -> None:
    """Raises AssayError VERIFICATION_FAILED for a fork or a rollback.

    `proof` shows that the tree of `new` continues that of `seen`; it is not needed where nothing
    was seen, or nothing was in it, or the size is the same.
    """
    if seen is None:
        return
    if seen.origin != new.origin:
        raise _refused(f"the log calls itself {new.origin}, before it was {seen.origin}")
    if new.size < seen.size:
        raise _refused(
            f"{new.origin} was rolled back: it shows {new.size:,} entries, "
            f"{seen.size:,} were seen before"
        )
    if new.size == seen.size:
        if new.root != seen.root:
            raise _refused(
                f"{new.origin} was forked: it shows another tree of {new.size:,} entries than "
                f"before, with root {new.root.hex()[:12]}… instead of {seen.root.hex()[:12]}…"
            )
        return
    if not seen.size:
        return
    try:
        verify_consistency(seen.size, new.size, proof, seen.root, new.root)
    except ProofError as error:
        raise _refused(
            f"{new.origin} was forked: its tree of {new.size:,} entries does not continue the one "
            f"of {seen.size:,} that was seen before ({error})"
        ) from error


def _refused(what: str) -> AssayError:
    return AssayError(
        VERIFICATION_FAILED,
        what,
        hint="It was not cosigned. Keep both notes: together they show that the log's key signed "
        "two histories.",
    )
