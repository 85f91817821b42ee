from __future__ import annotations

from collections.abc import Iterator

import pytest

from mesh.testing.mariadb import MariadbAbsent, mariadb_server
from mesh.testing.mariadb import fresh_database as fresh_mysql
from mesh.testing.postgres import PostgresAbsent, fresh_database, postgres_server
from mesh.testing.spark import SparkAbsent, SparkServer, spark_server
from services.executor.databases.copying import Copies
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.engines import Engines
from services.executor.engines.flightsql.engine import FlightEngine
from services.executor.engines.mysql.engine import MysqlEngine
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.spark.engine import SparkEngine
from tests.engines import mysql_world
from tests.engines.flight_server import DuckDBFlightServer, flight_server, url_of
from tests.engines.spark_world import shop_without_server
from tests.engines.world import Place, open_database, shop_as_file, uri_of, write_shop
from tests.without import skip_where_unchanged


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    try:
        with postgres_server() as url:
            yield url
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkServer]:
    skip_where_unchanged("spark")
    try:
        with spark_server() as running:
            yield running
    except SparkAbsent as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="session")
def spark_places(
    spark: SparkServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Place]]:
    """The shop as Spark and as DuckDB read it."""
    folder = tmp_path_factory.mktemp("spark")
    shop = shop_without_server(folder)
    engine, duck = SparkEngine(spark.address, folder / "copies"), DuckDBEngine()
    places = {"duckdb": Place(duck, [shop]), "spark": Place(engine, [shop])}
    # A server compiles itself on its first statement, which no test is about.
    places["spark"].ask("SELECT city, count(*) FROM customers GROUP BY city", seconds=120.0)
    yield places
    engine.close()
    duck.close()


@pytest.fixture(scope="session")
def uri(server: str) -> str:
    """A database with the shop in it."""
    place = uri_of(fresh_database(server))
    write_shop(place)
    return place


@pytest.fixture(scope="session")
def places(uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Place]]:
    """Every engine over the same rows; "duckdb" is what the others are compared with."""
    folder = tmp_path_factory.mktemp("engines")
    file = shop_as_file(uri, folder)
    library, database = open_database(uri, folder / "databases")
    duck = DuckDBEngine(processes=QueryProcesses("512MB", 2))
    postgres = PostgresEngine(library.sessions)
    copies = Copies(library.sessions)
    yield {
        "duckdb": Place(duck, [file]),
        "postgres": Place(postgres, [database]),
        "chosen": Place(Engines(duck, {"postgres": postgres}, copies), [database]),
        "copies": Place(Engines(duck, {"postgres": postgres}, copies, forced="duckdb"), [database]),
    }
    duck.close()
    library.close()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[str]:
    skip_where_unchanged("mariadb")
    try:
        with mysql_world.certified() as options, mariadb_server(*options) as url:
            yield url
    except MariadbAbsent as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="session")
def mysql_places(
    mariadb: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Place]]:
    """The shop as MariaDB and as DuckDB read it, and as whoever chooses between them does."""
    folder = tmp_path_factory.mktemp("mysql")
    file = mysql_world.shop_file(folder)
    url = fresh_mysql(mariadb)
    mysql_world.write_shop(url, folder / "shop.duckdb")
    library = DatabaseLibrary(folder / "databases", own_surroundings=True, kept_seconds=0)
    database = library.open(DataSource(connection_string=url))
    duck, copies = DuckDBEngine(), Copies(library.sessions)
    engine = {"mysql": MysqlEngine(library.sessions)}
    yield {
        "duckdb": Place(duck, [file]),
        "mysql": Place(engine["mysql"], [database]),
        "chosen": Place(Engines(duck, engine, copies), [database]),
        "copies": Place(Engines(duck, engine, copies, forced="duckdb"), [database]),
    }
    duck.close()
    library.close()


@pytest.fixture(scope="session")
def flightsql() -> None:
    """Skips where the driver is not installed, or nothing has changed that it is spoken to by."""
    skip_where_unchanged("flightsql")
    pytest.importorskip("adbc_driver_flightsql", reason='needs the extra "flightsql"')


@pytest.fixture(scope="session")
def flight_shop(
    flightsql: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DuckDBFlightServer]:
    """The shop behind a Flight SQL server."""
    folder = tmp_path_factory.mktemp("flight")
    shop_without_server(folder)
    with flight_server(folder / "shop.duckdb") as running:
        yield running


@pytest.fixture(scope="session")
def flight_places(
    flight_shop: DuckDBFlightServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Place]]:
    """The shop as the server and as DuckDB here read it, and as whoever chooses between them."""
    folder = tmp_path_factory.mktemp("flightsql")
    file = shop_without_server(folder)
    library = DatabaseLibrary(folder / "databases", own_surroundings=True, kept_seconds=0)
    database = library.open(DataSource(connection_string=url_of(flight_shop)))
    duck, copies = DuckDBEngine(), Copies(library.sessions)
    engine = {"flightsql": FlightEngine(library.sessions)}
    yield {
        "duckdb": Place(duck, [file]),
        "flightsql": Place(engine["flightsql"], [database]),
        "chosen": Place(Engines(duck, engine, copies), [database]),
        "copies": Place(Engines(duck, engine, copies, forced="duckdb"), [database]),
    }
    duck.close()
    library.close()
