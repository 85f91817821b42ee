"""Where a page and what belongs to it go: to the place of an earlier page, and of nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from clients.python.publishing.notebook import is_page_notebook
from clients.python.publishing.page import GENERATOR
from mesh.digest import sha256_hex
from mesh.errors import INVALID_ARGUMENT, AssayError

MANIFEST = "manifest.json"
"""The file of a folder of proofs that names page, text and bundles."""

_HEAD_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class Places:
    """Where a page, its proofs and, if wanted, its Markdown and its notebook go."""

    page: Path
    proof: Path
    markdown: Path | None = None
    notebook: Path | None = None


def write_page(path: Path, page: bytes) -> None:
    """Write a page that the mesh gave out; it may replace an earlier one, and nothing else.

    Raises AssayError(INVALID_ARGUMENT).
    """
    if path.exists() and not (path.is_file() and _is_page(path)):
        raise _taken(path, "--to")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page)
    except OSError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{path} cannot be written: {error.strerror or error}",
            hint="Choose another place with --to.",
        ) from error


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
    book = places.notebook
    if book is not None and book.exists() and not is_page_notebook(book):
        raise _taken(book, "--notebook")


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
