"""Rows that are changed together with their digests are told by the chain, over real services."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from assay.common.v1 import job_pb2
from mesh.config import MeshSettings
from tests.mesh import shared
from tests.mesh.support import Caller, question
from tests.mesh.test_proof import client_of
from tests.unit.executor.forging import forged

pytestmark = shared.ON_ONE_LOOP
mesh, ann = shared.mesh, shared.ann


async def test_rows_that_were_changed_with_their_digests_are_told(
    mesh: MeshSettings, ann: Caller, tmp_path: Path
) -> None:
    place = tmp_path / "sales.csv"
    place.write_text("region,quantity\nforged,1\ntrue,2\n")
    job = await ann.asked(question("total quantity by region", place))
    entries = [json.loads(line) async for line in lines(ann, job)]
    digests, seals = zip(*chain_says(entries), strict=True)
    assert all(seals)
    async with client_of(ann) as client:
        assert all(check.ok for check in (await client.verify(job.job_id)).checks)
        folder = mesh.home / "executor" / "sources" / digests[0]
        forged(folder, "0.parquet", "quantity + 1 AS quantity")
        last = (await client.verify(job.job_id)).checks[-1]
    assert (last.name, last.ok) == ("artifacts", False)
    assert last.detail.endswith("what was read of it is another than the chain says")


def chain_says(entries: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Sources and calls that came to something, each with its seal."""
    for data in (entry["event_data"] for entry in entries):
        if "source_digests" in data:
            yield from zip(data["source_digests"], data["source_seals"], strict=True)
        elif data.get("status") == "success":
            yield data["call_id"], data["record_seal"]


async def lines(caller: Caller, job: job_pb2.Job) -> AsyncIterator[bytes]:
    """A job's chain as it is exported."""
    async with client_of(caller) as client:
        pieces = [piece async for piece in client.export_chain(job.job_id)]
    for line in b"".join(pieces).splitlines():
        yield line
