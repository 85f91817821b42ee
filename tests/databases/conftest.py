"""One server for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mesh.testing.postgres import PostgresAbsent
from services.executor.databases.library import DatabaseLibrary
from tests.databases.server import Server, shop_server

Opens = Callable[..., DatabaseLibrary]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    try:
        with shop_server() as running:
            yield running
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Opens]:
    """Makes libraries, and closes them."""
    made: list[DatabaseLibrary] = []

    def make(**settings: Any) -> DatabaseLibrary:
        made.append(DatabaseLibrary(tmp_path / str(len(made)), kept_seconds=0, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()
