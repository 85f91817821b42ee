"""CSV and TSV: DuckDB's reader, told what to expect, with nothing dropped in silence."""

from __future__ import annotations

from pathlib import Path

import duckdb

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building, count, literal, quoted
from services.executor.sources.csv_dialect import Dialect, read_dialect
from services.executor.sources.encoding import as_utf8

REJECTED_TABLE = "_assay_rejected"
_LONGEST_LINE = 4 << 20
_ATTEMPTS = 4


def read_csv(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store a delimited file as one table.

    A column whose later values do not fit the type of the first 20,000 rows becomes text, with a
    note. Rows with too many or too few fields are counted and kept in `_assay_rejected`. Raises
    AssayError: SOURCE_EMPTY with no rows, SOURCE_NOT_READABLE when no row fits the header.
    """
    text = as_utf8(path, building.label, options.encoding, building.folder)
    if text.note:
        building.note(text.note)
    dialect = read_dialect(text.path, options, building)
    as_text = set(dialect.as_text)
    for column in dialect.as_text:
        building.note(f"{column} holds codes of digits; kept as text")
    try:
        _store(building, table, text.path, dialect, as_text)
    except duckdb.Error:
        # The detection of types gives up where quoting breaks; reading all as text does not, and
        # shows which line it is.
        building.note("types could not be detected; every column is kept as text")
        _store(building, table, text.path, dialect, None)
    rejected = _keep_rejects(building, table)
    stored = building.register(table, rejected=rejected)
    if stored.rows == 0 and rejected == 0:
        raise AssayError(SOURCE_EMPTY, f"{building.label} has a header and no rows.")


def _store(
    building: Building, table: str, path: Path, dialect: Dialect, as_text: set[str] | None
) -> None:
    """Read the file, and again with more columns as text while values do not fit; None is all."""
    for _ in range(_ATTEMPTS):
        building.connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        _drop_rejects(building.connection)
        building.create(table, _query(path, dialect, as_text))
        unfit = _columns_that_do_not_fit(building.connection) - (as_text or set())
        if as_text is None or not unfit:
            return
        for column in sorted(unfit):
            building.note(f"{column} mixes types; kept as text")
        as_text |= unfit


def _query(path: Path, dialect: Dialect, as_text: set[str] | None) -> str:
    names = ", ".join(literal(name) for name in dialect.columns)
    missing = ", ".join(literal(mark) for mark in dialect.missing)
    options = [
        f"delim={literal(dialect.delimiter)}",
        "quote='\"', escape='\"', comment=''",
        f"header={str(dialect.skip == 0 and dialect.header).lower()}, skip={dialect.skip}",
        f"nullstr=[{missing}]",
        f"max_line_size={_LONGEST_LINE}",
        "store_rejects=true, rejects_limit=0",
    ]
    if as_text is None:
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in dialect.columns)
        options.append(f"auto_detect=false, columns={{{columns}}}")
    else:
        options.append(f"names=[{names}]")
        types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in sorted(as_text))
        options += [f"types={{{types}}}"] if types else []
    return f"SELECT * FROM read_csv({literal(str(path))}, {', '.join(options)})"


def _drop_rejects(connection: duckdb.DuckDBPyConnection) -> None:
    for name in ("reject_errors", "reject_scans"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def _columns_that_do_not_fit(connection: duckdb.DuckDBPyConnection) -> set[str]:
    rows = connection.execute(
        "SELECT DISTINCT column_name FROM reject_errors WHERE error_type = 'CAST'"
    ).fetchall()
    return {str(name).strip('"') for (name,) in rows}


def _keep_rejects(building: Building, table: str) -> int:
    connection = building.connection
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {REJECTED_TABLE}"
        "(table_name VARCHAR, line BIGINT, reason VARCHAR, content VARCHAR)"
    )
    connection.execute(
        f"INSERT INTO {REJECTED_TABLE} SELECT {literal(table)}, line, "
        "any_value(error_type)::VARCHAR, any_value(csv_line) "
        "FROM reject_errors GROUP BY line ORDER BY line"
    )
    rejected = count(
        connection, f"SELECT count(*) FROM {REJECTED_TABLE} WHERE table_name = " + literal(table)
    )
    if rejected:
        line, reason = connection.execute(
            f"SELECT line, reason FROM {REJECTED_TABLE} WHERE table_name = {literal(table)} "
            "ORDER BY line LIMIT 1"
        ).fetchall()[0]
        what = str(reason).lower()
        building.note(
            f"{rejected:,} {'row does' if rejected == 1 else 'rows do'} not fit the header and "
            f"{'is' if rejected == 1 else 'are'} kept aside, first line {line:,} ({what})"
        )
        if count(connection, f"SELECT count(*) FROM {quoted(table)}") == 0:
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{building.label}: no row fits the header; the first that fails is line "
                f"{line:,} ({what}).",
                hint="Set the delimiter, or repair the file.",
            )
    return rejected
