"""Delta and Iceberg tables as other engines leave them, where the libraries here write no such."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pyiceberg.table import Table

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_FEATURES = ["deletionVectors", "columnMapping"]


def write_delta_with_vector(folder: Path, deleted: Sequence[int], **add: Any) -> None:
    """Five orders of one file in the north, of which a vector deletes some rows; the columns were
    renamed, so that the file has them under other names. `add` replaces what the log says of the
    file."""
    (folder / "_delta_log").mkdir(parents=True)
    pq.write_table(
        pa.table({"col-a": [1, 2, 3, 4, 5], "col-b": ["v", "w", "x", "y", "z"]}),
        folder / "part-0.parquet",
    )
    fields = [("order no", "long", "col-a"), ("who", "string", "col-b"), ("region", "string", "r")]
    schema = {
        "type": "struct",
        "fields": [
            {
                "name": name,
                "type": kind,
                "nullable": True,
                "metadata": {
                    "delta.columnMapping.id": number,
                    "delta.columnMapping.physicalName": physical,
                },
            }
            for number, (name, kind, physical) in enumerate(fields, start=1)
        ],
    }
    vector = _vector(deleted)
    actions: list[dict[str, Any]] = [
        {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": _FEATURES,
                "writerFeatures": _FEATURES,
            }
        },
        {
            "metaData": {
                "id": "790ba2e2-1b4b-4289-a02c-793e58838c5e",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps(schema),
                "partitionColumns": ["region"],
                "createdTime": 1_700_000_000_000,
                "configuration": {
                    "delta.enableDeletionVectors": "true",
                    "delta.columnMapping.mode": "name",
                    "delta.columnMapping.maxColumnId": "3",
                },
            }
        },
        {
            "add": {
                "path": "part-0.parquet",
                "partitionValues": {"r": "north"},
                "size": (folder / "part-0.parquet").stat().st_size,
                "modificationTime": 1_700_000_000_000,
                "dataChange": True,
                "stats": json.dumps({"numRecords": 5}),
                "deletionVector": {
                    "storageType": "i",
                    "pathOrInlineDv": _z85(vector),
                    "sizeInBytes": len(vector),
                    "cardinality": len(deleted),
                },
                **add,
            }
        },
    ]
    log = folder / "_delta_log" / f"{0:020}.json"
    log.write_text("\n".join(map(json.dumps, actions)))


def _vector(rows: Sequence[int]) -> bytes:
    """One 32-bit roaring bitmap with one array container, in Delta's 64-bit form."""
    cookie, containers = 12346, 1
    bitmap = struct.pack("<IIHHI", cookie, containers, 0, len(rows) - 1, 16)
    bitmap += b"".join(struct.pack("<H", row) for row in sorted(rows))
    return struct.pack("<IQI", 1681511377, 1, 0) + bitmap


def _z85(content: bytes) -> str:
    content += b"\0" * (-len(content) % 4)
    text = ""
    for start in range(0, len(content), 4):
        number = int.from_bytes(content[start : start + 4], "big")
        digits = [_DIGITS[number // 85**power % 85] for power in (4, 3, 2, 1, 0)]
        text += "".join(digits)
    return text


def iceberg_orders(warehouse: Path) -> Table:
    """Orders by region, a column renamed and one added, and an order deleted, by PyIceberg."""
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.types import StringType

    catalog = SqlCatalog("c", uri="sqlite:///:memory:", warehouse=warehouse.as_uri())
    catalog.create_namespace("n")
    types = [("id", pa.int64()), ("reg", pa.string()), ("v", pa.float64())]
    table = catalog.create_table("n.orders", schema=pa.schema(types))
    with table.update_spec() as spec:
        spec.add_identity("reg")
    table.append(pa.table({"id": [1, 2, 3, 4], "reg": list("nnss"), "v": [1.5, 2.5, 3.5, 4.5]}))
    with table.update_schema() as change:
        change.rename_column("reg", "region")
        change.add_column("note", StringType())
    table.append(pa.table({"id": [5], "region": ["s"], "v": [9.0], "note": ["new"]}))
    table.delete("id = 2")
    return table


def delete_position(table: Table, row: int, equality: bool = False) -> None:
    """Delete a row of the table's file with two of them by its position, as Spark does, which
    leaves the data as it is; or by `equality`, as Flink does."""
    from pyiceberg.manifest import (
        DataFile,
        DataFileContent,
        FileFormat,
        ManifestContent,
        ManifestEntry,
        ManifestEntryStatus,
        ManifestWriterV2,
        write_manifest_list,
    )
    from pyiceberg.typedef import Record

    class DeletesWriter(ManifestWriterV2):
        def content(self) -> ManifestContent:
            return ManifestContent.DELETES

        @property
        def _meta(self) -> dict[str, str]:
            return {**super()._meta, "content": "deletes"}

    root = Path(table.location().removeprefix("file://"))
    task = next(t for t in table.scan().plan_files() if t.file.record_count == 2)
    file_path = pa.field("file_path", pa.string(), metadata={"PARQUET:field_id": "2147483546"})
    position = pa.field("pos", pa.int64(), metadata={"PARQUET:field_id": "2147483545"})
    deletes = root / "data" / "deletes.parquet"
    rows = [pa.array([task.file.file_path]), pa.array([row])]
    pq.write_table(pa.Table.from_arrays(rows, schema=pa.schema([file_path, position])), deletes)

    snapshot, new = table.current_snapshot(), 4711
    assert snapshot is not None
    kind = DataFileContent.EQUALITY_DELETES if equality else DataFileContent.POSITION_DELETES
    entry = ManifestEntry.from_args(
        status=ManifestEntryStatus.ADDED,
        snapshot_id=new,
        sequence_number=None,
        file_sequence_number=None,
        data_file=DataFile.from_args(
            content=kind,
            file_path=f"{table.location()}/data/deletes.parquet",
            file_format=FileFormat.PARQUET,
            partition=Record(task.file.partition[0]),
            record_count=1,
            file_size_in_bytes=deletes.stat().st_size,
            equality_ids=[1] if equality else None,
        ),
    )
    of = (table.spec(), table.schema(), table.io.new_output(f"{root}/metadata/d.avro"), new)
    with DeletesWriter(*of, "null") as writer:
        writer.add_entry(entry)
    listing = f"{table.location()}/metadata/list.avro"
    kept = snapshot.manifests(table.io)
    number = snapshot.sequence_number or 0
    output = table.io.new_output(listing)
    with write_manifest_list(2, output, new, snapshot.snapshot_id, number + 1, "null") as manifests:
        manifests.add_manifests([*kept, writer.to_manifest_file()])
    metadata = json.loads(Path(table.metadata_location.removeprefix("file://")).read_text())
    metadata["snapshots"].append(
        {
            "snapshot-id": new,
            "parent-snapshot-id": snapshot.snapshot_id,
            "sequence-number": number + 1,
            "timestamp-ms": metadata["last-updated-ms"] + 1,
            "manifest-list": listing,
            "summary": {"operation": "delete"},
            "schema-id": metadata["current-schema-id"],
        }
    )
    metadata["last-sequence-number"] = number + 1
    metadata["last-updated-ms"] += 1
    metadata["current-snapshot-id"] = metadata["refs"]["main"]["snapshot-id"] = new
    (root / "metadata" / "00099-by-hand.metadata.json").write_text(json.dumps(metadata))
