"""Folders that are one table: parts, and keys in the names of folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import DataSource
from services.executor.sources.lake.folders import Layout, layout_of
from services.executor.sources.lake.keys import type_of
from services.executor.sources.library import SourceLibrary
from services.executor.sources.limits import ReadingLimits
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import PROCESSES, ask, open_file, rows_of, types_of


def write(path: Path, **columns: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def only(source: PreparedSource) -> str:
    (table,) = source.tables
    return table.name


def test_folders_of_keys_are_one_table_with_the_keys_as_columns(tmp_path: Path) -> None:
    for year, month, amount in ((2024, 1, 10.0), (2024, 12, 20.0), (2025, 1, 40.0)):
        file = tmp_path / "sales" / f"year={year}" / f"month={month:02}" / "part-0.parquet"
        write(file, amount=[amount, 1.0], shop=["a", "b"])
    (tmp_path / "sales" / "_SUCCESS").touch()
    (tmp_path / "sales" / "year=2024" / "._part.crc").write_bytes(b"no data")

    sales = open_file(tmp_path, tmp_path / "sales")
    assert only(sales) == "sales"
    expected = {"amount": "DOUBLE", "shop": "VARCHAR", "year": "BIGINT", "month": "BIGINT"}
    assert types_of(sales) == expected
    answer = ask(sales, "SELECT year, sum(amount) AS s FROM sales GROUP BY 1 ORDER BY 1")
    assert answer.to_pylist() == [{"year": 2024, "s": 32.0}, {"year": 2025, "s": 41.0}]
    told = "the rows of 3 files are one table; year and month come from the names of its folders"
    assert told in sales.notes


def test_a_folder_of_numbered_parts_is_one_table_whatever_columns_a_part_lacks(
    tmp_path: Path,
) -> None:
    write(tmp_path / "orders" / "part-00000-c0ffee.snappy.parquet", id=[1, 2])
    write(tmp_path / "orders" / "part-00001-c0ffee.snappy.parquet", id=[3], note=["late"])
    orders = open_file(tmp_path, tmp_path / "orders")
    assert only(orders) == "orders"
    assert rows_of(orders) == [
        {"id": 1, "note": None},
        {"id": 2, "note": None},
        {"id": 3, "note": "late"},
    ]


@pytest.mark.parametrize(
    ("names", "layout"),
    [
        (["a.parquet", "b.parquet"], None),
        (["2023.parquet", "2024.parquet"], None),
        (["data_2023.parquet", "data_2024.parquet"], None),
        (["part-0.csv", "part-1.csv"], None),
        (["0.parquet", "1.parquet"], Layout.PARTS),
        (["data_0.parquet", "data_1.parquet", "_metadata"], Layout.PARTS),
        (["80c8fd06-95a2-4d09-9da6-6f2a2b9b3b5c-0.parquet"], Layout.PARTS),
        (["year=2024/anything.csv"], Layout.PARTS),
        (["sub/a.parquet"], None),
        (["_delta_log/00000000000000000000.json", "x.parquet"], Layout.DELTA),
        (["_delta_log/readme.json"], None),
        (["metadata/v1.metadata.json", "data/x.parquet"], Layout.ICEBERG),
        (["metadata/notes.json"], None),
    ],
)
def test_what_makes_a_folder_one_table_is_seen_in_its_names(
    names: list[str], layout: Layout | None
) -> None:
    assert layout_of(names) is layout


def test_a_folder_of_tables_stays_a_table_a_file(tmp_path: Path) -> None:
    write(tmp_path / "shop" / "orders.parquet", id=[1])
    write(tmp_path / "shop" / "customers.parquet", id=[1])
    assert {t.name for t in open_file(tmp_path, tmp_path / "shop").tables} == {
        "orders",
        "customers",
    }


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "12", None], "BIGINT"),
        (["01", "12"], "BIGINT"),
        (["01234", "12345"], "VARCHAR"),
        (["2024-01-31", "2024-02-29"], "DATE"),
        (["2024-02-30"], "VARCHAR"),
        (["n", "1"], "VARCHAR"),
        ([None], "VARCHAR"),
        (["9" * 19], "VARCHAR"),
    ],
)
def test_keys_have_the_type_that_all_their_values_have(values: list[str | None], kind: str) -> None:
    assert type_of(values) == kind


def test_values_of_keys_are_decoded_and_may_hold_signs_of_patterns(tmp_path: Path) -> None:
    places = ["a%2Fb", "x[1]", "q*", "__HIVE_DEFAULT_PARTITION__"]
    for number, value in enumerate(places):
        write(tmp_path / "k=above" / "t" / f"place={value}" / "x[0].parquet", n=[number])
    table = open_file(tmp_path, tmp_path / "k=above" / "t")
    found = ask(table, "SELECT n, place FROM t ORDER BY n").to_pylist()
    assert [row["place"] for row in found] == ["a/b", "x[1]", "q*", None]
    assert set(types_of(table)) == {"n", "place"}, "folders above the data set are none of its keys"


@pytest.mark.parametrize("suffix", ["csv", "json", "csv.gz"])
def test_text_in_folders_of_keys_is_one_table_too(tmp_path: Path, suffix: str) -> None:
    import gzip

    for day, amount in (("2024-01-01", 1.5), ("2024-01-02", 2)):
        text = f"shop,amount\na,{amount}\nb,{amount}\n"
        if suffix == "json":
            text = "\n".join(json.dumps({"shop": s, "amount": amount}) for s in "ab")
        file = tmp_path / "sales" / f"day={day}" / f"x.{suffix}"
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress(text.encode()) if "gz" in suffix else text.encode())
    sales = open_file(tmp_path, tmp_path / "sales")
    assert only(sales) == "sales"
    assert types_of(sales) == {"shop": "VARCHAR", "amount": "DOUBLE", "day": "DATE"}
    total = ask(
        sales, "SELECT day::VARCHAR AS d, sum(amount) AS s FROM sales GROUP BY 1 ORDER BY 1"
    )
    assert total.to_pylist() == [{"d": "2024-01-01", "s": 3.0}, {"d": "2024-01-02", "s": 4.0}]


def test_a_query_that_filters_by_a_key_reads_its_rows_alone(tmp_path: Path) -> None:
    """DuckDB skips the row groups whose statistics leave the key out."""
    for year in range(2020, 2024):
        write(tmp_path / "t" / f"year={year}" / "a.parquet", n=list(range(130_000)))
    table = open_file(tmp_path, tmp_path / "t")
    groups = duckdb.sql(
        "SELECT stats_min_value::BIGINT, stats_max_value::BIGINT FROM parquet_metadata("
        f"'{table.file(table.tables[0])}') WHERE path_in_schema = 'year'"
    ).fetchall()
    touched = [low for low, high in groups if low <= 2021 <= high]
    assert len(groups) >= 4 and len(touched) <= 3, groups


def test_files_that_lie_in_folders_of_other_keys_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "t" / "year=2024" / "a.parquet", n=[1])
    write(tmp_path / "t" / "year=2025" / "month=1" / "a.parquet", n=[1])
    with pytest.raises(
        AssayError, match=r"month=1/a\.parquet lies in folders of year, month"
    ) as caught:
        open_file(tmp_path, tmp_path / "t")
    assert caught.value.reason is SOURCE_NOT_READABLE


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    write(tmp_path / "t" / "year=2024" / "a.parquet", n=[1])
    bad = tmp_path / "t" / "year=2025" / "b.parquet"
    bad.parent.mkdir()
    bad.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(AssayError, match=r"t/year=2025/b\.parquet breaks off") as caught:
        open_file(tmp_path, tmp_path / "t")
    assert caught.value.reason is SOURCE_NOT_READABLE


def test_damage_within_a_part_is_told_with_its_name(tmp_path: Path) -> None:
    write(tmp_path / "t" / "year=2024" / "a.parquet", n=[1])
    bad = tmp_path / "t" / "year=2025" / "b.parquet"
    write(bad, n=[1])
    content = bytearray(bad.read_bytes())
    content[-12:-8] = b"\xff\xff\xff\xff"
    bad.write_bytes(content)
    with pytest.raises(AssayError, match=r"t/year=2025/b\.parquet is not a readable") as caught:
        open_file(tmp_path, tmp_path / "t")
    assert caught.value.reason is SOURCE_NOT_READABLE
    assert str(tmp_path) not in caught.value.message


def test_what_all_parts_unpack_to_is_bounded(tmp_path: Path) -> None:
    for year in range(20):
        write(tmp_path / "t" / f"year={year}" / "a.parquet", n=[1] * 10_000)
    library = SourceLibrary(
        tmp_path, processes=PROCESSES, limits=ReadingLimits(unpacked_bytes=1 << 20)
    )
    with pytest.raises(AssayError, match=r"t has .* bytes and unpacks to more than") as caught:
        library.open(DataSource(file_path=str(tmp_path / "t")))
    assert caught.value.reason is RESOURCE_EXHAUSTED


def test_a_data_set_without_rows_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "t" / "year=2024" / "a.parquet"
    file.parent.mkdir(parents=True)
    pq.write_table(pa.table({"n": pa.array([], pa.int64())}), file)
    with pytest.raises(AssayError, match="t holds no rows") as caught:
        open_file(tmp_path, tmp_path / "t")
    assert caught.value.reason is SOURCE_EMPTY


def test_another_part_is_another_source(tmp_path: Path) -> None:
    write(tmp_path / "t" / "year=2024" / "a.parquet", n=[1])
    before = open_file(tmp_path, tmp_path / "t")
    write(tmp_path / "t" / "year=2025" / "a.parquet", n=[2])
    after = open_file(tmp_path, tmp_path / "t")
    assert before.digest != after.digest and (before.rows, after.rows) == (1, 2)
