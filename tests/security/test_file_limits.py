"""Files that swell, lie, or are at the limits of data: failure cases 22, 23, 24, 25 and 36."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mesh.errors import (
    RESOURCE_EXHAUSTED,
    SOURCE_EMPTY,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    AssayError,
)
from mesh.tool import ToolFile
from services.executor.sources.library import SourceLibrary
from services.executor.tools.table_write import TableWriteArguments, table_write
from tests.security.file_help import (
    CELLS,
    arrow_file,
    csv_text,
    json_text,
    opened,
    parquet,
    sqlite_file,
)
from tests.unit.executor.source_help import ask, types_of
from tests.unit.executor.workbook_help import workbook
from tests.unit.executor.workbook_kinds_help import ods, ods_cell, ods_row, xls, xlsb

ZEROS = 300 << 20


def zip_bomb() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"a,b\n" + b"0" * ZEROS)
    return sink.getvalue()


def xlsx_bomb() -> bytes:
    return workbook({"Data": "<row><c t='n'><v>1</v></c></row>" * (ZEROS // 32)})


def shared_text_bomb() -> bytes:
    """One long text that is in the workbook once, and in many cells."""
    return workbook({"Data": "<row><c t='s'><v>0</v></c></row>" * 10_000}, shared=["x" * 100_000])


def parquet_bomb(values: pa.Array | None = None) -> bytes:
    sink = io.BytesIO()
    repeated = values or pa.array(["x" * 10_000])
    pq.write_table(pa.table({"a": repeated.take(pa.array([0] * 60_000))}), sink)
    return sink.getvalue()


def lying_page() -> bytes:
    """A page whose header says that it unpacks to 2 GB; the footer knows of 24 kB."""
    sink = io.BytesIO()
    numbers = pa.table({"a": pa.array(range(3_000))})
    pq.write_table(numbers, sink, use_dictionary=False, write_statistics=False)
    content = sink.getvalue()
    # Thrift's compact protocol: field 1, then 2, are 32-bit numbers in zigzag varints.
    size = content.index(b"\x15", 5) + 1
    after = next(i for i in range(size, size + 5) if content[i] < 128) + 1
    return content[:size] + b"\xfe\xff\xff\xff\x0f" + content[after:]


def nested_zip() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.zip", zip_bomb())
    return sink.getvalue()


def arrow_bomb() -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    table = pa.table({"a": pa.array([0] * (ZEROS // 8))})
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def arrow_of(*columns: pa.Array) -> bytes:
    sink = io.BytesIO()
    table = pa.table(list(columns), names=[f"c{i}" for i in range(len(columns))])
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def nulls_in_a_struct() -> pa.Array:
    return pa.StructArray.from_arrays([pa.nulls(10**9)], ["in"])


def nulls_in_a_list() -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array([0, 10**9], pa.int64()), pa.nulls(10**9))


def views_of_one_list() -> pa.Array:
    rows, items = 30_000, 30_000
    offsets, sizes = (pa.array([n] * rows, pa.int32()) for n in (0, items))
    return pa.ListViewArray.from_arrays(offsets, sizes, pa.array(range(items), pa.int32()))


def one_long_run() -> pa.Array:
    return pa.RunEndEncodedArray.from_arrays(pa.array([10**9], pa.int32()), pa.array([1]))


def parquet_of_nothing() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": pa.nulls(50_000_000, pa.int8())}), sink)
    return sink.getvalue()


def far_cells() -> bytes:
    """A sheet of two cells, a million rows and as many columns as there may be apart."""
    return workbook(
        {
            "Data": "<row r='1'><c r='A1'><v>1</v></c></row>"
            "<row r='1048576'><c r='XFD1048576'><v>2</v></c></row>"
        }
    )


def far_rows() -> bytes:
    """As far, but only rows say where they are."""
    return workbook(
        {"Data": "<row r='1'><c r='XFD1'><v>1</v></c></row><row r='1048576'><c><v>2</v></c></row>"}
    )


def elsewhere(content: bytes) -> bytes:
    """A workbook whose sheet has another name, place and prefix, and as many spaces as it likes."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(sink, "w") as new:
        for name in old.namelist():
            part = old.read(name).replace(b"worksheets/sheet1.xml", b"data.xml")
            if name == "xl/worksheets/sheet1.xml":
                for element in (b"worksheet", b"sheetData", b"row", b"c", b"v"):
                    for end in (b" ", b">"):
                        part = part.replace(
                            b"<" + element + end, b"<x:" + element + b"\n" * 99 + end
                        )
                    part = part.replace(b"</" + element + b">", b"</x:" + element + b">")
                name, part = "xl/data.xml", part.replace(b"xmlns=", b"xmlns:x=")
            new.writestr(name, part)
    return sink.getvalue()


def ods_of(*rows: str) -> bytes:
    return ods({"Data": "".join(rows)})


FAR = 1_000_000
NUMBER, NOTHING = ods_cell(1), ods_cell(None, times=16_383)


@pytest.mark.parametrize(
    ("name", "bomb"),
    [
        ("t.xlsx", far_rows),
        ("t.xlsx", lambda: elsewhere(far_cells())),
        (
            "t.xlsx",
            lambda: workbook(
                {
                    f"S{i}": "<row r='1'><c r='A1'><v>1</v></c></row><row "
                    "r='1048576'><c r='D1048576'><v>2</v></c></row>"
                    for i in range(9)
                }
            ),
        ),
        ("t.xlsb", lambda: xlsb({"Data": [(0, 0, 1.0), (FAR, 16_383, 2.0)]})),
        ("t.xlsb", lambda: xlsb({"Data": [(0, 0, 1.0), (0, 2**31, 2.0)]})),
        ("t", lambda: xlsb({"Data": [(0, 0, 1.0), (FAR, 16_383, 2.0)]})),
        ("t.xlsb", lambda: xlsb({"Data": [(i, 0, "@0") for i in range(9_999)]}, ["x" * 100_000])),
        ("t.ods", lambda: ods_of(ods_row(NOTHING, NUMBER), ods_row(NOTHING, NUMBER, times=FAR))),
        ("t.ods", lambda: ods_of(ods_row(NOTHING, NUMBER), ods_row(NUMBER, times=FAR))),
        (
            "t.ods",
            lambda: ods_of(
                ods_row(NUMBER), ods_row(ods_cell(None), times=FAR), ods_row(NOTHING, NUMBER)
            ),
        ),
        ("t.ods", lambda: ods_of(ods_row(ods_cell(1, times=10**10)))),
        ("t.ods", lambda: ods_of(ods_row(ods_cell("x" * 100_000, times=100), times=100))),
        ("t.ods", lambda: ods_of(ods_row(ods_cell("x", extra='<text:s text:c="9999999999"/>')))),
        ("t.xls", lambda: xls({"Data": [(0, 0, 1.0), (65_535, 65_535, 2.0)]})),
        ("t.xls", lambda: xls({f"S{i}": [(0, 0, 1.0), (65_535, 40, 2.0)] for i in range(9)})),
        ("t.arrow", lambda: arrow_of(pa.nulls(10**9))),
        ("t.arrow", lambda: arrow_of(*[pa.nulls(10**7)] * 100)),
        ("t.arrow", lambda: arrow_of(nulls_in_a_struct())),
        ("t.arrow", lambda: arrow_of(nulls_in_a_list())),
        ("t.arrow", lambda: arrow_of(views_of_one_list())),
        ("t.arrow", lambda: arrow_of(one_long_run())),
        ("t.parquet", parquet_of_nothing),
        ("t.xlsx", far_cells),
        ("t.csv.gz", lambda: gzip.compress(b"a,b\n" + b"0" * ZEROS, 9)),
        ("t.csv.bz2", lambda: bz2.compress(b"a,b\n" + b"0" * ZEROS)),
        ("t.csv.xz", lambda: lzma.compress(b"a,b\n" + b"0" * ZEROS, preset=1)),
        ("t.zip", zip_bomb),
        ("t.xlsx", xlsx_bomb),
        ("t.xlsx", shared_text_bomb),
        ("t.parquet", parquet_bomb),
        ("t.parquet", lambda: parquet_bomb(pa.array([["x" * 10_000]]))),
        ("t.parquet", lambda: parquet_bomb(pa.array([{"in": {"there": "x" * 10_000}}]))),
        ("t.arrow", arrow_bomb),
    ],
)
def test_bombs_are_stopped_at_the_cap(
    library: SourceLibrary, tmp_path: Path, name: str, bomb: Callable[[], bytes]
) -> None:
    content = bomb()
    assert len(content) * 200 < ZEROS
    with pytest.raises(AssayError) as caught:
        opened(library, tmp_path / name, content)
    assert caught.value.reason in {RESOURCE_EXHAUSTED, SOURCE_NOT_READABLE}
    assert "unpack" in caught.value.message
    left = sum(f.stat().st_size for f in (tmp_path / "home").rglob("*") if f.is_file())
    assert left == 0


def test_rows_and_cells_that_stand_for_nothing_take_nothing(
    library: SourceLibrary, tmp_path: Path
) -> None:
    """Office programs fill a sheet up to its last row and column with repeated empty cells."""
    names = ods_row(ods_cell("name"), ods_cell("n"), ods_cell(None, times=16_382))
    rest = ods_row(ods_cell(None, times=16_384), times=1_048_000)
    content = ods_of(names, ods_row(ods_cell("a"), NUMBER, times=300), rest)
    source = opened(library, tmp_path / "t.ods", content)
    assert (types_of(source), source.rows) == ({"name": "VARCHAR", "n": "BIGINT"}, 300)


@pytest.mark.parametrize(("name", "maker"), [("t.parquet", lying_page), ("t.zip", nested_zip)])
def test_what_lies_about_its_size_or_hides_an_archive_is_refused(
    library: SourceLibrary, tmp_path: Path, name: str, maker: Callable[[], bytes]
) -> None:
    with pytest.raises(AssayError) as caught:
        opened(library, tmp_path / name, maker())
    assert caught.value.reason in {SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, RESOURCE_EXHAUSTED}
    assert not [f for f in (tmp_path / "home").rglob("*") if f.is_file()]


@pytest.mark.parametrize(
    "name",
    [
        "../../escape.csv",
        "/etc/passwd.csv",
        "a\0b.csv",
        "..\\..\\x.csv",
        "\u202egpj.csv",
        "e\u0301.csv",
        "CON.csv",
        " .csv",
        "x" * 300 + ".csv",
        "${HOME}.csv",
        "a\nb.csv",
    ],
)
def test_odd_names_are_labels_and_never_places(
    library: SourceLibrary, tmp_path: Path, name: str
) -> None:
    before = {path for path in tmp_path.parent.iterdir()}
    source = opened(library, tmp_path / "stored", b"a,b\n1,2\n", name=name)
    assert source.tables[0].name.replace("_", "a").isidentifier()
    assert source.database.is_relative_to(tmp_path / "home")
    assert {path for path in tmp_path.parent.iterdir()} == before
    assert ask(source, f'SELECT a FROM "{source.tables[0].name}"').num_rows == 1


def test_members_of_an_archive_stay_inside(library: SourceLibrary, tmp_path: Path) -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name in ("../../escape.csv", "/abs.csv", "dir/..\\..\\win.csv", "link.csv"):
            archive.writestr(name, "a,b\n1,2\n")
    source = opened(library, tmp_path / "t.zip", sink.getvalue())
    assert [table.name for table in source.tables] == ["escape", "abs", "win", "link"]
    assert not (tmp_path.parent / "escape.csv").exists()
    assert not Path("/abs.csv").exists()


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("t.csv", parquet),
        ("t.json", arrow_file),
        ("t.parquet", csv_text),
        ("t.arrow", parquet),
        ("t.xlsx", csv_text),
        ("t.sqlite", json_text),
        ("t.csv", lambda: workbook({"Data": CELLS})),
        ("t.parquet", sqlite_file),
        ("t.csv", lambda: b"\x89PNG\r\n\x1a\n" + bytes(99)),
        ("t.csv", lambda: b"%PDF-1.7\n"),
        ("t.csv", lambda: b"<html><body>404</body></html>"),
        ("t.xlsx", lambda: zip_of("word/document.xml")),
    ],
)
def test_a_name_that_contradicts_the_content_is_refused(
    library: SourceLibrary, tmp_path: Path, name: str, maker: Callable[[], bytes]
) -> None:
    with pytest.raises(AssayError) as caught:
        opened(library, tmp_path / name, maker())
    assert caught.value.reason in {SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED}


def zip_of(member: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(member, "x")
    return sink.getvalue()


FORMULAS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "harmless", "a=b", None]


def test_formulas_are_neutralised_in_the_csv_and_nowhere_else(
    library: SourceLibrary, tmp_path: Path
) -> None:
    frame = pa.table({"=cmd": FORMULAS, "amount": [-1.5] * len(FORMULAS)})

    context = SimpleNamespace(inputs={"step": frame})
    result = table_write.run(TableWriteArguments(), context)
    file: ToolFile = result.files[0]
    lines = file.content.decode()
    for cell in FORMULAS[:6]:
        assert f'"\'{cell}"' in lines
    assert '"\'=cmd"' in lines
    assert '"harmless",-1.5' in lines
    assert frame.column(0).to_pylist() == FORMULAS
    assert "7 " in result.notes[0]
    source = opened(library, tmp_path / "t.csv", b"a,b\n=1+1,1\n@x,2\n")
    assert [row["a"] for row in ask(source, "SELECT a FROM t").to_pylist()] == ["=1+1", "@x"]


@pytest.mark.parametrize(
    ("content", "types", "rows"),
    [
        (b"a,b\n1,2\n", {"a": "BIGINT", "b": "BIGINT"}, 1),
        (b"a\n1\n2\n", {"a": "BIGINT"}, 2),
        (
            b"a,b\n,\n,\n1,\n",
            {"a": "BIGINT", "b": "VARCHAR"},
            1,
        ),  # lines of delimiters alone are no rows
        (b"a,a,a\n1,2,3\n", {"a": "BIGINT", "a_2": "BIGINT", "a_3": "BIGINT"}, 1),
        (b"a,b\n1,x\ny7,2\n", {"a": "VARCHAR", "b": "VARCHAR"}, 2),
        (b"n,m\n1234567890123456789012345,1\n2,2\n", {"n": "DECIMAL(38,0)", "m": "BIGINT"}, 2),
        ("n,m\nJosé,1\n".encode("cp1252"), {"n": "VARCHAR", "m": "BIGINT"}, 1),
    ],
)
def test_data_at_its_limits_is_read_as_it_is(
    library: SourceLibrary, tmp_path: Path, content: bytes, types: dict[str, str], rows: int
) -> None:
    source = opened(library, tmp_path / "t.csv", content)
    assert (types_of(source), source.rows) == (types, rows)


@pytest.mark.parametrize("empty", [b"", b"\n\n", b"a,b\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_data_without_rows_is_said_to_be_empty(
    library: SourceLibrary, tmp_path: Path, empty: bytes
) -> None:
    with pytest.raises(AssayError) as caught:
        opened(library, tmp_path / "t.csv", empty)
    assert caught.value.reason is SOURCE_EMPTY


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "arrow"])
def test_two_thousand_columns_are_read(library: SourceLibrary, tmp_path: Path, kind: str) -> None:
    table = pa.table({f"c{i}": [i, i + 1] for i in range(2_000)})
    sink = io.BytesIO()
    if kind == "csv":
        lines = [
            ",".join(table.column_names),
            *(",".join(map(str, r.values())) for r in table.to_pylist()),
        ]
        sink.write("\n".join(lines).encode())
    elif kind == "parquet":
        pq.write_table(table, sink)
    elif kind == "json":
        sink.write(json.dumps(table.to_pylist()).encode())
    else:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    source = opened(library, tmp_path / f"t.{kind}", sink.getvalue())
    assert len(source.tables[0].columns) == 2_000
    assert ask(source, "SELECT c1999 FROM t").to_pylist() == [{"c1999": 1_999}, {"c1999": 2_000}]


def test_nulls_huge_numbers_and_twin_names_in_arrow_and_parquet(
    library: SourceLibrary, tmp_path: Path
) -> None:
    table = pa.Table.from_arrays(
        [pa.nulls(2), pa.array([2**63, 1], pa.uint64()), pa.array([1.5, None], pa.float16())],
        names=["a", "a", "A"],
    )
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    source = opened(library, tmp_path / "t.arrows", sink.getvalue())
    assert list(types_of(source)) == ["a", "a_2", "A_3"]
    assert ask(source, "SELECT max(a_2) AS m FROM t").to_pylist() == [{"m": float(2**63)}]
