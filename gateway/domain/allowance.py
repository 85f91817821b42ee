"""How many calls a tenant may make: so many a second, some at once, so many under way."""

from __future__ import annotations

from dataclasses import dataclass

from mesh.errors import RATE_EXCEEDED, AssayError


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What each tenant may at one gateway; 0 is no limit.

    `per_second` calls in the long run, `burst` of them at once after a pause (a token bucket), and
    `under_way` at the same time, streams included.
    """

    per_second: float = 0.0
    burst: int = 0
    under_way: int = 0


@dataclass(slots=True)
class Allowance:
    """What one tenant has used: calls that it may still make as of `at` (seconds), and those that
    are under way."""

    left: float
    at: float
    under_way: int = 0

    def take(self, limits: CallLimits, now: float) -> AssayError | None:
        """Count a call that begins now; or why it may not (RATE_EXCEEDED, with a time to try again)
        and then it is not counted."""
        if limits.under_way and self.under_way >= limits.under_way:
            return _exceeded(f"{self.under_way} calls of yours are under way already", 1.0)
        if limits.per_second:
            self._refill(limits, now)
            if self.left < 1.0:
                seconds = (1.0 - self.left) / limits.per_second
                return _exceeded(f"more than {limits.per_second:g} calls a second came", seconds)
            self.left -= 1.0
        self.under_way += 1
        return None

    def idle(self, limits: CallLimits, now: float) -> bool:
        """Whether nothing would be lost if it were forgotten."""
        if not self.under_way and limits.per_second:
            self._refill(limits, now)
        return not self.under_way and self.left >= limits.burst

    def _refill(self, limits: CallLimits, now: float) -> None:
        grown = self.left + max(0.0, now - self.at) * limits.per_second
        self.left, self.at = min(float(limits.burst), grown), now


def _exceeded(why: str, seconds: float) -> AssayError:
    return AssayError(
        RATE_EXCEEDED,
        f"the call was not taken: {why}",
        hint=f"Try again in {seconds:.1f} s, and then more slowly.",
        retry_seconds=seconds,
    )
