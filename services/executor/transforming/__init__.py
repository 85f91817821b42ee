"""The operations of df.transform, each from one relation to the next inside DuckDB."""
