"""Iceberg tables: their newest snapshot, wherever their folder lies now."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mesh.errors import SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, AssayError
from tests.unit.executor.lake_help import delete_position, iceberg_orders
from tests.unit.executor.source_help import open_file, rows_of

pytest.importorskip("pyiceberg", reason="the extra `lake` is not installed")

from services.executor.sources.lake.iceberg_files import within
from services.executor.sources.lake.iceberg_reader import newest


def ids(home: Path, folder: Path) -> list[int]:
    return sorted(row["id"] for row in rows_of(open_file(home, folder)))


def test_the_newest_snapshot_is_read_and_named_with_columns_as_they_are_called_now(
    tmp_path: Path,
) -> None:
    table = iceberg_orders(tmp_path / "warehouse")
    orders = open_file(tmp_path, tmp_path / "warehouse" / "n" / "orders")
    assert [stored.name for stored in orders.tables] == ["orders"]
    rows = sorted(rows_of(orders), key=lambda row: int(row["id"]))
    assert rows[0] == {"id": 1, "region": "n", "v": 1.5, "note": None}
    assert rows[-1] == {"id": 5, "region": "s", "v": 9.0, "note": "new"}
    assert len(rows) == 4
    snapshot = table.current_snapshot()
    assert snapshot is not None and orders.kinds == ("iceberg",)
    assert f"snapshot {snapshot.snapshot_id} of an Iceberg table, written 20" in orders.notes[0]


def test_a_table_that_was_copied_elsewhere_is_read_where_it_is(tmp_path: Path) -> None:
    iceberg_orders(tmp_path / "warehouse")
    shutil.move(tmp_path / "warehouse" / "n" / "orders", tmp_path / "bestellungen")
    moved = open_file(tmp_path, tmp_path / "bestellungen")
    assert (moved.tables[0].name, moved.rows) == ("bestellungen", 4)


def test_rows_deleted_by_their_position_are_gone(tmp_path: Path) -> None:
    table = iceberg_orders(tmp_path / "warehouse")
    folder = tmp_path / "warehouse" / "n" / "orders"
    assert ids(tmp_path, folder) == [1, 3, 4, 5]
    delete_position(table, 1)
    assert ids(tmp_path, folder) == [1, 3, 5]
    assert "snapshot 4711" in open_file(tmp_path, folder).notes[0]


def test_deletes_that_cannot_be_applied_are_refused_and_not_left_out(tmp_path: Path) -> None:
    delete_position(iceberg_orders(tmp_path / "warehouse"), 1, equality=True)
    with pytest.raises(AssayError, match="equality deletes") as caught:
        open_file(tmp_path, tmp_path / "warehouse" / "n" / "orders")
    assert caught.value.reason is SOURCE_NOT_SUPPORTED


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    iceberg_orders(tmp_path / "warehouse")
    folder = tmp_path / "warehouse" / "n" / "orders"
    gone = next(iter(sorted((folder / "data").rglob("*.parquet"))))
    for file in (folder / "data").rglob("*.parquet"):
        file.unlink()
    with pytest.raises(AssayError, match=f"misses its file data/{gone.parent.name}") as caught:
        open_file(tmp_path, folder)
    assert caught.value.reason is SOURCE_NOT_READABLE


def test_a_table_that_names_files_elsewhere_is_not_followed(tmp_path: Path) -> None:
    table = iceberg_orders(tmp_path / "warehouse")
    folder = tmp_path / "warehouse" / "n" / "orders"
    newest_file = Path(table.metadata_location.removeprefix("file://"))
    metadata = json.loads(newest_file.read_text())
    for snapshot in metadata["snapshots"]:
        snapshot["manifest-list"] = "http://169.254.169.254/latest/meta-data"
    newest_file.write_text(json.dumps(metadata))
    with pytest.raises(AssayError, match="names a file outside its folder") as caught:
        open_file(tmp_path, folder)
    assert caught.value.reason is SOURCE_NOT_SUPPORTED


def test_damaged_metadata_are_told(tmp_path: Path) -> None:
    (tmp_path / "t" / "metadata").mkdir(parents=True)
    (tmp_path / "t" / "metadata" / "v1.metadata.json").write_text('{"format-version": 2')
    with pytest.raises(AssayError, match="t is no sound Iceberg table") as caught:
        open_file(tmp_path, tmp_path / "t")
    assert caught.value.reason is SOURCE_NOT_READABLE


@pytest.mark.parametrize(
    ("location", "table", "name"),
    [
        ("s3://b/t/data/x.parquet", "s3a://b/t/", "data/x.parquet"),
        ("file:/w/t/data/x", "file:///w/t", "data/x"),
        ("/w/t/data/x", "file:///w/t", "data/x"),
        ("s3://b/t2/data/x", "s3://b/t", None),
        ("s3://b/t/../u/x", "s3://b/t", None),
        ("http://b/t/x", "s3://b/t", None),
    ],
)
def test_an_address_is_within_the_table_or_it_is_not(
    location: str, table: str, name: str | None
) -> None:
    assert within(location, table) == name


def test_the_newest_metadata_are_those_of_the_hint_or_of_the_highest_number(
    tmp_path: Path,
) -> None:
    def files(**moments: int) -> dict[str, Path]:
        found = {}
        for name, moment in moments.items():
            path = tmp_path / name
            path.write_text(json.dumps({"last-updated-ms": moment}))
            found[f"metadata/{name.replace('_', '-')}.metadata.json"] = path
        return found

    assert newest(files(v9=2, v10=1)) == ["metadata/v10.metadata.json"]
    hint = tmp_path / "hint"
    hint.write_text("9\n")
    hinted = {**files(v9=1, v10=2), "metadata/version-hint.text": hint}
    assert newest(hinted) == ["metadata/v9.metadata.json"], "the tenth was never committed"


def test_of_two_that_claim_to_be_the_newest_the_last_written_is_read_and_that_is_told(
    tmp_path: Path,
) -> None:
    table = iceberg_orders(tmp_path / "warehouse")
    current = Path(table.metadata_location.removeprefix("file://"))
    lost = json.loads(current.read_text())
    lost["last-updated-ms"] -= 1_000
    (current.parent / f"{current.name[:5]}-zzzz.metadata.json").write_text(json.dumps(lost))
    orders = open_file(tmp_path, tmp_path / "warehouse" / "n" / "orders")
    assert orders.rows == 4
    assert (
        f"2 metadata files are the newest; metadata/{current.name} was written last"
        in (orders.notes[1])
    )
