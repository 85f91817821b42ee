"""DuckDB, embedded: for files, and for whatever no other engine can say."""

from services.executor.engines.declared import Declared

ENGINE = Declared(name="duckdb", product="DuckDB")
