"""What was seen in the data that may make answers wrong, and what would mend it."""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.frozen import Frozen


class Use(StrEnum):
    """What an answer does with a column or table where a doubt would make it wrong."""

    COMPUTED = "computed"
    GROUPED = "grouped"
    FILTERED = "filtered"
    ROWS = "rows"


class Repair(Frozen):
    """A step between a file and its table: what is done (`kind`), to which column if to one, and
    the `value` that this takes (docs/repairs.md)."""

    kind: str
    column: str = ""
    value: str = ""


class Doubt(Frozen):
    """One thing that was seen, of a kind called `code` (docs/repairs.md).

    It bears on `rows`, which are `share` of all (0 to 1), and shows in `examples`. `said` and
    `changes` are for people, without a full stop. Any one of `repairs` mends it; the first was made
    already where it is `repaired`. It harms what an answer does by `uses`, or all where there are
    none. `weight`, 0 to 1, is how much it matters.
    """

    code: str
    table: str
    said: str
    column: str = ""
    rows: int = 0
    share: float = 0.0
    examples: tuple[str, ...] = ()
    changes: str = ""
    repairs: tuple[Repair, ...] = ()
    repaired: bool = False
    uses: tuple[Use, ...] = ()
    weight: float = 0.0
    source_name: str = ""


def gravest_first(doubts: list[Doubt]) -> tuple[Doubt, ...]:
    """Doubts in the order in which people should read them, repaired ones last."""
    return tuple(sorted(doubts, key=lambda one: (one.repaired, -one.weight)))


def beyond_case(doubt: Doubt) -> bool:
    """Whether spellings of one value, of which a doubt has examples, differ by more than case and
    spaces."""
    return len({" ".join(example.split()).casefold() for example in doubt.examples}) > 1
