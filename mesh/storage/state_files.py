"""What goes wrong with files of Assay's own state, as errors for people that name the file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mesh.errors import DISK_FULL, STATE_DAMAGED, AssayError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_MOST_CAUSES = 16


def disk_full(path: str | os.PathLike[str] | None) -> AssayError:
    """The disk has no room for what was to be written to `path`, where that is known."""
    where = f": {os.fspath(path)} could not be written" if path else ""
    return AssayError(
        DISK_FULL,
        f"the disk is full{where}",
        hint=DISK_FULL.remedy,
        metadata={"path": os.fspath(path)} if path else {},
    )


def damaged(path: str | os.PathLike[str], what: str, hint: str = "") -> AssayError:
    """The file at `path` is not what it was: `what` is wrong with it."""
    return AssayError(
        STATE_DAMAGED,
        f"{os.fspath(path)} {what}",
        hint=hint or "Restore it from a copy.",
        metadata={"path": os.fspath(path)},
    )


def full_in(error: BaseException, path: Path | None = None) -> AssayError | None:
    """The error for people when a full disk is what an exception, or one behind it, tells of.

    `path` is what was written where the exception itself does not say.
    """
    seen: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if isinstance(seen, OSError) and seen.errno in FULL:
            return disk_full(_path(seen) or path)
        seen = seen and (seen.__cause__ or seen.__context__)
    return None


def find_file_error(error: OSError, at: Path | None = None) -> AssayError | None:
    """The error for people of a file that cannot be used; None where none is named.

    `at` is the file where the exception itself does not name one.
    """
    full = full_in(error, at)
    path = _path(error) or at
    if full is not None or path is None:
        return full
    hint = "Restore it from a copy, or move it away if it is not Assay's."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        hint = "Let this user read and write it, or choose another home folder."
    return damaged(path, f"cannot be used: {(error.strerror or 'it failed').lower()}", hint)


@contextmanager
def state_failures(at: Path | None = None) -> Iterator[None]:
    """Files that cannot be used become AssayError(DISK_FULL or STATE_DAMAGED) naming them.

    `at` is the file where an exception does not name one.
    """
    try:
        yield
    except OSError as error:
        better = find_file_error(error, at)
        if better is None:
            raise
        raise better from error


def whole_text(path: Path) -> str:
    """A small text file of Assay's own. Raises AssayError(STATE_DAMAGED), FileNotFoundError."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except UnicodeDecodeError as error:
        raise damaged(path, "is damaged: it is no text") from error
    except OSError as error:
        raise (find_file_error(error) or damaged(path, "cannot be read")) from error


def _path(error: OSError) -> str | None:
    name = error.filename2 or error.filename
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else None
