"""Frames between services: who gets them, and what happens when the way breaks or lies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pytest
from cryptography.fernet import Fernet
from pyarrow import flight

from mesh.clock import HeldClock
from mesh.context import Established, Principal, changed
from mesh.errors import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    PEER_REFUSED,
    SERVICE_UNAVAILABLE,
    SOURCE_NOT_READABLE,
    TICKET_EXPIRED,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.frames.arrival import Arrival
from mesh.frames.plane import FramePlane
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.frames.store import FrameStore
from mesh.frames.tickets import Tickets
from mesh.keys import new_key, shared_key
from mesh.storage.objects.folder import FolderObjects
from mesh.transport.seal import FLIGHT_METHOD, Seal
from services.executor.flight import FlightEndpoint
from tests.unit.mesh.frames.cutting_proxy import cut_after, flip_at, proxied

LIFETIME = 60.0
SEAL = Seal([new_key()])


class Elsewhere:
    """An executor on another machine, as far as anybody here can tell."""

    def __init__(self, folder: Path, slow_reader_seconds: float = 60.0) -> None:
        self.clock = HeldClock(datetime(2026, 3, 1, 12, 0, tzinfo=UTC))
        self.store = FrameStore(FolderObjects(folder / "frames"))
        self.tickets = Tickets([shared_key(folder / "tickets.key")], LIFETIME, self.clock)
        self.endpoint = FlightEndpoint(
            "127.0.0.1:0",
            "",
            lambda tenant, digest: self.store.file(digest),
            self.tickets,
            SEAL,
            slow_reader_seconds,
        )
        self.port = int(self.endpoint.uri.rpartition(":")[2])

    def put(self, table: pa.Table, tenant: str = "ann", port: int | None = None) -> FrameRef:
        ref = self.store.put(table)
        ticket = self.tickets.issue(tenant, ref.digest)
        uri = f"grpc+tcp://127.0.0.1:{port or self.port}"
        place = Location(kind=LocationKind.FLIGHT, uri=uri, ticket=ticket)
        return ref.model_copy(update={"locations": (place,)})


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Elsewhere]:
    there = Elsewhere(tmp_path)
    yield there
    there.endpoint.close()


@pytest.fixture
def plane() -> Iterator[FramePlane]:
    plane = FramePlane(seal=SEAL)
    with changed(tenant="ann"):
        yield plane
    plane.close()


@pytest.fixture(scope="module")
def large() -> pa.Table:
    """About 32 MB in eight batches."""
    numbers = np.random.default_rng(7).random((4, 1 << 20))
    return pa.table({f"n{i}": row for i, row in enumerate(numbers)})


def refusal(plane: FramePlane, ref: FrameRef) -> AssayError:
    with pytest.raises(AssayError) as refused:
        plane.redeem(ref)
    return refused.value


def test_a_ticket_is_good_for_its_tenant(elsewhere: Elsewhere, plane: FramePlane) -> None:
    sales = pa.table({"n": [1, 2]})
    assert plane.redeem(elsewhere.put(sales)).equals(sales)


def test_another_tenants_ticket_finds_nothing(elsewhere: Elsewhere, plane: FramePlane) -> None:
    ref = elsewhere.put(pa.table({"n": [1, 2]}), tenant="bob")
    assert refusal(plane, ref).reason is NOT_FOUND


def test_a_ticket_expires_and_says_so(elsewhere: Elsewhere, plane: FramePlane) -> None:
    ref = elsewhere.put(pa.table({"n": [1, 2]}))
    elsewhere.clock.advance(LIFETIME)
    assert refusal(plane, ref).reason is TICKET_EXPIRED


@pytest.mark.parametrize("seal", [None, Seal([new_key()])], ids=["none", "of another mesh"])
def test_whoever_overhears_a_ticket_has_nothing_of_it(
    elsewhere: Elsewhere, seal: Seal | None
) -> None:
    stranger = FramePlane(seal=seal)
    with changed(tenant="ann"):
        assert refusal(stranger, elsewhere.put(pa.table({"n": [1]}))).reason is PEER_REFUSED
    stranger.close()


def test_an_expired_ticket_is_replaced_by_whoever_may_ask_for_one(elsewhere: Elsewhere) -> None:
    sales = pa.table({"n": [1, 2]})
    stale = elsewhere.put(sales)
    elsewhere.clock.advance(LIFETIME)
    plane = FramePlane(locate=lambda ref: elsewhere.put(sales), seal=SEAL)
    with changed(tenant="ann"):
        assert plane.redeem(stale).equals(sales)
    plane.close()


@pytest.mark.parametrize(
    "ticket",
    [b"", b"x", Fernet(Fernet.generate_key()).encrypt(b"[]")],
    ids=["empty", "short", "of another key"],
)
def test_a_forged_ticket_finds_nothing(
    elsewhere: Elsewhere, plane: FramePlane, ticket: bytes
) -> None:
    ref = elsewhere.put(pa.table({"n": [1]}))
    forged = ref.flights()[0].model_copy(update={"ticket": ticket})
    assert refusal(plane, ref.model_copy(update={"locations": (forged,)})).reason is NOT_FOUND


def test_a_frame_that_was_deleted_is_not_found(elsewhere: Elsewhere, plane: FramePlane) -> None:
    ref = elsewhere.put(pa.table({"n": [1]}))
    elsewhere.store.delete(ref.digest)
    assert refusal(plane, ref).reason is NOT_FOUND


def test_a_retired_key_still_opens_tickets_and_a_new_one_makes_them(tmp_path: Path) -> None:
    clock = HeldClock(datetime(2026, 3, 1, 12, 0, tzinfo=UTC))
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    before, after = Tickets([old], 9, clock), Tickets([new, old], 9, clock)
    assert after.opened(before.issue("ann", "d"), "ann") == "d"
    with pytest.raises(AssayError):
        before.opened(after.issue("ann", "d"), "ann")


def test_what_is_no_key_is_refused_at_once() -> None:
    with pytest.raises(AssayError) as refused:
        Tickets(["secret"], 9, HeldClock(datetime(2026, 3, 1, tzinfo=UTC)))
    assert refused.value.reason is INVALID_ARGUMENT
    assert "secret" not in str(refused.value)


def test_executors_of_one_home_share_a_key_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tickets.key"
    assert shared_key(path) == shared_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["tickets.key"]


def test_an_endpoint_that_ends_leaves_the_next_alone(tmp_path: Path) -> None:
    there = Elsewhere(tmp_path)
    for _ in range(60):
        ending = threading.Thread(target=there.endpoint.close)
        ending.start()
        there = Elsewhere(tmp_path)
        ending.join()
        with (
            closing(flight.connect(there.endpoint.uri)) as client,
            pytest.raises(flight.FlightServerError, match="only services of this mesh may call"),
        ):
            client.do_get(flight.Ticket(b"")).read_all()
    there.endpoint.close()


def test_a_broken_transfer_goes_on_where_it_broke(
    elsewhere: Elsewhere, plane: FramePlane, large: pa.Table
) -> None:
    with proxied(elsewhere.port, cut_after(10 << 20), cut_after(15 << 20)) as (proxy, port):
        table = plane.redeem(elsewhere.put(large, port=port))
    assert table.equals(large)
    assert proxy.connections == 3
    # Sent anew is at most what had not become a whole batch, and what was still on its way.
    assert sum(proxy.passed) < large.nbytes + (16 << 20)


def test_a_transfer_that_breaks_at_once_again_and_again_is_given_up(
    elsewhere: Elsewhere, plane: FramePlane, large: pa.Table
) -> None:
    with proxied(elsewhere.port, *[cut_after(1000)] * 20) as (_, port):
        assert refusal(plane, elsewhere.put(large, port=port)).reason is SERVICE_UNAVAILABLE


def test_damage_on_the_way_is_noticed_and_the_frame_fetched_again(
    elsewhere: Elsewhere, plane: FramePlane, large: pa.Table
) -> None:
    with proxied(elsewhere.port, flip_at(20_000_003)) as (proxy, port):
        table = plane.redeem(elsewhere.put(large, port=port))
    assert table.equals(large)
    assert sum(proxy.passed) > 2 * large.nbytes


@pytest.mark.parametrize(
    "fault", [OSError("no message"), pa.ArrowInvalid("version 260"), pa.ArrowKeyError("id 40")]
)
def test_a_stream_that_cannot_be_decoded_is_fetched_again_and_then_refused(
    elsewhere: Elsewhere, plane: FramePlane, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    sales = pa.table({"n": [1, 2]})
    ref, begin = elsewhere.put(sales), Arrival.begin
    faults: list[Exception] = []

    def damaged(arrival: Arrival, schema: pa.Schema) -> None:
        begin(arrival, schema)
        if faults:
            raise faults.pop()

    monkeypatch.setattr(Arrival, "begin", damaged)
    faults[:] = [fault]
    assert plane.redeem(ref).equals(sales)
    faults[:] = [fault] * 2
    assert refusal(plane, ref).reason is SOURCE_NOT_READABLE


def test_a_file_damaged_anywhere_is_refused_for_what_it_is(
    elsewhere: Elsewhere, plane: FramePlane
) -> None:
    ref = elsewhere.put(pa.table({"n": range(40), "s": list("abcd") * 10}))
    path = elsewhere.store.file(ref.digest)
    content, reasons = path.read_bytes(), set()
    for place in range(8, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 0x40
        path.write_bytes(damaged)
        try:
            assert plane.redeem(ref).num_rows == 40
        except AssayError as refused:
            reasons.add(refused.reason)
    assert reasons == {SOURCE_NOT_READABLE, VERIFICATION_FAILED}


def test_a_frame_that_is_another_table_each_time_is_refused(
    elsewhere: Elsewhere, plane: FramePlane
) -> None:
    ref = elsewhere.put(pa.table({"n": [1, 2, 3]}))
    other = elsewhere.put(pa.table({"n": [1, 2, 4]}))
    elsewhere.store.file(ref.digest).write_bytes(elsewhere.store.file(other.digest).read_bytes())
    assert refusal(plane, ref).reason is VERIFICATION_FAILED


def test_a_reader_that_stops_is_cut_off_and_others_are_served(
    tmp_path: Path, plane: FramePlane, large: pa.Table
) -> None:
    there = Elsewhere(tmp_path, slow_reader_seconds=1.0)
    ref = there.put(pa.concat_tables([large] * 4))
    (place,) = ref.flights()
    sealed = SEAL.sealed(Principal("ann", "ann", Established.KEY), FLIGHT_METHOD, 60)
    options = flight.FlightCallOptions(headers=[(b"x-assay-principal", sealed.encode())])
    with closing(there.endpoint), flight.connect(place.uri) as client:
        before = psutil.Process().memory_info().rss
        stopped = client.do_get(flight.Ticket(place.ticket), options)
        first = stopped.read_chunk().data
        assert held_open(ref.digest)
        assert cut_off(ref.digest)
        assert psutil.Process().memory_info().rss - before < 50 << 20
        other = there.put(pa.table({"n": [1, 2]}))
        assert plane.redeem(other).num_rows == 2
        with pytest.raises(flight.FlightError):
            stopped.read_all()
    assert first.num_rows < large.num_rows


def test_a_reader_that_was_cut_off_goes_on_where_it_was(
    tmp_path: Path, plane: FramePlane, large: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Elsewhere(tmp_path, slow_reader_seconds=1.0)
    ref = there.put(pa.concat_tables([large] * 4))
    add, naps = Arrival.add, iter([True])

    def dozing(arrival: Arrival, batch: pa.RecordBatch) -> None:
        add(arrival, batch)
        if next(naps, False):
            assert cut_off(ref.digest)

    monkeypatch.setattr(Arrival, "add", dozing)
    with closing(there.endpoint):
        assert plane.redeem(ref).num_rows == 4 * large.num_rows


def test_an_endpoint_that_stops_waits_for_its_readers_so_long_and_no_longer(
    tmp_path: Path, large: pa.Table, caplog: pytest.LogCaptureFixture
) -> None:
    there = Elsewhere(tmp_path)
    (place,) = there.put(pa.concat_tables([large] * 4)).flights()
    sealed = SEAL.sealed(Principal("ann", "ann", Established.KEY), FLIGHT_METHOD, 60)
    options = flight.FlightCallOptions(headers=[(b"x-assay-principal", sealed.encode())])
    with flight.connect(place.uri) as client:
        stopped = client.do_get(flight.Ticket(place.ticket), options)
        stopped.read_chunk()
        there.endpoint.close(0.2)
        with pytest.raises(flight.FlightError):
            stopped.read_all()
    assert "still reading at the end" in caplog.text


def held_open(digest: str) -> bool:
    """Whether somebody in this process still sends the frame."""
    return any(digest in file.path for file in psutil.Process().open_files())


def cut_off(digest: str) -> bool:
    """Wait until nobody sends the frame any more; whether it came to that."""
    for _ in range(600):
        if not held_open(digest):
            return True
        threading.Event().wait(0.05)
    return False
