"""Whatever the words and numbers are, a chart comes out readable or the refusal is a ToolError."""

from __future__ import annotations

import warnings
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mesh.tool import ToolError
from services.executor.plotting.arguments import ChartType
from tests.thorough import times
from tests.unit.executor.plot_help import assert_readable, chart

WORDS = st.text(max_size=60) | st.sampled_from(["", "$", "$\\frac{", "図", "\x00", "x" * 400, "🙂"])
NUMBERS = st.none() | st.integers(-(10**6), 10**6).map(float) | st.floats(width=64)
TIMES = st.dates().map(str) | st.sampled_from(["1997-01", "1997-02", "1998-02"])


@st.composite
def frames(draw: st.DrawFn) -> pa.Table:
    size = draw(st.integers(1, 40))
    keys = draw(
        st.sampled_from([st.none() | WORDS, st.dates(), TIMES, NUMBERS, st.integers(1990, 2010)])
    )
    return pa.table(
        {
            "x": draw(st.lists(keys, min_size=size, max_size=size)),
            "y": pa.array(draw(st.lists(NUMBERS, min_size=size, max_size=size)), pa.float64()),
            "s": pa.array(
                draw(st.lists(st.none() | WORDS, min_size=size, max_size=size)), pa.string()
            ),
        }
    )


@settings(
    max_examples=times(25, 60),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
@given(
    table=frames(),
    kind=st.sampled_from(list(ChartType)),
    series=st.sampled_from([None, "s"]),
    words=st.fixed_dictionaries(
        {"title": WORDS, "subtitle": WORDS, "unit": WORDS, "source": WORDS}
    ),
    additive=st.booleans(),
    scale=st.sampled_from(["linear", "log"]),
)
def test_no_text_or_number_breaks_a_chart(
    table: pa.Table,
    kind: ChartType,
    series: str | None,
    words: dict[str, Any],
    additive: bool,
    scale: str,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            built = chart(
                table,
                type=kind,
                x_col="x",
                y_col="y",
                series_col=series,
                additive=additive,
                y_scale=scale,
                **words,
            )
        except ToolError as refused:
            assert refused.message
            return
        assert_readable(built)


@pytest.mark.parametrize("kind", list(ChartType))
@pytest.mark.parametrize("number", [0.0, 3.4e16, -1e300, 5e-324])
def test_one_number_of_any_size_is_drawn(kind: ChartType, number: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            built = chart(pa.table({"x": [number], "y": [924.0]}), type=kind, x_col="x", y_col="y")
        except ToolError as refused:
            assert refused.message
            return
        assert_readable(built)


@pytest.mark.parametrize("kind", [kind for kind in ChartType if kind is not ChartType.WATERFALL])
@pytest.mark.parametrize("count", [1, 2, 7, 25, 80])
def test_every_kind_is_readable_for_few_and_many_rows(kind: ChartType, count: int) -> None:
    names = [f"Category number {i}" for i in range(count)]
    table = pa.table(
        {"x": names, "s": [n[-1] for n in names], "y": [i * 1234.5 for i in range(count)]}
    )
    for series in ("s", None):
        if series or kind is not ChartType.HEATMAP:
            assert_readable(chart(table, type=kind, x_col="x", y_col="y", series_col=series))
    months = pa.table(
        {"x": [f"{1990 + i // 12}-{i % 12 + 1:02}" for i in range(count)], "y": range(count)}
    )
    if kind is not ChartType.HEATMAP:
        assert_readable(chart(months, type=kind, x_col="x", y_col="y"))
