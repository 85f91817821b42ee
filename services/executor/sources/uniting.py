"""Tables of one form made one: a file or sheet a month, which people think of as one table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import ReaderOptions, Repair
from services.executor.sources.building import Building
from services.executor.sources.manifest import StoredTable
from services.executor.sources.naming_periods import Grain, Named, after, periods_in
from services.executor.sources.settling import settled
from services.executor.sources.sql import count, literal, quoted, table_name

_FILE_COLUMN = "source_file"
_NUMBERS = ("BIGINT", "DOUBLE", "DECIMAL")
_MOST_COMPARED = 500_000
_SNAPSHOTS = 0.5  # of the rows standing in several files, from which on these are states of one
_OF_PERIODS = re.compile(
    r"(?:days?|weeks?|months?|quarters?|years?|daily|(?:week|month|quarter|year)ly)", re.I
)
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE")


def unite(building: Building, around: str, options: ReaderOptions) -> None:
    """Replace tables from files that have equal column names by one, the types widened, where that
    is asked for or their names are those of periods.

    The column `source_file` says which file a row is from, another the period where no column of
    times says it. Tables that stand alone stay. `around` is what the folder, archive or workbook is
    called.
    """
    groups: dict[tuple[str, ...], list[StoredTable]] = defaultdict(list)
    for table in building.tables:
        if table.file:
            groups[tuple(sorted(column.name for column in table.columns))].append(table)
    several = [tables for tables in groups.values() if len(tables) > 1]
    for tables in several:
        named = periods_in([table.name.removeprefix("t_") for table in tables], around)
        name = _name(tables, named, around, building)
        asked = options.one_table and not options.raw
        doubt = _doubt(building, tables, named, name)
        if asked or settled(doubt, options, building):
            _unite(building, tables, named, name, doubt.said)


def _name(
    tables: Sequence[StoredTable], named: Sequence[Named], around: str, building: Building
) -> str:
    """What the one table is called: as the files are without their periods, else as the folder."""
    columns = {column.name.casefold() for column in tables[0].columns}
    rest = named[0].rest if named else ""
    if rest and rest.casefold() not in columns:
        return table_name(rest)
    if _OF_PERIODS.fullmatch(around):  # "sales by month" speaks of no table called months
        return table_name(f"all_{rest or 'rows'}")
    return table_name(around)


def _doubt(
    building: Building, tables: Sequence[StoredTable], named: Sequence[Named], name: str
) -> Doubt:
    certain = bool(named) and _are_alike(tables) and not _are_snapshots(building, tables)
    rows, first = sum(table.rows for table in tables), tables[0].name
    which = f"{first} to {tables[-1].name}" if len(tables) > 2 else f"{first} and {tables[1].name}"
    return Doubt(
        code="one-form",
        table=first,
        rows=rows,
        share=1.0,
        examples=tuple(table.name for table in tables[:3]),
        said=f"{len(tables)} tables have the same columns, {which}, and may be one",
        changes="whether an answer is of all their rows or of one table's",
        repairs=(Repair(kind="one-table", value="yes"),),
        uses=(Use.ROWS,),
        weight=0.1 if certain else 0.2,
        certain=certain,
    )


def _are_alike(tables: Sequence[StoredTable]) -> bool:
    """Whether columns of one name hold values of one kind."""
    by_name = (sorted(table.columns, key=lambda column: column.name) for table in tables)
    for columns in zip(*by_name, strict=True):
        kinds = {column.type for column in columns}
        numbers = all(kind.startswith(_NUMBERS) for kind in kinds)
        if len(kinds) > 1 and not numbers and not all(kind in _TIMES for kind in kinds):
            return False
    return True


def _are_snapshots(building: Building, tables: Sequence[StoredTable]) -> bool:
    """Whether the same rows stand in several of the tables, as where each is all there was then."""
    rows = sum(table.rows for table in tables)
    if rows > _MOST_COMPARED:
        return False
    names = ", ".join(quoted(column.name) for column in tables[0].columns)
    selects = " UNION ALL ".join(
        f"SELECT DISTINCT {names} FROM {quoted(table.name)}" for table in tables
    )
    again = count(
        building.connection,
        f"SELECT sum(_assay_times) FROM (SELECT count(*) AS _assay_times FROM ({selects}) "
        f"GROUP BY {names} HAVING count(*) > 1)",
    )
    distinct = count(building.connection, f"SELECT count(*) FROM ({selects})")
    return again > _SNAPSHOTS * distinct


def _unite(
    building: Building, tables: Sequence[StoredTable], named: Sequence[Named], name: str, text: str
) -> None:
    """Write the one table; `said` is what is doubted of them, which a look tells but once."""
    names = tuple(column.name for column in tables[0].columns)
    kept = [table for table in building.tables if table not in tables]
    period = _period(building, tables, named)
    selects = " UNION ALL ".join(
        f"SELECT {', '.join(map(quoted, names))}, {literal(table.name)} AS "
        f"{quoted(_free(names, _FILE_COLUMN))}{period[place] if period else ''} "
        f"FROM {quoted(table.name)}"
        for place, table in enumerate(tables)
    )
    path = building.folder / f"united-{tables[0].file}"
    building.write_parquet(building.in_stored_types(name, selects), path)
    for table in tables:
        building.connection.execute(f"DROP VIEW {quoted(table.name)}")
        (building.folder / table.file).unlink()
    building.tables[:] = kept
    united = building.free_name(name)
    building.enter_file(
        united,
        path.name,
        rejected=sum(table.rejected for table in tables),
        comments=_common_comments(tables),
    )
    building.rename({table.name for table in tables}, united)
    building.note(
        f"{text}: {united} holds all their rows, {_free(names, _FILE_COLUMN)} says which one each "
        "is from"
    )


def _period(building: Building, tables: Sequence[StoredTable], named: Sequence[Named]) -> list[str]:
    """SQL for each table: a column with its period; nothing where a column of times says it."""
    if not named or _has_dividing_times(building, tables, named):
        return []
    names = tuple(column.name for column in tables[0].columns)
    column = quoted(_free(names, named[0].grain.value))
    values = []
    for one in named:
        value = literal(one.words)
        if one.first is not None:
            year = one.grain is Grain.YEAR
            value = str(one.first.year) if year else f"DATE {literal(one.first.isoformat())}"
        values.append(f", {value} AS {column}")
    return values


def _has_dividing_times(
    building: Building, tables: Sequence[StoredTable], named: Sequence[Named]
) -> bool:
    """Whether some column of times lies within its period in every table."""
    for column in tables[0].columns:
        if column.type not in _TIMES or any(one.first is None for one in named):
            continue
        name = quoted(column.name)
        within = [
            f"SELECT count(*) FROM {quoted(table.name)} WHERE {name} IS NULL OR {name} < "
            f"DATE '{one.first}' OR {name} >= DATE '{after(one.first, one.grain)}'"
            for table, one in zip(tables, named, strict=True)
            if one.first is not None and any(c.name == column.name for c in table.columns)
        ]
        if not any(count(building.connection, query) for query in within):
            return True
    return False


def _common_comments(tables: Sequence[StoredTable]) -> dict[str, str]:
    """The comments that a column has in every one of the tables."""
    comments = [{(column.name, column.comment) for column in table.columns} for table in tables]
    return dict(set.intersection(*comments))


def _free(names: tuple[str, ...], wanted: str) -> str:
    taken = {name.casefold() for name in names}
    return wanted if wanted not in taken else f"{wanted}_2"
