from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.pushdown.clickhouse_world import ClickHouse, clickhouse_server
from tests.engines.pushdown.world import places
from tests.engines.world import Place
from tests.without import skip_where_unchanged


@pytest.fixture(scope="session")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouse]:
    """ClickHouse with the shop in it; skips where it or its driver is not installed."""
    skip_where_unchanged("pushdown")
    pytest.importorskip("clickhouse_connect", reason='needs the extra "clickhouse"')
    if subprocess.run([sys.executable, "-c", "import chdb"], check=False).returncode:
        pytest.skip("needs chdb")
    with clickhouse_server(tmp_path_factory.mktemp("clickhouse")) as running:
        yield running


@pytest.fixture(scope="session")
def clickhouse_places(
    clickhouse: ClickHouse, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Place]]:
    folder: Path = tmp_path_factory.mktemp("clickhouse-shop")
    with places("clickhouse", clickhouse.url, folder) as found:
        yield found


@pytest.fixture
def shop(engine: str, request: pytest.FixtureRequest) -> dict[str, Place]:
    """The shop in the server that a test is about."""
    found: dict[str, Place] = request.getfixturevalue(f"{engine}_places")
    return found
