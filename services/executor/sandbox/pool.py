"""Warm sandboxes: started when first needed, tested before anything foreign runs, kept."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue

from mesh.errors import SANDBOX_UNAVAILABLE, AssayError
from services.executor.sandbox.isolation import (
    WAYS,
    CannotIsolate,
    Launch,
    missing_libraries,
)
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.slot import Slot, SlotLost

log = logging.getLogger("assay.executor")

Way = Callable[[int, SandboxLimits], Launch]
Test = Callable[[Slot, SandboxLimits], list[str]]


class NoSlot(Exception):
    """Every sandbox was busy for as long as the caller could wait."""


class SandboxPool:
    """At most `size` warm sandboxes. Thread-safe.

    The first that starts in a way of isolation is put to the test; a way that does not start or
    lets anything through is not used, and where none is left no foreign code runs at all.
    """

    def __init__(
        self,
        limits: SandboxLimits,
        test: Test,
        size: int = 2,
        ways: Mapping[str, Way] | None = None,
    ) -> None:
        self.limits = limits
        self.isolation = ""
        self._test = test
        self._size = size
        self._ways = dict(WAYS if ways is None else ways)
        self._idle: list[Slot] = []
        self._alive: set[Slot] = set()
        self._starting = 0
        self._changed = threading.Condition()
        self._refusal: AssayError | None = None
        self._closed = False
        self._orders: SimpleQueue[Future[Slot] | None] = SimpleQueue()
        self._keeper: threading.Thread | None = None

    def warm(self, count: int) -> None:
        """Have this many sandboxes ready soon; returns at once."""
        with self._changed:
            for _ in range(min(count, self._size) - len(self._alive) - self._starting):
                self._order()

    @contextmanager
    def slot(self, seconds: float, cancelled: threading.Event) -> Iterator[Slot]:
        """A sandbox for one run. One that raised SlotLost within is ended and replaced.

        Raises NoSlot, and AssayError(SANDBOX_UNAVAILABLE).
        """
        slot = self._take(seconds, cancelled)
        keep = False
        try:
            yield slot
            keep = True
        except SlotLost:
            raise
        except BaseException:
            keep = True
            raise
        finally:
            self._give_back(slot, keep)

    def close(self) -> None:
        """End every sandbox."""
        with self._changed:
            self._closed = True
            alive, self._alive, self._idle = self._alive, set(), []
            self._changed.notify_all()
        self._orders.put(None)
        for slot in alive:
            slot.close()

    def _take(self, seconds: float, cancelled: threading.Event) -> Slot:
        ends = time.monotonic() + seconds
        with self._changed:
            while True:
                if self._refusal is not None:
                    raise self._refusal
                if self._closed:
                    raise NoSlot("the executor is closing")
                if self._idle:
                    return self._idle.pop()
                if not self._starting and len(self._alive) < self._size:
                    self._order()
                left = ends - time.monotonic()
                if left <= 0 or cancelled.is_set():
                    what = "was still starting" if self._starting else "was busy"
                    raise NoSlot(f"every sandbox {what} after {seconds:.0f} s (of {self._size})")
                self._changed.wait(min(left, 0.05))

    def _give_back(self, slot: Slot, keep: bool) -> None:
        with self._changed:
            if keep and slot in self._alive:
                self._idle.append(slot)
            else:
                self._alive.discard(slot)
                keep = False
            self._changed.notify()
        if not keep:
            slot.close()

    def _order(self) -> None:
        """Have the keeper start one. The kernel ends a sandbox with the thread that started it."""
        self._starting += 1
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._keep, name="sandbox keeper", daemon=True)
            self._keeper.start()
        self._orders.put(Future())

    def _keep(self) -> None:
        while self._orders.get() is not None:
            slot, refusal = None, None
            try:
                slot = self._start()
            except AssayError as error:
                refusal = error
            except Exception:
                log.exception("starting a sandbox failed")
                refusal = AssayError(SANDBOX_UNAVAILABLE, "starting a sandbox failed")
            with self._changed:
                self._starting -= 1
                self._refusal = refusal
                if slot is not None and not self._closed:
                    self._alive.add(slot)
                    self._idle.append(slot)
                    slot = None
                self._changed.notify_all()
            if slot is not None:
                slot.close()

    def _start(self) -> Slot:
        if missing := missing_libraries():
            raise AssayError(
                SANDBOX_UNAVAILABLE,
                f"python.run needs {', '.join(missing)}, not installed here",
                hint="Install Assay again, with all that it needs.",
            )
        if self.isolation:
            return self._launched(self._ways[self.isolation])
        refused = []
        for name, way in self._ways.items():
            try:
                slot = self._launched(way)
            except CannotIsolate as error:
                refused.append(f"{name}: {error}")
                continue
            if not (breaches := self._breaches(slot)):
                self.isolation = name
                return slot
            slot.close()
            refused.append(f"{name}: {'; '.join(breaches)}")
        raise AssayError(
            SANDBOX_UNAVAILABLE, f"no sandbox holds on this machine ({' / '.join(refused)})"
        )

    def _breaches(self, slot: Slot) -> list[str]:
        try:
            return self._test(slot, self.limits)
        except SlotLost as error:
            return [str(error)]

    def _launched(self, way: Way) -> Slot:
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            slot = Slot(way(far.fileno(), self.limits), near, far)
        except CannotIsolate:
            near.close()
            far.close()
            raise
        except OSError as error:
            near.close()
            far.close()
            raise CannotIsolate(str(error)) from error
        slot.wait_until_ready()
        return slot
