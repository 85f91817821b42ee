"""Small tables in DuckDB, described as the executor describes them, and asked as it asks them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime, time
from decimal import Decimal
from functools import cached_property
from typing import Any

import duckdb
import pyarrow
import pyarrow.csv

from services.executor.contract_doubts import doubt_to
from services.executor.contract_facts import facts_to
from services.executor.domain import description
from services.executor.domain.description import (
    ColumnDescription,
    SourceDescription,
    TableDescription,
)
from services.executor.doubts.finding import doubts_in, seen_described
from services.executor.doubts.order import gravest_first
from services.executor.facts.measuring import measured
from services.planner.contract.doubts import doubt_from
from services.planner.contract.facts import facts_from
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
)
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
    Value,
)

_TYPES = {
    "BIGINT": DataType.INTEGER,
    "DOUBLE": DataType.FLOAT,
    "VARCHAR": DataType.STRING,
    "BOOLEAN": DataType.BOOLEAN,
    "DATE": DataType.DATE,
    "TIMESTAMP": DataType.DATETIME,
}


class SmallData:
    """Tables given as CSV texts. The first column of a table is its key where it tells rows apart;
    a column of another table that is called the same refers to it. One whose heading ends with
    ":text" holds texts."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        self._data = duckdb.connect()
        for name, text in tables.items():
            rows = pyarrow.csv.read_csv(io.BytesIO(text.encode()), convert_options=_options(text))
            self._data.register("given", rows)
            self._data.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
            self._data.unregister("given")
            self._typed(name)
        self.catalogue = self._doubted(self._described(list(tables)))

    @cached_property
    def measured(self) -> Catalogue:
        """The catalogue with what the executor measures of these tables."""
        facts = facts_to(measured(_for_executor(self.catalogue), self._asked))
        return self.catalogue.model_copy(update={"facts": facts_from(facts)})

    def _doubted(self, catalogue: Catalogue) -> Catalogue:
        """With what the executor sees in these tables when it reads them."""
        tables = _for_executor(catalogue).tables
        found = [doubt for one in tables for doubt in doubts_in(seen_described(one), self._asked)]
        doubts = tuple(doubt_from(doubt_to(one)) for one in gravest_first(found))
        return catalogue.model_copy(update={"doubts": doubts})

    def _asked(self, sql: str, most: int) -> list[tuple[Any, ...]]:
        return self._data.execute(sql).fetchmany(most)

    async def evidence(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        """What the tables say, as the port promises; a statement that cannot run has failed."""
        return [self._outcome(query.sql) for query in queries]

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement."""
        return self._data.execute(sql).fetchall()

    def sorted(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[object, ...]]:
        """All rows of a statement in an order of their own, with the columns in that of their
        names, numbers to six digits, and midnight as its day."""
        told = self._data.execute(sql, list(params))
        names = [column[0] for column in told.description]
        places = sorted(range(len(names)), key=names.__getitem__)
        rows = (tuple(_plain(row[at]) for at in places) for row in told.fetchall())
        return sorted(rows, key=repr)

    def _typed(self, table: str) -> None:
        for column, kind in self._columns(table):
            name, _, wanted = column.partition(":")
            if wanted or kind.startswith("TIMESTAMP"):
                type_ = "VARCHAR" if wanted else "TIMESTAMP"
                self._data.execute(f'ALTER TABLE "{table}" ALTER "{column}" TYPE {type_}')
            if wanted:
                self._data.execute(f'ALTER TABLE "{table}" RENAME "{column}" TO "{name}"')

    def _outcome(self, sql: str) -> Outcome:
        try:
            rows = self.rows(sql)
        except duckdb.Error as error:
            raise AssertionError(f"a question to the data cannot run: {error}\n{sql}") from error
        glimpse = tuple(tuple(_value(v) for v in row) for row in rows[:3])
        return Outcome(state=ProbeState.OK, rows=len(rows), glimpse=glimpse)

    def _columns(self, table: str) -> list[tuple[str, str]]:
        described = self._data.execute(f'DESCRIBE "{table}"').fetchall()
        return [(row[0], row[1]) for row in described]

    def _described(self, names: list[str]) -> Catalogue:
        tables = [self._table(name) for name in names]
        keys = {t.primary_key[0]: t for t in tables if t.primary_key}
        links = [
            Relationship(
                from_table=t.name, from_column=c.name, to_table=keys[c.name].name, to_column=c.name
            )
            for t in tables
            for c in t.columns
            if c.name in keys and keys[c.name] is not t
        ]
        return Catalogue(tables=tuple(tables), relationships=tuple(links))

    def _table(self, name: str) -> Table:
        count = self._data.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]
        columns = [self._column(name, column, kind) for column, kind in self._columns(name)]
        first = columns[0]
        is_key = first.distinct == count and not first.nulls
        is_key = is_key and first.name.endswith("id")
        if is_key:
            columns[0] = first.model_copy(update={"role": ColumnRole.ID})
        return Table(
            name=name,
            source_name=f"{name}.csv",
            rows=count,
            columns=tuple(columns),
            primary_key=(first.name,) if is_key else (),
        )

    def _column(self, table: str, name: str, kind: str) -> Column:
        quoted = f'"{name}"'
        row = self._data.execute(
            f"SELECT count(DISTINCT {quoted}), count(*) - count({quoted}), min({quoted})::VARCHAR, "
            f'max({quoted})::VARCHAR FROM "{table}"'
        ).fetchall()[0]
        samples = self._data.execute(
            f'SELECT {quoted}::VARCHAR FROM "{table}" WHERE {quoted} IS NOT NULL GROUP BY 1 '
            "ORDER BY count(*) DESC, 1 LIMIT 5"
        ).fetchall()
        data_type = _TYPES[kind.partition("(")[0]]
        return Column(
            name=name,
            data_type=data_type,
            role=_role(name, data_type),
            nullable=row[1] > 0,
            distinct=row[0],
            nulls=row[1],
            minimum=row[2],
            maximum=row[3],
            samples=tuple(sample[0] for sample in samples),
        )


def _for_executor(catalogue: Catalogue) -> SourceDescription:
    tables = tuple(
        TableDescription(
            name=t.name,
            source_name=t.source_name,
            rows=t.rows,
            primary_key=t.primary_key,
            columns=tuple(
                ColumnDescription.model_validate(
                    c.model_dump(include=set(ColumnDescription.model_fields))
                    | {"role": c.role.value, "data_type": c.data_type.value}
                )
                for c in t.columns
            ),
        )
        for t in catalogue.tables
    )
    links = tuple(
        description.Relationship(
            from_table=r.from_table,
            from_column=r.from_column,
            to_table=r.to_table,
            to_column=r.to_column,
        )
        for r in catalogue.relationships
    )
    return SourceDescription(tables=tables, relationships=links, schema_fingerprint="")


def _options(text: str) -> pyarrow.csv.ConvertOptions:
    heading = text.partition("\n")[0].split(",")
    texts = {name: pyarrow.string() for name in heading if name.endswith(":text")}
    return pyarrow.csv.ConvertOptions(strings_can_be_null=True, column_types=texts)


def _role(name: str, kind: DataType) -> ColumnRole:
    if kind in (DataType.DATE, DataType.DATETIME):
        return ColumnRole.TIMESTAMP
    if name.endswith("id"):
        return ColumnRole.ID
    if kind in (DataType.STRING, DataType.BOOLEAN):
        return ColumnRole.DIMENSION
    return ColumnRole.MEASURE


def _value(value: Any) -> Value:
    return float(value) if isinstance(value, Decimal) else value


def _plain(cell: object) -> object:
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date()
    number = float(cell) if isinstance(cell, int | float | Decimal) else None
    return cell if number is None else round(number, 6)
