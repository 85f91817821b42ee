"""SQL of DuckDB's dialect: parsed, laid out for people, and as somebody proposes it."""
