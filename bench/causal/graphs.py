"""Data from graphs that are known: Erdős and Rényi's graphs with linear equations, seeded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

Kind = Literal["gaussian", "non_gaussian", "mixed"]
KINDS: tuple[Kind, ...] = ("gaussian", "non_gaussian", "mixed")
DEGREE = 2.0
"""Edges at a column, on average."""


@dataclass(frozen=True)
class Known:
    """A table and its graph; `truth[i, j]` is whether column i causes column j."""

    table: pa.Table
    truth: np.ndarray
    codes: np.ndarray


def known(seed: int, columns: int, rows: int, kind: Kind) -> Known:
    """A graph whose columns are named by chance, so that names tell nothing of the order."""
    random = np.random.default_rng([seed, columns, KINDS.index(kind)])
    chance = min(DEGREE / max(columns - 1, 1), 1.0)
    upper = np.triu(random.random((columns, columns)) < chance, 1)
    weights = upper * random.uniform(0.5, 1.5, upper.shape) * random.choice([-1, 1], upper.shape)
    values = np.zeros((rows, columns))
    cut = random.random(columns) < 0.4 if kind == "mixed" else np.zeros(columns, dtype=bool)
    texts: dict[int, list[str]] = {}
    for j in range(columns):
        noise = (
            random.exponential(1.0, rows) - 1
            if kind == "non_gaussian"
            else random.normal(size=rows)
        )
        values[:, j] = values @ weights[:, j] + noise
        values[:, j] /= values[:, j].std()
        if cut[j]:
            levels = int(random.integers(2, 4))
            bounds = np.quantile(values[:, j], np.arange(1, levels) / levels)
            level = np.digitize(values[:, j], bounds)
            texts[j] = [f"level {k}" for k in level]
            values[:, j] = (level - level.mean()) / level.std()
    order = random.permutation(columns)
    names = [f"x{place:02d}" for place in range(columns)]
    table = pa.table(
        {
            name: pa.array(texts[j]) if j in texts else pa.array(values[:, j])
            for name, j in zip(names, order, strict=True)
        }
    )
    return Known(table, upper[np.ix_(order, order)], values[:, order])
