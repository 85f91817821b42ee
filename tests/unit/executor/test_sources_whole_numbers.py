"""Whole numbers keep every digit, from the file to the frame: beyond 53 bits, and beyond 64."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from services.executor.domain.description import ColumnRole, DataType
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_text, rows_of, types_of

WIDE = "DECIMAL(38,0)"
HUGE = 123_456_789_012_345_678_901_234_567_890


def csv(*cells: str) -> str:
    return "n;k\n" + "".join(f"{cell};a\n" for cell in cells)


def lines(*values: object) -> str:
    return "".join(json.dumps({"n": value, "k": "a"}) + "\n" for value in values)


def sums(source: PreparedSource) -> object:
    name = source.tables[0].name
    return ask(source, f"SELECT sum(n) AS s FROM {name} GROUP BY k").to_pylist()[0]["s"]


@pytest.mark.parametrize(
    ("name", "content", "kind", "total"),
    [
        ("t.csv", csv(str(2**60 + 1), "1"), "BIGINT", 2**60 + 2),
        ("t.csv", csv(str(2**63 - 1), "-1"), "BIGINT", 2**63 - 2),
        ("t.csv", csv(str(2**64 - 1), str(2**63), "-7"), WIDE, 2**64 + 2**63 - 8),
        ("t.csv", csv(str(HUGE), "1"), WIDE, HUGE + 1),
        ("t.csv", csv(*map(str, range(30_000)), str(HUGE)), WIDE, HUGE + 449_985_000),
        ("t.csv", csv("9,007,199,254,740,993", "1,000,000"), "BIGINT", 9_007_199_255_740_993),
        ("t.csv", csv("12.345.678.901.234.567.891", "1.000.000"), WIDE, 12345678901235567891),
        ("t.csv", csv("(9007199254740993)", "$5"), "BIGINT", -9_007_199_254_740_988),
        ("t.json", lines(2**53 + 1, 2), "BIGINT", 2**53 + 3),
        ("t.json", lines(2**64 - 1, 1), WIDE, 2**64),
        ("t.json", lines(HUGE, -1, None), WIDE, HUGE - 1),
        ("t.json", json.dumps([{"n": HUGE, "k": "a"}, {"n": 5, "k": "a"}]), WIDE, HUGE + 5),
        ("t.json", json.dumps({"rows": [{"n": HUGE, "k": "a"}] * 2}), WIDE, 2 * HUGE),
    ],
)
def test_no_digit_is_lost(tmp_path: Path, name: str, content: str, kind: str, total: int) -> None:
    source = open_text(tmp_path, name, content)
    assert types_of(source)["n"] == kind
    assert sums(source) == total


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", csv("9" * 39, "1")), ("t.json", lines(int("9" * 39), 1))]
)
def test_what_no_number_holds_is_text_and_said_to_be(
    tmp_path: Path, name: str, content: str
) -> None:
    source = open_text(tmp_path, name, content)
    assert types_of(source)["n"] == "VARCHAR"
    assert rows_of(source)[0]["n"] == "9" * 39
    assert any("column n" in note and "38 digits" in note for note in source.notes), source.notes


def test_wide_numbers_beside_fractions_stay_numbers(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.json", lines(HUGE, 0.5))
    assert types_of(source)["n"] == "DOUBLE"
    assert sums(source) == pytest.approx(HUGE)


def test_wide_numbers_inside_objects_and_lists_keep_their_digits(tmp_path: Path) -> None:
    text = json.dumps([{"o": {"n": HUGE, "f": 0.5}, "l": [1, HUGE]}, {"o": {"n": 1}, "l": []}])
    source = open_text(tmp_path, "t.json", text)
    (row,) = [one for one in rows_of(source) if one["o.f"]]
    assert (row["o.n"], row["o.f"]) == (HUGE, 0.5)
    items = ask(source, "SELECT l FROM t_l ORDER BY item_no").to_pylist()
    assert [item["l"] for item in items] == [1, HUGE]


def test_a_late_fraction_is_not_rounded(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.jsonl", lines(*range(20_500), 1.5))
    assert types_of(source)["n"] == "DOUBLE"
    assert ask(source, "SELECT n FROM t WHERE n <> floor(n)").to_pylist() == [{"n": 1.5}]


def test_parquet_and_arrow_keep_theirs(tmp_path: Path) -> None:
    numbers = [2**64 - 1, 1]
    table = pa.table({"n": pa.array(numbers, pa.uint64()), "k": ["a", "a"]})
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    source = open_text(tmp_path, "t.arrow", sink.getvalue())
    assert (types_of(source)["n"], sums(source)) == (WIDE, 2**64)


def test_a_sum_beyond_64_bits_is_exact(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", csv(str(2**63 - 1), str(2**63 - 2)))
    frame = ask(source, "SELECT sum(n) AS s, avg(n) AS a FROM t")
    assert frame.schema.field("s").type == pa.decimal128(38, 0)
    assert frame.to_pylist()[0]["s"] == Decimal(2**64 - 3)
    assert frame.schema.field("a").type == pa.float64()


def test_wide_numbers_are_described_as_whole_ones(tmp_path: Path) -> None:
    from services.executor.sources.roles import role
    from services.executor.sources.stored_types import data_type

    source = open_text(tmp_path, "t.csv", csv(str(HUGE), "1"))
    table = source.tables[0]
    assert data_type(WIDE) is DataType.INTEGER
    found = table.statistics["n"]
    assert (found.minimum, found.maximum) == ("1", str(HUGE))
    assert role("n", DataType.INTEGER, found, rows=2, is_key=False) is ColumnRole.MEASURE
