"""What people know of the data before they are looked at: order in time, and edges (seed 001)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from pydantic import Field

from mesh.errors import KNOWLEDGE_INVALID, AssayError
from services.planner.domain.catalogue import Frozen

Pair = tuple[str, str]


class Knowledge(Frozen):
    """Tiers (what is in a later one causes nothing in an earlier one, from 0), edges that must not
    or must be there (source, target), what columns mean, which designs they allow, and notes.
    `randomised` says that the treatment was assigned by chance alone."""

    tiers: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[Pair, ...] = ()
    required: tuple[Pair, ...] = ()
    descriptions: dict[str, str] = Field(default_factory=dict)
    instruments: tuple[str, ...] = ()
    unit: str = ""
    time: str = ""
    running: str = ""
    cutoff: float | None = None
    negative_outcomes: tuple[str, ...] = ()
    randomised: bool = False
    notes: str = ""

    @property
    def tier_of(self) -> dict[str, int]:
        """The tier of each column that has one."""
        return {name: number for number, names in enumerate(self.tiers) for name in names}

    @property
    def columns(self) -> frozenset[str]:
        """All columns that it names."""
        named = {name for names in self.tiers for name in names}
        named |= {name for pair in (*self.forbidden, *self.required) for name in pair}
        named |= {*self.instruments, *self.negative_outcomes, *self.descriptions}
        return frozenset(named | ({self.unit, self.time, self.running} - {""}))

    def forbids(self, source: str, target: str) -> bool:
        """Whether one cannot cause the other."""
        tier = self.tier_of
        later = source in tier and target in tier and tier[source] > tier[target]
        return later or (source, target) in self.forbidden

    def comes_before(self, name: str, other: str | None) -> bool:
        """Whether one is said to have come before the other in time."""
        tier = self.tier_of
        return name in tier and other in tier and tier[name] < tier[str(other)]

    def checked(self, columns: Iterable[str]) -> Self:
        """The knowledge itself.

        Raises AssayError(KNOWLEDGE_INVALID) for a column that is not in the data, for an edge both
        required and forbidden, and for one against the order of tiers.
        """
        known = set(columns)
        strange = sorted(self.columns - known)
        if strange:
            raise _wrong(f"names {strange[0]!r}, which is no column of the data")
        twice = sorted(set(self.required) & set(self.forbidden))
        if twice:
            raise _wrong(f"both requires and forbids {' -> '.join(twice[0])}")
        against = [pair for pair in self.required if self.forbids(*pair)]
        if against:
            raise _wrong(f"requires {' -> '.join(against[0])} against the order of its tiers")
        return self

    def joined(self, other: Knowledge) -> Knowledge:
        """Both together; where both say something of one matter, this one."""
        update: dict[str, Any] = {
            "forbidden": tuple(dict.fromkeys((*self.forbidden, *other.forbidden))),
            "required": tuple(dict.fromkeys((*self.required, *other.required))),
            "descriptions": {**other.descriptions, **self.descriptions},
            "notes": "\n".join(text for text in (self.notes, other.notes) if text),
        }
        for name in ("tiers", "instruments", "unit", "time", "running", "negative_outcomes"):
            update[name] = getattr(self, name) or getattr(other, name)
        update["randomised"] = self.randomised or other.randomised
        update["cutoff"] = self.cutoff if self.cutoff is not None else other.cutoff
        return self.model_copy(update=update)


def _wrong(what: str) -> AssayError:
    return AssayError(
        KNOWLEDGE_INVALID,
        f"the knowledge {what}",
        fields={"causal.knowledge": "columns as the data name them, edges that fit together"},
    )
