"""A bundle that somebody cuts off while it is verified ends nothing but its own verification."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from clients.python.verification.bundle import open_bundle

CONTENT = b"rows and more rows\n" * 100_000


@pytest.mark.parametrize("form", ["archive", "folder"])
def test_what_was_opened_is_read_to_its_end(tmp_path: Path, form: str) -> None:
    path = tmp_path / "bundle"
    if form == "archive":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("rows.csv", CONTENT)
        file = path
    else:
        path.mkdir()
        file = path / "rows.csv"
        file.write_bytes(CONTENT)
    bundle = open_bundle(path)
    os.truncate(file, 0)
    assert bundle.read("rows.csv") == CONTENT
