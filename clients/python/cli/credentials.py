"""The token that a command sends to a server: from a file or the environment, never an argument,
which other processes and the shell's history would show."""

from __future__ import annotations

import os
from pathlib import Path

TOKEN = "ASSAY_TOKEN"
TOKEN_FILE = "ASSAY_TOKEN_FILE"
AUTHORITY = "ASSAY_SERVER_AUTHORITY"


def token_given() -> str | None:
    """The token; None where none is given. The file wins, since an option may have named it.

    Raises AssayError(INVALID_ARGUMENT) for a file that cannot be read or holds no token.
    """
    from mesh.errors import INVALID_ARGUMENT, AssayError

    named = os.environ.get(TOKEN_FILE, "")
    if not named:
        given = os.environ.get(TOKEN, "").strip()
        return given or None
    try:
        token = Path(named).expanduser().read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise AssayError(
            INVALID_ARGUMENT, f"the token file {named} cannot be read: {why}"
        ) from error
    if not token or any(letter.isspace() for letter in token):
        raise AssayError(
            INVALID_ARGUMENT,
            f"the token file {named} does not hold one token",
            hint="It holds the token and nothing else.",
        )
    return token


def authority_given() -> Path | None:
    """The file of certificates one of which must have signed a server's; None for public ones."""
    named = os.environ.get(AUTHORITY, "")
    return Path(named).expanduser() if named else None


def in_clear(server: str) -> bool:
    """Whether what is sent to a server can be overheard on a network."""
    from mesh.transport.seal import is_this_machine

    return not server.startswith("https://") and not is_this_machine(server)
