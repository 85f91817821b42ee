"""Vectors of frames: how cells are written, printed and called, and the digests of all types."""

from __future__ import annotations

import datetime as dt
import io
import math
import random
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from mesh.digest import frame_digest
from mesh.frames.encoding import write_plainly
from mesh.proof.claims import cell_text
from mesh.text.spelling import POINTS, shown, spellings


# Cells, and how they are written and printed.
def cell_vectors(folder: Path) -> list[dict[str, Any]]:
    chance = random.Random(7)
    floats = [0.0, -0.0, 0.125, 0.375, 2.5, 1.125, 1.135, 10000.5, 99999.5, 0.3125, 0.1875, 0.9996]
    floats += [0.09994, 0.09996, 9.9996e-5, 1e-5, 1.5e-7, 123.0, 1e15, 1e16, 5e11 + 0.5, math.nan]
    floats += [math.inf, -math.inf, 407.99999999999994, 0.095, 0.0095, 12.345, 0.995, 0.105, 1e300]
    floats += [chance.uniform(-1, 1) * 10.0 ** chance.randrange(-12, 17) for _ in range(400)]
    floats += [chance.randrange(-4000, 4000) / 16 for _ in range(100)]
    decimals: list[Decimal | None] = [
        Decimal(chance.randrange(-(10**9), 10**9)).scaleb(-4) for _ in range(60)
    ]
    decimals += [Decimal("0.0000"), Decimal("12.0000"), Decimal("-0.0001"), None]
    days = [dt.date(1997, 5, 1), dt.date(1970, 1, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31), None]
    moments = [dt.datetime(1997, 5, 1), dt.datetime(1997, 5, 1, 13, 7, 9, 250), None]
    moments += [
        dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
        dt.datetime(2024, 2, 29, 0, 0, 0, 5),
    ]
    columns: list[tuple[str, pa.Array]] = [
        ("float", pa.array(floats)),
        ("float32", pa.array(floats[:40], pa.float32())),
        ("int", pa.array([0, -1, 1_000, -1_234_567, 2**62, 12, 7, None], pa.int64())),
        ("uint", pa.array([2**64 - 1, 5], pa.uint64())),
        ("small", pa.array([-128, 127], pa.int8())),
        ("decimal", pa.array(decimals, pa.decimal128(20, 4))),
        (
            "fine",
            pa.array([Decimal("0E-10"), Decimal("1E-10"), Decimal("3")], pa.decimal128(38, 10)),
        ),
        ("wide", pa.array([Decimal("12.50"), Decimal("-7")], pa.decimal256(50, 2))),
        ("bool", pa.array([True, False, None])),
        (
            "text",
            pa.array(["", "a", "São  Paulo\n x", "1997-05-01", "1997-02-30", "x" * 70, None, "ß"]),
        ),
        ("large", pa.array(["ä", "𝄞b"], pa.large_string())),
        ("coded", pa.array(["b", "a", None, "b"]).dictionary_encode()),
        ("day", pa.array(days)),
        ("moment", pa.array(moments, pa.timestamp("us"))),
        ("second", pa.array([dt.datetime(2001, 2, 3, 4, 5, 6)], pa.timestamp("s"))),
        ("zoned", pa.array([dt.datetime(2001, 2, 3, 4, 5, 6)], pa.timestamp("ms", "UTC"))),
    ]
    return [_cells(folder, name, array) for name, array in columns]


def _cells(folder: Path, name: str, array: pa.Array) -> dict[str, Any]:
    table = pa.table({name: array})
    (folder / f"cells-{name}.arrows").write_bytes(_stream(table))
    rows = []
    for value in table.column(0).to_pylist():
        number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        texts = [shown(value), shown(value, unit="EUR")]
        if number:
            texts += [shown(value, percent=True), shown(value, percent=True, unit=POINTS)]
        rows.append({"text": cell_text(value), "shown": texts, "called": sorted(spellings(value))})
    return {"name": name, "rows": rows}


# Frames of every type and layout, and their digests.
def frame_vectors(folder: Path) -> list[dict[str, Any]]:
    tables = dict(_tables())
    found = []
    for name, table in tables.items():
        written = [_stream(table)]
        plain = io.BytesIO()
        write_plainly(table, plain)
        written.append(plain.getvalue())
        for way, content in enumerate(written):
            file = f"frame-{name}-{way}.arrows"
            (folder / file).write_bytes(content)
            found.append({"file": file, "digest": frame_digest(table), "rows": table.num_rows})
    return found


def _tables() -> Iterable[tuple[str, pa.Table]]:
    chance = random.Random(11)

    def some(values: list[Any]) -> list[Any]:
        return [value if chance.random() < 0.8 else None for value in values * 5]

    numbers = [1, 2, 3, -4, 5, 100, 0]
    for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()):
        yield str(kind), pa.table({"n": pa.array(some(numbers), kind)})
    for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        yield str(kind), pa.table({"n": pa.array(some([1, 2, 250]), kind)})
    half = pa.array(some([1.0, 2.5, math.nan]), pa.float32()).cast(pa.float16())
    yield "half", pa.table({"n": half})
    yield "nan", pa.table({"n": [math.nan, -math.nan, None, 0.0, -0.0, math.inf]})
    yield "null", pa.table({"n": pa.nulls(4)})
    yield "bool", pa.table({"b": some([True, False, True])})
    yield "text", pa.table({"a": some(["x", "", "äö", "𝄞"]), "größe": some(list("bcde"))})
    yield "large", pa.table({"a": pa.array(some(["x", "yy"]), pa.large_string())})
    yield "binary", pa.table({"a": pa.array(some([b"x", b"\xff\x00"]), pa.binary())})
    yield "sized", pa.table({"a": pa.array(some([b"xy", b"\xff\x00"]), pa.binary(2))})
    yield (
        "decimal",
        pa.table({"d": pa.array(some([Decimal("1.25"), Decimal("-3")]), pa.decimal128(9, 2))}),
    )
    yield "decimal256", pa.table({"d": pa.array(some([Decimal("1.25")]), pa.decimal256(60, 2))})
    days = some([dt.date(1997, 5, 1), dt.date(1960, 1, 2)])
    yield "days", pa.table({"a": pa.array(days, pa.date32()), "b": pa.array(days, pa.date64())})
    stamps = some([dt.datetime(1997, 5, 1, 3), dt.datetime(1960, 1, 2)])
    for unit in ("s", "ms", "us", "ns"):
        zoned = pa.array(stamps, pa.timestamp(unit, "Europe/Berlin"))
        spans = pa.array(some([5, 6]), pa.int64()).cast(pa.duration(unit))
        yield f"stamps-{unit}", pa.table({"a": pa.array(stamps, pa.timestamp(unit)), "b": zoned})
        yield f"spans-{unit}", pa.table({"a": spans})
    times = some([dt.time(3, 4, 5)])
    yield (
        "times",
        pa.table({"a": pa.array(times, pa.time32("s")), "b": pa.array(times, pa.time64("us"))}),
    )
    lists = some([[1, 2], [], [None, 3]])
    yield "lists", pa.table({"a": lists, "b": pa.array(lists, pa.large_list(pa.int64()))})
    yield "pairs", pa.table({"a": pa.array(some([[1, 2], [3, None]]), pa.list_(pa.int64(), 2))})
    yield "structs", pa.table({"a": some([{"x": 1, "y": "b"}, {"x": None, "y": "c"}])})
    yield "deep", pa.table({"a": some([[{"x": [1]}], [], [{"x": None}, {"x": [2, 3]}]])})
    maps = pa.map_(pa.string(), pa.int32())
    yield "maps", pa.table({"a": pa.array(some([[("k", 1)], [], [("l", None), ("m", 2)]]), maps)})
    yield "coded", pa.table({"a": pa.array(some(["x", "y"])).dictionary_encode()})
    yield "none", pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
    yield "nothing", pa.table({})
    parts = pa.table({"n": some(numbers), "t": some(list("abcdefg"))})
    yield "parts", pa.concat_tables([parts.slice(0, 3), parts.slice(3, 9), parts.slice(12)])
    many = pa.table({"n": [None if n % 7 == 0 else n for n in range(70_000)]})
    yield "many", many


def _stream(table: pa.Table) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()
