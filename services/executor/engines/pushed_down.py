"""The engines of all kinds of databases, each made when its first statement comes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

from services.executor.databases.kind import kind_of
from services.executor.databases.session import Sessions
from services.executor.engines.engine import DatabaseEngine
from services.executor.engines.registry import databases


class PushedDown(Mapping[str, DatabaseEngine]):
    """The engines by the names of their kinds. One object serves all threads.

    `byte_limit` is the most a result may take in memory.
    """

    def __init__(self, sessions: Sessions, byte_limit: int) -> None:
        self._sessions = sessions
        self._byte_limit = byte_limit
        self._lock = threading.Lock()
        self._made: dict[str, DatabaseEngine] = {}

    def __getitem__(self, kind: str) -> DatabaseEngine:
        if kind not in databases():
            raise KeyError(kind)
        with self._lock:
            if kind not in self._made:
                self._made[kind] = kind_of(kind).engine(self._sessions, self._byte_limit)
            return self._made[kind]

    def __contains__(self, kind: object) -> bool:
        return kind in databases()

    def __iter__(self) -> Iterator[str]:
        return iter(databases())

    def __len__(self) -> int:
        return len(databases())
