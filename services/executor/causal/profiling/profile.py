"""The profile of a frame: a row a column."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from services.executor.causal.profiling.columns import Column, check_names, read
from services.executor.causal.profiling.roles import Roles, Score
from services.executor.causal.profiling.units import units_of
from services.executor.metric.search_rows import table_of

_LISTED = 50
_NAMED = 10
SCHEMA = pa.schema(
    [
        ("column", pa.string()),
        ("type", pa.string()),
        ("usable", pa.bool_()),
        ("why_not", pa.string()),
        ("rows", pa.int64()),
        ("missing", pa.int64()),
        ("distinct", pa.int64()),
        ("mean", pa.float64()),
        ("std", pa.float64()),
        ("min", pa.float64()),
        ("max", pa.float64()),
        ("values", pa.string()),
        ("treatment_score", pa.float64()),
        ("outcome_score", pa.float64()),
        ("confounder_score", pa.float64()),
        ("instrument_score", pa.float64()),
        ("is_time", pa.bool_()),
        ("post_treatment", pa.bool_()),
        ("discontinuity", pa.float64()),
        ("reason", pa.string()),
        ("units", pa.int64()),
        ("treated_as_a_whole", pa.bool_()),
    ]
)


def profile(
    frame: pa.Table, treatment: str | None, outcome: str | None, tiers: Mapping[str, int]
) -> tuple[pa.Table, list[str]]:
    """A row for each column, in the frame's order, and notes. Raises ToolError for absent ones."""
    check_names(frame, treatment, outcome, *tiers)
    columns = read(frame)
    roles = Roles(columns, treatment, outcome, tiers)
    rows = [{**_described(column), **_cast(column, roles)} for column in columns]
    return table_of(rows, SCHEMA), _notes(columns, roles, treatment, outcome)


def _described(column: Column) -> dict[str, Any]:
    missing = column.missing
    row: dict[str, Any] = {
        "column": column.name,
        "type": column.kind,
        "usable": column.usable,
        "why_not": column.why_not,
        "rows": len(missing),
        "missing": int(missing.sum()),
    }
    if column.codes is None or (column.kind == "ordinal" and column.numbers is not None):
        assert column.numbers is not None
        finite = column.numbers[~np.isnan(column.numbers)]
        row["distinct"] = len(np.unique(finite))
        if column.kind == "numeric" and len(finite) and not column.is_date:
            row |= {
                "mean": float(finite.mean()),
                "min": float(finite.min()),
                "max": float(finite.max()),
                "std": float(finite.std(ddof=1)) if len(finite) > 1 else None,
            }
    if column.codes is not None:
        counts = np.bincount(column.codes[~missing], minlength=len(column.levels))
        most = sorted(range(len(counts)), key=lambda i: (-counts[i], i))[:_LISTED]
        row["distinct"] = len(counts)
        row["values"] = json.dumps(
            {column.levels[i]: int(counts[i]) for i in most}, ensure_ascii=False
        )
    return row


def _cast(column: Column, roles: Roles) -> dict[str, Any]:
    treatment, outcome = roles.treatments[column.name], roles.outcomes[column.name]
    confounder, instrument = roles.confounder(column), roles.instrument(column)
    after, found = roles.comes_after(column), roles.discontinuity(column)
    texts = [f"not used: {column.why_not}"] if column.why_not else []
    texts += [column.note] if column.note else []
    texts += _list_reasons("treatment", treatment) + _list_reasons("outcome", outcome)
    texts += confounder.reasons + _list_reasons("instrument", instrument)
    if after and not confounder.reasons:
        texts.append(after)
    if found is not None:
        texts.append(
            f"the chance of treatment jumps by {found.size:+.2f} at {found.cutoff:g}, as of a rule"
        )
    units = units_of(column, roles.treatment, is_time=roles.is_time(column))
    texts += [units.reason] if units is not None else []
    return {
        "units": units.count if units is not None else None,
        "treated_as_a_whole": units is not None and units.treated_as_a_whole,
        "treatment_score": treatment.total,
        "outcome_score": outcome.total,
        "confounder_score": confounder.total,
        "instrument_score": instrument.total,
        "is_time": roles.is_time(column),
        "post_treatment": bool(after),
        "discontinuity": None if found is None else found.cutoff,
        "reason": "; ".join(texts),
    }


def _list_reasons(role: str, score: Score) -> list[str]:
    """The reasons of a role that is near, with what speaks against it."""
    if score.total < 0.3:
        return []
    return [f"{role} {score.total:.2f} ({', '.join(score.reasons)})"]


def _notes(
    columns: list[Column], roles: Roles, treatment: str | None, outcome: str | None
) -> list[str]:
    notes = []
    for role, named, found in (
        ("treatment", treatment, roles.treatment),
        ("outcome", outcome, roles.outcome),
    ):
        if named is None and found is None:
            notes.append(
                f"No column looks like a {role}; name one.".replace("a outcome", "an outcome")
            )
        elif named is None and found is not None:
            notes.append(f'Scores take "{found.name}" as the {role}, which nobody has named.')
        elif found is not None and not found.usable:
            notes.append(f'The {role} "{found.name}" cannot be used: {found.why_not}.')
    first, second = roles.treatment, roles.outcome
    if first is not None and second is not None and first is not second and _equal(first, second):
        notes.append(f'"{first.name}" and "{second.name}" hold the same values: one is the other.')
    if first is not None and first is second:
        notes.append(f'"{first.name}" is named as the treatment and as the outcome.')
    pair = {column.name for column in (first, second) if column is not None}
    notes += _left_out([c for c in columns if not c.usable and c.name not in pair])
    rows = len(columns[0].missing)
    usable = sum(column.usable for column in columns)
    if usable > rows:
        notes.append(f"There are more columns ({usable:,}) than rows ({rows:,}).")
    if rows < 100:
        notes.append(f"{rows:,} rows are few: scores of association are unsure.")
    return notes


def _left_out(columns: list[Column]) -> list[str]:
    """The columns that play no part, by why not."""
    named: dict[str, list[str]] = {}
    for column in columns:
        named.setdefault(column.why_not, []).append(column.name)
    texts = []
    for why, names in named.items():
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        text = why.replace(" (", ": ").rstrip(")")  # "too many levels (5,000)"
        texts.append(f"{', '.join(names[:_NAMED])}{more} ({text})")
    return [f"Not used: {'; '.join(texts)}."] if texts else []


def _equal(first: Column, second: Column) -> bool:
    if first.kind != second.kind or not np.array_equal(first.missing, second.missing):
        return False
    if first.codes is not None and second.codes is not None:
        return bool(np.array_equal(first.codes, second.codes))
    if first.numbers is None or second.numbers is None:
        return False
    return bool(np.array_equal(first.numbers, second.numbers, equal_nan=True))
