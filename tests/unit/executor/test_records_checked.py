"""A flipped bit in the record of a call, or in what was read of a source, is found and told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assay.common.v1 import analysis_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import STATE_DAMAGED, AssayError
from mesh.ids import new_id
from mesh.objects.folder import FolderObjects
from services.executor import call_record
from services.executor.adapters.stored_calls import StoredCalls
from services.executor.checking import damages
from services.executor.domain.source import DataSource
from services.executor.sources import intact
from services.executor.sources.library import SourceLibrary
from tests.reading import READERS

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
        return list(damages(calls, sources.folder, [CALL, new_id()], [digest, "0" * 64, "../x"]))

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
