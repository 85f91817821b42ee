"""The tools over a metric give the same frames in PostgreSQL and in Spark as on files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from mesh.testing.postgres import fresh_database
from mesh.testing.spark import SparkServer
from services.executor.databases.copying import Copies
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engines import Engines
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.spark.engine import SparkEngine
from services.executor.metric.arguments import CubeArguments, MarginsArguments, QualityArguments
from services.executor.tools.metric_cube import metric_cube
from services.executor.tools.metric_margins import metric_margins
from services.executor.tools.metric_quality import metric_quality
from tests.engines.metric_world import MetricContext
from tests.engines.spark_world import opened
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place, open_database, run, uri_of

ROWS = (
    "SELECT {day} AS sold_on, {moment} AS sold_at, {text} AS sold_text,"
    " CASE WHEN i % 13 = 0 THEN NULL ELSE CAST(i * 37 % 101 AS double precision) / 4 END AS amount,"
    " CAST(1 + i % 3 AS integer) AS pieces, CAST(i * 13 % 997 AS numeric(10, 2)) AS price,"
    ' \'é\'\'\' || CAST(i % 4 AS varchar) AS "the ""region""", i % 2 = 0 AS online,'
    " CASE WHEN i % 5 > 0 THEN i % 5 END AS grade, i % 700 AS customer FROM {rows}"
)
PERIODS: dict[str, Any] = {
    "baseline": {"start": "2024-01-01", "end": "2024-01-30"},
    "comparison": {"start": "2024-01-31", "end": "2024-02-29"},
}
DIMENSIONS = ['the "region"', "online", "grade", "customer"]


def asked_for(**changes: Any) -> dict[str, Any]:
    return {
        "relation": "SELECT * FROM sales WHERE pieces < ?",
        "params": [9],
        "time": "sold_on",
        "numerator": "amount",
        "denominator": "pieces",
        "dimensions": DIMENSIONS,
        **PERIODS,
        **changes,
    }


def _select(rows: str, day: str, text: str) -> str:
    moment = "TIMESTAMP '2024-01-01 09:30:00' + (i % 60) * INTERVAL '1 day'"
    return ROWS.format(day=day, moment=moment, text=text, rows=rows)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("metric")
    select = _select(
        "range(4000) AS numbers(i)",
        "DATE '2024-01-01' + (i % 60)::INTEGER",
        "strftime(DATE '2024-01-01' + (i % 60)::INTEGER, '%Y-%m-%d')",
    )
    with duckdb.connect(str(folder / "sales.duckdb")) as connection:
        connection.execute(f"CREATE TABLE sales AS {select}")
    return Place(DuckDBEngine(), [opened(folder / "sales.duckdb", folder / "home")])


@pytest.fixture(scope="module")
def database(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Place]]:
    uri = uri_of(fresh_database(server))
    day = "(DATE '2024-01-01' + CAST(i % 60 AS integer))"
    select = _select("generate_series(0, 3999) AS i", day, f"to_char({day}, 'YYYY-MM-DD')")
    run(uri, f"CREATE TABLE sales AS {select}", "ANALYZE")
    library, source = open_database(uri, tmp_path_factory.mktemp("databases"))
    postgres, duck = PostgresEngine(library.sessions), DuckDBEngine()
    yield {
        "postgres": Place(postgres, [source]),
        "chosen": Place(Engines(duck, {"postgres": postgres}, Copies(library.sessions)), [source]),
    }
    library.close()


@pytest.fixture(scope="module")
def lake(
    spark: SparkServer, file: Place, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    engine = SparkEngine(spark.address, tmp_path_factory.mktemp("spark") / "copies")
    place = Place(engine, file.sources)
    # A server compiles itself on its first statement, which no test is about.
    place.ask("SELECT online, count(*) FROM sales GROUP BY online", seconds=300.0)
    yield place
    engine.close()


def margins(place: Place, **changes: Any) -> pa.Table:
    arguments = MarginsArguments(**asked_for(most_values=50, **changes))
    frame = metric_margins.run(arguments, MetricContext(place)).frame
    assert frame is not None
    return frame


def cube(place: Place, **changes: Any) -> pa.Table:
    arguments = CubeArguments(**asked_for(most_cells=2_000, **changes))
    frame = metric_cube.run(arguments, MetricContext(place)).frame
    assert frame is not None
    return frame


def quality(place: Place, **changes: Any) -> pa.Table:
    frame = metric_quality.run(QualityArguments(**asked_for(**changes)), MetricContext(place)).frame
    assert frame is not None
    return frame


@pytest.mark.parametrize("time", ["sold_on", "sold_at"])
def test_margins_are_those_of_files(time: str, file: Place, database: dict[str, Place]) -> None:
    assert_same(margins(file, time=time), margins(database["postgres"], time=time))


@pytest.mark.parametrize("numerator", ["price", "online", "pieces"])
def test_every_kind_of_number_adds_up(
    numerator: str, file: Place, database: dict[str, Place]
) -> None:
    expected = margins(file, numerator=numerator)
    assert_same(expected, margins(database["postgres"], numerator=numerator))


@pytest.mark.parametrize("bucket", ["day", "week", "month"])
def test_leaves_are_those_of_files(bucket: str, file: Place, database: dict[str, Place]) -> None:
    changes = {"bucket": bucket, "history_start": "2023-12-20"}
    assert_same(cube(file, **changes), cube(database["postgres"], **changes))


def test_faults_are_those_of_files(file: Place, database: dict[str, Place]) -> None:
    missing = "SELECT * FROM sales WHERE sold_on NOT IN (DATE '2024-02-06', DATE '2024-02-07')"
    changes: dict[str, Any] = {"relation": missing, "params": []}
    expected = quality(file, **changes)
    assert "missing_days" in expected["check"].to_pylist()
    assert_same(expected, quality(database["postgres"], **changes))


def test_texts_that_are_dates_are_read_over_a_copy(file: Place, database: dict[str, Place]) -> None:
    assert_same(margins(file, time="sold_text"), margins(database["chosen"], time="sold_text"))


def test_spark_gives_the_same(file: Place, lake: Place) -> None:
    assert_same(margins(file), margins(lake))
    changes = {"bucket": "week", "history_start": "2023-12-20"}
    assert_same(cube(file, **changes), cube(lake, **changes))


def test_spark_finds_the_same_faults(file: Place, lake: Place) -> None:
    missing = "SELECT * FROM sales WHERE sold_on NOT IN (DATE '2024-02-06', DATE '2024-02-07')"
    changes: dict[str, Any] = {"relation": missing, "params": []}
    assert_same(quality(file, **changes), quality(lake, **changes))
