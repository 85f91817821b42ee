"""The search says which segments moved a metric, and says nothing where nothing did."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.tools.metric_leaves import MetricLeavesArguments, metric_leaves
from services.executor.tools.metric_search import metric_search
from tests.unit.executor.metric_data import (
    START,
    Inputs,
    Sales,
    cube_frame,
    key,
    ran,
    rows_of,
    told,
)


def test_one_value_that_fell_is_found_alone_with_its_effect_and_its_day() -> None:
    sales = Sales(causes=[({"region": "r1"}, 0.7)], sizes=(4, 5, 3))
    found = told(ran(metric_search, sales.cube(), **sales.periods))
    assert set(found) == {key(region="r1")}
    [row] = found.values()
    assert row["kind"] == "segment"
    assert row["comparison"] - row["expected"] == pytest.approx(row["effect"])
    assert row["low"] < -0.3 * row["baseline"] < row["high"]
    assert abs(int(row["onset"][-2:]) - sales.periods["comparison"]["start"].day) <= 2


def test_several_causes_at_different_depths_are_each_counted_once() -> None:
    causes = [({"region": "r2"}, 0.75), ({"channel": "c3", "product": "p1"}, 2.0)]
    sales = Sales(3, causes=causes, a_day=2_000, amounts=True)
    found = told(ran(metric_search, sales.cube(), **sales.periods))
    assert set(found) == {key(region="r2"), key(channel="c3", product="p1")}


def test_three_of_four_values_that_fell_alike_are_three_causes_and_no_rise_of_the_fourth() -> None:
    sales = Sales(
        5, causes=[({"region": f"r{n}"}, 0.7) for n in (0, 1, 3)], a_day=3_000, shared=0.01
    )
    found = told(ran(metric_search, sales.cube(), **sales.periods))
    assert set(found) == {key(region=f"r{n}") for n in (0, 1, 3)}


def test_what_moves_everything_alike_is_no_segment() -> None:
    sales = Sales(1, causes=[({}, 0.8)], a_day=2_000)
    result = ran(metric_search, sales.cube(), **sales.periods)
    [alike] = [row for row in rows_of(result) if row["kind"] == "alike"]
    assert not told(result)
    assert alike["p_corrected"] <= 0.05
    assert alike["effect"] / alike["baseline"] == pytest.approx(-0.2, abs=0.05)


def test_where_nothing_moved_hardly_ever_anything_is_found() -> None:
    found = 0
    for seed in range(30):
        sales = Sales(seed, amounts=seed % 2 == 0)
        result = ran(metric_search, sales.cube(), **sales.periods)
        found += bool(told(result))
        assert any("relabellings" in note for note in result.notes)
    assert found <= 4  # at 5 % more than 4 of 30 are seen once in sixty


def test_a_new_and_a_vanished_segment_are_called_so() -> None:
    new = Sales(2, causes=[({"channel": "c1"}, 0.0)])
    cube = new.cube()
    gone = told(ran(metric_search, cube, **new.periods))[key(channel="c1")]
    assert (gone["kind"], gone["comparison"]) == ("vanished", 0.0)
    turned = {"baseline": new.periods["comparison"], "comparison": new.periods["baseline"]}
    came = told(ran(metric_search, cube, **turned))[key(channel="c1")]
    assert (came["kind"], came["baseline"], came["expected"]) == ("new", 0.0, 0.0)
    assert came["effect"] == pytest.approx(came["comparison"])


def visits(seed: int, share: float = 1.0, rate: float = 1.0, alike: float = 1.0) -> pa.Table:
    """Orders of visits: p1 buys a third as often; `share` multiplies its visits later, `rate` the
    orders of r2, `alike` all orders."""
    random = np.random.default_rng(seed)
    codes = np.stack(np.meshgrid(*map(np.arange, (4, 5, 3)), indexing="ij"), -1).reshape(-1, 3)
    dates = [START + np.timedelta64(n, "D").astype(object) for n in range(56)]
    after = np.arange(56) >= 28
    seen = np.full((60, 56), 60.0) * random.lognormal(0, 0.4, 60)[:, None]
    buys = np.where(codes[:, 2:] == 1, 0.07, 0.2) * np.ones(56)
    seen[np.ix_(codes[:, 2] == 1, after)] *= share
    buys[np.ix_(codes[:, 0] == 2, after)] *= rate
    buys[:, after] *= alike
    rows = random.poisson(seen)
    names = ("region", "channel", "product")
    return cube_frame(names, codes, dates, random.binomial(rows, buys), rows, rows)


def test_of_a_ratio_rates_and_mixes_are_told_apart() -> None:
    periods = Sales().periods
    found = told(ran(metric_search, visits(1, share=2.0, rate=0.7), **periods))
    assert {k: row["kind"] for k, row in found.items()} == {
        key(region="r2"): "rate",
        key(product="p1"): "mix",
    }
    assert all(row["effect"] < 0 for row in found.values())


def test_a_changed_mix_that_turns_the_sign_is_a_reversal() -> None:
    result = ran(metric_search, visits(2, share=3.0, alike=1.08), **Sales().periods)
    found = told(result)
    [total] = [row for row in rows_of(result) if row["kind"] == "total"]
    assert total["effect"] < 0
    assert found[key(product="p1")]["reversal"]


def test_within_a_segment_only_its_leaves_are_looked_at() -> None:
    sales = Sales(7, causes=[({"region": "r1", "product": "p2"}, 0.4)], a_day=2_000)
    search = {**sales.periods, "within": {"region": "r1"}, "dimensions": ["product", "channel"]}
    result = ran(metric_search, sales.cube(), **search)
    assert set(told(result)) == {key(region="r1", product="p2")}
    assert all("region" in row["segment"] for row in rows_of(result))


def test_columns_and_rows_in_any_order_give_the_same_rows() -> None:
    sales = Sales(9, causes=[({"region": "r1"}, 0.8)])
    cube = sales.cube()
    mixed = cube.take(np.random.default_rng(1).permutation(cube.num_rows))
    mixed = mixed.select(
        ["rows", "product", "bucket", "region", "squares", "numerator", "denominator", "channel"]
    )
    found = [ran(metric_search, frame, **sales.periods).frame for frame in (cube, mixed)]
    assert found[0] == found[1]


def test_a_metric_in_cents_has_a_hundred_times_the_effects() -> None:
    sales = Sales(9, causes=[({"region": "r1"}, 0.8)], amounts=True, a_day=2_000)
    cube = sales.cube()
    place = cube.column_names.index("numerator")
    cents = cube.set_column(place, "numerator", pa.array(cube["numerator"].to_numpy() * 100))
    first, second = (told(ran(metric_search, frame, **sales.periods)) for frame in (cube, cents))
    assert set(first) == set(second) == {key(region="r1")}
    for name in ("effect", "low", "high", "expected"):
        assert second[key(region="r1")][name] == pytest.approx(first[key(region="r1")][name] * 100)


def leaves(seed: int, causes: list[tuple[int, int, float]], noise: float = 0.05) -> pa.Table:
    random = np.random.default_rng(seed)
    codes = np.stack(np.meshgrid(np.arange(8), np.arange(6), np.arange(5), indexing="ij"), -1)
    codes = codes.reshape(-1, 3)
    predicted = random.lognormal(4, 1, len(codes))
    real = predicted * (1 + random.normal(0, noise, len(codes)))
    for first, second, factor in causes:
        real[(codes[:, 0] == first) & (codes[:, 1] == second)] *= factor
    columns = {name: [f"{name}{n}" for n in codes[:, at]] for at, name in enumerate("abc")}
    frame = pa.table({**columns, "real": real, "predicted": predicted})
    named = {"dimensions": ["a", "b", "c"], "real": "real", "predicted": "predicted"}
    return ran(metric_leaves, frame, **named).frame


def test_leaves_with_a_forecast_give_exactly_the_combinations_that_missed_it() -> None:
    found = told(ran(metric_search, leaves(1, [(2, 3, 0.6), (5, 1, 0.6), (7, 0, 1.5)])))
    assert set(found) == {key(a="a2", b="b3"), key(a="a5", b="b1"), key(a="a7", b="b0")}


def test_leaves_that_missed_their_forecast_by_chance_are_none() -> None:
    found = [bool(told(ran(metric_search, leaves(seed, [], 0.2)))) for seed in range(30)]
    assert sum(found) <= 4  # as above


def test_leaves_are_read_by_a_query_with_quoted_names() -> None:
    answer = pa.table(
        {'a "b"': ["x", "y", "x"], "real": [1, 2, None], "predicted": [1.0, 2.0, None]}
    )
    context = Inputs(answer=answer)
    arguments = MetricLeavesArguments(
        relation="SELECT * FROM t;", dimensions=['a "b"'], real="real", predicted="predicted"
    )
    found = metric_leaves.run(arguments, context)
    assert context.asked == [
        'SELECT "a ""b""", "predicted", "real" FROM (SELECT * FROM t) AS leaves'
    ]
    assert found.frame is not None and found.frame.num_rows == 4
    assert found.notes == ("1 rows without any value were left out.",)


def test_what_cannot_be_searched_is_refused_by_name() -> None:
    sales = Sales()
    cube = sales.cube()
    late = {"start": "2030-01-01", "end": "2030-01-31"}
    for arguments, category in (
        ({**sales.periods, "comparison": late}, ErrorCategory.INVALID_ARGUMENTS),
        ({}, ErrorCategory.INVALID_ARGUMENTS),
        ({**sales.periods, "dimensions": ["colour"]}, ErrorCategory.MISSING_COLUMN),
        ({**sales.periods, "within": {"region": "Mars"}}, ErrorCategory.INVALID_ARGUMENTS),
        ({**sales.periods, "input": "other"}, ErrorCategory.INVALID_ARGUMENTS),
    ):
        with pytest.raises(ToolError) as caught:
            ran(metric_search, cube, **arguments)
        assert caught.value.category is category
    with pytest.raises(ToolError, match="no cube"):
        ran(metric_search, cube.drop_columns(["bucket"]), **sales.periods)


def test_one_day_each_is_searched_by_its_leaves() -> None:
    sales = Sales(4, days=(1, 1), sizes=(6, 8, 5), a_day=50_000, causes=[({"channel": "c2"}, 0.5)])
    result = ran(metric_search, sales.cube(), **sales.periods)
    assert set(told(result)) == {key(channel="c2")}
    assert any("too few to tell" in note for note in result.notes)
