"""How far the files of jobs are read right now, for whoever watches a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

_MILLION = 1_000_000
_LEAST_SECONDS = 0.001
_LEAST_BYTES = 1_000_000  # what is smaller is read before anybody wonders


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that is being read: rows and bytes of all there are, 0 where these are not known."""

    name: str
    seconds: float
    rows: int = 0
    of_rows: int = 0
    bytes: int = 0
    of_bytes: int = 0

    def __str__(self) -> str:
        """In words for people, short enough for a line of a terminal."""
        if not self.bytes:
            return f"reading {self.name}, {_megabytes(self.of_bytes)} MB: {self.seconds:.0f} s"
        if self.bytes >= self.of_bytes:
            read = _rows(self.of_rows) if self.of_rows else f"{_megabytes(self.bytes)} MB"
            return f"{read} of {self.name} are read, its columns are measured"
        seconds = max(self.seconds, _LEAST_SECONDS)
        if self.of_rows:
            done = _rows(self.of_rows, self.rows)
            return f"reading {self.name}: {done}, {_rounded(self.rows / seconds):,} a second"
        done = f"{_megabytes(self.bytes)} of {_megabytes(self.of_bytes)} MB"
        return f"reading {self.name}: {done}, {_megabytes(self.bytes / seconds)} MB a second"


class Readings:
    """What is read for jobs, for as long as they wait for it. Nothing is kept."""

    def __init__(self) -> None:
        self._jobs: dict[str, list[Reading]] = {}

    @contextmanager
    def about(self, job_id: str) -> Iterator[Callable[[Sequence[Reading]], None]]:
        """While a job waits; what it yields is called with what is being read for it."""

        def heard(readings: Sequence[Reading]) -> None:
            self._jobs[job_id] = list(readings)

        try:
            yield heard
        finally:
            self._jobs.pop(job_id, None)

    def describe_progress(self, job_id: str) -> str:
        """How far it is, in words for people: of the file begun last; empty while none is read."""
        readings = [r for r in self._jobs.get(job_id, ()) if r.of_bytes >= _LEAST_BYTES]
        return str(readings[-1]) if readings else ""


def _rows(every: int, some: int | None = None) -> str:
    if every >= _MILLION:
        part = "" if some is None else f"{some / _MILLION:.1f} of "
        return f"{part}{every / _MILLION:.1f} million rows"
    part = "" if some is None else f"{_rounded(some):,} of "
    return f"{part}{every:,} rows"


def _megabytes(number: float) -> str:
    megabytes = number / _MILLION
    return f"{megabytes:,.0f}" if megabytes >= 10 else f"{megabytes:.1f}"


def _rounded(number: float) -> int:
    """To two digits, because it is an estimate."""
    whole = round(number)
    return round(whole, 2 - len(str(whole)))
