"""What the rows of a table show: means, texts for nothing, and spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import duckdb
import pyarrow as pa
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.domain.description import (
    ColumnDescription,
    ColumnFindings,
    ColumnRole,
    DataType,
    Findings,
    SourceDescription,
    TableDescription,
)
from services.executor.inspecting import Ask, inspected
from services.executor.spreading import spread

TEXT, WHOLE = DataType.STRING, DataType.INTEGER


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@pytest.fixture
def look(connection: duckdb.DuckDBPyConnection) -> Callable[..., Findings]:
    """Looks at tables that were made there; `roles` are of columns that are no dimension."""

    def ask(sql: str, row_limit: int) -> pa.Table:
        rows = connection.sql(sql).to_arrow_table()
        assert rows.num_rows <= row_limit
        return rows

    def run(*tables: str, asking: Ask = ask, **roles: str) -> Findings:
        described = tuple(described_table(connection, name, roles) for name in tables)
        return inspected(SourceDescription(tables=described, schema_fingerprint=""), asking)

    return run


def described_table(
    connection: duckdb.DuckDBPyConnection, name: str, roles: dict[str, str]
) -> TableDescription:
    rows = connection.sql(f'SELECT * FROM "{name}"').to_arrow_table()
    columns = [
        ColumnDescription(
            name=field.name,
            data_type=TEXT if pa.types.is_string(field.type) else WHOLE,
            role=ColumnRole(roles.get(field.name, "dimension")),
            distinct=len(set(rows.column(field.name).drop_null().to_pylist())),
            nulls=rows.column(field.name).null_count,
        )
        for field in rows.schema
    ]
    return TableDescription(name=name, source_name=name, rows=rows.num_rows, columns=tuple(columns))


def test_texts_for_nothing_and_spellings_are_found(
    connection: duckdb.DuckDBPyConnection, look: Callable[..., Findings]
) -> None:
    connection.sql(
        """CREATE TABLE "my table" AS SELECT * FROM (VALUES (1, 'Berlin', 'NA'),
        (2, 'berlin ', 'NA'), (3, 'Rome', 'n/a'), (4, 'Berlin', 'Nadine'), (5, NULL, NULL)
        ) AS v(id, "the ""city"" of", who)"""
    )
    columns = {found.column: found for found in look("my table", id="id").tables[0].columns}
    assert columns['the "city" of'].spellings == (("Berlin", "berlin "),)
    assert dict(columns["who"].missing) == {"NA": 2, "n/a": 1}
    assert set(columns) == {'the "city" of', "who"}, "nothing is told of what has nothing to tell"


def test_texts_for_nothing_are_found_among_many_values(
    connection: duckdb.DuckDBPyConnection, look: Callable[..., Findings]
) -> None:
    connection.sql(
        "CREATE TABLE t AS SELECT CASE WHEN i % 100 = 0 THEN 'NA' ELSE 'tail ' || i END AS tail "
        "FROM range(5000) r(i)"
    )
    assert look("t").tables[0].columns == (ColumnFindings("tail", missing=(("NA", 50),)),)


def test_a_measured_number_has_its_mean(
    connection: duckdb.DuckDBPyConnection, look: Callable[..., Findings]
) -> None:
    connection.sql("CREATE TABLE t AS SELECT i AS id, i * 2 AS n FROM range(5) r(i)")
    (found,) = look("t", id="id", n="measure").tables[0].columns
    assert (found.column, found.mean) == ("n", 4.0)


def test_what_there_is_no_time_for_is_said_and_the_rest_told(
    connection: duckdb.DuckDBPyConnection, look: Callable[..., Findings]
) -> None:
    connection.sql("CREATE TABLE slow AS SELECT 'a' AS x")
    connection.sql("CREATE TABLE quick AS SELECT 'NA' AS y")

    def ask(sql: str, row_limit: int) -> pa.Table:
        if '"slow"' in sql:
            raise ToolError(ErrorCategory.RESOURCE_EXHAUSTED, "no time is left.")
        return connection.sql(sql).to_arrow_table()

    found = look("slow", "quick", asking=ask)
    assert found.unfinished == ("slow",)
    assert dict(found.tables[1].columns[0].missing) == {"NA": 1}


def test_a_caller_who_went_away_ends_it(
    connection: duckdb.DuckDBPyConnection, look: Callable[..., Findings]
) -> None:
    connection.sql("CREATE TABLE t AS SELECT 'a' AS x")

    def ask(sql: str, row_limit: int) -> pa.Table:
        raise ToolError(ErrorCategory.CANCELLED, "gone")

    with pytest.raises(ToolError, match="gone"):
        look("t", asking=ask)


def test_numbers_are_counted_in_spans_that_hold_as_many_whole_ones_each(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    connection.execute("CREATE TABLE t AS SELECT range AS n, range / 4 AS f FROM range(100)")
    columns = [
        ColumnDescription(
            name="n", data_type=WHOLE, role=ColumnRole.MEASURE, minimum="0", maximum="99"
        ),
        ColumnDescription(
            name="f",
            data_type=DataType.FLOAT,
            role=ColumnRole.MEASURE,
            minimum="0.0",
            maximum="24.75",
        ),
        ColumnDescription(
            name="one", data_type=WHOLE, role=ColumnRole.MEASURE, minimum="1", maximum="1"
        ),
    ]
    found = spread("t", columns, lambda sql, _: connection.sql(sql).to_arrow_table().to_pylist())
    assert [one.rows for one in found["n"]] == [5] * 20
    assert (found["n"][0].start, found["n"][-1].end) == ("0", "100")
    assert sum(one.rows for one in found["f"]) == 100 and len(found["f"]) == 20
    assert "one" not in found


def test_days_are_counted_in_whole_days(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        "CREATE TABLE t AS SELECT TIMESTAMP '2024-03-01 06:00' + INTERVAL 1 HOUR * range AS at "
        "FROM range(24 * 25)"
    )
    at = ColumnDescription(
        name="at",
        data_type=DataType.DATETIME,
        role=ColumnRole.TIMESTAMP,
        minimum="2024-03-01T06:00:00",
        maximum="2024-03-26T05:00:00",
    )
    bins = spread("t", [at], lambda sql, _: connection.sql(sql).to_arrow_table().to_pylist())["at"]
    assert [one.rows for one in bins][:3] == [42, 48, 48]
    assert (bins[0].start, bins[0].end, bins[-1].end) == ("2024-03-01", "2024-03-03", "2024-03-27")
