"""What a person said of how a question is to be read."""

from __future__ import annotations

from datetime import date

from services.planner.domain.catalogue import Frozen


class Settled(Frozen):
    """A choice between readings, and corrections in their order; `on` is the day they were made.

    Both are empty where nothing was said.
    """

    choice: str = ""
    corrections: tuple[str, ...] = ()
    on: date | None = None

    @property
    def is_by_person(self) -> bool:
        """Whether a person said anything."""
        return bool(self.choice or self.corrections)

    @property
    def description(self) -> str:
        """For people, once it is remembered: "read as you chose on 23 November 2026"."""
        how = "read as you corrected it" if self.corrections else "read as you chose"
        day = f"{self.on.day} {self.on:%B %Y}" if self.on is not None else "before"
        words = "; ".join(f"“{settled}”" for settled in self.corrections)
        return f"{how} on {day}" + (f": {words}" if words else "")
