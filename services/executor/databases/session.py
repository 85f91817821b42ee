"""Sessions with database servers of any kind: read-only, bounded, cancelled inside the server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from services.executor.databases.address import Address
from services.executor.engines.registry import database_module

Places = Callable[[Address], Mapping[str, str]]
"""Where a server is, as `HostRules.numeric` gives it, or AssayError; asked before every connect."""


class Interrupted(Exception):
    """The statement was stopped inside the server: `late`, or because it was cancelled."""

    def __init__(self, *, late: bool) -> None:
        super().__init__("out of time" if late else "cancelled")
        self.late = late


class Session(Protocol):
    """A read-only transaction under way; a kind of database has more to say to its own."""

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises the driver's errors."""
        ...


class SessionsOfKind(Protocol):
    """Opens sessions with servers of one kind. One object serves all threads."""

    def open(
        self,
        address: Address,
        seconds: float,
        cancelled: threading.Event | None = None,
        *,
        parallel: bool = False,
    ) -> AbstractContextManager[Session]:
        """A read-only transaction of at most `seconds`, rolled back at the end.

        What runs in the server is cancelled there when the time is over or the event is set;
        then Interrupted is raised. With `parallel` the server may compute a query with several
        threads. Raises AssayError when the server cannot be reached.
        """
        ...

    def close(self) -> None:
        """Close what is idle."""
        ...


class Sessions:
    """Sessions with servers of all kinds, by what the address says."""

    def __init__(self, places: Places = lambda _: {}) -> None:
        self._places = places
        self._lock = threading.Lock()
        self._by_kind: dict[str, SessionsOfKind] = {}

    def open(
        self,
        address: Address,
        seconds: float,
        cancelled: threading.Event | None = None,
        *,
        parallel: bool = False,
    ) -> AbstractContextManager[Session]:
        """As `SessionsOfKind.open`."""
        return self._of(address.kind).open(address, seconds, cancelled, parallel=parallel)

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            every = list(self._by_kind.values())
        for sessions in every:
            sessions.close()

    def _of(self, kind: str) -> SessionsOfKind:
        with self._lock:
            if kind not in self._by_kind:
                self._by_kind[kind] = database_module(kind).sessions(self._places)
            return self._by_kind[kind]
