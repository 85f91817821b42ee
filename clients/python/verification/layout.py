"""What a bundle consists of, and the one way it is written down.

A bundle is a zip archive, or a folder with the same members. Every byte of it follows from what it
holds: JSON has one spelling, frames have one encoding, members are sorted, nothing is compressed,
times are fixed. So whoever checks a bundle can write it again and compare.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import IO, Any

FORMAT = "assay-bundle/3"

MANIFEST = "manifest.json"
ENTRIES = "entries.jsonl"
PROOFS = "proofs.jsonl"
CHECKPOINT = "checkpoint"
LOG_KEY = "log.vkey"
WITNESS_KEYS = "witnesses.vkey"
JOB = "job.json"
PLAN = "plan.json"
CALLS = "calls.json"
CLAIMS = "claims.json"
SOURCES = "sources.json"
ARTIFACTS = "artifacts/"
FRAMES = "frames/"

DOCUMENTS = frozenset(
    {
        MANIFEST,
        ENTRIES,
        PROOFS,
        CHECKPOINT,
        LOG_KEY,
        WITNESS_KEYS,
        JOB,
        PLAN,
        CALLS,
        CLAIMS,
        SOURCES,
    }
)
"""The members that are neither a file of the answer nor a frame."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_MODE = 0o100644


def document(value: Any) -> bytes:
    """The one text of a JSON value in a bundle, for people to read too."""
    text = json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def line(value: Any) -> bytes:
    """The one text of a JSON value that stands on a line of its own."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def manifest(job_id: str, members: Mapping[str, tuple[str, int]]) -> bytes:
    """The member that names all others, with their SHA-256 and size in bytes."""
    return document(
        {
            "format": FORMAT,
            "job_id": job_id,
            "members": {
                name: {"sha256": digest, "bytes": size} for name, (digest, size) in members.items()
            },
        }
    )


def artifact_member(content_ref: str) -> str:
    """Where an artifact is in a bundle. Raises ValueError for a path that leads elsewhere."""
    return ARTIFACTS + _safe(content_ref)


def frame_member(digest: str) -> str:
    """Where a frame is in a bundle, written as `mesh.frames.encoding` says."""
    return f"{FRAMES}{_safe(digest)}.arrows"


Pieces = Iterable[bytes | memoryview]


def write_archive(file: IO[bytes], members: Iterable[tuple[str, int, Pieces]]) -> None:
    """Write a bundle's archive. `members` are names, sizes in bytes and pieces, sorted by name."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, size, pieces in members:
            member = zipfile.ZipInfo(name, _EPOCH)
            member.create_system = _UNIX
            member.external_attr = _MODE << 16
            member.file_size = size
            with archive.open(member, "w") as place:
                for piece in pieces:
                    place.write(piece)


def _safe(name: str) -> str:
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or name.startswith("/") or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is no place in a bundle")
    return "/".join(parts)
