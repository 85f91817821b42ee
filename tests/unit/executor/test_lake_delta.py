"""Delta tables: what their log says is there, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, AssayError
from tests.unit.executor.lake_help import write_delta_with_vector
from tests.unit.executor.source_help import open_file, rows_of, types_of

deltalake = pytest.importorskip("deltalake", reason="the extra `lake` is not installed")


def write_orders(folder: Path) -> None:
    """Three orders in two regions; a fourth was there until it was deleted."""
    first = {"id": [1, 2, 3], "region": ["n", "n", "s"], "amount": [1.5, 2.5, 3.5]}
    more = {"id": [4], "region": ["s"], "amount": [9.0]}
    for columns in (first, more):
        deltalake.write_deltalake(folder, pa.table(columns), partition_by=["region"], mode="append")
    deltalake.DeltaTable(folder).delete("id = 2")


def test_the_newest_version_is_read_and_named_without_what_was_deleted(tmp_path: Path) -> None:
    write_orders(tmp_path / "orders")
    orders = open_file(tmp_path, tmp_path / "orders")
    assert [table.name for table in orders.tables] == ["orders"]
    assert sorted((row["id"], row["region"]) for row in rows_of(orders)) == [
        (1, "n"),
        (3, "s"),
        (4, "s"),
    ]
    assert orders.kinds == ("delta",)
    (note,) = orders.notes
    assert note.startswith("version 2 of a Delta table, written 20")


def test_another_version_is_another_source(tmp_path: Path) -> None:
    write_orders(tmp_path / "orders")
    before = open_file(tmp_path, tmp_path / "orders")
    deltalake.DeltaTable(tmp_path / "orders").delete("id = 4")
    after = open_file(tmp_path, tmp_path / "orders")
    assert before.digest != after.digest and (before.rows, after.rows) == (3, 2)


def test_a_log_that_was_cleaned_up_to_a_checkpoint_will_do(tmp_path: Path) -> None:
    write_orders(tmp_path / "orders")
    deltalake.DeltaTable(tmp_path / "orders").create_checkpoint()
    for commit in (tmp_path / "orders" / "_delta_log").glob("*.json"):
        commit.unlink()
    assert open_file(tmp_path, tmp_path / "orders").rows == 3


def test_rows_of_a_deletion_vector_are_gone_and_renamed_columns_have_their_new_names(
    tmp_path: Path,
) -> None:
    write_delta_with_vector(tmp_path / "orders", [1, 3])
    orders = open_file(tmp_path, tmp_path / "orders")
    assert rows_of(orders) == [
        {"order no": number, "who": who, "region": "north"}
        for number, who in ((1, "v"), (3, "x"), (5, "z"))
    ]
    assert types_of(orders)["order no"] == "BIGINT"


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"path": "file:///etc/hostname"},
        {"path": "s3://somebody/part-0.parquet"},
        {"path": "/etc/hostname"},
        {"path": "../part-0.parquet"},
        {"path": "%2e%2e/part-0.parquet"},
        {
            "deletionVector": {
                "storageType": "p",
                "pathOrInlineDv": "http://169.254.169.254/dv.bin",
                "offset": 1,
                "sizeInBytes": 40,
                "cardinality": 1,
            }
        },
    ],
)
def test_a_log_that_names_files_elsewhere_is_not_followed(
    tmp_path: Path, elsewhere: dict[str, object]
) -> None:
    write_delta_with_vector(tmp_path / "orders", [1], **elsewhere)
    with pytest.raises(AssayError, match="names a file outside its folder") as caught:
        open_file(tmp_path, tmp_path / "orders")
    assert caught.value.reason is SOURCE_NOT_SUPPORTED


def test_keys_may_look_like_addresses(tmp_path: Path) -> None:
    at = pa.table({"id": [1, 2], "at": ["10:30", "a/b"]})
    deltalake.write_deltalake(tmp_path / "orders", at, partition_by=["at"])
    assert {row["at"] for row in rows_of(open_file(tmp_path, tmp_path / "orders"))} == {
        "10:30",
        "a/b",
    }


def test_features_that_nothing_here_reads_are_named(tmp_path: Path) -> None:
    write_delta_with_vector(tmp_path / "orders", [1])
    log = tmp_path / "orders" / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace('"columnMapping"', '"columnMapping", "fromTheFuture"'))
    with pytest.raises(AssayError, match=r"orders is a Delta table with .*fromTheFuture") as caught:
        open_file(tmp_path, tmp_path / "orders")
    assert caught.value.reason is SOURCE_NOT_SUPPORTED


def test_a_damaged_log_and_a_missing_file_are_told(tmp_path: Path) -> None:
    write_orders(tmp_path / "orders")
    next((tmp_path / "orders").rglob("region=n/*.zstd.parquet")).unlink()
    with pytest.raises(AssayError, match=r"orders is no sound Delta table: .*region=n") as caught:
        open_file(tmp_path, tmp_path / "orders")
    assert caught.value.reason is SOURCE_NOT_READABLE
    (tmp_path / "orders" / "_delta_log" / f"{1:020}.json").write_text('{"add": {"pa')
    with pytest.raises(AssayError, match=r"0001\.json in its log is damaged"):
        open_file(tmp_path, tmp_path / "orders")


def test_a_table_whose_rows_were_all_deleted_is_empty(tmp_path: Path) -> None:
    write_orders(tmp_path / "orders")
    deltalake.DeltaTable(tmp_path / "orders").delete()
    with pytest.raises(AssayError, match="orders holds no rows") as caught:
        open_file(tmp_path, tmp_path / "orders")
    assert caught.value.reason is SOURCE_EMPTY


def test_the_log_is_no_data(tmp_path: Path) -> None:
    """A log of Delta's own form alone makes a folder a table."""
    folder = tmp_path / "t" / "_delta_log"
    folder.mkdir(parents=True)
    (folder / "note.json").write_text(json.dumps({"a": 1}))
    (tmp_path / "t" / "rows.csv").write_text("a,b\n1,2\n")
    assert open_file(tmp_path, tmp_path / "t").tables[0].name == "rows"
