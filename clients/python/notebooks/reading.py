"""Code that opens the tables of a job's sources with public packages, as they were read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from assay.common.v1.analysis_pb2 import Answer
from assay.common.v1.data_pb2 import DataSource
from clients.python.known_sources import place_of
from clients.python.notebooks.book import literal

_DELIMITED = (".csv", ".tsv", ".txt", ".tab", ".psv")
_JSON = (".json", ".jsonl", ".ndjson")
_TYPES = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "text": "VARCHAR",
}
_OPTIONS = {
    "delimiter": "delim",
    "quote": "quote",
    "escape": "escape",
    "comment": "comment",
    "decimal": "decimal_separator",
    "encoding": "encoding",
}


def tables_of(statements: Iterable[str]) -> list[str]:
    """The tables that statements read, in order, each once."""
    import sqlglot
    from sqlglot import exp

    found: dict[str, None] = {}
    for statement in statements:
        parsed = sqlglot.parse_one(statement, dialect="duckdb")
        own = {one.alias for one in parsed.find_all(exp.CTE)}
        found |= {one.name: None for one in parsed.find_all(exp.Table) if one.name not in own}
    return list(found)


def opening_code(
    table: str, sources: Iterable[DataSource], answer: Answer, uploads: Mapping[str, str]
) -> str:
    """Code that makes a table of that name; where it cannot, code that says what is missing.

    `uploads` are the places of uploaded files, by their ids.
    """
    given = list(sources)
    if folder := _folder_of(table, given):
        return _folder_code(table, folder) or _missing(table, given)
    values = {one.source_name for one in answer.decisions if one.table == table}
    for place, name in _files(given, uploads):
        fits = name in values or _stem(name) == table.lower() or len(given) == 1
        if fits and (code := _file_code(table, place, answer)) is not None:
            return code
    for source in given:
        if source.connection_string.startswith(("sqlite:", "duckdb:")):
            return _database_code(table, source.connection_string)
    return _missing(table, given)


def _missing(table: str, given: Iterable[DataSource]) -> str:
    places = ", ".join(place_of(source) for source in given)
    missing = f"{table} is from {places}: make it with opened.register({table!r}, rows)"
    return f"raise LookupError({missing!r})  # a notebook cannot open it by itself"


def _folder_of(table: str, given: Iterable[DataSource]) -> Path | None:
    """The folder that the table is all of: it has its name, and no file in it has."""
    for source in given:
        path = Path(source.file_path)
        if source.file_path and _stem(path.name) == table.lower() and path.is_dir():
            names = [_stem(entry.name) for entry in path.iterdir() if entry.is_file()]
            return None if table.lower() in names else path
    return None


def _folder_code(table: str, folder: Path) -> str | None:
    """Of parts in Parquet; other folders are tables by records that nothing in a notebook reads."""
    by_records = (folder / "_delta_log").exists() or (folder / "metadata").exists()
    if by_records or next(folder.rglob("*.parquet"), None) is None:
        return None
    path = str(folder).replace("'", "''")
    options = "union_by_name=true, hive_partitioning=true"
    return _made(table, f"read_parquet('{path}/**/*.parquet', {options})")


def _files(sources: Iterable[DataSource], uploads: Mapping[str, str]) -> list[tuple[Path, str]]:
    """The files that are named and what they are called, those of folders too; an uploaded one
    that is gone by its name alone."""
    found: list[tuple[Path, str]] = []
    for source in sources:
        if source.file_path:
            path = Path(source.file_path)
            places = sorted(path.iterdir()) if path.is_dir() else [path]
            found += [(place, place.name) for place in places]
        elif source.file_id and (source.name or source.file_id in uploads):
            place = Path(uploads.get(source.file_id, source.name))
            found.append((place, source.name or place.name))
    return found


def _stem(name: str) -> str:
    return re.sub(r"\W+", "_", name.partition(".")[0].lower())


def _file_code(table: str, place: Path, answer: Answer) -> str | None:
    suffix = next((one.lower() for one in place.suffixes[:1]), "")
    path = str(place).replace("'", "''")
    if suffix in _DELIMITED:
        return _made(table, f"read_csv('{path}'{_csv_options(table, answer)})")
    if suffix in _JSON:
        return _made(table, f"read_json('{path}')")
    if suffix == ".parquet":
        return _made(table, f"read_parquet('{path}')")
    if suffix in (".arrow", ".feather"):
        return f"opened.register({table!r}, pd.read_feather({str(place)!r}));"
    if suffix in (".xlsx", ".xls", ".xlsb", ".ods"):
        return f'opened.register({table!r}, pd.read_excel({str(place)!r}, engine="calamine"));'
    return None


def _made(table: str, source: str) -> str:
    name = table.replace('"', '""')
    statement = f'CREATE TABLE "{name}" AS FROM {source}'
    return f"opened.execute({literal(statement)});"  # of which Jupyter shows nothing


def _csv_options(table: str, answer: Answer) -> str:
    """How a file was read, in DuckDB's words."""
    types: dict[str, str] = {}
    texts: dict[str, str] = defaultdict(str)
    for one in answer.decisions:
        if one.table != table:
            continue
        if one.subject == "types":
            types[one.column] = _TYPES.get(one.value, "VARCHAR")
        elif one.subject in _OPTIONS and one.value:
            texts[_OPTIONS[one.subject]] = _quoted(one.value)
        elif one.subject == "header":
            texts["header"] = one.value
        elif one.subject == "skip_lines":
            texts["skip"] = one.value
        elif one.subject == "missing":
            marks = ["", *one.value.split(", ")]
            texts["nullstr"] = f"[{', '.join(map(_quoted, marks))}]"
    if types:
        pairs = ", ".join(f"{_quoted(name)}: '{kind}'" for name, kind in types.items())
        texts["types"] = f"{{{pairs}}}"
    return "".join(f",\n    {name}={value}" for name, value in texts.items())


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _database_code(table: str, url: str) -> str:
    path = url.partition("://")[2].removeprefix("/").partition("?")[0]
    name = table.replace('"', '""')
    if url.startswith("duckdb:"):
        attached = f"ATTACH IF NOT EXISTS '{path}' AS source (READ_ONLY)"
        made = f'CREATE VIEW "{name}" AS FROM source."{name}"'
        return f"opened.execute({attached!r})\nopened.execute({made!r});"
    select = f'SELECT * FROM "{name}"'
    return (
        "import sqlite3\n"
        f"rows = pd.read_sql({select!r}, sqlite3.connect({path!r}))\n"
        "for name in rows.columns:  # SQLite has no type of days\n"
        "    texts = rows[name].dropna().astype(str)\n"
        "    if rows[name].dtype.kind in 'OTU' and len(texts) and "
        "texts.str.match(r'\\d{4}-\\d\\d-\\d\\d').all():\n"
        "        rows[name] = pd.to_datetime(rows[name])\n"
        f"opened.register({table!r}, rows);"
    )
