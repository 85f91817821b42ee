"""CSV, JSON, Parquet and folders, as they are in the wild."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import DataSource, ReaderOptions
from services.executor.sources.library import SourceLibrary
from services.executor.sources.limits import ReadingLimits
from tests.unit.executor.source_help import PROCESSES, ask, open_file, open_text, types_of

LATE_CODE = "a,b\n" + "".join(f"{i + 1},{i}\n" for i in range(30_000)) + "X17,5\n"


def test_types_are_found(tmp_path: Path) -> None:
    content = "n,x,yes,day,at,word\n1,1.5,true,2020-01-31,2020-01-31 10:00:00,a\n"
    assert types_of(open_text(tmp_path, "t.csv", content)) == {
        "n": "BIGINT",
        "x": "DOUBLE",
        "yes": "BOOLEAN",
        "day": "DATE",
        "at": "TIMESTAMP",
        "word": "VARCHAR",
    }


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, separator: str) -> None:
    content = f"a{separator}b\n1{separator}x\n2{separator}y\n"
    assert types_of(open_text(tmp_path, "t.csv", content)) == {"a": "BIGINT", "b": "VARCHAR"}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_line_ending_will_do(tmp_path: Path, newline: str) -> None:
    assert open_text(tmp_path, "t.csv", newline.join(["a,b", "1,2", "3,4", ""])).rows == 2


@pytest.mark.parametrize(
    ("codec", "note"),
    [("utf-8", ""), ("utf-8-sig", ""), ("utf-16", "utf-16"), ("cp1252", "Windows-1252")],
)
def test_the_encoding_is_found(tmp_path: Path, codec: str, note: str) -> None:
    source = open_text(tmp_path, "t.csv", "name,town\nJosé,Zürich\n".encode(codec))
    assert ask(source, "SELECT name, town FROM t").to_pylist() == [
        {"name": "José", "town": "Zürich"}
    ]
    assert note in " ".join(source.notes)


def test_damaged_utf8_is_refused_with_byte_and_line(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"0xff at offset 16 \(line 3\)") as caught:
        open_text(tmp_path, "t.csv", "name,town\né,b\n".encode() + b"x\xff,y\n")
    assert caught.value.reason is SOURCE_NOT_READABLE


@pytest.mark.parametrize(
    ("line", "name"),
    [("Zürich,4\n", "Zürich"), ("Größe,5\n", "Größe"), ("5 °C – “warm”,6\n", "5 °C – “warm”")],
)
def test_lines_of_another_encoding_among_lines_of_utf8_are_read(
    tmp_path: Path, line: str, name: str
) -> None:
    text = "a,b\nMüller,1\n".encode() + (line * 3).encode("cp1252") + "Köln,2\n".encode()
    source = open_text(tmp_path, "t.csv", text)
    assert ask(source, "SELECT DISTINCT a FROM t ORDER BY 1").to_pylist() == [
        {"a": one} for one in sorted(["Müller", "Köln", name])
    ]
    assert "3 of 6 lines are not UTF-8" in source.notes[0]


def test_a_wanted_encoding_is_used(tmp_path: Path) -> None:
    options = ReaderOptions(encoding="cp437")
    source = open_text(tmp_path, "t.csv", "a\nJosé\n".encode("cp437"), options=options)
    assert ask(source, "SELECT a FROM t").to_pylist() == [{"a": "José"}]


def test_rows_that_do_not_fit_are_counted_and_kept_aside(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n")
    assert (source.rows, source.tables[0].rejected) == (2, 2)
    assert "2 rows do not fit" in source.notes[0]
    assert "line 3" in source.notes[0]
    with duckdb.connect(str(source.database), read_only=True) as connection:
        kept = connection.execute("SELECT line, content FROM _assay_rejected").fetchall()
    assert kept == [(3, "4,5"), (4, "6,7,8,9")]


def test_the_table_of_rejected_rows_is_no_table_of_the_request(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a,b\n1,2\n3\n")
    assert [table.name for table in source.tables] == ["t"]


def test_codes_after_thousands_of_numbers_make_a_text_column(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", LATE_CODE)
    assert types_of(source) == {"a": "VARCHAR", "b": "BIGINT"}
    assert source.rows == 30_001
    assert "column a has mixed types; kept as text: 1 of 30,001" in source.notes[0]
    assert source.notes[0].endswith('first "X17" in line 30,002')


def test_a_word_after_thousands_of_numbers_is_kept_aside(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", LATE_CODE.replace("X17", "closed"))
    assert types_of(source) == {"a": "BIGINT", "b": "BIGINT"}
    assert (source.rows, source.tables[0].rejected) == (30_001, 0)
    assert source.notes == (
        'column a has 1 cell that is no such value and kept aside, first "closed" in line 30,002',
    )
    with duckdb.connect(str(source.database), read_only=True) as connection:
        kept = connection.execute(
            "SELECT line, column_name, content FROM _assay_rejected"
        ).fetchall()
    assert kept == [(30_002, "a", "closed")]


@pytest.mark.parametrize(("word", "aside"), [("inf", 1), ("nan", 0)])
def test_words_that_casts_take_for_numbers_are_none(tmp_path: Path, word: str, aside: int) -> None:
    rows = "".join(f"{n}.5,1\n" for n in range(5_000))
    source = open_text(tmp_path, "t.csv", f"a,b\n{rows}{word},2\n{rows}")
    assert types_of(source) == {"a": "DOUBLE", "b": "BIGINT"}
    assert ask(source, "SELECT count(a) AS n FROM t").to_pylist() == [{"n": 10_000}]
    assert sum("column a has 1 cell" in note for note in source.notes) == aside


def test_a_number_too_large_for_any_is_no_number(tmp_path: Path) -> None:
    rows = "".join(f"{n}.5,1\n" for n in range(5_000))
    source = open_text(tmp_path, "t.csv", f"a,b\n{rows}1e999,2\n")
    assert types_of(source)["a"] == "VARCHAR"
    assert 'first "1e999" in line 5,002' in source.notes[0]


def test_a_fraction_after_thousands_of_whole_numbers_is_not_rounded(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", LATE_CODE.replace("X17", "1.5"))
    assert types_of(source) == {"a": "DOUBLE", "b": "BIGINT"}
    assert ask(source, "SELECT max(a % 1) AS rest FROM t").to_pylist() == [{"rest": 0.5}]


def test_a_time_after_thousands_of_days_is_not_cut_off(tmp_path: Path) -> None:
    days = "".join("2024-01-31,1\n" for _ in range(30_000))
    source = open_text(tmp_path, "t.csv", f"at,n\n{days}2024-02-01 10:30:00,2\n")
    assert types_of(source)["at"] == "TIMESTAMP"
    assert str(ask(source, 'SELECT max("at") AS moment FROM t').to_pylist()[0]["moment"]).endswith(
        "10:30:00"
    )


def test_marks_for_missing_values_are_understood_among_numbers(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a,sex\n1,male\nNA,NA\n3,female\n")
    assert types_of(source)["a"] == "BIGINT"
    assert ask(source, "SELECT count(sex) AS n FROM t").to_pylist() == [{"n": 2}]
    assert source.notes == ('read as missing: "NA"',)


def test_a_word_that_could_be_a_mark_stays_where_nothing_says_so(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "country\nNA\nDE\n")
    assert ask(source, "SELECT count(country) AS n FROM t").to_pylist() == [{"n": 2}]


@pytest.mark.parametrize("value", ["01234", "1234567890" * 4])
def test_digits_that_are_names_stay_as_they_are(tmp_path: Path, value: str) -> None:
    source = open_text(tmp_path, "t.csv", f"code,n\n{value},1\n99999,2\n")
    assert ask(source, "SELECT code FROM t WHERE n = 1").to_pylist() == [{"code": value}]


def test_column_names_are_made_unique_and_it_is_said(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a,a,A,,a_2\n1,2,3,4,5\n")
    assert list(types_of(source)) == ["a", "a_3", "A_4", "column_4", "a_2"]
    assert len(source.notes) == 3


def test_two_thousand_columns_are_read(tmp_path: Path) -> None:
    header = ",".join(f"c{i}" for i in range(2_000))
    source = open_text(tmp_path, "t.csv", header + "\n" + ",".join(["1"] * 2_000) + "\n")
    assert len(source.tables[0].columns) == 2_000


def test_columns_without_any_value_are_kept(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a,b\n1,\n2,\n")
    assert ask(source, "SELECT count(b) AS n, count(*) AS rows FROM t").to_pylist() == [
        {"n": 0, "rows": 2}
    ]


def test_years_can_be_column_names(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "country,1997,1998\nFrance,1,2\n")
    assert list(types_of(source)) == ["country", "1997", "1998"]


def test_a_file_without_header_gets_names_and_a_note(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "1,2\n3,4\n")
    assert list(types_of(source)) == ["column_1", "column_2"]
    assert source.rows == 2
    assert "data, not names" in source.notes[0]


def test_quotes_hold_delimiters_and_line_breaks(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", 'a,b\n"x, y","two\nlines"\n"say ""hi""",2\n')
    assert ask(source, "SELECT a FROM t").column("a").to_pylist() == ["x, y", 'say "hi"']


def test_nested_objects_become_columns(tmp_path: Path) -> None:
    content = '[{"a": 1, "b": {"c": 2, "d": {"e": "x"}}}, {"a": 2}]'
    source = open_text(tmp_path, "t.json", content)
    assert list(types_of(source)) == ["a", "b.c", "b.d.e"]
    assert ask(source, 'SELECT "b.c" FROM t WHERE a = 1').to_pylist() == [{"b.c": 2}]


def test_json_lines_and_types_that_differ_between_lines(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.jsonl", '{"a": 1}\n{"a": "x", "b": true}\n')
    assert types_of(source) == {"a": "VARCHAR", "b": "BOOLEAN"}


def test_an_object_of_arrays_is_several_tables(tmp_path: Path) -> None:
    content = '{"orders": [{"id": 1}, {"id": 2}], "people": [{"name": "x"}], "version": 1}'
    source = open_text(tmp_path, "t.json", content)
    assert {table.name: table.rows for table in source.tables} == {"orders": 2, "people": 1}


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_json_with_a_byte_order_mark_is_read(tmp_path: Path, codec: str) -> None:
    source = open_text(tmp_path, "t.json", '[{"a": "é"}]'.encode(codec))
    assert ask(source, "SELECT a FROM t").to_pylist() == [{"a": "é"}]


def test_malformed_json_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="line 3") as caught:
        open_text(tmp_path, "t.jsonl", '{"a": 1}\n{"a": 2}\n{bad\n')
    assert caught.value.reason is SOURCE_NOT_READABLE


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT 1::TINYINT AS n, DATE '2020-01-01' AS d, 1.5::FLOAT AS f, 2.25::DECIMAL(9, 2) AS m"
    ).write_parquet(str(path))
    assert types_of(open_file(tmp_path, path)) == {
        "n": "BIGINT",
        "d": "DATE",
        "f": "DOUBLE",
        "m": "DECIMAL(9,2)",
    }


def test_a_parquet_bomb_is_stopped_at_its_footer(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    duckdb.sql("SELECT 0 AS x FROM range(3_000_000)").write_parquet(str(path))
    assert path.stat().st_size * 1_000 < 3_000_000 * 8
    library = SourceLibrary(tmp_path, limits=ReadingLimits(unpacked_bytes=10 << 20))
    with pytest.raises(AssayError, match="unpacks to more than") as caught:
        library.open(DataSource(file_path=str(path)))
    assert caught.value.reason is RESOURCE_EXHAUSTED


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_dictionary_bomb_is_stopped_before_it_unpacks(tmp_path: Path, form: str) -> None:
    """One long text, in the file once and in the rows two thousand times."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 2_000, pa.int32()), ["x" * 1_000_000])
    table = pa.table({"n": range(2_000), "remark": texts})
    path = tmp_path / f"bomb.{form}"
    if form == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    assert path.stat().st_size < 2_000_000
    library = SourceLibrary(
        tmp_path, processes=PROCESSES, limits=ReadingLimits(unpacked_bytes=1 << 30)
    )
    with pytest.raises(AssayError, match=r"bomb\..* unpack") as caught:
        library.open(DataSource(file_path=str(path)))
    assert caught.value.reason is RESOURCE_EXHAUSTED


def test_a_folder_is_one_table_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.csv").write_text("x\n1\n")
    (folder / "a.tsv").write_text("x\ty\n1\t2\n")
    (folder / "b.json").write_text('[{"q": 1}]')
    (folder / "readme.md").write_text("not data")
    assert [table.name for table in open_file(tmp_path, folder).tables] == ["a", "a_2", "b"]
