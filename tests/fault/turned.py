"""`python -m tests.fault.turned planner`: services whose time of day tests set as they run.

Whatever Assay's own code reads the time of day from gives the machine's time and as many seconds
more as the file ASSAY_TEST_CLOCK says at that moment. Monotonic clocks stay, as when somebody
sets a machine's clock.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from mesh.config import SERVICES
from services.__main__ import factories, main

SETTING = "ASSAY_TEST_CLOCK"


class TurnedClock:
    """The hand of a clock that services in other processes go by."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.environment = {SETTING: str(file)}
        self.turn(0)

    def turn(self, hours: int) -> None:
        """Have it show so many hours more, or fewer, than it is."""
        beside = self._file.with_suffix(".new")
        beside.write_text(str(hours * 3600))
        beside.replace(self._file)


def turn_the_time_of_day(file: Path) -> None:
    """Replace what tells the time of day in every module of the mesh that asks for it.

    There alone: gRPC hands the time it reads on to compiled code, which reads it for itself too.
    """
    turned_time = Clocks(lambda: time.time_ns() + int(file.read_text()) * 1_000_000_000)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("gateway", "mesh", "services"):
            known = vars(module)
            if known.get("datetime") is datetime:
                known["datetime"] = turned_time.datetime
            if known.get("time") is time:
                known["time"] = turned_time


class Clocks:
    """The module `time` with another time of day, and a `datetime` that goes by it."""

    def __init__(self, turned_ns: Callable[[], int]) -> None:
        class AnyDatetime(type):
            def __instancecheck__(cls, instance: object) -> bool:
                return isinstance(instance, datetime)

        class Turned(datetime, metaclass=AnyDatetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Any:
                return datetime.fromtimestamp(turned_ns() / 1e9, tz)

        self.time_ns = turned_ns
        self.datetime = Turned

    def time(self) -> float:
        return self.time_ns() / 1e9

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


if __name__ == "__main__":
    factories(SERVICES)  # imports them
    turn_the_time_of_day(Path(os.environ[SETTING]))
    main()
