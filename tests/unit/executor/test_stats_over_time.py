"""stats.test of what happened since: rules over the past, how long things last, what comes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statsmodels.duration.survfunc import SurvfuncRight

from mesh.tool import ToolError
from tests.thorough import times
from tests.unit.executor.test_stats_test import number, result, words


def judged(rng: np.random.Generator, rows: int, picked: float, else_: float) -> pd.DataFrame:
    rule = rng.random(rows) < 0.25
    left = rng.random(rows) < np.where(rule, picked, else_)
    days = pd.date_range("2024-01-01", periods=rows, freq="h")
    return pd.DataFrame({"left": left, "complained": rule, "day": days})


def test_a_lift_holds_the_truth_as_often_as_it_says() -> None:
    rng, tried = np.random.default_rng(1), times(80, 500)
    held = 0
    for _ in range(tried):
        found = result(judged(rng, 400, 0.3, 0.15), test="lift", columns=["left"], by="complained")
        held += number(found, "lift low") <= 2 <= number(found, "lift high")
    assert held / tried >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / tried)


def test_a_rule_that_picks_nothing_out_is_said_to() -> None:
    data = judged(np.random.default_rng(4), 600, 0.2, 0.2)
    found = result(data, test="lift", columns=["left"], by="complained", time="day")
    assert words(found, "conclusion").startswith("no lift")
    assert number(found, "base rate") == pytest.approx(data["left"].mean())
    assert number(found, "recall") == pytest.approx(data["complained"][data["left"]].mean())


def test_a_rule_that_held_only_before_is_told_apart() -> None:
    rng = np.random.default_rng(6)
    data = pd.concat([judged(rng, 500, 0.6, 0.1), judged(rng, 500, 0.2, 0.2)])
    data["day"] = pd.date_range("2024-01-01", periods=1_000, freq="h")
    found = result(data, test="lift", columns=["left"], by="complained", time="day")
    assert number(found, "lift low", "earlier half") > 1 >= number(found, "lift low", "later half")
    assert any("found by chance" in note for note in found.notes)


def test_a_rule_in_numbers_is_refused_in_words() -> None:
    data = judged(np.random.default_rng(4), 60, 0.2, 0.2).assign(complained=range(60))
    with pytest.raises(ToolError, match="columns of yes or no"):
        result(data, test="lift", columns=["left"], by="complained")


def lasting(rng: np.random.Generator, rows: int, half: float) -> pd.DataFrame:
    start = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, rows), "D")
    end = start + pd.to_timedelta(rng.exponential(half / np.log(2), rows), "D")
    return pd.DataFrame({"joined": start, "left": end}).assign(plan="a")


def test_what_goes_on_counts_up_to_the_last_day_and_not_as_ended() -> None:
    data = lasting(np.random.default_rng(8), 200, 200)
    last = pd.Timestamp("2024-12-31")
    found = result(data, test="survival", columns=["joined", "left"], span=("", str(last.date())))
    ended = data["left"] <= last
    days = (data["left"].where(ended, last) - data["joined"]).dt.total_seconds() / 86_400
    wanted = SurvfuncRight(days.to_numpy(), ended.to_numpy(dtype=int))
    assert number(found, "median days") == pytest.approx(wanted.quantile(0.5))
    assert number(found, "not ended yet") == (~ended).sum()
    assert data.loc[ended, "left"].sub(data["joined"]).dt.days.median() < 0.6 * number(
        found, "median days"
    )  # which is what leaving them out would tell


def test_those_that_were_there_before_anybody_watched_are_left_out_and_told() -> None:
    data = lasting(np.random.default_rng(9), 200, 90)
    first = data["joined"].min() - pd.Timedelta(days=1)
    old = pd.DataFrame({"joined": [first] * 60, "left": data["left"][:60].to_numpy()})
    found = result(
        pd.concat([data, old]).drop(columns="plan"), test="survival", columns=["joined", "left"]
    )
    assert number(found, "rows left out") == 60
    assert any("censored on the left" in note for note in found.notes)
    watched = result(data, test="survival", columns=["joined", "left"], span=("2024-03-01", ""))
    assert number(watched, "rows left out") == (data["joined"] < "2024-03-01").sum()


def test_groups_that_last_alike_and_not_alike() -> None:
    rng = np.random.default_rng(10)
    short, long = lasting(rng, 150, 60), lasting(rng, 150, 160).assign(plan="b")
    apart = result(pd.concat([short, long]), test="survival", columns=["joined", "left"], by="plan")
    assert "differ in how long" in words(apart, "conclusion")
    alike = pd.concat([short, lasting(rng, 150, 60).assign(plan="b")])
    same = result(alike, test="survival", columns=["joined", "left"], by="plan")
    assert "do not clearly differ" in words(same, "conclusion")


def test_nothing_that_ended_tells_nothing_of_how_long() -> None:
    data = lasting(np.random.default_rng(8), 50, 90)
    data["left"] = pd.Series([None] * 50, dtype="datetime64[ns]")
    with pytest.raises(ToolError, match="no row has ended"):
        result(data, test="survival", columns=["joined", "left"])


def monthly(rng: np.random.Generator, months: int) -> pd.DataFrame:
    at = np.arange(months)
    sold = 100 + 10 * np.sin(at * 2 * np.pi / 12) + rng.normal(0, 2, months)
    return pd.DataFrame(
        {"month": pd.date_range("2019-01-01", periods=months, freq="MS"), "x": sold}
    )


def test_a_forecast_sees_the_season_and_holds_what_came() -> None:
    data = monthly(np.random.default_rng(12), 63)
    found = result(
        data[:60], test="forecast", columns=["x"], time="month", horizon=3, confidence=0.9
    )
    assert "season" in words(found, "test")
    for month, came in zip(("2024-01", "2024-02", "2024-03"), data["x"][60:], strict=True):
        low, high = (number(found, f"forecast {end}", month) for end in ("low", "high"))
        assert low <= came <= high < low + 30


def test_what_nothing_foretells_is_said_so() -> None:
    walk = np.cumsum(np.random.default_rng(13).normal(0, 1, 60))
    data = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60), "x": walk})
    found = result(data, test="forecast", columns=["x"], time="day", confidence=0.9)
    assert words(found, "conclusion").startswith("nothing foretold x clearly better than the")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data.drop(index=20), "have no row, 2020-09"),
        (lambda data: data[:14], "at least 16"),
        (lambda data: data.assign(month=data["month"].iloc[0]), "one row"),
        (lambda data: data[:22], "past forecasts"),
        (lambda data: data.assign(month="red"), "month holds values that are no days"),
    ],
)
def test_what_cannot_be_forecast_is_refused(change: object, why: str) -> None:
    data = change(monthly(np.random.default_rng(1), 40))  # type: ignore[operator]
    with pytest.raises(ToolError, match=why):
        result(data, test="forecast", columns=["x"], time="month")
