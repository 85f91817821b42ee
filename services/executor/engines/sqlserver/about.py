"""Microsoft SQL Server, whose tables are copied and asked here."""

from services.executor.engines.declared import Declared

ENGINE = Declared(
    name="sqlserver",
    product="SQL Server",
    schemes=frozenset({"mssql", "sqlserver"}),
    port="1433",
    database="services.executor.engines.sqlserver.database",
    needs={"pytds": "sqlserver"},
)
