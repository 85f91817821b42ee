"""Groups of rows by the columns that an effect may vary with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

MOST_GROUPS = 8
PARTS = 4


def modifier_groups(study: Study) -> dict[str, np.ndarray]:
    """Which rows (n booleans) belong to each group, by a label such as `region = north` or
    `age: 23 to 41`. Numbers of more than 8 values are cut at their quartiles; of more than 8
    categories the most frequent are told."""
    found: dict[str, np.ndarray] = {}
    for name in study.modifiers.columns:
        found.update(_of_column(str(name), study.modifiers[name]))
    return found


def _of_column(name: str, values: pd.Series) -> dict[str, np.ndarray]:
    import numpy as np
    import pandas as pd

    counts = values.value_counts()
    if len(counts) <= MOST_GROUPS or not pd.api.types.is_numeric_dtype(values):
        kept = sorted(counts.index, key=lambda each: (-counts[each], str(each)))[:MOST_GROUPS]
        return {
            f"{name} = {each}": (values == each).to_numpy(dtype=bool)
            for each in sorted(kept, key=str)
        }
    numbers = values.to_numpy(dtype=float)
    cuts = np.unique(np.quantile(numbers, np.linspace(0, 1, PARTS + 1)[1:-1]))
    part = np.searchsorted(cuts, numbers, side="left")
    return {
        f"{name}: {numbers[part == each].min():.4g} to {numbers[part == each].max():.4g}": part
        == each
        for each in np.unique(part)
    }
