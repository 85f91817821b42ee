"""Databases that speak Arrow Flight SQL; those that are DuckDB run the statement themselves."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="flightsql",
    product="Flight SQL",
    schemes=frozenset({"flightsql"}),
    port="31337",
    database="services.executor.engines.flightsql.database",
    needs={"adbc_driver_flightsql": "flightsql"},
)
