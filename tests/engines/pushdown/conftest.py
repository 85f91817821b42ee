from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.pushdown.bigquery_world import bigquery_emulator
from tests.engines.pushdown.clickhouse_world import ClickHouse, clickhouse_server
from tests.engines.pushdown.snowflake_world import CHANGES, FakeSnowflake, snowflake_emulator
from tests.engines.pushdown.world import places
from tests.engines.world import Place
from tests.without import skip_where_unchanged


@pytest.fixture(scope="session")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouse]:
    """ClickHouse with the shop in it; skips where it or its driver is not installed."""
    skip_where_unchanged("pushdown")
    pytest.importorskip("clickhouse_connect", reason='needs the extra "clickhouse"')
    with clickhouse_server(tmp_path_factory.mktemp("clickhouse")) as running:
        yield running


@pytest.fixture(scope="session")
def clickhouse_places(
    clickhouse: ClickHouse, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Place]]:
    folder: Path = tmp_path_factory.mktemp("clickhouse-shop")
    with places("clickhouse", clickhouse.url, folder) as found:
        yield found


@pytest.fixture(scope="session")
def snowflake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeSnowflake]:
    """The emulator with the shop in it; skips where it or the driver is not installed."""
    skip_where_unchanged("pushdown")
    pytest.importorskip("adbc_driver_snowflake", reason='needs the extra "snowflake"')
    with snowflake_emulator(tmp_path_factory.mktemp("snowflake")) as running:
        yield running


@pytest.fixture(scope="session")
def snowflake_places(
    snowflake: FakeSnowflake, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Place]]:
    folder: Path = tmp_path_factory.mktemp("snowflake-shop")
    with places("snowflake", snowflake.url, folder, *CHANGES) as found:
        yield found


@pytest.fixture(scope="session")
def bigquery_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Place]]:
    """The emulator with the shop in it; skips where it or the client is not installed."""
    skip_where_unchanged("pushdown")
    pytest.importorskip("google.cloud.bigquery", reason='needs the extra "bigquery"')
    folder: Path = tmp_path_factory.mktemp("bigquery")
    (folder / "shop").mkdir()
    with (
        bigquery_emulator(folder) as running,
        places("bigquery", running.url, folder / "shop") as found,
    ):
        yield found


@pytest.fixture
def shop(engine: str, request: pytest.FixtureRequest) -> dict[str, Place]:
    """The shop in the server that a test is about."""
    found: dict[str, Place] = request.getfixturevalue(f"{engine}_places")
    return found
