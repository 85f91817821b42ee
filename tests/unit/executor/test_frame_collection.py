"""Whatever happens in whatever order, what a job needs is there, and what none needs goes."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mesh.clock import HeldClock
from mesh.digest import frame_digest
from mesh.errors import NOT_FOUND, AssayError
from mesh.frames.store import FrameStore
from mesh.storage.database import open_database
from mesh.storage.objects.folder import FolderObjects
from services.executor.adapters.lease_store import SqlLeases
from services.executor.collection import Collector
from services.executor.domain.stored_item import (
    BEGIN_SECONDS,
    DELETING_SECONDS,
    Going,
    StoredKind,
    job,
    uploaded,
)
from services.executor.frame_leases import Leases
from services.executor.service import MIGRATIONS
from tests.unit.executor.noticed import Noticed

GRACE = 600.0
TABLES = [pa.table({"n": list(range(number))}) for number in (1, 2)]
DIGESTS = [frame_digest(table) for table in TABLES]
HOLDERS = [job("1"), job("2"), uploaded("f" * 64)]
HOLDER = st.sampled_from(HOLDERS)
WHICH = st.integers(0, len(TABLES) - 1)


MEANWHILE = ["put", "release", "collect", "another", "time"]


class Crash(Exception):
    """The process is gone."""


class Life(RuleBasedStateMachine):
    """Executors that store, serve, collect and die, over one folder and one database."""

    template: Path

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="assay-"))
        shutil.copy(self.template, self.folder / "executor.sqlite")
        self.clock = HeldClock(datetime(2026, 3, 1, tzinfo=UTC))
        self.held: set[tuple[str, int]] = set()
        self.seen: set[int] = set()
        self.stays_until: dict[int, float] = {}
        self.opened: list[tuple[pa.Table, int]] = []
        self.elsewhere: list[tuple[Going, float]] = []
        self._start()

    @property
    def needed(self) -> set[tuple[str, int]]:
        """Who holds which frame; not those that nobody has finished to store yet."""
        return {each for each in self.held if each[1] in self.seen}

    def _kept(self, holder: str, which: int) -> None:
        self.held.add((holder, which))
        self.seen.add(which)

    def _start(self) -> None:
        self.database = open_database(f"sqlite:///{self.folder / 'executor.sqlite'}", MIGRATIONS)
        objects = FolderObjects(self.folder / "frames")
        self.frames = FrameStore(objects)
        self.store = SqlLeases(self.database, self.clock, pause=self._waiting)
        self.leases = Leases(self.store, GRACE, Noticed())
        self.collector = Collector(
            self.store,
            {StoredKind.FRAME: self.frames.delete},
            [partial(objects.sweep, GRACE)],
            self.clock,
            60.0,
            at_once=2,
        )

    def _waiting(self, seconds: float) -> None:
        """While one executor waits, time passes and another goes on."""
        self.clock.advance(seconds)
        self.another_collector_goes_on()

    @rule()
    def another_collector_begins(self) -> None:
        now = self.clock.monotonic()
        self.elsewhere += [(going, now) for going in self.store.condemn(2)]

    @rule()
    def another_collector_goes_on(self) -> None:
        if self.elsewhere:
            going, began = self.elsewhere.pop(0)
            if self.clock.monotonic() - began <= BEGIN_SECONDS:
                self.frames.delete(going.item.name)
                self.store.collected(going)

    @rule(holder=HOLDER, which=WHICH)
    def put(self, holder: str, which: int) -> None:
        self.frames.put(TABLES[which], "t", self.leases.admit(holder, StoredKind.FRAME))
        self._kept(holder, which)

    @rule(holder=HOLDER, which=WHICH, meanwhile=st.lists(st.sampled_from(MEANWHILE), max_size=5))
    def put_while_others_go_on(self, holder: str, which: int, meanwhile: list[str]) -> None:
        """Between being held and being seen: others store, release and collect the same frame."""
        admit = self.leases.admit(holder, StoredKind.FRAME)
        others = [other for other in HOLDERS if other != holder]

        def interrupted(digest: str, size: int) -> None:
            admit(digest, size)
            for event in meanwhile:
                match event:
                    case "put":
                        self.put(others[0], which)
                    case "release":
                        self.release(others[0])
                        self.release(others[1])
                    case "collect":
                        self.collect()
                    case "another":
                        self.another_collector_begins()
                        self.another_collector_goes_on()
                    case _:
                        self.time_passes(GRACE + 1)

        self.frames.put(TABLES[which], "t", interrupted)
        self._kept(holder, which)

    @rule(holder=HOLDER, which=WHICH)
    def put_what_is_just_being_deleted(self, holder: str, which: int) -> None:
        self.all_let_go()
        self.another_collector_begins()
        self.put(holder, which)
        self.another_collector_goes_on()

    @rule(holder=HOLDER, which=WHICH)
    def die_between_lease_and_frame(self, holder: str, which: int) -> None:
        admit = self.leases.admit(holder, StoredKind.FRAME)

        def die(digest: str, size: int) -> None:
            admit(digest, size)
            raise Crash

        there = self.frames.exists(DIGESTS[which])
        with pytest.raises(Crash):
            self.frames.put(TABLES[which], "t", die)
        self.held.add((holder, which))
        if there and self.frames.exists(DIGESTS[which]):
            self.seen.add(which)
        self.restart()

    @rule()
    def die_while_a_frame_is_written(self) -> None:
        (self.folder / "frames").mkdir(exist_ok=True)
        (self.folder / "frames" / f".building-{len(self.opened)}").write_bytes(b"ARROW1")
        self.restart()

    @rule(holder=HOLDER)
    def release(self, holder: str) -> None:
        self.leases.release(holder)
        until = self.clock.now().timestamp() + GRACE
        for mine in [each for each in self.held if each[0] == holder]:
            self.held.remove(mine)
            if mine[1] in self.seen:
                self.stays_until[mine[1]] = until
        self.seen &= {which for _, which in self.held}

    @precondition(lambda self: self.needed)
    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        _, which = data.draw(st.sampled_from(sorted(self.needed)))
        self.opened.append((self.frames.open(DIGESTS[which]), which))

    @rule(which=WHICH)
    def read_what_may_be_gone(self, which: int) -> None:
        try:
            self.opened.append((self.frames.open(DIGESTS[which]), which))
        except AssayError as error:
            assert error.reason is NOT_FOUND
            assert "make it again" in error.remedy

    @rule()
    def collect(self) -> None:
        self.collector.round()
        self.collector.clean()

    @rule()
    def what_nobody_needs_goes(self) -> None:
        """Also what a collector took that died, and what was held and never came."""
        self.clock.advance(GRACE + DELETING_SECONDS + 1)
        while self.collector.round():
            pass
        for which in set(range(len(TABLES))) - {which for _, which in self.held}:
            assert not self.frames.exists(DIGESTS[which])

    @rule()
    def all_let_go(self) -> None:
        for holder in HOLDERS:
            self.release(holder)
        self.time_passes(GRACE + 1)

    @rule(holder=HOLDER, which=WHICH, deleted=st.integers(0, 1), swept=st.booleans())
    def die_while_collecting(self, holder: str, which: int, deleted: int, swept: bool) -> None:
        self.put(holder, which)
        self.all_let_go()
        for going in self.store.condemn(2)[:deleted]:
            self.frames.delete(going.item.name)
        self.restart()
        if swept:
            self.what_nobody_needs_goes()

    @rule(seconds=st.sampled_from([1.0, DELETING_SECONDS + 1, GRACE / 2, GRACE + 1]))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def restart(self) -> None:
        asyncio.run(self.database.close())
        self._start()

    @invariant()
    def what_is_needed_is_there(self) -> None:
        now = self.clock.now().timestamp()
        for holder, which in self.needed:
            assert self.frames.exists(DIGESTS[which]), f"{holder} lost frame {which}"
        for which, until in self.stays_until.items():
            assert now >= until or self.frames.exists(DIGESTS[which]), "gone within the grace"

    @invariant()
    def what_is_there_is_counted(self) -> None:
        there = [digest for digest in DIGESTS if self.frames.exists(digest)]
        sizes = {digest: self.frames.file(digest).stat().st_size for digest in there}
        needed = {DIGESTS[which] for _, which in self.needed}
        assert self.store.used_bytes() >= sum(sizes[digest] for digest in needed)

    @invariant()
    def open_tables_stay_readable(self) -> None:
        for table, which in self.opened[-3:]:
            assert table.equals(TABLES[which])

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        for holder in HOLDERS:
            self.leases.release(holder)
        self.clock.advance(GRACE + DELETING_SECONDS + 1)
        while self.collector.round():
            pass
        self.collector.clean()
        left = [path for path in (self.folder / "frames").rglob("*") if path.is_file()]
        assert (left, self.store.used_bytes()) == ([], 0), "what nobody needs was not collected"
        asyncio.run(self.database.close())
        shutil.rmtree(self.folder)


def test_what_is_needed_stays_and_all_else_goes(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'template.sqlite'}", MIGRATIONS)
    asyncio.run(database.close())
    template = tmp_path / "template.sqlite"

    class Prepared(Life):
        pass

    Prepared.template = template
    Prepared.TestCase.settings = settings(
        max_examples=20,
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    Prepared.TestCase("runTest").debug()
