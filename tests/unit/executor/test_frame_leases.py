"""What is not the calling tenant's is not there for it, and whoever names it is noticed."""

from __future__ import annotations

from typing import cast

import pytest

from mesh.context import MESH_TENANT, changed
from mesh.errors import NOT_FOUND, AssayError
from services.executor.domain.stored_item import (
    NOTHING_KEPT,
    Going,
    Kept,
    StoredItem,
    StoredKind,
    job,
)
from services.executor.frame_leases import Leases
from services.executor.ports import LeaseStore
from tests.unit.executor.noticed import Noticed

FRAME = StoredKind.FRAME
DIGEST = "0123456789abcdef" * 4


class Shelf:
    """A store in which ann holds one frame and bob none; notes what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    def hold(self, *what: object) -> None:
        self.asked.append(what)

    def tenants(self, thing: StoredItem) -> frozenset[str]:
        return frozenset({"ann"}) if thing.name == DIGEST else frozenset()

    def tenants_of(self, holder: str) -> frozenset[str]:
        return frozenset({"ann"}) if holder == job("1") else frozenset()

    def held(self, *what: object) -> list[str]:
        self.asked.append(what)
        return [DIGEST]

    def release(self, *what: object) -> None:
        self.asked.append(what)

    def let_go(self, *what: object) -> Going | None:
        self.asked.append(what)
        return Going(StoredItem(FRAME, DIGEST), 1.0)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def noticed() -> Noticed:
    return Noticed()


@pytest.fixture
def leases(shelf: Shelf, noticed: Noticed) -> Leases:
    return Leases(cast("LeaseStore", shelf), 60.0, noticed)


def refused(message: str) -> pytest.RaisesExc[AssayError]:
    return pytest.raises(
        AssayError, check=lambda error: error.reason is NOT_FOUND and error.message == message
    )


def test_a_thing_is_its_tenants_and_nobody_elses(leases: Leases, noticed: Noticed) -> None:
    with changed(tenant="ann"):
        leases.require(FRAME, DIGEST)
        leases.require_unused(FRAME, DIGEST)
        leases.require_own(FRAME, DIGEST, "ann")
        leases.require_job("1")
    assert noticed.all == []
    with changed(tenant="bob"):
        with refused("There is no frame 0123456789ab here."):
            leases.require(FRAME, DIGEST)
        with refused("There is no frame 0123456789ab here."):
            leases.require_unused(FRAME, DIGEST)
        with refused("There is no frame 0123456789ab here."):
            leases.require_own(FRAME, DIGEST, "ann")
        with refused("there is no job 1"):
            leases.require_job("1")
    thing = ("bob", "frame", DIGEST)
    assert noticed.all == [thing, thing, thing, ("bob", "job", "1")]


def test_who_asks_for_another_tenant_is_answered_as_that_tenant(
    leases: Leases, noticed: Noticed
) -> None:
    with changed(tenant="bob"):
        leases.require(FRAME, DIGEST, tenant="ann")
    with changed(tenant="ann"), pytest.raises(AssayError):
        leases.require(FRAME, DIGEST, tenant="bob")
    assert noticed.all == [("bob", "frame", DIGEST)]


def test_what_is_nobodys_is_absent_or_free_and_no_trespass(
    leases: Leases, noticed: Noticed
) -> None:
    with changed(tenant="bob"):
        with refused("There is no frame nothing here."):
            leases.require(FRAME, "nothing")
        leases.require_unused(FRAME, "nothing")
        leases.require_job("2")
    assert noticed.all == []


@pytest.mark.parametrize(
    ("kind", "message", "hinted"),
    [
        (FRAME, "There is no frame xxxxxxxxxxxx here.", "make it again"),
        (
            StoredKind.ARTIFACT,
            f"there is no artifact {'x' * 80}: it went with its session, or never was here",
            "",
        ),
        (StoredKind.CALL, f"there is no call {'x' * 80}", ""),
        (StoredKind.SOURCE, "there is no stored file xxxxxxxxxxxx here", "upload it again"),
    ],
)
def test_what_is_absent_is_named_in_words_of_its_kind(
    leases: Leases, kind: StoredKind, message: str, hinted: str
) -> None:
    with pytest.raises(AssayError) as caught:
        leases.require(kind, "x" * 100)
    assert caught.value.message == message
    assert hinted in caught.value.hint
    assert bool(caught.value.hint) == bool(hinted)


def test_a_job_is_named_in_part_where_it_is_long(leases: Leases, shelf: Shelf) -> None:
    shelf.tenants_of = lambda holder: frozenset({"ann"})  # type: ignore[method-assign]
    with changed(tenant="bob"), refused(f"there is no job {'7' * 40}"):
        leases.require_job("7" * 100)


def test_what_is_stored_is_held_for_who_called_when_it_was_admitted(
    leases: Leases, shelf: Shelf
) -> None:
    with changed(tenant="ann"):
        admit = leases.admit(job("1"), FRAME)
        assert leases.held(job("1"), FRAME) == [DIGEST]
    with changed(tenant="bob"):
        admit(DIGEST, 7)
    assert shelf.asked == [
        ("ann", job("1"), FRAME),
        ("ann", job("1"), StoredItem(FRAME, DIGEST), 7),
    ]


def test_a_tenant_ends_its_own_leases_and_the_mesh_everybodys(leases: Leases, shelf: Shelf) -> None:
    with changed(tenant="ann"):
        leases.release(job("1"))
        assert leases.let_go(FRAME, DIGEST) == Going(StoredItem(FRAME, DIGEST), 1.0)
    with changed(tenant=MESH_TENANT):
        leases.release(job("1"), Kept(artifacts=True))
        leases.let_go(FRAME, "nothing")
    assert shelf.asked == [
        ("ann", job("1"), 60.0, NOTHING_KEPT),
        (StoredItem(FRAME, DIGEST), "ann"),
        (None, job("1"), 60.0, Kept(artifacts=True)),
        (StoredItem(FRAME, "nothing"), None),
    ]


def test_nobody_lets_go_of_what_is_anothers(leases: Leases, shelf: Shelf) -> None:
    with changed(tenant="bob"), pytest.raises(AssayError):
        leases.let_go(FRAME, DIGEST)
    assert shelf.asked == []
