"""A random sample of rows is taken alike in files, in PostgreSQL and in Spark."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from mesh.testing.postgres import fresh_database
from mesh.testing.spark import SparkServer
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.spark.engine import SparkEngine
from services.executor.tools.causal_load import LoadArguments, causal_load
from tests.engines.metric_world import MetricContext
from tests.engines.spark_world import opened
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place, open_database, run, uri_of

SELECT = (
    "SELECT i % 700 AS customer, CAST(i * 37 % 101 AS double precision) / 4 AS amount,"
    " 'region ' || CAST(i % 4 AS varchar) AS region, i % 2 = 0 AS online FROM {rows}"
)


def sampled(place: Place) -> pa.Table:
    asked = LoadArguments(relation="SELECT * FROM sales WHERE customer > 5", rows=300, seed=3)
    frame = causal_load.run(asked, MetricContext(place)).frame
    assert frame is not None
    return frame


def of_file(folder: Path) -> Place:
    with duckdb.connect(str(folder / "sales.duckdb")) as connection:
        rows = "range(4000) AS numbers(i)"
        connection.execute(f"CREATE TABLE sales AS {SELECT.format(rows=rows)}")
    return Place(DuckDBEngine(), [opened(folder / "sales.duckdb", folder / "home")])


def test_a_sample_of_a_database_is_that_of_a_file(server: str, tmp_path: Path) -> None:
    uri = uri_of(fresh_database(server))
    rows = "generate_series(0, 3999) AS i"
    run(uri, f"CREATE TABLE sales AS {SELECT.format(rows=rows)}", "ANALYZE")
    library, source = open_database(uri, tmp_path / "databases")
    place = Place(PostgresEngine(library.sessions), [source])
    assert_same(sampled(of_file(tmp_path)), sampled(place))
    library.close()


def test_a_sample_in_spark_is_that_of_a_file(spark: SparkServer, tmp_path: Path) -> None:
    file = of_file(tmp_path)
    engine = SparkEngine(spark.address, tmp_path / "copies")
    place = Place(engine, file.sources)
    place.ask("SELECT online, count(*) FROM sales GROUP BY online", seconds=300.0)
    assert_same(sampled(file), sampled(place))
    engine.close()
