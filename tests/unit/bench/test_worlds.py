"""Worlds for agents: a plain query answers each wrongly, and the truth is judged as such."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bench.agents.businesses import WORLDS, Tables
from bench.agents.worlds import grade

BY_NAME = {world.name: world for world in WORLDS}


def shares(frame: pd.DataFrame, by: str, of: str) -> float:
    """The difference of a share between the two groups, in percentage points."""
    low, high = frame.groupby(by)[of].mean()
    return float(high - low) * 100


def freight(tables: Tables) -> float:
    joined = tables["lines"].merge(tables["orders"], on="order_id")
    return float(joined["freight"].sum() / joined["amount"].sum() * 100)


def stayed(tables: Tables) -> float:
    frame = tables["subscriptions"].dropna()
    return float((frame["cancelled"] - frame["joined"]).dt.days.median())


PLAIN: dict[str, Callable[[Tables], float]] = {
    "confounded": lambda t: shares(t["customers"], "premium_support", "left_within_year"),
    "lifetimes": stayed,
    "repeated": freight,
    "no_fall": lambda t: -1.0,
    "unfinished": lambda t: -70.0,
    "no_overlap": lambda t: 40.0,
    "marked": lambda t: float(t["invoices"]["amount"].mean()),
    "two_dates": lambda t: float(
        t["orders"].loc[t["orders"]["shipped"].dt.month == 3, "amount"].sum()
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_query_is_wrong(name: str) -> None:
    world = BY_NAME[name]
    claim = world.claims()[0]
    plain = {claim.name: {"value": PLAIN[name](world.tables()), "flag": ""}}
    right = {claim.name: {"value": claim.truth, "flag": ""}}

    assert grade(world, plain) == [(claim.name, "wrong")]
    assert grade(world, right) == [(claim.name, "right")]


def test_patients_of_a_clinic_are_alike_and_single_rows_would_say_a_difference() -> None:
    frame = BY_NAME["alike"].tables()["patients"]
    usual, new = (frame[frame["method"] == one] for one in ("usual", "new"))
    assert stats.ttest_ind(usual["days_in_bed"], new["days_in_bed"]).pvalue < 0.001
    means = [one.groupby("clinic")["days_in_bed"].mean() for one in (usual, new)]
    assert stats.ttest_ind(*means).pvalue > 0.05


def test_of_forty_segments_one_looks_better_by_chance() -> None:
    visits = BY_NAME["many_segments"].tables()["visits"]
    found = []
    for _, segment in visits.groupby("segment"):
        table = pd.crosstab(segment["page"], segment["bought"])
        found.append(stats.chi2_contingency(table, correction=False).pvalue)
    assert min(found) < 0.05 < np.min(found) * len(found)


def test_what_is_wrong_is_told_from_what_is_flagged_and_what_is_declined() -> None:
    world = BY_NAME["orphans"]
    given = {
        "paint_percent": {"value": 99.0, "flag": "8 % of amounts are in no category"},
        "unknown_percent": {"value": None, "flag": ""},
    }
    assert grade(world, given) == [("paint_percent", "flagged"), ("unknown_percent", "declined")]
    assert grade(world, {}) == [("paint_percent", "missing"), ("unknown_percent", "missing")]
