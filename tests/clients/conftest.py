"""One mesh as strangers meet it, for tests that leave it running; each has a tenant of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.served import World, served


@pytest.fixture(scope="package")
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, served(Path(folder)) as made:
        yield made
