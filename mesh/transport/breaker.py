"""A circuit breaker: stop asking a peer that keeps failing, and try it again after a rest.

It makes no calls and no waits itself: whoever asks a peer asks first whether to, and says
afterwards how it went.
"""

from __future__ import annotations

from enum import StrEnum

from mesh.clock import Clock


class BreakerState(StrEnum):
    """Whether a peer is asked."""

    CLOSED = "closed"  # it is
    OPEN = "open"  # it is not: it failed too often in a row
    HALF_OPEN = "half-open"  # the next call is a probe that decides


class Breaker:
    """Refuses calls after `most_failures` in a row; `rest_seconds` later lets one through as probe.

    A success, also of a call that began earlier, closes the breaker; a failed probe begins another
    rest. A probe that never tells how it went counts for one rest and is then followed by another:
    a caller that was cancelled cannot keep the breaker from closing.
    """

    def __init__(self, most_failures: int, rest_seconds: float, clock: Clock) -> None:
        self._most_failures = most_failures
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._failures = 0
        self._rested_at = 0.0

    @property
    def failures(self) -> int:
        """Failures since the last success."""
        return self._failures

    @property
    def seconds_left(self) -> float:
        """How long until a call is let through; 0 when one is now."""
        if self._failures < self._most_failures:
            return 0.0
        left = self._rested_at - self._clock.monotonic()
        # Adding and taking away a large clock's reading may leave a little more than was added.
        return min(max(0.0, left), self._rest_seconds)

    @property
    def state(self) -> BreakerState:
        """Whether the peer is asked at this moment."""
        if self._failures < self._most_failures:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self.seconds_left else BreakerState.HALF_OPEN

    def list_states(self, peer: str) -> list[tuple[int, dict[str, str]]]:
        """1 for the state it is in and 0 for the others, as the gauge `assay.breaker.state`."""
        now = self.state
        named = [
            (state, {"assay.breaker": peer, "assay.breaker.state": state}) for state in BreakerState
        ]
        return [(int(state is now), attributes) for state, attributes in named]

    def admits(self) -> bool:
        """Whether to make a call now. Each True of a half-open breaker is one probe."""
        state = self.state
        if state is BreakerState.HALF_OPEN:
            self._rest()
        return state is not BreakerState.OPEN

    def succeeded(self) -> None:
        """The peer answered: whatever it said, it is there."""
        self._failures = 0

    def failed(self) -> None:
        """The peer did not answer, or not in time."""
        self._failures += 1
        if self._failures >= self._most_failures:
            self._rest()

    def _rest(self) -> None:
        self._rested_at = self._clock.monotonic() + self._rest_seconds
