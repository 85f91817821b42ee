"""A flipped bit in the record of a call, or in what was read of a source, is found and told."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from assay.common.v1 import analysis_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import STATE_DAMAGED, AssayError
from mesh.ids import new_id
from mesh.storage.objects.folder import FolderObjects
from services.executor import call_record
from services.executor.adapters.stored_calls import StoredCalls
from services.executor.checking import damages
from services.executor.domain.source import DataSource
from services.executor.sources import intact
from services.executor.sources.library import SourceLibrary
from tests.reading import READERS
from tests.unit.executor.forging import forged

CALL = new_id()


def asked() -> pb.ExecuteRequest:
    return pb.ExecuteRequest(call=analysis_pb2.ToolCall(call_id=CALL, tool_name="sql.run"))


def record() -> bytes:
    observation = analysis_pb2.Observation(call_id=CALL, summary="12 rows in three regions")
    return call_record.sealed(observation, asked())


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_no_flipped_bit_of_a_record_is_answered_from() -> None:
    whole = record()
    assert call_record.opened(whole, asked()).summary == "12 rows in three regions"
    for bit in range(8 * len(whole)):
        with pytest.raises(AssayError):
            call_record.opened(flipped(whole, bit), asked())


def test_a_damaged_record_is_told_as_such() -> None:
    with pytest.raises(AssayError) as told:
        call_record.opened(flipped(record(), 8 * 80), asked())
    assert told.value.reason is STATE_DAMAGED


def test_records_of_older_versions_are_still_read() -> None:
    older = record()[:32] + analysis_pb2.Observation(call_id=CALL).SerializeToString()
    assert call_record.opened(older, asked()).call_id == CALL


def test_damaged_records_and_sources_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a file that is too large to be hashed whenever it is used."""
    calls = StoredCalls(FolderObjects(tmp_path / "calls"))
    calls.put(CALL, record())
    sources = SourceLibrary(tmp_path / "home", processes=READERS)
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\nsouth,2\n")
    digest = sources.open(DataSource(file_path=str(tmp_path / "sales.csv"))).digest

    def found() -> list[str]:
        named = ([CALL, new_id()], [digest, "0" * 64, "../x"])
        return list(damages(calls, sources.folder, *named, {}))

    assert found() == []
    monkeypatch.setattr(intact, "_HASHED_BYTES", 0)
    random.seed(7)
    for path in sorted((sources.folder / digest).iterdir()):
        content = path.read_bytes()
        path.write_bytes(flipped(content, random.randrange(8 * len(content))))
        (told,) = found()
        assert told == f"source {digest[:8]}: what was read of it is not as it was written"
        path.write_bytes(content)
    assert found() == []
    calls.delete(CALL)
    calls.put(CALL, flipped(record(), 700))
    assert found() == [f"call {CALL[:8]}: its record is not as it was written"]


@pytest.mark.parametrize("kind", ["csv", "sqlite"])
def test_rows_that_were_changed_with_their_digests_are_told_by_the_chain(
    tmp_path: Path, kind: str
) -> None:
    calls = StoredCalls(FolderObjects(tmp_path / "calls"))
    sources = SourceLibrary(tmp_path / "home", processes=READERS)
    place = tmp_path / f"sales.{kind}"
    if kind == "csv":
        place.write_text("region,amount\nnorth,1\nsouth,2\n")
    else:
        with sqlite3.connect(place) as connection:
            connection.execute("CREATE TABLE sales (region TEXT, amount INTEGER)")
            connection.execute("INSERT INTO sales VALUES ('north', 1), ('south', 2)")
        connection.close()
    source = DataSource(file_path=str(place))
    opened = sources.open(source)
    folder, seals = sources.folder / opened.digest, {opened.digest: opened.seal}

    def found(seals: dict[str, str]) -> list[str]:
        return list(damages(calls, sources.folder, [], [opened.digest], seals))

    assert found(seals) == []
    if kind == "csv":
        forged(folder, "0.parquet", "amount + 1 AS amount")
    else:
        forged(folder, "tables.duckdb", "UPDATE sales SET amount = amount + 1")
    assert found({}) == []  # what lies beside the rows fits them
    assert found(seals) == [
        f"source {opened.digest[:8]}: what was read of it is another than the chain says"
    ]
    shutil.rmtree(folder)
    assert found(seals) == []
    again = SourceLibrary(tmp_path / "home", processes=READERS).open(source)
    assert (again.digest, again.seal, found(seals)) == (opened.digest, opened.seal, [])


def test_sources_that_an_older_version_read_get_a_seal_when_they_are_used(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\nsouth,2\n")
    source = DataSource(file_path=str(tmp_path / "sales.csv"))
    opened = SourceLibrary(tmp_path, processes=READERS).open(source)
    place = opened.database.with_name("manifest.json")
    manifest = json.loads(place.read_text())
    assert manifest.pop("seal") == opened.seal
    place.write_text(json.dumps(manifest))
    intact.mark_manifest(place)
    assert SourceLibrary(tmp_path, processes=READERS).open(source).seal == opened.seal


def test_a_record_that_was_written_anew_is_told_by_the_chain(tmp_path: Path) -> None:
    calls = StoredCalls(FolderObjects(tmp_path / "calls"))
    calls.put(CALL, record())
    seal = call_record.opened(record(), asked()).record_seal
    assert list(damages(calls, tmp_path, [CALL], [], {CALL: seal})) == []
    calls.delete(CALL)
    told = analysis_pb2.Observation(call_id=CALL, summary="13 rows in three regions")
    calls.put(CALL, call_record.sealed(told, asked()))
    assert list(damages(calls, tmp_path, [CALL], [], {})) == []
    (found,) = damages(calls, tmp_path, [CALL], [], {CALL: seal})
    assert found == f"call {CALL[:8]}: its record is another than the chain says"
