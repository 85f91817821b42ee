"""What there is to know of a frame before anything is estimated: long rows, a statistic each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from mesh.tool import ToolError
from services.executor.causal.checking.balance import ALIKE, difference, features
from services.executor.causal.checking.groups import two_groups
from services.executor.causal.exploring.associations import (
    HIGH,
    MOST_COLUMNS,
    Pair,
    inflation,
    pairs,
)
from services.executor.causal.exploring.quality import quality
from services.executor.causal.profiling.columns import Column
from services.executor.causal.repairing.flags import outliers
from services.executor.profiling.numbers import skewness

SCHEMA = pa.schema(
    [
        ("section", pa.string()),
        ("name", pa.string()),
        ("other", pa.string()),
        ("statistic", pa.string()),
        ("value", pa.float64()),
        ("text", pa.string()),
    ]
)
_LISTED = 1_000
_SHAPIRO = 5_000
Row = dict[str, Any]


def explored(
    frame: pa.Table,
    columns: Sequence[Column],
    rows: np.ndarray[Any, np.dtype[np.int64]],
    treatment: str | None,
    outcome: str | None,
) -> tuple[list[Row], list[Pair], list[str]]:
    """All rows, the pairs for the chart, and notes. `rows` are the numbers of rows."""
    usable = [column for column in columns if column.usable]
    shown, notes = usable[:MOST_COLUMNS], []
    if len(usable) > len(shown):
        notes.append(
            f"Correlations are those of the first {MOST_COLUMNS} of {len(usable)} columns."
        )
    found = list(pairs(shown))
    listed = [row for column in columns for row in _summary(column)]
    listed += [row for column in usable for row in _distribution(column)]
    listed += [_row("correlation", p.one, p.statistic, p.value, other=p.other) for p in found]
    listed += _high(found)
    listed += [row for column in usable for row in _outliers(column, rows)]
    listed += _inflated([c for c in shown if c.name != outcome], notes)
    if treatment is not None:
        listed += _balance(columns, treatment, outcome, notes)
    parts, issues = quality(frame, columns)
    listed += [_row("quality", "", name, value) for name, value in parts.items()]
    listed += [_row("quality", "", "issue", text=text) for text in issues]
    return listed, found, notes


def _row(
    section: str,
    name: str,
    statistic: str,
    value: float | None = None,
    text: str = "",
    other: str = "",
) -> Row:
    number = None if value is None or not np.isfinite(value) else float(value)
    return {
        "section": section,
        "name": name,
        "other": other,
        "statistic": statistic,
        "value": number,
        "text": text,
    }


def _summary(column: Column) -> Iterator[Row]:
    there = ~column.missing
    yield _row("summary", column.name, "type", text=column.kind)
    yield _row("summary", column.name, "count", int(there.sum()))
    yield _row("summary", column.name, "missing", int((~there).sum()))
    if column.codes is not None:
        counts = np.bincount(column.codes[there], minlength=len(column.levels))
        yield _row("summary", column.name, "distinct", int((counts > 0).sum()))
        if len(counts):
            most = int(counts.argmax())
            yield _row("summary", column.name, "top", int(counts[most]), column.levels[most])
    if column.numbers is None or column.kind == "binary" or not there.any():
        return
    values = column.numbers[there]
    if column.codes is None:
        yield _row("summary", column.name, "distinct", len(np.unique(values)))
    yield _row("summary", column.name, "mean", float(values.mean()))
    yield _row(
        "summary", column.name, "std", float(values.std(ddof=1)) if len(values) > 1 else None
    )
    levels = {"min": 0.0, "p25": 0.25, "p50": 0.5, "p75": 0.75, "max": 1.0}
    for name, quantile in zip(levels, np.quantile(values, list(levels.values())), strict=True):
        yield _row("summary", column.name, name, float(quantile))


def _distribution(column: Column) -> Iterator[Row]:
    """Skewness, excess kurtosis, and a test of normality: Shapiro & Wilk (1965) up to 5,000 values,
    D'Agostino & Pearson (1973) above."""
    from scipy.stats import kurtosis, normaltest, shapiro

    if column.kind != "numeric" or column.numbers is None:
        return
    values = column.numbers[~column.missing]
    if len(values) < 8:
        return
    bent = skewness(values)
    peaked = float(kurtosis(values, bias=False))
    few = len(values) <= _SHAPIRO
    found = shapiro(values) if few else normaltest(values)
    test = "Shapiro-Wilk" if few else "D'Agostino-Pearson"
    normal = float(found.pvalue) >= 0.05
    shape = (
        "skewed to the right"
        if bent is not None and bent > 1
        else "skewed to the left"
        if bent is not None and bent < -1
        else "heavy in its tails"
        if peaked > 2
        else "near to symmetric"
    )
    told = "could be normal" if normal else f"not normal, {shape}"
    yield _row("distribution", column.name, "skewness", bent)
    yield _row("distribution", column.name, "kurtosis", peaked)
    yield _row("distribution", column.name, "normality", float(found.statistic), test)
    yield _row("distribution", column.name, "normality_p", float(found.pvalue), told)


def _high(found: Sequence[Pair]) -> Iterator[Row]:
    """Pairs above 0.7, once each, by the larger of their measures."""
    best: dict[tuple[str, str], Pair] = {}
    for pair in found:
        key = (pair.one, pair.other)
        if abs(pair.value) > HIGH and (key not in best or abs(pair.value) > abs(best[key].value)):
            best[key] = pair
    for pair in sorted(best.values(), key=lambda p: (-abs(p.value), p.one, p.other)):
        text = f'"{pair.one}" and "{pair.other}" say nearly the same ({pair.value:.2f})'
        yield _row("high_correlation", pair.one, pair.statistic, pair.value, text, pair.other)


def _outliers(column: Column, rows: np.ndarray[Any, np.dtype[np.int64]]) -> Iterator[Row]:
    if column.kind != "numeric" or column.is_date or column.numbers is None:
        return
    far = outliers(column.numbers)
    if far is None:
        return
    yield _row("outliers", column.name, "count", len(far.rows), far.method)
    yield _row("outliers", column.name, "below", far.low)
    yield _row("outliers", column.name, "above", far.high)
    if len(far.rows):
        listed = rows[far.rows[:_LISTED]].tolist()
        yield _row("outliers", column.name, "indices", len(far.rows), json.dumps(listed))


def _inflated(columns: Sequence[Column], notes: list[str]) -> Iterator[Row]:
    found = inflation(columns)
    if not found and len(columns) > 1:
        notes.append("Variance inflation is not told: too few rows have a value in every column.")
    for name, value in found.items():
        text = (
            "the other columns tell it wholly"
            if not np.isfinite(value)
            else "the other columns tell it nearly"
            if value > 10
            else "the other columns tell much of it"
            if value > 5
            else ""
        )
        yield _row("vif", name, "vif", value, text)


def _balance(
    columns: Sequence[Column], treatment: str, outcome: str | None, notes: list[str]
) -> Iterator[Row]:
    by_name = {column.name: column for column in columns}
    try:
        groups = two_groups(by_name[treatment], None)
    except ToolError as error:
        notes.append(f"Balance is not told: {error.message}")
        return
    covariates = [c for c in columns if c.usable and c.name not in (treatment, outcome)]
    names, matrix = features(covariates)
    far = []
    for name, values in zip(names, matrix.T, strict=True):
        there = groups.there
        found = difference(values[there], groups.treated[there])
        yield _row("balance", name, "mean_treated", found.treated)
        yield _row("balance", name, "mean_control", found.control)
        yield _row("balance", name, "smd", found.smd)
        yield _row("balance", name, "variance_ratio", found.ratio)
        yield _row("balance", name, "p_value", found.p)
        if abs(found.smd) >= ALIKE:
            far.append((abs(found.smd), name))
    if groups.note:
        notes.append(groups.note)
    yield _row("balance", "", "summary", len(far), _describe_outliers(far, len(names)))


def _describe_outliers(far: list[tuple[float, str]], count: int) -> str:
    if not count:
        return "There is no covariate to compare the groups by."
    if not far:
        return (
            f"The groups are alike in all {count} covariates (differences below 0.1 of a spread)."
        )
    size, name = max(far)
    many = "1 covariate" if len(far) == 1 else f"{len(far)} covariates"
    return (
        f"The groups differ in {many} of {count} by 0.1 of a spread or more, most in "
        f"{name} ({size:.2f}): a plain comparison would mix this up with the effect."
    )
