"""The tables that a statement may name, and which of them was meant by a name that is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz, utils
from rapidfuzz.distance import JaroWinkler


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table a statement may name; `hidden` are its columns that policy takes away."""

    name: str
    columns: tuple[str, ...]
    hidden: tuple[str, ...] = ()


def candidates(name: str, among: Iterable[str], limit: int = 3) -> list[str]:
    """The names most like the one that was meant, best first."""
    intended = utils.default_process(name)

    def likeness(choice: str) -> float:
        other = utils.default_process(choice)
        return 0.5 * fuzz.WRatio(intended, other) + 50 * JaroWinkler.similarity(intended, other)

    best = sorted(among, key=lambda choice: (-likeness(choice), choice))
    return [choice for choice in best[:limit] if likeness(choice) >= 60]
