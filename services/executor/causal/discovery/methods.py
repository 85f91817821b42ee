"""The methods by their names, what each needs, and what a run costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.discovery import constraint, functional, greedy
from services.executor.causal.discovery.effort import Effort
from services.executor.causal.discovery.knowledge import Knowledge
from services.executor.causal.discovery.marks import Marks
from services.executor.causal.discovery.matrix import Matrix, Sample

MethodName = Literal["PC", "FCI", "GES", "NOTEARS", "LiNGAM"]
Search = Callable[[Sample, Knowledge, float, Effort], Marks]


@dataclass(frozen=True)
class Method:
    """A method of discovery; `says` is what its edges mean and assume.

    A run takes `fixed` seconds, `by_pair` for each pair of columns and `by_step` for each step (a
    test, a score, a pair compared, a value of the objective) and number a column has;
    `by_step_rows` is for each step and row that it goes over.
    """

    search: Search
    description: str
    fixed: float
    by_pair: float
    by_step: float
    by_step_rows: float = 0.0

    def per_step(self, matrix: Matrix) -> float:
        """Predicted seconds of a step, on the machine that docs/causal_discovery.md names."""
        rows = min(matrix.rows, functional.LINGAM_ROWS) if self.by_step_rows else 0
        step = self.by_step * matrix.values.shape[1] / len(matrix.names) + self.by_step_rows * rows
        if matrix.integers is not None and self.search in (constraint.pc, constraint.fci):
            step += DISCRETE_BY_ROW * matrix.rows
        return float(step)

    def overhead(self, matrix: Matrix) -> float:
        """Steps that a run costs beside those that it counts: rows drawn, graphs copied."""
        drawing = CORRELATION_BY_CELL * matrix.rows * matrix.values.shape[1] ** 2
        pairs = len(matrix.names) ** 2 / 2
        return float((self.fixed + self.by_pair * pairs + drawing) / self.per_step(matrix))

    def run(
        self, matrix: Matrix, sample: Sample, knowledge: Knowledge, alpha: float, effort: Effort
    ) -> Marks:
        """The graph of a sample of the matrix; costs steps. Raises OutOfSteps."""
        effort.spend(self.overhead(matrix))
        return self.search(sample, knowledge, alpha, effort)


DISCRETE_BY_ROW = 4e-8
CORRELATION_BY_CELL = 2e-9

METHODS: dict[str, Method] = {
    "PC": Method(
        constraint.pc,
        "assumes that there is no hidden common cause; an undirected edge is one whose direction "
        "the data leave open",
        0.005,
        5e-4,
        7e-5,
    ),
    "FCI": Method(
        constraint.fci,
        "allows for hidden common causes: a bidirected edge has one, a circle leaves a mark open",
        0.005,
        5e-4,
        7e-5,
    ),
    "GES": Method(
        greedy.ges,
        "assumes that there is no hidden common cause; an undirected edge is one whose direction "
        "the data leave open",
        0.005,
        1e-3,
        2e-4,
    ),
    "NOTEARS": Method(
        functional.notears,
        "assumes linear relations and no hidden common cause; its directions of standardised "
        "columns rest on little",
        0.01,
        0.0,
        1.8e-4,
    ),
    "LiNGAM": Method(
        functional.lingam,
        "assumes linear relations, disturbances that are not normal and no hidden common cause",
        0.01,
        0.0,
        1e-4,
        1.2e-7,
    ),
}


def check_columns(name: str, matrix: Matrix) -> list[str]:
    """Notes on what the columns mean for a method. Raises ToolError where it cannot take them."""
    categories = [c.name for c in matrix.columns if c.kind == "categorical"]
    if name == "LiNGAM" and categories:
        text = ", ".join(f'"{column}"' for column in categories[:6])
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"LiNGAM compares numbers; {text} "
            f"{'are categories' if len(categories) > 1 else 'is a category'}.",
            hint="Name numeric columns only, or use PC, FCI or GES.",
            details={"columns": categories},
        )
    notes: list[str] = []
    discrete = [c.name for c in matrix.columns if c.kind == "binary" or c.count]
    if name in ("LiNGAM", "NOTEARS") and (discrete or categories):
        notes.append(
            f"{name} takes columns of few values for measured ones; read its edges with care."
        )
    if name == "LiNGAM" and not not_normal(matrix):
        notes.append(
            "LiNGAM tells directions by disturbances that are not normal, and nearly all here look "
            "normal: its directions are by chance."
        )
    if name == "NOTEARS":
        notes.append(
            "NOTEARS was run on standardised columns: on raw ones its directions follow their "
            "scales (Reisach, Seiler & Weichwald 2021)."
        )
    return notes


LEAST_NOT_NORMAL = 0.7
FAR_FROM_NORMAL = 20.0


def far_from_normal(values: np.ndarray) -> bool:
    """Whether a column is clearly not normal, by Jarque and Bera's statistic (1980)."""
    spread = float(values.std())
    if spread <= 0:
        return False
    scaled = (values - values.mean()) / spread
    skewed, tailed = float((scaled**3).mean()), float((scaled**4).mean()) - 3
    return len(values) / 6 * (skewed**2 + tailed**2 / 4) > FAR_FROM_NORMAL


def not_normal(matrix: Matrix) -> bool:
    """Whether what columns leave of one another is mostly not normal.

    Of each numeric column on all others; all regressions take their sums from one product of
    matrices, for going over the rows once a column took longer than the searches it plans.
    """
    places = [i for i, column in enumerate(matrix.columns) if column.kind == "numeric"]
    if not places:
        return False
    own = np.column_stack([matrix.columns[i].values for i in places])
    own = own - own.mean(axis=0)
    sums, cross = matrix.values.T @ matrix.values, matrix.values.T @ own
    weights = np.zeros_like(cross)
    for k, place in enumerate(places):
        others = np.setdiff1d(np.arange(len(sums)), matrix.blocks[place])
        solved = np.linalg.lstsq(sums[np.ix_(others, others)], cross[others, k], rcond=None)
        weights[others, k] = solved[0]
    left = own - matrix.values @ weights
    found = [far_from_normal(left[:, k]) for k in range(left.shape[1])]
    return bool(found) and sum(found) >= LEAST_NOT_NORMAL * len(found)
