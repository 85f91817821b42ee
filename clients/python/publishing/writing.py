"""The page, its proofs and its manifest, written as a whole or not at all."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from assay.gateway.v1.text_service_pb2 import CheckTextResponse
from clients.python.client import AssayClient
from clients.python.publishing.cited import CitedFrame, gather_frames
from clients.python.publishing.draft import Draft
from clients.python.publishing.footnotes import render_footnotes
from clients.python.publishing.notebook import page_notebook
from clients.python.publishing.page import Imprint, render_page
from clients.python.publishing.places import MANIFEST as MANIFEST
from clients.python.publishing.places import Places as Places
from clients.python.publishing.places import page_name as page_name
from clients.python.publishing.places import require_ours as require_ours
from clients.python.publishing.resolving import Citations, resolve
from mesh.digest import sha256_hex
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import new_id
from mesh.prose.bindings import parse_text

FORMAT = "assay-publication/1"


@dataclass(frozen=True, slots=True)
class Published:
    """What was written; `manifest` is what the proofs' manifest says."""

    places: Places
    manifest: dict[str, Any]

    def object(self) -> dict[str, Any]:
        """Paths and digests, for machines."""
        markdown, proof = self.places.markdown, self.places.proof.absolute()
        notebook = self.places.notebook
        return {
            "publication_id": self.manifest["publication_id"],
            "page": str(self.places.page.absolute()),
            "page_sha256": self.manifest["page_sha256"],
            "text_sha256": self.manifest["text_sha256"],
            "markdown": str(markdown.absolute()) if markdown else None,
            "notebook": str(notebook.absolute()) if notebook else None,
            "proof": str(proof),
            "bundles": [
                {**one, "bundle": str(proof / one["bundle"])} for one in self.manifest["frames"]
            ],
            "accepted": self.manifest["accepted"],
        }


async def publish(
    client: AssayClient, draft: Draft, found: CheckTextResponse, places: Places
) -> Published:
    """Write a text that was checked, and in which nothing was found, and have the mesh keep its
    page, where everybody of the tenant finds it by the `publication_id` of the manifest.

    Raises AssayError: INVALID_ARGUMENT where something else is at one of the places, or nothing
    can be written there; VERIFICATION_FAILED for a bundle that does not hold; and as
    `Publications.publish`, where nothing is written.
    """
    require_ours(places)
    publication_id = new_id()
    try:
        places.page.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".assay-publish-", dir=places.page.parent))
        try:
            (staging / "proof").mkdir()
            frames = await gather_frames(client, draft, found.frames, staging / "proof")
            manifest = await asyncio.to_thread(
                _write, staging, draft, frames, places, publication_id
            )
            await _keep(client, draft, staging / "page", publication_id)
            try:
                _put(staging, places)
            except OSError:
                await client.publications.revoke(publication_id, "its files cannot be written")
                raise
        finally:
            await asyncio.to_thread(shutil.rmtree, staging, True)
    except OSError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the page cannot be written to {places.page}: {error.strerror or error}",
            hint="Choose another place with --to.",
        ) from error
    return Published(places, manifest)


async def _keep(client: AssayClient, draft: Draft, page: Path, publication_id: str) -> None:
    """Have the mesh keep the page. Raises AssayError as `Publications.publish`."""
    await client.publications.publish(
        draft.text,
        await asyncio.to_thread(page.read_bytes),
        draft.frames,
        session=draft.session,
        accepted=draft.accepted,
        publication_id=publication_id,
    )


def _write(
    staging: Path, draft: Draft, frames: Sequence[CitedFrame], places: Places, publication_id: str
) -> dict[str, Any]:
    """Write page, Markdown and manifest into a folder; what the manifest says."""
    proof = _as_named(places.proof, places.page.parent)
    named = {one.name: one.frame for one in frames}
    citations = resolve(parse_text(draft.text).bound, named)
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    imprint = Imprint(places.page.stem, now, _version(), proof, publication_id)
    page = render_page(draft.text, citations, frames, imprint).encode()
    (staging / "page").write_bytes(page)
    if places.markdown is not None:
        text = render_footnotes(draft.text, citations, frames, proof)
        (staging / "markdown").write_text(text, encoding="utf-8")
    if places.notebook is not None:
        _write_notebook(staging / "notebook", draft, citations, frames, imprint, places)
    manifest = {
        "format": FORMAT,
        "publication_id": publication_id,
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


def _write_notebook(
    path: Path,
    draft: Draft,
    citations: Citations,
    frames: Sequence[CitedFrame],
    imprint: Imprint,
    places: Places,
) -> None:
    if places.notebook is not None:
        beside = replace(imprint, proof=_beside(places.proof, places.notebook))
        page_notebook(draft.text, citations, frames, beside).write(path)


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
    if places.notebook is not None:
        places.notebook.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(staging / "notebook", places.notebook)
    (staging / "page").replace(places.page)


def _as_named(path: Path, base: Path) -> str:
    """A folder as one who stands beside the page names it."""
    path, base = path.absolute(), base.absolute()
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()


def _beside(folder: Path, file: Path) -> str:
    """A folder as a notebook names it, which may be moved together with it."""
    try:
        named = os.path.relpath(folder.absolute(), file.absolute().parent)
    except ValueError:  # on another drive
        return folder.absolute().as_posix()
    return Path(named).as_posix()


def _version() -> str:
    for package in ("assay", "assay-client"):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return "unknown"
