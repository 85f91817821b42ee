"""A plain Flight client reads a frame as docs/clients.md has it; a ticket alone opens none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import flight

from assay.common.v1.data_pb2 import FrameLocation, FrameLocationKind, FrameRef
from mesh.clock import SystemClock
from mesh.config import MeshSettings, load
from mesh.frames.store import FrameStore
from mesh.frames.tickets import Tickets
from mesh.keys import new_key
from mesh.objects.folder import FolderObjects
from mesh.seal import seal_of
from scripts.clients import CLIENTS
from services.executor.flight import FlightEndpoint

TABLE = pa.table({"n": [1, 2, 3], "word": ["a", None, "c"]})


@dataclass
class Served:
    """An executor's endpoint with one frame, and what LocateFrame tells of it."""

    settings: MeshSettings
    located: FrameRef


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    settings = load(MeshSettings, home=tmp_path)
    store = FrameStore(FolderObjects(tmp_path / "frames"))
    digest = store.put(TABLE).digest
    tickets = Tickets([new_key()], 60, SystemClock())
    endpoint = FlightEndpoint(
        "127.0.0.1:0", "", lambda _, wanted: store.file(wanted), tickets, seal_of(settings)
    )
    place = FrameLocation(
        kind=FrameLocationKind.FRAME_LOCATION_KIND_FLIGHT,
        uri=endpoint.uri,
        ticket=tickets.issue("ann", digest),
    )
    try:
        yield Served(settings, FrameRef(name="rows", digest=digest, locations=[place]))
    finally:
        endpoint.close()


def page_says() -> str:
    """The program under "Arrow Flight"."""
    page = (CLIENTS.parent / "docs/clients.md").read_text(encoding="utf-8")
    return page.split("## Arrow Flight")[1].split("```python\n")[1].split("```")[0]


def test_what_the_page_says_reads_a_frame(served: Served) -> None:
    names: dict[str, Any] = {"settings": served.settings, "located": served.located}

    exec(page_says(), names)

    assert names["table"].equals(TABLE)


def test_a_ticket_alone_opens_nothing(served: Served) -> None:
    place = served.located.locations[0]

    with flight.connect(place.uri) as client, pytest.raises(flight.FlightError) as refused:
        client.do_get(flight.Ticket(place.ticket)).read_all()

    assert "services of this mesh" in str(refused.value)
