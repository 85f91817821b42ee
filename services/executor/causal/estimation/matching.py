"""Pairing rows of two groups by one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


ROUNDING = 1e-9
"""Below this, numbers differ by the order in which sums were added up, and by nothing else."""


def tied(numbers: np.ndarray) -> np.ndarray:
    """The numbers, of which those are equal that only rounding tells apart: rows that are alike in
    all columns are equally likely to be treated, on any machine."""
    import numpy as np

    order = np.argsort(numbers, kind="stable")
    along = numbers[order]
    begins = np.concatenate([[True], np.diff(along) > ROUNDING])
    found = np.empty(len(numbers))
    found[order] = along[begins][np.cumsum(begins) - 1]
    return found


@dataclass(frozen=True)
class Matches:
    """For each of m rows its nearest among others: `first` and `count` give a run in `order`, the
    others sorted by their number. Rows that are equally near for having the same number share."""

    order: np.ndarray
    first: np.ndarray
    count: np.ndarray

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The mean of the others' values over each row's matches (m)."""
        import numpy as np

        total = np.concatenate([[0.0], np.cumsum(values[self.order])])
        return np.asarray((total[self.first + self.count] - total[self.first]) / self.count)

    def uses(self, power: int) -> np.ndarray:
        """How often each of the others is used: the sum of its shares to a power."""
        import numpy as np

        steps = np.zeros(len(self.order) + 1)
        shares = 1.0 / self.count.astype(float) ** power
        np.add.at(steps, self.first, shares)
        np.add.at(steps, self.first + self.count, -shares)
        found = np.empty(len(self.order))
        found[self.order] = np.cumsum(steps[:-1])
        return found


def nearest(numbers: np.ndarray, others: np.ndarray) -> Matches:
    """The nearest of `others` for each of `numbers`, which are `tied` with them; of two that are
    equally near the smaller."""
    import numpy as np

    order = np.argsort(others, kind="stable")
    distinct, first, count = np.unique(others[order], return_index=True, return_counts=True)
    right = np.searchsorted(distinct, numbers).clip(0, len(distinct) - 1)
    left = (right - 1).clip(0)
    closer = np.abs(distinct[left] - numbers) <= np.abs(distinct[right] - numbers) + ROUNDING
    place = np.where(closer, left, right)
    return Matches(order, first[place], count[place])


def neighbour_variance(numbers: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The variance of each value given its number, from the two next to it in order: 2/3 of the
    squared distance to their mean (Abadie & Imbens 2006, section 4)."""
    import numpy as np

    order = np.argsort(numbers, kind="stable")
    along = values[order]
    padded = np.concatenate([[along[2]], along, [along[-3]]])
    found = np.empty(len(values))
    found[order] = 2 / 3 * (along - (padded[:-2] + padded[2:]) / 2) ** 2
    return found
