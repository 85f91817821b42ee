"""The charts of a causal study are readable whatever the estimates and names are."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mesh.tool import ToolError
from services.executor.causal.drawing import balance, contour, forest, overlap, paper
from services.executor.causal.drawing.arguments import Bar, CausalDrawArguments
from services.executor.plotting.sheet import Sheet
from services.executor.tools.causal_draw import causal_draw
from tests.thorough import times
from tests.unit.executor.plot_help import Context, assert_readable

LONG = "a_really_quite_long_column_name_of_something=level one (other)"


def readable(sheet: Sheet) -> Sheet:
    built: Any = SimpleNamespace(figure=sheet.figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert paper.png(sheet)
        assert_readable(built)
    return sheet


def bar(label: str, estimate: float, half: float, **more: Any) -> Bar:
    low, high = estimate - half, estimate + half
    return Bar(label=label, estimate=estimate, ci_lower=low, ci_upper=high, **more)


def overlap_frame(columns: int = 3, statistic: str = "smd") -> pa.Table:
    """The layout of causal.overlap: ten parts of the propensity for each group, and balance."""
    shape = {"yes": range(10), "no": reversed(range(10))}
    rows: list[dict[str, Any]] = [
        {
            "section": "histogram",
            "name": group,
            "statistic": f"{k / 10:.2f}",
            "before": float(count),
            "after": 1.0,
            "text": f"{k / 10:.2f} to {k / 10 + 0.1:.2f}",
        }
        for group, counts in shape.items()
        for k, count in enumerate(counts)
    ]
    rows += [
        {
            "section": "balance",
            "name": f"{LONG}{k}",
            "statistic": statistic,
            "before": -0.1 * k,
            "after": 0.01 * k,
            "text": "",
        }
        for k in range(columns)
    ]
    rows.append(
        {
            "section": "balance",
            "name": "",
            "statistic": f"largest_{statistic}",
            "before": None,
            "after": 0.3,
            "text": "",
        }
    )
    return pa.Table.from_pylist(rows)


def contour_frame(estimate: float, error: float) -> pa.Table:
    strengths = np.linspace(0, 0.4, 20)
    across, up = np.meshgrid(strengths, strengths)
    left = estimate - np.sign(estimate) * error * np.sqrt(783 * up * across / (1 - across))
    details = {
        "estimate": estimate,
        "rv": 0.139,
        "contour": {
            "treatment": strengths.tolist(),
            "outcome": strengths.tolist(),
            "estimate": left.tolist(),
        },
        "benchmarks": [
            {
                "column": f"{LONG}{k}",
                "treatment": 0.01,
                "outcome": 0.1 + k / 1000,
                "estimate": estimate,
            }
            for k in range(4)
        ]
        + [{"column": "beyond", "treatment": 0.9, "outcome": 0.1, "estimate": estimate}],
    }
    return pa.table({"method": ["omitted_variable"], "details": [json.dumps(details)]})


@pytest.mark.parametrize("count", [1, 2, 7, 15, 40])
def test_a_forest_is_readable_for_few_and_many(count: int) -> None:
    bars = [
        bar(
            f"method {k}, {LONG}",
            -1e6 * k,
            2e5 * k,
            chosen=k == 1,
            status="rejected" if k % 4 == 3 else "ok",
        )
        for k in range(count)
    ]
    sheet = readable(forest.draw(bars, f"The effect of {LONG} on {LONG}", "a subtitle"))
    assert len(sheet.axes.get_yticklabels()) == count


@settings(
    max_examples=times(12, 50),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
@given(
    st.lists(
        st.tuples(st.text(max_size=60), st.floats(-1e12, 1e12), st.floats(0, 1e12), st.booleans()),
        min_size=1,
        max_size=8,
    ),
    st.text(max_size=200),
)
def test_no_text_or_number_breaks_a_forest(
    rows: list[tuple[str, float, float, bool]], title: str
) -> None:
    bars = [bar(*row[:3], status="ok" if row[3] else "rejected") for row in rows]
    readable(forest.draw(bars, title, ""))


def test_one_very_wide_interval_does_not_flatten_the_others() -> None:
    bars = [bar("OLS", 1.0, 0.2), bar("AIPW", 1.1, 0.2), bar("IV", 9.0, 400.0, status="rejected")]
    sheet = readable(forest.draw(bars, "t", ""))
    low, high = sheet.axes.get_xlim()
    assert high - low < 5
    assert any("goes on beyond the chart" in text for text in sheet.texts())


def test_zero_is_marked_where_it_is_near_and_said_to_be_beyond_where_it_is_not() -> None:
    near = readable(forest.draw([bar("OLS", 1.0, 0.8)], "t", ""))
    assert near.axes.get_xlim()[0] <= 0
    far = readable(forest.draw([bar("OLS", -100.0, 0.8)], "t", ""))
    assert far.axes.get_xlim()[1] < 0
    assert "zero lies beyond the chart, on the right" in far.texts()


def test_rejected_plain_and_chosen_estimates_are_told_apart() -> None:
    bars = [
        bar("plain comparison", 3.0, 1.0),
        bar("OLS (ATE)", 2.0, 1.0, chosen=True),
        bar("PSM (ATT)", 2.0, 1.0),
        bar("IV (LATE)", 2.0, 1.0, status="rejected"),
    ]
    sheet = readable(forest.draw(bars, "t", ""))
    told = {text.get_text() for legend in sheet.figure.legends for text in legend.get_texts()}
    assert told == {"speaks for the study", "other methods", "plain comparison", "rejected"}


@pytest.mark.parametrize("columns", [1, 12, 60])
def test_balance_shows_the_columns_farthest_apart(columns: int) -> None:
    sheet = readable(balance.draw(overlap_frame(columns), "Balance", ""))
    assert len(sheet.axes.get_yticklabels()) == min(columns, 30)
    assert any("Austin 2009" in text for text in sheet.texts())


def test_balance_of_a_dose_is_told_as_correlations() -> None:
    sheet = readable(balance.draw(overlap_frame(statistic="correlation"), "Balance", ""))
    assert any("correlation with the dose" in text for text in sheet.texts())


def test_overlap_shows_both_groups_whole() -> None:
    sheet = readable(overlap.draw(overlap_frame(), "Overlap", ""))
    told = [text.get_text() for legend in sheet.figure.legends for text in legend.get_texts()]
    assert told == ['treated, "yes" (45 rows)', 'untreated, "no" (45 rows)']
    shares = np.array([patch.get_height() for patch in sheet.axes.patches])  # type: ignore[attr-defined]
    assert shares[shares > 0].sum() == pytest.approx(100)
    assert shares[shares < 0].sum() == pytest.approx(-100)


@pytest.mark.parametrize("estimate, error", [(0.097, 0.023), (-1234.5, 20.0), (-1e-9, 4e-10)])
def test_a_contour_marks_where_nothing_is_left(estimate: float, error: float) -> None:
    sheet = readable(contour.draw(contour_frame(estimate, error), "How strong", ""))
    footer = next(text for text in sheet.texts() if "robustness value 13.9 %" in text)
    crossed = abs(estimate) < 6 * error
    assert ("zero line" in footer) == crossed
    assert "1 stronger than the chart reaches" in footer


def test_the_tool_gives_a_picture_and_the_same_one_each_time() -> None:
    asked: dict[str, Any] = {"kind": "balance", "title": "Balance", "input": "overlap"}
    context = Context({"overlap": overlap_frame()})
    first, second = (causal_draw.run(CausalDrawArguments(**asked), context) for _ in range(2))
    assert first.files[0].content == second.files[0].content
    assert first.files[0].content.startswith(b"\x89PNG")
    assert (first.files[0].kind, first.files[0].name) == ("chart", "balance_balance.png")


@pytest.mark.parametrize(
    "asked, told",
    [
        ({"kind": "forest"}, "no estimate to draw"),
        ({"kind": "overlap"}, "not said what to draw"),
        ({"kind": "overlap", "input": "x"}, "no frame of a step 'x'"),
        ({"kind": "balance", "input": "strange"}, "no column 'section'"),
        ({"kind": "contour", "input": "strange"}, "no column 'method'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(asked: dict[str, Any], told: str) -> None:
    context = Context({"strange": pa.table({"a": [1]})})
    with pytest.raises(ToolError, match=told):
        causal_draw.run(CausalDrawArguments(title="t", **asked), context)
