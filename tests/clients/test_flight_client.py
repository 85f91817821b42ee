"""A plain Flight client reads a frame as docs/clients.md has it; a ticket alone opens none."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
import pytest_asyncio
from pyarrow import flight

from assay.common.v1.data_pb2 import FRAME_LOCATION_KIND_FLIGHT, FrameRef
from assay.executor.v1.executor_service_pb2 import LocateFrameRequest
from mesh.config import SERVICES, MeshSettings, load
from mesh.frames.store import FrameStore
from mesh.storage.objects.folder import FolderObjects
from scripts.clients import CLIENTS
from tests.busy import allowing
from tests.mesh.held import hold
from tests.mesh.support import REPOSITORY, Caller, processes

pytestmark = pytest.mark.asyncio(loop_scope="module")
TABLE = pa.table({"n": [1, 2, 3], "word": ["a", None, "c"]})


@dataclass
class Served:
    """An executor in a process of its own, and a frame of ann's."""

    settings: MeshSettings
    digest: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served() -> AsyncIterator[Served]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        home = Path(folder)
        addresses = {f"{name}_address": f"unix:{home}/{name}.sock" for name in SERVICES}
        settings = load(MeshSettings, home=home, drain_seconds=1.0, **addresses)
        async with processes(settings, [["executor"]]):
            store = FrameStore(FolderObjects(home / "executor" / "frames"))
            digest = store.put(TABLE).digest
            hold(home, digest, "ann")
            yield Served(settings, digest)


def page_says() -> str:
    """The program under "Arrow Flight"."""
    page = (CLIENTS.parent / "docs/clients.md").read_text(encoding="utf-8")
    return page.split("## Arrow Flight")[1].split("```python\n")[1].split("```")[0]


async def test_what_the_page_says_reads_a_frame(served: Served) -> None:
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", page_says(), "ann", served.digest],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=allowing(60),
        check=False,
        env={
            **os.environ,
            "ASSAY_HOME": str(served.settings.home),
            "ASSAY_EXECUTOR_ADDRESS": served.settings.executor_address,
        },
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{TABLE.to_pandas()}\n"


async def test_a_ticket_alone_opens_nothing(served: Served) -> None:
    wanted = LocateFrameRequest(frame=FrameRef(digest=served.digest))
    async with Caller(served.settings) as caller:
        places = (await caller.executor.LocateFrame(wanted)).frame.locations
    place = next(place for place in places if place.kind == FRAME_LOCATION_KIND_FLIGHT)

    with flight.connect(place.uri) as client, pytest.raises(flight.FlightError) as refused:
        client.do_get(flight.Ticket(place.ticket)).read_all()

    assert place.ticket
    assert "services of this mesh" in str(refused.value)
