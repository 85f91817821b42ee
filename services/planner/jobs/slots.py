"""How many jobs a planner works on at once, and how long they took lately."""

from __future__ import annotations

from collections import deque

_REMEMBERED = 32


class Slots:
    """A bounded number of places to work; each that is taken has to be given back."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._seconds: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def free(self) -> int:
        """How many can be taken."""
        return self._free

    def take(self) -> bool:
        """Take one, if there is one."""
        if self._free <= 0:
            return False
        self._free -= 1
        return True

    def give_back(self, seconds: float | None = None) -> None:
        """Give one back, after so many seconds of work where there was any."""
        self._free += 1
        if seconds is not None:
            self._seconds.append(seconds)

    @property
    def job_seconds(self) -> float | None:
        """What a job took lately, on average; None before the first has ended."""
        return sum(self._seconds) / len(self._seconds) if self._seconds else None
