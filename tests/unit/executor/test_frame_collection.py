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
from mesh.database import open_database
from mesh.digest import frame_digest
from mesh.errors import NOT_FOUND, AssayError
from mesh.frames.store import FrameStore
from mesh.objects.folder import FolderObjects
from services.executor.adapters.lease_store import SqlLeases
from services.executor.collection import Collector
from services.executor.domain.thing import BEGIN_SECONDS, DELETING_SECONDS, Going, ThingKind, job
from services.executor.frame_leases import Leases
from services.executor.service import MIGRATIONS

GRACE = 600.0
TABLES = [pa.table({"n": list(range(number))}) for number in (1, 2)]
DIGESTS = [frame_digest(table) for table in TABLES]
JOBS = st.sampled_from(["1", "2"])
WHICH = st.integers(0, len(TABLES) - 1)


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
        self.needed: set[tuple[str, int]] = set()
        self.stays_until: dict[int, float] = {}
        self.opened: list[tuple[pa.Table, int]] = []
        self.elsewhere: list[tuple[Going, float]] = []
        self._start()

    def _start(self) -> None:
        self.database = open_database(f"sqlite:///{self.folder / 'executor.sqlite'}", MIGRATIONS)
        objects = FolderObjects(self.folder / "frames")
        self.frames = FrameStore(objects)
        self.store = SqlLeases(self.database, self.clock, pause=self._waiting)
        self.leases = Leases(self.store, GRACE)
        self.collector = Collector(
            self.store,
            {ThingKind.FRAME: self.frames.delete},
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
                self.frames.delete(going.thing.name)
                self.store.collected(going)

    @rule(name=JOBS, which=WHICH)
    def put(self, name: str, which: int) -> None:
        self.frames.put(TABLES[which], "t", self.leases.admit(job(name), ThingKind.FRAME))
        self.needed.add((name, which))

    @rule(name=JOBS, which=WHICH)
    def die_between_lease_and_frame(self, name: str, which: int) -> None:
        admit = self.leases.admit(job(name), ThingKind.FRAME)

        def die(digest: str, size: int) -> None:
            admit(digest, size)
            raise Crash

        there = self.frames.exists(DIGESTS[which])
        with pytest.raises(Crash):
            self.frames.put(TABLES[which], "t", die)
        if there and self.frames.exists(DIGESTS[which]):
            self.needed.add((name, which))
        self.restart()

    @rule()
    def die_while_a_frame_is_written(self) -> None:
        (self.folder / "frames").mkdir(exist_ok=True)
        (self.folder / "frames" / f".building-{len(self.opened)}").write_bytes(b"ARROW1")
        self.restart()

    @rule(name=JOBS)
    def release(self, name: str) -> None:
        self.leases.release(job(name))
        until = self.clock.now().timestamp() + GRACE
        for mine in [each for each in self.needed if each[0] == name]:
            self.needed.remove(mine)
            self.stays_until[mine[1]] = until

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
    def die_before_deleting(self) -> None:
        self.store.condemn(2)
        self.restart()

    @rule()
    def die_after_deleting(self) -> None:
        for going in self.store.condemn(1):
            self.frames.delete(going.thing.name)
        self.restart()

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
        for name, which in self.needed:
            assert self.frames.exists(DIGESTS[which]), f"job {name} lost frame {which}"
        for which, until in self.stays_until.items():
            assert now >= until or self.frames.exists(DIGESTS[which]), "gone within the grace"

    @invariant()
    def open_tables_stay_readable(self) -> None:
        for table, which in self.opened[-3:]:
            assert table.equals(TABLES[which])

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        for name in ("1", "2"):
            self.leases.release(job(name))
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
        max_examples=30,
        stateful_step_count=50,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    Prepared.TestCase("runTest").debug()
