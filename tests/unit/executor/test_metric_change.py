"""The whole of a metric in two periods, and its parts, which add up."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.executor.metric.usual import Usual, usual_rows
from services.executor.tools.metric_change import metric_change
from services.executor.tools.metric_contribution import metric_contribution
from tests.unit.executor.metric_data import START, Sales, ran, rows_of
from tests.unit.executor.test_metric_search import visits


def statistics(sales: Sales, **more: Any) -> dict[str, dict[str, Any]]:
    found = ran(metric_change, sales.cube(), **{**sales.periods, **more})
    return {row["statistic"]: row for row in rows_of(found)}


def test_a_fall_has_its_size_its_interval_its_chance_and_its_day() -> None:
    told = statistics(Sales(1, causes=[({}, 0.8)]))
    assert told["relative"]["low"] < -0.2 < told["relative"]["high"] < 0
    assert told["p_value"]["value"] <= 0.01
    assert "2024-01-27" <= told["onset"]["text"] <= "2024-01-31"
    assert told["pairs"]["value"] == 0


def test_without_a_cause_the_change_is_usual() -> None:
    assert statistics(Sales(3))["p_value"]["value"] > 0.05


def test_periods_of_different_length_are_made_comparable_and_it_is_said() -> None:
    sales = Sales(4, days=(28, 14))
    told = statistics(sales)
    assert told["baseline_comparable"]["value"] == pytest.approx(told["baseline"]["value"] / 2)
    assert abs(told["relative"]["value"]) < 0.1
    assert "differ in length" in ran(metric_change, sales.cube(), **sales.periods).notes[0]


def test_last_days_without_rows_do_not_shorten_a_period() -> None:
    sales = Sales(4, days=(28, 28))
    cube = sales.cube()
    last = date.fromisoformat(str(sales.periods["comparison"]["end"]))
    early = pc.less_equal(cube.column("bucket"), last - timedelta(days=8))
    kept = cube.filter(pc.or_kleene(early, pc.is_null(early)))
    told = {r["statistic"]: r for r in rows_of(ran(metric_change, kept, **sales.periods))}
    assert told["baseline_comparable"]["value"] == told["baseline"]["value"]
    assert told["difference"]["value"] < 0


def test_a_history_gives_placebo_pairs() -> None:
    told = statistics(Sales(5, days=(14, 14), history=182))
    assert told["pairs"]["value"] >= 19
    assert "earlier pairs" in told["null"]["text"]


def test_what_the_change_was_held_against_is_told_in_its_unit() -> None:
    sales = Sales(5, days=(14, 14), history=182)
    rows = rows_of(ran(metric_change, sales.cube(), **sales.periods))
    told = {row["statistic"]: row["value"] for row in rows}
    before, after = told["baseline_comparable"], told["comparison"]
    assert told["movement"] == pytest.approx((after - before) / ((before + after) / 2))
    pairs = [row for row in rows if row["statistic"] == "earlier_pair"]
    assert len(pairs) == told["pairs"]
    large = [row for row in pairs if abs(row["value"]) >= abs(told["movement"])]
    assert len(large) == told["pairs_as_large"]
    first, second = pairs[0]["text"].split(", then ")
    assert date.fromisoformat(second[-10:]) < date.fromisoformat(
        str(sales.periods["baseline"]["start"])
    )
    assert date.fromisoformat(second[:10]) - date.fromisoformat(first[:10]) == timedelta(days=14)
    bins = [row for row in rows if row["statistic"] == "by_chance"]
    assert sum(row["value"] for row in bins) == told["relabellings"] == 1_999
    assert all(one["high"] == other["low"] for one, other in pairwise(bins))
    chance = (told["relabellings_as_large"] + 1) / 2_000
    assert told["p_value"] == pytest.approx(
        max(chance, (len(large) + 1) / (len(pairs) + 1)), abs=0.01
    )


def test_a_metric_that_did_not_move_is_held_against_nothing() -> None:
    told = statistics(Sales(5, days=(14, 14), history=182))
    assert "movement" in told
    own = Usual(0.0, (), np.ones(3))
    assert list(usual_rows(own)) == list(usual_rows(Usual(float("nan"), (), np.ones(3)))) == []


def test_a_year_earlier_is_told_where_the_cube_reaches() -> None:
    told = statistics(Sales(5, days=(14, 14), history=364, sizes=(2, 2)))
    assert told["year_earlier_difference"]["value"] == pytest.approx(
        told["year_earlier_comparison"]["value"] - told["year_earlier_baseline"]["value"]
    )


def test_a_baseline_of_nothing_has_no_relative_change() -> None:
    sales = Sales(2, causes=[({}, 0.0)])
    turned = {"baseline": sales.periods["comparison"], "comparison": sales.periods["baseline"]}
    cube = sales.cube()
    last = cube.slice(0, 1).set_column(
        cube.column_names.index("bucket"), "bucket", [[sales.periods["comparison"]["end"]]]
    )
    empty = last.set_column(cube.column_names.index("numerator"), "numerator", [[0.0]])
    import pyarrow as pa

    whole = pa.concat_tables([cube, empty.cast(cube.schema)])
    told = {row["statistic"]: row for row in rows_of(ran(metric_change, whole, **turned))}
    assert told["relative"]["value"] is None
    assert "zero" in told["relative"]["text"]


def test_overlapping_periods_are_allowed_and_told() -> None:
    sales = Sales(6)
    first = {**sales.periods["baseline"]}
    first["end"] = first["end"] + timedelta(7)
    found = ran(metric_change, sales.cube(), **{**sales.periods, "baseline": first})
    assert any("overlap" in note for note in found.notes)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), most=st.integers(1, 5), ratio=st.booleans())
def test_contributions_add_up_to_the_change(seed: int, most: int, ratio: bool) -> None:
    sales = Sales(seed, days=(28, 28), amounts=True, a_day=200)
    cube = visits(seed, share=1.5) if ratio else sales.cube()
    wanted = {**sales.periods, "dimension": "channel", "most_values": most, "permutations": 19}
    rows = rows_of(ran(metric_contribution, cube, **wanted))
    total = rows.pop()
    assert total["kind"] == "total"
    assert total["difference"] == pytest.approx(total["comparison"] - total["baseline"])
    assert sum(row["difference"] for row in rows) == pytest.approx(total["difference"], abs=1e-9)
    if ratio:
        for row in [*rows, total]:
            assert row["rate_effect"] + row["mix_effect"] == pytest.approx(row["difference"])


def test_the_value_that_moved_is_told_and_the_others_are_not() -> None:
    sales = Sales(8, causes=[({"channel": "c2"}, 0.6)])
    wanted = {**sales.periods, "dimension": "channel"}
    rows = rows_of(ran(metric_contribution, sales.cube(), **wanted))
    assert [row["value"] for row in rows if (row["p_corrected"] or 1) <= 0.05] == ["c2"]


def test_simpsons_reversal_is_told() -> None:
    wanted = {**Sales().periods, "dimension": "product"}
    found = ran(metric_contribution, visits(2, share=3.0, alike=1.08), **wanted)
    assert rows_of(found)[-1]["reversal"]
    assert any("Simpson" in note for note in found.notes)


@pytest.mark.parametrize("seed", range(6))
def test_an_interval_leaves_nought_out_just_where_the_change_is_unusual(seed: int) -> None:
    """Levels that wander from month to month: days within the periods alone know nothing of it."""
    sales = Sales(seed, a_day=3_000, shared=0.02, history=336)
    cube = sales.cube()
    months = np.random.default_rng(seed).lognormal(0, 0.15, 20)
    level = [months[(day - START).days // 28] for day in cube["bucket"].to_pylist()]
    place = cube.column_names.index("numerator")
    cube = cube.set_column(place, "numerator", pc.multiply(cube["numerator"], pa.array(level)))

    rows = rows_of(ran(metric_change, cube, **sales.periods))

    told = {row["statistic"]: row for row in rows}
    unusual = told["p_value"]["value"] <= 0.05
    for name in ("difference", "same_weekdays_difference"):
        assert (told[name]["low"] * told[name]["high"] > 0) is unusual, name
