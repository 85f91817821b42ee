"""What is wider, deeper or larger than a source may be is refused by name, before it costs time."""

from __future__ import annotations

import csv
import gzip
import io
import json
import threading
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mesh.errors import CANCELLED, RESOURCE_EXHAUSTED, AssayError
from mesh.policy import Policy
from services.executor.domain.source import DataSource
from services.executor.engines.workspace import WorkspacePool
from services.executor.sources import relationships
from services.executor.sources.building import Building
from services.executor.sources.describe import Describer
from services.executor.sources.json_shape import check_shape
from services.executor.sources.library import SourceLibrary
from services.executor.sources.likeness import likeness
from services.executor.sources.limits import ReadingLimits
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.sql import unique_names
from tests.thorough import times
from tests.unit.executor.source_help import PROCESSES, open_text


def header(number: int) -> str:
    return ",".join(f"c{i}" for i in range(number))


def opened(folder: Path, path: Path, **limits: int) -> PreparedSource:
    library = SourceLibrary(folder, processes=PROCESSES, limits=ReadingLimits(**limits))
    return library.open(DataSource(file_path=str(path)))


def refusal(folder: Path, path: Path, **limits: int) -> AssayError:
    with pytest.raises(AssayError) as refused:
        opened(folder, path, **limits)
    assert refused.value.reason is RESOURCE_EXHAUSTED
    return refused.value


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, newline="")
    return path


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("equal.csv", ",".join(["a"] * 12_000) + "\n" + ",".join(["1"] * 12_000), "12,000 columns"),
        ("wide.csv", header(100_000) + "\n" + ",".join(["1"] * 100_000), "100,000 columns"),
        ("keys.json", json.dumps([{f"k{i}": i for i in range(60_000)}]), "10,000 different names"),
        (
            "spread.jsonl",
            "".join(json.dumps({f"k{i}": i}) + "\n" for i in range(60_000)),
            "10,000 different names",
        ),
        ("arrays.json", '[{"a":' + "[" * 3_000 + "]" * 3_000 + "}]", "more than 100 deep"),
        ("objects.json", '{"a":' * 3_000 + "1" + "}" * 3_000, "more than 100 deep"),
    ],
)
def test_what_is_too_wide_or_too_deep_is_refused_with_the_limit(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    error = refusal(tmp_path, write(tmp_path, name, text))
    assert told in error.message
    assert "ASSAY_EXECUTOR_" in error.remedy


def test_too_many_columns_are_refused_in_every_format(tmp_path: Path) -> None:
    table = pa.table({f"c{i}": [1] for i in range(11)})
    pq.write_table(table, tmp_path / "t.parquet")
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    nested = pa.table({"s": [{f"c{i}": 1 for i in range(11)}]})
    pq.write_table(nested, tmp_path / "nested.parquet")
    for name in ("t.parquet", "t.arrow", "nested.parquet"):
        error = refusal(tmp_path, tmp_path / name, columns=10)
        assert "11 columns; 10 is the most" in error.message
        assert opened(tmp_path / name.replace(".", "-"), tmp_path / name, columns=11).rows == 1


def test_expressions_of_many_columns_are_not_compared_with_one_another(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        building = Building(connection, "t.csv", tmp_path)
        for columns, off in ((500, ""), (501, "common_subexpressions")):
            building.check_width(columns, some=False)
            found = connection.execute("SELECT current_setting('disabled_optimizers')").fetchone()
            assert found == (off,), "each column is cast twice; planning takes their number's cube"


def test_a_table_just_within_the_limit_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", header(50) + "\n" + ",".join(["1"] * 50) + "\n")
    assert len(opened(tmp_path, path, columns=50).tables[0].columns) == 50


@given(
    st.recursive(
        st.none() | st.text(alphabet='[]{}"\\a\u00e9', max_size=8) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(alphabet='[{"\\:', max_size=4), inner, max_size=3)
        ),
        max_leaves=12,
    ),
    st.booleans(),
)
@settings(max_examples=times(25, 150), deadline=None)
def test_depth_is_that_of_the_parsed_text_whatever_stands_in_its_strings(
    tmp_path_factory: pytest.TempPathFactory, value: Any, ascii_only: bool
) -> None:
    def depth(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth, inner), default=0) if isinstance(value, list | dict) else 0

    path = tmp_path_factory.getbasetemp() / "value.json"
    path.write_text(json.dumps(value, ensure_ascii=ascii_only))
    check_shape(path, "value", ReadingLimits(depth=max(1, depth(value))))
    if depth(value) > 1:
        with pytest.raises(AssayError, match="deep in one another"):
            check_shape(path, "value", ReadingLimits(depth=depth(value) - 1))


def test_strings_and_escapes_across_pieces_of_a_large_text_do_not_count_as_depth(
    tmp_path: Path,
) -> None:
    text = '[{"a": "' + '\\\\\\"[[[{' * 300_000 + '"}]'
    check_shape(write(tmp_path, "t.json", text), "t.json", ReadingLimits(depth=2))


def test_a_compressed_file_is_stopped_early_on_its_way(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(300):
            file.write(b"north,10,20\n" * (1 << 16))
    error = refusal(tmp_path, path)
    assert "100 times as many" in error.message
    assert "ASSAY_EXECUTOR_UNPACKED_TIMES" in error.remedy
    assert "more than 1,048,576 bytes" in refusal(tmp_path, path, unpacked_bytes=1 << 20).message


def test_a_member_that_says_it_is_too_large_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"north,10\n" * (10 << 20))
    assert "a.csv in bomb.zip" in refusal(tmp_path, path).message


def test_equal_names_are_told_apart_in_one_pass() -> None:
    """Trying every number again for every name would take hours."""
    told: list[str] = []
    names = unique_names(["a"] * 100_000 + ["a_5", ""], told.append)
    assert len({name.casefold() for name in names}) == 100_002
    assert names[:2] == ["a", "a_2"]
    assert names[100_000] == "a_5"


def test_columns_of_wide_tables_are_not_all_compared_with_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide, compared = 400, Counter[str]()

    def counting(*arguments: Any) -> float:
        compared["pairs"] += 1
        return likeness(*arguments)

    monkeypatch.setattr(relationships, "likeness", counting)
    names = ",".join(f"thing_{i}_id" for i in range(wide))
    rows = "\n".join(",".join(f"{row}-{i}" for i in range(wide)) for row in range(3))
    sources = [open_text(tmp_path, f"{name}.csv", f"{names}\n{rows}\n") for name in ("a", "b")]
    found = Describer(WorkspacePool(memory_limit="512MB")).describe(sources, Policy())
    assert found.relationships, "equal names with equal values are still found"
    assert compared["pairs"] < 50 * wide, "not the square of the width"


CELLS = st.sampled_from(["alpha", "beta", "x, y", 'say "no"', "two\nlines", "7", "43"])


@given(
    names=st.lists(
        st.sampled_from(["name", "two\nlines", "a\r\nb", 'q"', "x, y"]), min_size=2, max_size=4
    ),
    rows=st.lists(st.tuples(st.sampled_from([0, 0, 0, 0, 1, -1]), CELLS), min_size=4, max_size=25),
    before=st.lists(st.sampled_from(["report of sales", ""]), max_size=2),
    end=st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=times(25, 40), deadline=None)
def test_every_row_is_read_or_counted_whatever_the_header_holds(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    rows: list[tuple[int, str]],
    before: list[str],
    end: str,
) -> None:
    text = io.StringIO(newline="")
    text.write("".join(line + end for line in before))
    writer = csv.writer(text, lineterminator=end)
    writer.writerow([f"{name}{i}" for i, name in enumerate(names)])
    # The first and last rows show what the table is.
    rows = [(0, "alpha"), (0, "beta"), *rows, (0, "alpha"), (0, "beta")]
    # Where most rows have another width than the header, that is the table's.
    assume(2 * sum(1 for more, _ in rows if more) < len(rows))
    for number, (more, cell) in enumerate(rows):
        writer.writerow([f"{cell}{number}", *["v"] * (len(names) - 1 + more)])
    folder = tmp_path_factory.mktemp("header")
    source = opened(folder, write(folder, "t.csv", text.getvalue()))
    (table,) = source.tables
    ragged = sum(1 for more, _ in rows if more)
    assert (table.rows, table.rejected) == (len(rows) - ragged, ragged)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_remarks_and_broken_lines_cost_no_rows_whatever_ends_lines(
    tmp_path: Path, end: str
) -> None:
    rows = [f"k\u00e9{i},{i}" for i in range(300)]
    rows[100:100] = ["# a remark"]
    rows[200:200] = ["# another"]
    content = end.join(["# made today", "name,amount", *rows, ""]).encode()
    path = tmp_path / "t.csv"
    path.write_bytes(content.replace("k\u00e9250".encode(), b"k\xe9250"))
    source = opened(tmp_path, path)
    assert (source.tables[0].rows, source.tables[0].rejected) == (299, 1)


def test_whoever_waits_for_anothers_reading_can_be_cancelled(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a\n1\n")
    library = SourceLibrary(tmp_path, processes=PROCESSES)
    source = DataSource(file_path=str(path))
    digest = library.open(source).digest
    gone = threading.Event()
    gone.set()
    building = library._one_builder(digest, threading.Event(), source)
    with building, pytest.raises(AssayError) as refused:
        library.open(source, gone)
    assert refused.value.reason is CANCELLED


def test_many_columns_of_numbers_with_signs_are_read_within_the_memory(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(300)]
    rows = [",".join(f"{number % 7}.{row} %" for number in range(300)) for row in range(5)]
    path = write(tmp_path, "shares.csv", "\n".join([",".join(names), *rows]))
    table = opened(tmp_path, path).tables[0]
    assert {(column.type, column.comment) for column in table.columns} == {("DOUBLE", "unit: %")}
