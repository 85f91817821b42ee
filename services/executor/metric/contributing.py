"""What each value of one dimension adds to the change of a metric: parts that add up to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from services.executor.metric.amounts import Amounts, amounts_of
from services.executor.metric.cube import Chosen, Cube, Numbers
from services.executor.metric.design import design_of, memory_of
from services.executor.metric.effects import half_width
from services.executor.metric.explaining import Wanted
from services.executor.metric.field import Field, field_of
from services.executor.metric.finding import p_alone, p_of, searched
from services.executor.metric.segments import Segments, segments_of
from services.executor.metric.spans import Frame

SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("value", pa.string()),
        ("baseline", pa.float64()),
        ("comparison", pa.float64()),
        ("difference", pa.float64()),
        ("share", pa.float64()),
        ("rate_effect", pa.float64()),
        ("mix_effect", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("p_value", pa.float64()),
        ("p_corrected", pa.float64()),
        ("p_at_most", pa.bool_()),
        ("reversal", pa.bool_()),
    ]
)
OTHER = "(other)"
_Row = dict[str, Any]


def contribution_rows(
    cube: Cube, frame: Frame, dimension: str, most: int, wanted: Wanted
) -> tuple[list[_Row], list[str]]:
    """A row for each value of the dimension, the largest difference first, then the others
    together and the total. Raises ToolError for a dimension that is not there."""
    one = cube.kept([dimension], {})
    amounts = amounts_of(one, frame)
    rate, mix = amounts.rate_effects, amounts.mix_effects
    part = rate + mix
    folded = np.array([one.values[0][code[0]] == OTHER for code in one.codes])
    order = sorted(np.flatnonzero(~folded), key=lambda k: (-abs(part[k]), int(k)))
    shown = order[:most]
    chances = _chances(one, frame, amounts, wanted)
    turned = _turned(amounts)
    rows = []
    for k in shown:
        inside = np.array([k])
        row = _row(amounts, "value", one.values[0][one.codes[k][0]], inside, rate, mix, frame)
        rows.append({**row, **chances.get(int(k), {})})
        rows[-1]["reversal"] = turned and _against(amounts, inside)
    rest = np.setdiff1d(np.arange(len(part)), np.array(shown, dtype=np.int64))
    if len(rest):
        rows.append(_row(amounts, "other", None, rest, rate, mix, frame))
    rows.append(_row(amounts, "total", None, np.arange(len(part)), rate, mix, frame))
    rows[-1]["reversal"] = turned
    notes = [*frame.notes]
    if turned:
        notes.append(
            "Simpson's reversal: by their rates the values moved the metric one way, by their "
            "shares the other way and further."
        )
    return rows, notes


def _row(
    amounts: Amounts,
    kind: str,
    value: str | None,
    inside: Chosen,
    rate: Numbers,
    mix: Numbers,
    frame: Frame,
) -> _Row:
    before, after = amounts.metric(inside)
    first, last = amounts.totals
    whole = last - first
    rates, mixes = float(rate[inside].sum()), float(mix[inside].sum())
    difference = rates + mixes
    around = float("nan")
    if frame.in_time:
        design = design_of(frame)
        series = np.asarray(amounts.parts[inside].sum(axis=0))
        around = half_width(design, series, memory_of(design, series)) * amounts.per_step
    return {
        "kind": kind,
        "value": value,
        "baseline": before,
        "comparison": after,
        "difference": difference,
        "share": difference / whole if whole else None,
        "rate_effect": rates if amounts.ratio else None,
        "mix_effect": mixes if amounts.ratio else None,
        "low": difference - around,
        "high": difference + around,
        "p_value": None,
        "p_corrected": None,
        "p_at_most": False,
        "reversal": False,
    }


def _chances(cube: Cube, frame: Frame, amounts: Amounts, wanted: Wanted) -> dict[int, _Row]:
    """For each value how likely it is by chance that it moves as differently from the rest as it
    does, corrected for all values; of a ratio by its rate or its share, whichever is clearer."""
    segments = segments_of(cube, np.abs(amounts.before) + np.abs(amounts.after), 1)
    if not len(segments):
        return {}
    design = design_of(frame)
    fields = [
        field_of(amounts.series, segments, design, frame.in_time, amounts.size, amounts.plain)
    ]
    if cube.denominator is not None:
        base = frame.values(cube.denominator)
        fields.append(field_of(base, segments, design, frame.in_time))
    out: dict[int, _Row] = {}
    for number, field in enumerate(fields):
        matters = np.ones(len(segments), dtype=bool)
        if number:
            effects = np.abs(amounts.mix_effects[segments.leaf])
            matters = effects >= 0.05 * abs(amounts.totals[1] - amounts.totals[0])
        for k, row in _of_field(field, segments, wanted, number, matters, len(fields)).items():
            if k not in out or row["p_corrected"] < out[k]["p_corrected"]:
                out[k] = row
    return out


def _of_field(
    field: Field, segments: Segments, wanted: Wanted, number: int, matters: Chosen, families: int
) -> dict[int, _Row]:
    alpha, seed = wanted.alpha / families, wanted.seed + number
    found = searched(field, wanted.most, wanted.times, alpha, seed)
    pursuit, out = found.pursuit, {}
    for k in np.flatnonzero(matters):
        others = [one for one in pursuit.taken if one != k]
        if k in pursuit.taken or not others:
            statistic = abs(float(pursuit.statistics(others, np.array([k]))[0]))
        else:
            statistic = abs(float(pursuit.statistics(pursuit.taken, np.array([k]))[0]))
        p, at_most = p_of(statistic, found.null)
        out[int(segments.leaf[k])] = {
            "p_value": p_alone(pursuit, statistic),
            "p_corrected": min(1.0, p * families),
            "p_at_most": at_most,
        }
    return out


def _turned(amounts: Amounts) -> bool:
    """Whether the rates together moved against the whole (Simpson's paradox)."""
    before, after = amounts.totals
    return amounts.ratio and float(amounts.rate_effects.sum()) * (after - before) < 0


def _against(amounts: Amounts, inside: Chosen) -> bool:
    before, after = amounts.metric(inside)
    first, last = amounts.totals
    return (after - before) * (last - first) < 0
