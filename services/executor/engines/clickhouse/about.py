"""ClickHouse servers, asked over HTTP."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="clickhouse",
    product="ClickHouse",
    schemes=frozenset({"clickhouse"}),
    port="8443",
    database="services.executor.engines.clickhouse.database",
    needs={"clickhouse_connect": "clickhouse"},
)
