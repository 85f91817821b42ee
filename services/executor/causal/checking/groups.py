"""The two groups of a treatment: which value is treated, and which rows are in neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.profiling.columns import Column, Vector
from services.executor.causal.treated import one_of


@dataclass(frozen=True)
class Groups:
    """`treated` is 1, 0, or NaN where the treatment is missing."""

    treated: Vector
    name: str
    other: str
    note: str

    @property
    def there(self) -> npt.NDArray[np.bool_]:
        """Rows of either group."""
        return ~np.isnan(self.treated)


def two_groups(column: Column, treated: str | None) -> Groups:
    """The groups of a treatment with two values; `treated` names the value that counts as 1.

    Raises ToolError where it has one value, more than two, or not the one that is named.
    """
    levels = column.levels
    if column.codes is None or column.kind != "binary":
        constant = column.why_not in ("constant", "all missing") or len(levels) == 1
        problem = (
            f"is {column.why_not}"
            if constant
            else f"has {len(levels):,} values"
            if levels
            else "is a number"
        )
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f'the treatment "{column.name}" {problem}; two groups are needed.',
            hint="Name another treatment." if constant else "Choose two of its values in the data.",
            details={"reason": "TREATMENT_NOT_BINARY", "column": column.name},
        )
    note = ""
    if treated is not None:
        same = [place for place, level in enumerate(levels) if _same(level, treated)]
        if not same:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f'"{column.name}" has no value {treated!r}.',
                hint="It has " + " and ".join(f'"{level}"' for level in levels) + ".",
                details={"field": "treated", "candidates": list(levels)},
            )
        one = same[0]
    else:
        counts = np.bincount(column.codes[column.codes >= 0], minlength=2)
        named, certain = one_of(dict(zip(levels, counts.tolist(), strict=True)))
        one = levels.index(named)
        if not certain:
            note = f'Treated are the rows with "{levels[one]}", the rarer value.'
    values = np.where(column.codes < 0, np.nan, (column.codes == one).astype(np.float64))
    return Groups(values, levels[one], levels[1 - one], note)


def _same(level: str, treated: str) -> bool:
    if level.casefold() == treated.strip().casefold():
        return True
    words = {"true": "yes", "false": "no", "1": "yes", "0": "no"}
    return level in ("yes", "no") and words.get(treated.strip().casefold()) == level
