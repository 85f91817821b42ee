"""A segment stands out by its own rows, in whatever units and however the cube is cut."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.executor.metric.cube import cube_of
from services.executor.metric.design import design_of
from services.executor.metric.explaining import Search, Wanted, search_of
from services.executor.metric.field import field_of
from services.executor.metric.null import test_of as fitted_test
from services.executor.metric.pursuit import Pursuit
from services.executor.metric.spans import Span, frame_of
from tests.unit.executor.metric_data import START, Segment

_UNITS = st.integers(-20, 30).map(lambda power: 2.0**power)
"""Powers of two, so that rounding breaks no tie between statistics that are equal."""


def _wide(average: bool, cause: Segment | None, seed: int = 3, rows: int = 4_000) -> pa.Table:
    """Rows of six dimensions, so that hardly two share a leaf; of the cause half as many more rows
    come in the second month, or its amounts are half as large again."""
    random = np.random.default_rng(seed)
    sizes = (4, 6, 10, 12, 20, 8)
    day = np.sort(random.integers(0, 56, rows))
    codes = np.stack([random.integers(0, size, rows) for size in sizes], axis=1)
    amount = random.lognormal(3.0, 0.5, rows) if average else np.ones(rows)
    later = day >= 28
    for name, value in (cause or {}).items():
        later &= codes[:, int(name[1:])] == int(value[1:])
    if cause and average:
        amount[later] *= 1.5
    times = np.ones(rows, dtype=np.int64) + (0 if average or not cause else later)
    keep = np.repeat(np.arange(rows), times)
    columns: dict[str, Any] = {
        f"d{place}": [f"v{code}" for code in codes[keep, place]] for place in range(len(sizes))
    }
    columns |= {
        "bucket": [START + timedelta(int(n)) for n in day[keep]],
        "numerator": amount[keep],
        "rows": np.ones(len(keep)),
    }
    if average:
        columns["denominator"] = np.ones(len(keep))
    return pa.table(columns)


def _search(table: pa.Table, dimensions: list[str] | None = None) -> Search:
    cube = cube_of(table).kept(dimensions, {})
    spans = [Span(start=START + timedelta(n), end=START + timedelta(n + 27)) for n in (0, 28)]
    return search_of(cube, frame_of(cube, *spans), Wanted(), {})


def _told(search: Search) -> list[tuple[str, str]]:
    rows, _ = search.rows()
    return [
        (row["kind"], row["segment"])
        for row in rows
        if row["kind"] != "total" and row["p_corrected"] <= 0.05
    ]


def _statistic(search: Search, segment: Segment) -> float:
    """t of a segment beside the whole."""
    series = search.amounts.series, search.segments, design_of(search.frame)
    field = field_of(*series, True, search.amounts.size)
    [at] = [k for k in range(len(search.segments)) if search.segments.named(k) == segment]
    return float(Pursuit(field, fitted_test(field), 0.0).statistics([], np.array([at]))[0])


@pytest.mark.parametrize("average", [False, True])
def test_a_segment_stands_out_as_much_however_finely_the_cube_is_cut(average: bool) -> None:
    cause = {"d2": "v7"}
    table = _wide(average, cause)

    coarse = _statistic(_search(table, ["d2"]), cause)
    finer = _statistic(_search(table, ["d1", "d2"]), cause)
    finest = _statistic(_search(table), cause)

    assert coarse > 4
    assert finer == pytest.approx(coarse, rel=0.25)
    assert finest == pytest.approx(coarse, rel=0.25)


@pytest.mark.parametrize("average", [False, True])
def test_a_cause_is_found_alone_where_hardly_two_rows_share_a_leaf(average: bool) -> None:
    kind = "rate" if average else "segment"

    assert _told(_search(_wide(average, {"d2": "v7"}))) == [(kind, '{"d2": "v7"}')]


@settings(max_examples=5, deadline=None)
@given(top=_UNITS, below=_UNITS, seed=st.integers(0, 50))
def test_no_p_value_and_no_rank_depends_on_the_units_of_a_ratio(
    top: float, below: float, seed: int
) -> None:
    table = _wide(True, {"d2": "v7"}, seed, 1_500)
    scaled = table
    for name, factor in (("numerator", top), ("denominator", below)):
        place = scaled.column_names.index(name)
        scaled = scaled.set_column(place, name, pc.multiply(scaled[name], factor))

    plain, _ = _search(table, ["d0", "d1", "d2"]).rows()
    other, _ = _search(scaled, ["d0", "d1", "d2"]).rows()

    kept = ("kind", "segment", "rank")
    assert [[row[k] for k in kept] for row in plain] == [[row[k] for k in kept] for row in other]
    for name in ("p_value", "p_corrected", "gain"):
        pairs = [(a[name], b[name]) for a, b in zip(plain, other, strict=True) if a[name]]
        assert [a for a, _ in pairs] == pytest.approx([b for _, b in pairs], rel=1e-4)


def test_a_leaf_that_never_varies_breaks_no_rate() -> None:
    table = _wide(True, None, rows=1_000)
    returned = pc.equal(table["d0"], "v0").cast(pa.float64())
    table = table.set_column(table.column_names.index("numerator"), "numerator", returned)

    with np.errstate(all="raise", under="ignore"):
        told = _told(_search(table))

    assert all(kind != "rate" for kind, _ in told)


def _forecast(cause: Segment | None, exact: bool) -> Search:
    """Leaves with a forecast: exact, of many rows each, or both sides counts of a row or two."""
    random = np.random.default_rng(5)
    sizes = (4, 6, 10, 12)
    codes = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, 4)
    inside = np.ones(len(codes), dtype=bool)
    for name, value in (cause or {}).items():
        inside &= codes[:, int(name[1:])] == int(value[1:])
    factor = np.where(inside, 2.0 if cause else 1.0, 1.0)
    usual = random.lognormal(5.0, 1.0, len(codes)) if exact else np.full(len(codes), 0.7)
    before = usual if exact else random.poisson(usual).astype(float)
    after = usual * factor if exact else random.poisson(usual * factor).astype(float)
    twice = np.concatenate([codes, codes])
    columns: dict[str, Any] = {f"d{d}": [f"v{code}" for code in twice[:, d]] for d in range(4)}
    columns["bucket"] = ["predicted"] * len(codes) + ["real"] * len(codes)
    columns["numerator"] = np.concatenate([before, after])
    columns["rows"] = np.ones(len(twice))
    cube = cube_of(pa.table(columns))
    return search_of(cube, frame_of(cube, None, None), Wanted(), {})


@pytest.mark.parametrize("exact", [False, True])
def test_forecasts_of_a_row_or_two_and_exact_ones_give_the_cause_alone(exact: bool) -> None:
    with np.errstate(all="raise", under="ignore"):
        told = _told(_forecast({"d2": "v7"}, exact))
        nothing = _told(_forecast(None, exact))

    assert [one for one in told if one[0] != "alike"] == [("segment", '{"d2": "v7"}')]
    assert nothing == []
