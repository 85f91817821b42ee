"""Lists in files: a table of their own, a row for each item, with the key of the row it is of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from services.executor.domain.source import ReaderOptions
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_file, open_text

BOOKS = """{"id": 0, "title": "T0", "tags": ["java", "web"]}
{"id": 1, "title": "T1", "tags": ["java"]}
{"id": 2, "title": "T2", "tags": []}
{"id": 3, "title": "T3", "tags": null}
"""


def shape(source: PreparedSource) -> dict[str, list[str]]:
    return {table.name: [column.name for column in table.columns] for table in source.tables}


def rows(source: PreparedSource, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in ask(source, sql).to_pylist()]


def test_a_list_of_values_is_a_table_with_the_key_of_its_row(tmp_path: Path) -> None:
    source = open_text(tmp_path, "books.jsonl", BOOKS)
    assert shape(source) == {
        "books": ["id", "title"],
        "books_tags": ["books_id", "item_no", "tags"],
    }
    found = rows(source, "SELECT tags, count(*) AS n FROM books_tags GROUP BY tags ORDER BY tags")
    assert found == [("java", 2), ("web", 1)]
    books, tags = source.tables
    assert books.primary_key == ("id",)
    (key,) = tags.foreign_keys
    assert (key.column, key.to_table, key.to_column) == ("books_id", "books", "id")
    assert "books: the lists of tags are the table books_tags, a row for each item" in source.notes


def test_raw_keeps_lists_as_texts(tmp_path: Path) -> None:
    source = open_text(tmp_path, "books.jsonl", BOOKS, options=ReaderOptions(raw=True))
    assert shape(source) == {"books": ["id", "title", "tags"]}
    assert rows(source, "SELECT tags FROM books WHERE id = 1") == [('["java"]',)]


def test_lists_of_objects_and_lists_in_them_are_tables_below(tmp_path: Path) -> None:
    text = """[
      {"order": "A", "lines": [{"sku": "x", "n": 2, "marks": [1, 2]}, {"sku": "y", "n": 1}]},
      {"order": "B", "lines": [{"sku": "x", "n": 5, "marks": [3]}]}
    ]"""
    source = open_text(tmp_path, "sales.json", text)
    assert shape(source) == {
        "sales": ["sales_row", "order"],
        "sales_lines": ["sales_lines_row", "sales_row", "item_no", "sku", "n"],
        "sales_lines_marks": ["sales_lines_row", "item_no", "marks"],
    }
    joined = (
        'SELECT s."order", sum(l.n) AS n FROM sales s JOIN sales_lines l USING (sales_row) '
        'GROUP BY s."order" ORDER BY s."order"'
    )
    assert rows(source, joined) == [("A", 3), ("B", 5)]


def test_parquet_and_arrow_have_them_too(tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "tags": [["a", "b"], ["b"]], "at": [[1.5], []]})
    pq.write_table(table, tmp_path / "t.parquet")
    with (
        pa.OSFile(str(tmp_path / "u.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    for name in ("t.parquet", "u.arrow"):
        source = open_file(tmp_path, tmp_path / name)
        stem = name[0]
        assert shape(source) == {
            stem: ["id"],
            f"{stem}_tags": [f"{stem}_id", "item_no", "tags"],
            f"{stem}_at": [f"{stem}_id", "item_no", "at"],
        }
