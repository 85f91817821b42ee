"""Trino, asked by its REST protocol."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="trino",
    product="Trino",
    schemes=frozenset({"trino"}),
    port="443",
    database="services.executor.engines.trino.database",
    needs={"trino": "trino"},
)
