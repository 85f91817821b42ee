"""PostgreSQL, where the statement runs in the database that holds the data."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="postgres",
    product="PostgreSQL",
    schemes=frozenset({"postgresql", "postgres"}),
    port="5432",
    database="services.executor.engines.postgres.database",
)
