"""Entries of a tenant, newest first: whichever chain they are of, and nobody else's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from mesh.ids import new_id
from mesh.proof.chain import EventType
from mesh.proof.checkpoint import SigningKey
from services.audit import app
from services.audit.adapters.memory_log import MemoryLog
from services.audit.app import Audit
from services.audit.domain.filtering import EntryFilter

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
EVERY = EntryFilter()


class NoCheckpoints:
    """A store that nothing here asks."""


async def filled(*whose: str) -> Audit:
    """A log with an entry a minute, each of a chain and by a user of its own."""
    times = (NOW + timedelta(minutes=n) for n in count())
    log = MemoryLog(lambda: next(times))
    audit = Audit(log, NoCheckpoints(), SigningKey.generate("test"))  # type: ignore[arg-type]
    for number, tenant in enumerate(whose):
        await audit.append(
            tenant=tenant,
            request_id=new_id(),
            event_type="policy_decision" if number % 2 else "plan_created",
            event_data={"by": f"user {number}"},
            actor="safety",
            entry_id=new_id(),
        )
    return audit


async def leaves(
    audit: Audit, wanted: EntryFilter = EVERY, *, limit: int = 2, tenant: str = "ann"
) -> list[list[int]]:
    """The leaves of each page."""
    pages: list[list[int]] = []
    before: int | None = None
    while before != 0:
        found, before = await audit.newest(tenant, wanted, before, limit)
        pages.append([one.leaf_index for one in found])
    return pages


async def test_pages_are_newest_first_and_hold_a_tenants_alone() -> None:
    audit = await filled("ann", "bob", "ann", "ann", "bob", "ann")
    assert await leaves(audit) == [[5, 3], [2, 0]]
    assert await leaves(audit, tenant="bob", limit=9) == [[4, 1]]
    assert await leaves(audit, tenant="eve") == [[]]


async def test_only_what_is_wanted_is_given() -> None:
    audit = await filled(*["ann"] * 6)
    decisions = EntryFilter(frozenset({EventType.POLICY_DECISION}))
    assert await leaves(audit, decisions, limit=9) == [[5, 3, 1]]
    middle = EntryFilter(since=NOW + timedelta(minutes=2), until=NOW + timedelta(minutes=4))
    assert await leaves(audit, middle, limit=9) == [[3, 2]]
    assert await leaves(audit, EntryFilter(user="user 4"), limit=9) == [[4]]


async def test_a_page_looks_through_so_much_and_the_next_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "MOST_LOOKED_AT", 4)
    audit = await filled("ann", *["bob"] * 9)
    assert await leaves(audit, limit=9) == [[], [], [0]]


async def test_what_comes_meanwhile_moves_no_page() -> None:
    audit = await filled(*["ann"] * 4)
    first, before = await audit.newest("ann", EVERY, None, 2)
    await audit.append(
        tenant="ann",
        request_id=new_id(),
        event_type="plan_created",
        event_data={},
        actor="planner",
        entry_id=new_id(),
    )
    second, _ = await audit.newest("ann", EVERY, before, 2)
    assert [one.leaf_index for one in (*first, *second)] == [3, 2, 1, 0]
