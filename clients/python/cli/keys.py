"""Keys on the command line: spelled out, or in a file."""

from __future__ import annotations

from pathlib import Path

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.proof.checkpoint import CheckpointError, VerifierKey
from mesh.proof.cosignature import WitnessKey


def log_key_of(text: str) -> VerifierKey:
    """A log's key. Raises AssayError INVALID_ARGUMENT."""
    try:
        return VerifierKey.parse(_spelled(text))
    except CheckpointError as error:
        raise _no_key("--log-key", text, error) from error


def witness_key_of(text: str) -> WitnessKey:
    """A witness's key. Raises AssayError INVALID_ARGUMENT."""
    try:
        return WitnessKey.parse(_spelled(text))
    except CheckpointError as error:
        raise _no_key("--witness-key", text, error) from error


def _spelled(text: str) -> str:
    """The key itself, read from the file of that name if there is one."""
    path = Path(text)
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else text
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"it cannot be read: {error}") from error


def _no_key(option: str, text: str, error: CheckpointError) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"{option} {text[:60]} is no key: {error}",
        hint="Give name+hash+key, or a file that holds it.",
    )
