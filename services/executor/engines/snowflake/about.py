"""Snowflake, asked through ADBC."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="snowflake",
    product="Snowflake",
    schemes=frozenset({"snowflake"}),
    port="443",
    database="services.executor.engines.snowflake.database",
    needs={"adbc_driver_snowflake": "snowflake"},
)
