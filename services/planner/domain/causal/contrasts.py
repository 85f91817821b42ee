"""Treatments of several values: each value against one that is held to be none of the treatment.

Numbers are taken as amounts (the effect of one unit more) unless a value of theirs is named.
"""

from __future__ import annotations

from dataclasses import dataclass

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.data_models import DataProfile
from services.planner.domain.causal.state import AnalysisState

FEWEST_ROWS = 20
MOST_CONTRASTS = 6
_NONE = frozenset(
    (
        "none",
        "no",
        "control",
        "placebo",
        "untreated",
        "baseline",
        "standard",
        "default",
        "nothing",
        "0",
        "off",
        "usual care",
    )
)


@dataclass(frozen=True)
class Contrast:
    """`treated` against `reference`, both values of one treatment."""

    treated: str
    reference: str

    @property
    def label(self) -> str:
        """`pro against free`."""
        return f"{self.treated} against {self.reference}"

    @property
    def arguments(self) -> dict[str, str]:
        """As tools take it."""
        return {"treated": self.treated, "reference": self.reference}


def contrasts(
    profile: DataProfile | None, treatment: str | None, treated: str = "", reference: str = ""
) -> tuple[Contrast, ...]:
    """Every value of a treatment of more than two against its reference, the one that is judged
    first: as named, else the most frequent. None of a treatment of two values or of amounts where
    nothing is named.

    Raises AssayError(INVALID_ARGUMENT) for a value that the treatment never has.
    """
    if profile is None or treatment is None:
        return ()
    rows = profile.categorical_stats.get(treatment, {})
    named = [value for value in (treated, reference) if value]
    if not named and (len(rows) <= 2 or all(map(_is_number, rows))):
        return ()
    values = {value: _find_level(value, rows) for value in named}
    for value, found in values.items():
        if found is None:
            there = ", ".join(sorted(rows)[:20])
            raise AssayError(
                INVALID_ARGUMENT,
                f"{treatment} never has the value {value!r}; its values are {there}",
                fields={"causal.treated": "a value of the treatment"},
            )
    by_rows = sorted(rows, key=lambda value: (-rows[value], value))
    none = [v for v in by_rows if v.strip().casefold() in _NONE]
    against = values.get(reference) or next(
        (v for v in (*none, *by_rows) if v != values.get(treated)), ""
    )
    first = values.get(treated)
    others = [v for v in by_rows if v not in (against, first) and rows[v] >= FEWEST_ROWS]
    order = [first, *others] if first else others
    return tuple(Contrast(value, against) for value in order[:MOST_CONTRASTS] if value)


def contrast_of(state: AnalysisState, brief: Brief) -> Contrast | None:
    """The contrast that is judged; None where the treatment has two values or amounts."""
    treatment, _ = state.get_primary_pair()
    found = contrasts(state.data_profile, treatment, brief.treated, brief.reference)
    return found[0] if found else None


def _find_level(value: str, rows: dict[str, int]) -> str | None:
    wanted = value.strip().casefold()
    return next((each for each in rows if each.strip().casefold() == wanted), None)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
