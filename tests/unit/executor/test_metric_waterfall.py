"""A waterfall goes from the baseline to the comparison by what explains it, and is drawn so."""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesh.tool import ToolError
from services.executor.tools.metric_series import MetricSeriesArguments, metric_series
from services.executor.tools.metric_waterfall import MetricWaterfallArguments, metric_waterfall
from tests.thorough import times
from tests.unit.executor.plot_help import Context, assert_readable, chart, names_up


def searched(
    *effects: float, p: float = 0.01, total: tuple[float, float] = (100.0, 60.0)
) -> pa.Table:
    """A search with one segment an effect, and its total."""
    rows: list[dict[str, Any]] = [
        {
            "kind": "segment",
            "segment": json.dumps({"region": f"R{n}", "sales_channel": None}),
            "baseline": 1.0,
            "comparison": 2.0,
            "effect": effect,
            "p_corrected": p,
        }
        for n, effect in enumerate(effects)
    ]
    rows.append(
        {
            "kind": "total",
            "segment": "{}",
            "baseline": total[0],
            "comparison": total[1],
            "effect": total[1] - total[0],
            "p_corrected": None,
        }
    )
    return pa.Table.from_pylist(rows)


def steps(table: pa.Table, **asked: Any) -> list[dict[str, Any]]:
    """The rows that the tool gives."""
    found = metric_waterfall.run(MetricWaterfallArguments(**asked), Context({"s": table})).frame
    assert found is not None
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


def test_each_step_begins_where_the_one_before_ended_and_the_rest_closes_the_gap() -> None:
    told = steps(searched(5.0, -30.0), baseline="May", comparison="June")
    assert [(row["label"], row["kind"], row["start"], row["end"]) for row in told] == [
        ("May", "total", 0.0, 100.0),
        ("region R1, sales channel (missing)", "down", 100.0, 70.0),
        ("region R0, sales channel (missing)", "up", 70.0, 75.0),
        ("everything else", "rest", 75.0, 60.0),
        ("June", "total", 0.0, 60.0),
    ]


def test_what_does_not_stand_out_is_in_the_rest() -> None:
    assert [row["kind"] for row in steps(searched(-30.0, p=0.2))] == ["total", "rest", "total"]
    many = steps(searched(*[-3.0] * 12), most_steps=5)
    assert [row["kind"] for row in many].count("down") == 5


def test_where_explanations_add_up_there_is_no_rest() -> None:
    assert [row["kind"] for row in steps(searched(-40.0))] == ["total", "down", "total"]


@settings(max_examples=times(25, 40), deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6).filter(lambda v: abs(v) > 1e-3), max_size=7),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
)
def test_the_steps_always_lead_from_one_total_to_the_other(
    effects: list[float], before: float, after: float
) -> None:
    told = steps(searched(*effects, total=(before, after)))
    between = sum(row["end"] - row["start"] for row in told if row["kind"] != "total")
    scale = max(abs(before), abs(after), *map(abs, effects), 1.0)
    assert before + between == pytest.approx(after, abs=1e-8 * scale)
    assert all(a["end"] == b["start"] for a, b in pairwise(told[1:-1]))


def test_a_frame_that_is_no_search_is_refused_with_the_inputs_there_are() -> None:
    with pytest.raises(ToolError, match=r"metric\.search") as refused:
        steps(pa.table({"a": [1]}))
    assert refused.value.details["candidates"] == ["s"]
    with pytest.raises(ToolError, match="the whole in both periods"):
        steps(searched(-4.0).slice(0, 1))


@pytest.mark.parametrize("total", [(100.0, 60.0), (111_531.0, 101_825.0), (-20.0, 30.0)])
def test_the_chart_names_every_step_and_nothing_is_cut_off(total: tuple[float, float]) -> None:
    rows = steps(searched(-8.0, 5.0, total=total))
    built = chart(
        pa.Table.from_pylist(rows),
        type="waterfall",
        x_col="label",
        y_col="end",
        start_col="start",
        series_col="kind",
        title="What moved it",
    )
    assert_readable(built)
    assert len(names_up(built)) == len(rows)
    cut = any("does not begin at zero" in text.get_text() for text in built.figure.texts)
    assert cut == (total[0] > 1_000)


def test_a_waterfall_without_its_columns_says_which_are_missing() -> None:
    with pytest.raises(ToolError, match="start_col"):
        chart({"label": ["a"], "end": [1.0]}, type="waterfall", x_col="label", y_col="end")
    strange = {"label": ["a"], "start": [0.0], "end": [1.0], "kind": ["odd"]}
    with pytest.raises(ToolError, match="'odd' is no kind of bar"):
        chart(
            strange,
            type="waterfall",
            x_col="label",
            y_col="end",
            start_col="start",
            series_col="kind",
        )


def cube(days: int = 120, *, ratio: bool = False) -> pa.Table:
    """Two leaves, every third day without rows."""
    first = date(2024, 1, 1)
    rows = [
        {
            "region": region,
            "bucket": first + timedelta(n),
            "numerator": 2.0,
            "denominator": 4.0 if ratio else None,
            "rows": 3,
            "squares": 1.0,
        }
        for n in range(days)
        if n % 3
        for region in ("North", None)
    ]
    table = pa.Table.from_pylist(rows)
    return table if ratio else table.drop_columns(["denominator"])


def series(table: pa.Table, **asked: Any) -> list[dict[str, Any]]:
    """The rows of metric.series."""
    found = metric_series.run(MetricSeriesArguments(**asked), Context({"cube": table})).frame
    assert found is not None
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


def test_the_series_adds_up_leaves_and_a_day_without_rows_is_zero() -> None:
    told = series(cube(10))
    assert [row["value"] for row in told] == [4.0, 4.0, 0.0, 4.0, 4.0, 0.0, 4.0, 4.0]
    inside = series(cube(10), within={"region": None})
    assert inside[0] == {"bucket": date(2024, 1, 2), "value": 2.0}


def test_the_series_of_a_ratio_divides_sums_and_leaves_empty_days_out() -> None:
    told = series(cube(10, ratio=True))
    assert {row["value"] for row in told} == {0.5} and len(told) == 6


def test_the_series_ends_with_the_later_period_and_shows_weeks_before_the_earlier() -> None:
    told = series(
        cube(),
        baseline={"start": "2024-03-20", "end": "2024-03-26"},
        comparison={"start": "2024-03-27", "end": "2024-04-02"},
    )
    assert told[-1]["bucket"] == date(2024, 4, 2)
    assert told[0]["bucket"] == date(2024, 1, 24)  # eight weeks before


def test_periods_are_shaded_behind_a_line_and_days_marked() -> None:
    days = [date(2024, 1, 1) + timedelta(n) for n in range(60)]
    built = chart(
        {"day": days, "value": [float(n) for n in range(60)]},
        type="line",
        x_col="day",
        y_col="value",
        shaded=[
            {"start": "2024-01-05", "end": "2024-01-20", "label": "baseline"},
            {"start": "2025-01-05", "end": "2025-01-20", "label": "beyond"},
        ],
        marked=[{"at": "2024-02-10", "label": "onset"}],
    )
    said = {text.get_text() for text in built.figure.axes[0].texts}
    assert said == {"baseline", "onset"}
    assert_readable(built)
