"""What a case is: data of two periods with a planted truth, in rows and in leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Numbers = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Segment = frozenset[tuple[str, str]]
"""Values for some of the dimensions: {("region", "north"), ("channel", "web")}."""

Metric = Literal["count", "sum", "ratio", "average"]
Form = Literal["rows", "leaves"]


@dataclass(frozen=True)
class Span:
    """Days from `start` to `end`, both included."""

    start: date
    end: date


@dataclass(frozen=True, eq=False)
class Leaves:
    """Combinations of values with what was expected of each and what came.

    `codes` is [leaves × dimensions], an index into `values` of that dimension; the others are
    [leaves], sums of numerators and, of ratios, denominators (None for additive metrics).
    """

    dimensions: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: Whole
    predicted: Numbers
    real: Numbers
    predicted_denominator: Numbers | None = None
    real_denominator: Numbers | None = None

    def segment(self, places: Sequence[int], codes: Sequence[int]) -> Segment:
        """The segment with these codes at these places of dimensions."""
        return frozenset(
            (self.dimensions[place], self.values[place][code])
            for place, code in zip(places, codes, strict=True)
        )


@dataclass(frozen=True, eq=False)
class Case:
    """One question "why did the metric move?", with its answer.

    `rows` has `day` (date), the dimensions (text), `numerator` (null where a fault made it so) and,
    for a ratio, `denominator`. `truth` is empty where no segment is to blame. `strength` is the
    least planted cause in standard errors of its own segment. `determines` names for a dimension
    that which follows from it (city: country).
    """

    name: str
    kind: str
    metric: Metric
    noise: str
    level: int
    seed: int
    dimensions: tuple[str, ...]
    determines: Mapping[str, str]
    history_start: date
    baseline: Span
    comparison: Span
    rows: pa.Table
    leaves: Leaves
    truth: tuple[Segment, ...]
    strength: float
    form: Form = "rows"

    @property
    def ratio(self) -> bool:
        """Whether the metric has a denominator."""
        return self.metric in ("ratio", "average")


class Finder(Protocol):
    """What is measured: segments to blame, the likeliest first; none where nothing stands out."""

    def find(self, case: Case) -> list[set[tuple[str, str]]]:
        """The causes of a case, from `case.rows` or `case.leaves` as `case.form` says."""
        ...


def canonical(segment: Segment | set[tuple[str, str]], determines: Mapping[str, str]) -> Segment:
    """A segment without values that follow from its others (the country beside its city)."""
    named = {dimension for dimension, _ in segment}
    implied: set[str] = set()
    for name in named:
        while name in determines:
            name = determines[name]
            implied.add(name)
    return frozenset(pair for pair in segment if pair[0] not in implied)
