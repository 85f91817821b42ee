"""How far the files of jobs are read right now, for whoever watches a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

_MEGABYTE = 1_000_000
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
        """In words for people."""
        if not self.bytes:
            return f"reading {self.name}, {_megabytes(self.of_bytes)} MB: {self.seconds:.0f} s"
        if self.of_rows:
            rate = f"{_rounded(self.rows / self.seconds):,} rows a second" if self.seconds else ""
            if self.rows >= self.of_rows:
                return f"{self.of_rows:,} rows of {self.name} are read and measured ({rate})"
            done = f"{_rounded(self.rows):,} of {self.of_rows:,} rows"
        else:
            rate = f"{_megabytes(self.bytes / self.seconds)} MB a second" if self.seconds else ""
            done = f"{_megabytes(self.bytes)} of {_megabytes(self.of_bytes)} MB"
        return f"reading {self.name}: {done}, {rate}".rstrip(", ")


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

    def told(self, job_id: str) -> str:
        """How far it is, in words for people: of the file begun last; empty while none is read."""
        readings = [r for r in self._jobs.get(job_id, ()) if r.of_bytes >= _LEAST_BYTES]
        return str(readings[-1]) if readings else ""


def _megabytes(number: float) -> str:
    megabytes = number / _MEGABYTE
    return f"{megabytes:,.0f}" if megabytes >= 10 else f"{megabytes:.1f}"


def _rounded(number: float) -> int:
    """To two digits, because it is an estimate."""
    whole = round(number)
    return round(whole, 2 - len(str(whole)))
