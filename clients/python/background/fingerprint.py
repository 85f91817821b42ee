"""What a mesh was started with: the code and the settings that it goes by, as one short text."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_CODE = Path(__file__).resolve().parents[3]
_PACKAGES = ("clients/python", "gateway", "mesh", "services", "gen/assay", "assay")

# A mesh reads these of its surroundings, itself or by its libraries (libpq, boto3, OpenTelemetry).
_PREFIXES = ("ASSAY_", "AWS_", "OTEL_", "PG", "SSL_")
_SUFFIXES = ("_API_KEY", "_PROXY")
_NAMES = ("HOME", "TZ")
# These say where the mesh is, and who asks; not how it works.
_OF_COMMANDS = (
    "ASSAY_BACKGROUND",
    "ASSAY_HOME",
    "ASSAY_TOKEN",
    "ASSAY_TOKEN_FILE",
)


def fingerprint(environment: Mapping[str, str] = os.environ) -> str:
    """Two commands with the same may share a mesh.

    Of code it is told by when a file was last written and how many there are: a new version, or an
    edited file, is another mesh. Of settings it is a digest, which gives no secret away.
    """
    digest = hashlib.sha256(repr((sys.executable, str(_CODE))).encode())
    for part in (*_code(), *_settings(environment)):
        digest.update(f"{part}\n".encode())
    return digest.hexdigest()[:24]


def _settings(environment: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(environment):
        upper = name.upper()
        counts = upper.startswith(_PREFIXES) or upper.endswith(_SUFFIXES) or upper in _NAMES
        if counts and upper not in _OF_COMMANDS:
            yield f"{name}={environment[name]}"


def _code() -> Iterator[int]:
    """When what is installed changed, and, of our own code, how many files there are and when the
    last of them was written."""
    for place in sys.path:
        if place.endswith("-packages"):
            yield _written(place)
    files, last, folders = 0, 0, [str(_CODE / name) for name in _PACKAGES]
    while folders:
        try:
            found = os.scandir(folders.pop())
        except OSError:  # of an installed wheel, or of a checkout, some are not there
            continue
        with found:
            for entry in found:
                if entry.name.endswith(".py"):
                    files, last = files + 1, max(last, entry.stat().st_mtime_ns)
                elif entry.is_dir() and entry.name != "__pycache__":
                    folders.append(entry.path)
    yield from (files, last)


def _written(place: str) -> int:
    try:
        return os.stat(place).st_mtime_ns  # noqa: PTH116 - pathlib costs more than the call
    except OSError:
        return 0
