"""Rows, bytes, time, cancelling, and a server that goes away."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mesh.errors import ENGINE_UNAVAILABLE, AssayError
from mesh.testing.spark import SparkServer
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.engine import ENGINE_KEY, Engine
from services.executor.engines.spark import tables
from services.executor.engines.spark.engine import SparkEngine
from tests.engines.spark_world import opened
from tests.engines.world import Place

# 120 rows eight times crossed: 4 * 10 ** 16 of them.
ENDLESS = (
    f"SELECT count(*) FROM {', '.join(f'orders o{n}' for n in range(8))}"
    " WHERE o0.amount + o1.amount + o2.amount + o3.amount + o4.amount < o5.price - 1e6"
)
# Each query would run for hours; a busy machine may take seconds to hand a thread its turn.
SOON = 15.0


def test_the_engine_keeps_the_contract(spark_places: dict[str, Place]) -> None:
    engine = spark_places["spark"].engine
    assert isinstance(engine, Engine)
    metadata = spark_places["spark"].ask("SELECT 1 AS one").schema.metadata
    assert metadata[ENGINE_KEY] == b"spark"


@pytest.fixture
def renewed(spark: SparkServer) -> Iterator[None]:
    """A new server afterwards: a cancelled join may hold its cores (see `SparkEngine`)."""
    yield
    spark.kill()
    spark.start()


def test_an_endless_query_ends_in_time(spark_places: dict[str, Place], renewed: None) -> None:
    place = spark_places["spark"]
    place.ask("SELECT count(*) FROM orders")
    started = time.monotonic()
    with pytest.raises(ToolError) as refusal:
        place.ask(ENDLESS, seconds=2.0)
    taken = time.monotonic() - started
    assert refusal.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert refusal.value.details == {"limit": 2.0, "unit": "seconds"}
    assert taken < 2.0 + SOON


def test_a_cancelled_query_ends_in_time(spark_places: dict[str, Place], renewed: None) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(1.5, cancelled.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(ToolError) as refusal:
        spark_places["spark"].ask(ENDLESS, seconds=60.0, cancelled=cancelled)
    assert refusal.value.category is ErrorCategory.CANCELLED
    assert time.monotonic() - started < 1.5 + SOON
    timer.join()


def test_more_rows_than_the_limit_are_an_error(spark_places: dict[str, Place]) -> None:
    with pytest.raises(ToolError) as refusal:
        spark_places["spark"].ask("SELECT * FROM orders", row_limit=100)
    assert refusal.value.details["limit"] == 100
    assert refusal.value.details["unit"] == "rows"
    assert spark_places["spark"].ask("SELECT * FROM orders", row_limit=120).num_rows == 120


def test_more_bytes_than_the_limit_are_an_error(
    spark: SparkServer, spark_places: dict[str, Place], tmp_path: Path
) -> None:
    small = SparkEngine(spark.address, tmp_path, byte_limit=4_000)
    with pytest.raises(ToolError) as refusal:
        Place(small, spark_places["spark"].sources).ask(
            "SELECT a.note, b.note FROM orders a, orders b", row_limit=100_000
        )
    assert refusal.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert refusal.value.details["unit"] == "bytes"
    small.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sqrt(amount - 1000) FROM orders",
        "SELECT order_id * 9223372036854775807 FROM orders",
    ],
)
def test_a_value_that_does_not_fit_is_told_as_duckdb_tells_it(
    sql: str, spark_places: dict[str, Place]
) -> None:
    for engine in ("duckdb", "spark"):
        with pytest.raises(ToolError) as refusal:
            spark_places[engine].ask(sql)
        assert refusal.value.category is ErrorCategory.TYPE_MISMATCH


def test_a_file_is_read_where_it_lies(spark: SparkServer, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(
        "region;day;amount\n"
        + "".join(f"r{n % 3};2024-01-0{1 + n % 9};{n}.5\n" for n in range(500))
    )
    source = opened(path, tmp_path / "home")
    engine = SparkEngine(spark.address, tmp_path / "copies")
    rows = Place(engine, [source]).ask("SELECT region, sum(amount) AS total FROM sales GROUP BY 1")
    assert rows.to_pylist()[0] == {"region": "r0", "total": 41_666.5}
    assert not (tmp_path / "copies").exists()
    engine.close()


def test_a_small_table_is_sent_to_a_server_that_does_not_see_the_file(
    spark: SparkServer,
    spark_places: dict[str, Place],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "_uri", lambda path: f"file:///elsewhere{path}")
    engine = SparkEngine(spark.address, tmp_path / "copies")
    place = Place(engine, spark_places["spark"].sources)
    sql = "SELECT order_id, ordered_at, price FROM orders"
    assert place.ask(sql).to_pylist() == spark_places["duckdb"].ask(sql).to_pylist()
    engine.close()
    capped = SparkEngine(spark.address, tmp_path / "copies", upload_bytes=100)
    with pytest.raises(AssayError, match="does not see the file of orders"):
        Place(capped, spark_places["spark"].sources).ask(sql)
    capped.close()


def test_a_server_that_is_not_there_is_told(spark_places: dict[str, Place], tmp_path: Path) -> None:
    engine = SparkEngine("sc://127.0.0.1:1", tmp_path)
    with pytest.raises(AssayError) as away:
        Place(engine, spark_places["spark"].sources).ask("SELECT 1 AS one")
    assert away.value.reason is ENGINE_UNAVAILABLE
    assert "127.0.0.1:1" in away.value.message


def test_a_killed_server_is_told_and_used_again_when_it_is_back(
    spark: SparkServer, spark_places: dict[str, Place]
) -> None:
    place = spark_places["spark"]
    place.ask("SELECT count(*) FROM orders")
    killer = threading.Timer(2.0, spark.kill)
    killer.start()
    started = time.monotonic()
    with pytest.raises(AssayError) as away:
        place.ask(ENDLESS, seconds=60.0)
    killer.join()
    assert away.value.reason is ENGINE_UNAVAILABLE
    assert time.monotonic() - started < SOON + 20
    spark.start()
    assert place.ask("SELECT count(*) AS n FROM orders").to_pylist() == [{"n": 120}]
