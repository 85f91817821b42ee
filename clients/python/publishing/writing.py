"""The page, its proofs and its manifest, written as a whole or not at all."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from assay.gateway.v1.text_service_pb2 import CheckTextResponse
from clients.python.client import AssayClient
from clients.python.publishing.cited import CitedFrame, gather_frames
from clients.python.publishing.draft import Draft
from clients.python.publishing.footnotes import render_footnotes
from clients.python.publishing.page import GENERATOR, Imprint, render_page
from clients.python.publishing.resolving import resolve
from mesh.digest import sha256_hex
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.prose.bindings import parse_text

FORMAT = "assay-publication/1"
MANIFEST = "manifest.json"
_HEAD_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class Places:
    """Where a page, its proofs and, if wanted, its Markdown go."""

    page: Path
    proof: Path
    markdown: Path | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """What was written; `manifest` is what the proofs' manifest says."""

    places: Places
    manifest: dict[str, Any]

    def object(self) -> dict[str, Any]:
        """Paths and digests, for machines."""
        markdown, proof = self.places.markdown, self.places.proof.absolute()
        return {
            "page": str(self.places.page.absolute()),
            "page_sha256": self.manifest["page_sha256"],
            "text_sha256": self.manifest["text_sha256"],
            "markdown": str(markdown.absolute()) if markdown else None,
            "proof": str(proof),
            "bundles": [
                {**one, "bundle": str(proof / one["bundle"])} for one in self.manifest["frames"]
            ],
            "accepted": self.manifest["accepted"],
        }


async def publish(
    client: AssayClient, draft: Draft, found: CheckTextResponse, places: Places
) -> Published:
    """Write a text that was checked, and in which nothing was found.

    Raises AssayError: INVALID_ARGUMENT where something else is at one of the places, or nothing
    can be written there; VERIFICATION_FAILED for a bundle that does not hold.
    """
    require_ours(places)
    try:
        places.page.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".assay-publish-", dir=places.page.parent))
        try:
            (staging / "proof").mkdir()
            frames = await gather_frames(client, draft, found.frames, staging / "proof")
            manifest = await asyncio.to_thread(_write, staging, draft, frames, places)
            _put(staging, places)
        finally:
            await asyncio.to_thread(shutil.rmtree, staging, True)
    except OSError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the page cannot be written to {places.page}: {error.strerror or error}",
            hint="Choose another place with --to.",
        ) from error
    return Published(places, manifest)


def page_name(title: str, content: str) -> str:
    """A file's name for a page, by its title and what nothing else has: its content."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-")
    return f"{words or 'report'}-{sha256_hex(content.encode())[:8]}"


def require_ours(places: Places) -> None:
    """A page may replace an earlier one, and nothing else. Raises AssayError(INVALID_ARGUMENT)."""
    page, proof = places.page, places.proof
    if page.exists() and not (page.is_file() and _is_page(page)):
        raise _taken(page, "--to")
    if proof.exists() and not _is_proof(proof):
        raise _taken(proof, "--proof")


def _is_page(path: Path) -> bool:
    with path.open("rb") as file:
        return f'content="{GENERATOR}"'.encode() in file.read(_HEAD_BYTES)


def _is_proof(path: Path) -> bool:
    """Whether a folder holds what was published before, or nothing."""
    if not path.is_dir() or path.is_symlink():
        return False
    names = {each.name for each in path.iterdir()}
    others = [name for name in names if name != MANIFEST and not name.endswith(".zip")]
    return not names or (MANIFEST in names and not others)


def _taken(path: Path, option: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"there is something at {path} already that was not published",
        hint=f"Choose another place with {option}.",
    )


def _write(
    staging: Path, draft: Draft, frames: Sequence[CitedFrame], places: Places
) -> dict[str, Any]:
    """Write page, Markdown and manifest into a folder; what the manifest says."""
    proof = _as_named(places.proof, places.page.parent)
    named = {one.name: one.frame for one in frames}
    citations = resolve(parse_text(draft.text).bound, named)
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    imprint = Imprint(places.page.stem, now, _version(), proof)
    page = render_page(draft.text, citations, frames, imprint).encode()
    (staging / "page").write_bytes(page)
    if places.markdown is not None:
        text = render_footnotes(draft.text, citations, frames, proof)
        (staging / "markdown").write_text(text, encoding="utf-8")
    manifest = {
        "format": FORMAT,
        "version": imprint.version,
        "published": now,
        "page": places.page.name,
        "page_sha256": sha256_hex(page),
        "text_sha256": sha256_hex(draft.text.encode()),
        "frames": [_frame_object(one) for one in frames],
        "accepted": dict(draft.accepted),
    }
    (staging / "proof" / MANIFEST).write_text(
        json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )
    return manifest


def _frame_object(one: CitedFrame) -> dict[str, Any]:
    return {
        "name": one.name,
        "job": one.job.job_id,
        "bundle": one.proof.file,
        "sha256": one.proof.sha256,
        "head": one.proof.head,
    }


def _put(staging: Path, places: Places) -> None:
    """Move what was written to its places, the page last."""
    places.proof.parent.mkdir(parents=True, exist_ok=True)
    former = staging / "former"
    if places.proof.exists():
        shutil.move(places.proof, former)
    try:
        shutil.move(staging / "proof", places.proof)
    except OSError:
        if former.exists():
            shutil.move(former, places.proof)
        raise
    if places.markdown is not None:
        places.markdown.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(staging / "markdown", places.markdown)
    (staging / "page").replace(places.page)


def _as_named(path: Path, base: Path) -> str:
    """A folder as one who stands beside the page names it."""
    path, base = path.absolute(), base.absolute()
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()


def _version() -> str:
    for package in ("assay", "assay-client"):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return "unknown"
