"""One number for how fit the data is, and what takes away from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from services.executor.causal.profiling.columns import Column
from services.executor.causal.repairing.cells import sentinel_proposals, text_proposals
from services.executor.causal.repairing.flags import duplicate_rows, outliers

_MOST_OUT = 0.05


def quality(frame: pa.Table, columns: Sequence[Column]) -> tuple[dict[str, float], list[str]]:
    """Parts from 0 to 1 and the score, their mean weighted 4 : 2 : 2 : 1 : 1, and the issues.

    completeness: cells that have a value. uniqueness: rows that repeat no other. validity: columns
    whose cells are of the type they mean and hold no sign for a missing value. usability: columns
    that can be analysed. regularity: numeric columns without many values far out.
    """
    cells = sum(len(column.missing) for column in columns)
    missing = sum(int(column.missing.sum()) for column in columns)
    repeats = int(duplicate_rows(frame).sum())
    faulty = {
        column.name: found[0].reason
        for column in columns
        if (
            found := [
                *text_proposals(column.name, frame[column.name]),
                *sentinel_proposals(column.name, frame[column.name]),
            ]
        )
    }
    plain = [c for c in columns if c.kind == "numeric" and c.usable and not c.is_date]
    wild = {}
    for column in plain:
        assert column.numbers is not None
        far = outliers(column.numbers)
        if far is not None and len(far.rows) > _MOST_OUT * len(column.missing):
            wild[column.name] = len(far.rows)
    parts = {
        "completeness": 1 - missing / cells,
        "uniqueness": 1 - repeats / frame.num_rows,
        "validity": 1 - len(faulty) / len(columns),
        "usability": float(np.mean([column.usable for column in columns])),
        "regularity": 1 - len(wild) / len(plain) if plain else 1.0,
    }
    weights = (4, 2, 2, 1, 1)
    total = sum(part * weight for part, weight in zip(parts.values(), weights, strict=True)) / 10
    issues = [
        f'"{column.name}" misses {column.missing.mean():.1%} of its values'
        for column in columns
        if 0.05 < column.missing.mean() < 1
    ]
    issues += [f"{repeats:,} rows repeat another wholly"] if repeats else []
    issues += [f'"{name}": {why}' for name, why in faulty.items()]
    issues += [f'"{c.name}" cannot be analysed: {c.why_not}' for c in columns if not c.usable]
    issues += [f'"{name}" has {count:,} values far out' for name, count in wild.items()]
    return {"score": total, **parts}, issues
