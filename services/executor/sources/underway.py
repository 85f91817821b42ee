"""Readings under way, for whoever waits for one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from services.executor.domain.source import DataSource


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """How far a reading is: rows and bytes of all there are, 0 where they are not counted, and the
    seconds since it began."""

    label: str
    rows: int
    of_rows: int
    bytes: int
    of_bytes: int
    seconds: float


class ReadingsUnderWay:
    """How far readings are; safe to share by threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._begun: list[tuple[DataSource, float, dict[str, Any]]] = []

    @contextmanager
    def reading(self, source: DataSource) -> Iterator[Callable[[dict[str, Any]], None]]:
        """While a source is read; what it yields takes what the reader tells."""
        values: dict[str, Any] = {}
        one = (source, self._clock(), values)
        with self._lock:
            self._begun.append(one)
        try:
            yield values.update
        finally:
            with self._lock:
                self._begun = [other for other in self._begun if other is not one]

    def of(self, sources: Sequence[DataSource]) -> list[ReadingProgress]:
        """Those of these sources that are read now, in the order they were begun."""
        with self._lock:
            begun = list(self._begun)
        named = [source.named for source in sources]
        return [
            ReadingProgress(
                label=source.label,
                rows=int(values.get("rows", 0)),
                of_rows=int(values.get("of_rows", 0)),
                bytes=int(values.get("bytes", 0)),
                of_bytes=int(values.get("of_bytes", 0)),
                seconds=self._clock() - since,
            )
            for source, since, values in begun
            if source.named in named
        ]
