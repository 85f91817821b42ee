"""Which methods suit the data, what they will cost, and what must be left out to stay in time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from services.executor.causal.discovery.effort import Effort, OutOfSteps
from services.executor.causal.discovery.knowledge import Knowledge
from services.executor.causal.discovery.matrix import ROWS_A_COLUMN, Matrix
from services.executor.causal.discovery.methods import METHODS, Method, not_normal
from services.executor.causal.discovery.stability import WHOLE_RUNS
from services.executor.causal.threads import one_thread

SCHEMA = pa.schema(
    [
        ("method", pa.string()),
        ("suits", pa.bool_()),
        ("predicted_seconds", pa.float64()),
        ("bootstraps", pa.int64()),
        ("columns", pa.string()),
        ("reason", pa.string()),
    ]
)
MOST_BOOTSTRAPS = 50
LEAST_BOOTSTRAPS = 10
FEWEST_COLUMNS = 3
_SHRINK = 0.8
RESERVE = 1.25
"""Resampled rows may take more steps than all rows did."""


@dataclass(frozen=True)
class Traits:
    """What decides which methods suit."""

    rows: int
    categories: tuple[str, ...]
    discrete: tuple[str, ...]
    curved: tuple[str, ...]
    not_normal: bool

    @classmethod
    def of(cls, matrix: Matrix) -> Traits:
        """Of the columns that would be searched."""
        columns = matrix.columns
        categories = tuple(c.name for c in columns if c.kind == "categorical")
        discrete = tuple(
            c.name for c in columns if c.kind == "binary" or (c.kind == "numeric" and c.count)
        )
        curved = tuple(
            c.name
            for c, b in zip(columns, matrix.blocks, strict=True)
            if c.kind == "numeric" and len(b) > 1
        )
        return cls(matrix.rows, categories, discrete, curved, not_normal(matrix))


def plan_rows(
    matrix: Matrix,
    knowledge: Knowledge,
    treatment: str | None,
    outcome: str | None,
    hidden: bool,
    seconds: float,
    effort_of: Any,
) -> list[dict[str, Any]]:
    """A row for each method; those that suit share the seconds evenly.

    A method's cost is predicted by running it once on all rows with as many steps as its share
    allows for one run; columns least tied to treatment and outcome are left out until it ends.
    """
    ranked = by_association(matrix, treatment, outcome)
    texts = _limit_columns(matrix, ranked)
    traits = Traits.of(matrix.only(texts))
    verdicts = {name: _suits(name, traits, hidden) for name in METHODS}
    suited = [name for name, (suits, _) in verdicts.items() if suits]
    rows = []
    with one_thread():
        for name, (suits, why) in verdicts.items():
            share = seconds / max(len(suited), 1)
            fit = _fit(METHODS[name], matrix, knowledge, texts, share, effort_of) if suits else None
            rows.append(_row(name, suits, why, fit, ranked, texts))
    return rows


@dataclass(frozen=True)
class _Fit:
    columns: tuple[str, ...]
    seconds: float
    bootstraps: int


def by_association(matrix: Matrix, treatment: str | None, outcome: str | None) -> list[str]:
    """Columns, those most correlated with treatment or outcome first (without: with any other)."""
    correlation = np.abs(matrix.sample().correlation)
    np.fill_diagonal(correlation, 0.0)
    places = {name: block for name, block in zip(matrix.names, matrix.blocks, strict=True)}
    targets = [places[name] for name in (treatment, outcome) if name in places]

    def tied(name: str) -> float:
        if name in (treatment, outcome):
            return 2.0
        own = places[name]
        others = (
            np.concatenate(targets) if targets else np.setdiff1d(np.arange(len(correlation)), own)
        )
        return float(correlation[np.ix_(own, others)].max())

    return sorted(matrix.names, key=lambda name: (-round(tied(name), 9), name))


def _limit_columns(matrix: Matrix, ranked: Sequence[str]) -> tuple[str, ...]:
    """As many columns as the rows bear."""
    width = {name: len(block) for name, block in zip(matrix.names, matrix.blocks, strict=True)}
    kept: list[str] = []
    for name in ranked:
        if (
            len(kept) >= 2
            and sum(width[k] for k in kept) + width[name] > matrix.rows / ROWS_A_COLUMN
        ):
            break
        kept.append(name)
    return tuple(kept)


def _suits(name: str, traits: Traits, hidden: bool) -> tuple[bool, str]:
    few = f", though {traits.rows:,} rows show strong relations only" if traits.rows < 300 else ""
    if name == "PC":
        why = "its tests suit these columns" + few
        return True, why + ("; hidden causes are likely, which it rules out" if hidden else "")
    if name == "GES":
        why = "its score compares whole graphs" + few
        return True, why + ("; hidden causes are likely, which it rules out" if hidden else "")
    if name == "FCI":
        why = "hidden causes are likely" if hidden else "it does not rule out hidden common causes"
        return True, why + few
    if traits.categories:
        return False, f'it compares numbers, and "{traits.categories[0]}" is a category'
    if traits.discrete:
        return False, f'it is for measured numbers, and "{traits.discrete[0]}" has few values'
    if traits.curved:
        return (
            False,
            f'it is for straight relations, and others follow "{traits.curved[0]}" in a curve',
        )
    if name == "NOTEARS":
        return True, (
            "relations are straight; it is run on standardised columns, for its directions follow "
            "the scales of raw ones, and rest on little"
        )
    if not traits.not_normal:
        return False, "it tells directions by disturbances that are not normal, and nearly all are"
    return True, "relations are straight and disturbances not normal, so it can tell directions"


def _fit(
    method: Method,
    matrix: Matrix,
    knowledge: Knowledge,
    columns: tuple[str, ...],
    share: float,
    effort_of: Any,
) -> _Fit | None:
    while True:
        part = matrix.only(columns)
        per_step = method.per_step(part)
        effort: Effort = effort_of(share / (WHOLE_RUNS + LEAST_BOOTSTRAPS) / RESERVE / per_step)
        order = np.array([matrix.names.index(name) for name in part.names])
        try:
            method.run(part, part.sample(), knowledge.ordered(order), 0.05, effort)
        except OutOfSteps:
            if len(columns) <= FEWEST_COLUMNS:
                return None
            columns = columns[: max(FEWEST_COLUMNS, int(len(columns) * _SHRINK))]
            continue
        a_run = effort.steps * per_step * RESERVE
        bootstraps = min(int(share / a_run) - WHOLE_RUNS, MOST_BOOTSTRAPS)
        return _Fit(part.names, a_run * (WHOLE_RUNS + bootstraps), bootstraps)


def _row(
    name: str,
    suits: bool,
    why: str,
    fitted: _Fit | None,
    ranked: Sequence[str],
    texts: Sequence[str],
) -> dict[str, Any]:
    sentences = [why]
    if suits and fitted is None:
        suits, sentences = False, ["it does not fit into the time, even with three columns"]
    columns = fitted.columns if fitted else ()
    if fitted:
        for left, because in (
            ([c for c in ranked if c not in texts], "the rows bear no more columns"),
            ([c for c in texts if c not in columns], "the time bears no more columns"),
        ):
            if left:
                text = ", ".join(f'"{column}"' for column in left[:8])
                rest = f" and {len(left) - 8} more" if len(left) > 8 else ""
                sentences.append(f"{because}: {text}{rest}, least tied to the question, left out")
        if fitted.bootstraps < MOST_BOOTSTRAPS:
            sentences.append(
                f"{fitted.bootstraps} of {MOST_BOOTSTRAPS} resamplings fit into the time"
            )
    return {
        "method": name,
        "suits": suits,
        "predicted_seconds": round(fitted.seconds, 3) if fitted else None,
        "bootstraps": fitted.bootstraps if fitted else 0,
        "columns": json.dumps(list(columns), ensure_ascii=False),
        "reason": "; ".join(sentences),
    }
