"""Holds each tenant to its calls, so that one who asks too much slows nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gateway.domain.allowance import Allowance, CallLimits
from mesh.clock import Clock
from mesh.context import Established, Principal

MOST_TENANTS = 4_096
"""Of how many tenants is remembered what they used, before those who are idle are forgotten."""


class Allowances:
    """What tenants have used lately, at this gateway: others count for themselves."""

    def __init__(self, limits: CallLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._used: dict[str, Allowance] = {}

    @contextmanager
    def taken(self, who: Principal) -> Iterator[None]:
        """Count a call for as long as the block lasts. Raises AssayError(RATE_EXCEEDED).

        Whoever calls over this user's own socket owns the machine, and is not counted.
        """
        if who.how is Established.SOCKET:
            yield
            return
        used = self._of(who.tenant)
        refused = used.take(self._limits, self._clock.monotonic())
        if refused is not None:
            raise refused
        try:
            yield
        finally:
            used.under_way -= 1

    def _of(self, tenant: str) -> Allowance:
        used = self._used.get(tenant)
        if used is None:
            now = self._clock.monotonic()
            if len(self._used) >= MOST_TENANTS:
                self._used = {
                    name: each
                    for name, each in self._used.items()
                    if not each.idle(self._limits, now)
                }
            used = self._used[tenant] = Allowance(float(self._limits.burst), now)
        return used
