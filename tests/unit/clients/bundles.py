"""Bundles to check: exported, unpacked, changed and sealed again."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clients.python.cli.verifying import checked
from clients.python.client import AssayClient
from clients.python.verification import layout
from clients.python.verification.reading import Finding, Trust
from mesh.digest import frame_digest, sha256_hex
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.proven import (
    TOTAL,
)
from tests.unit.clients.script import JOB_ID

CHECKS = ["chain", "tree", "artifacts", "claims", "calls", "words", "manifest"]
CHART_MEMBER = f"artifacts/charts/{JOB_ID}/revenue.png"
FRAME_MEMBER = f"frames/{frame_digest(TOTAL)}.arrows"


async def exported(gateway: FakeGateway, folder: Path, name: str = "job.zip") -> Path:
    """A bundle of the gateway's job."""
    async with gateway.serving(folder) as target, AssayClient(target) as client:
        return await client.export(await client.get_job(JOB_ID), folder / name)


def wrong(path: Path, trust: Trust | None = None) -> Finding:
    """The finding that fails: the last, with nothing but good ones before it."""
    found = checked(path, trust or Trust())
    assert all(finding.ok for finding in found[:-1])
    assert not found[-1].ok, "the change was not found"
    return found[-1]


def unpacked(bundle: Path) -> Path:
    """The bundle as a folder."""
    folder = bundle.with_suffix("")
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    return folder


def resealed(folder: Path) -> Path:
    """The folder with a manifest that fits whatever is in it: what a forger would do."""
    (folder / layout.MANIFEST).unlink()
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    members = {name: (sha256_hex(content), len(content)) for name, content in files.items()}
    (folder / layout.MANIFEST).write_bytes(layout.manifest(JOB_ID, members))
    return folder


def rewrite(path: Path, change: Callable[[Any], Any]) -> None:
    """Change a JSON member, written as Assay would."""
    value = json.loads(path.read_bytes())
    path.write_bytes(layout.document(change(value) or value))


def left_in(folder: Path) -> list[str]:
    """What is in a folder, but for sockets."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".sock")
