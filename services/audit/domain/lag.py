"""How far the checkpoints of a log are behind it."""

from __future__ import annotations


class Lag:
    """Counts entries that no checkpoint covers, and since when the oldest of them has waited.

    Moments are seconds of one clock that only grows. Of entries that were appended while a
    checkpoint was made, the wait is told from when that was begun: never too short.
    """

    def __init__(self, size: int, covered: int, now: float) -> None:
        self._size = size
        self._covered = covered
        self._since = now

    @property
    def entries(self) -> int:
        """How many entries no checkpoint covers."""
        return max(0, self._size - self._covered)

    def seconds(self, now: float) -> float:
        """For how long the oldest of them has waited; 0 without."""
        return max(0.0, now - self._since) if self.entries else 0.0

    def grown(self, size: int, now: float) -> None:
        """The log holds so many entries now."""
        if size > self._size:
            if not self.entries:
                self._since = now
            self._size = size

    def cover(self, size: int, began: float) -> None:
        """A checkpoint over so many entries, begun at that moment, was published."""
        if size > self._covered:
            self._covered, self._since = size, began
