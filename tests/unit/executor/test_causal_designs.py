"""Instruments, discontinuities and panels: found where the design holds, refused where it fails."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from linearmodels.iv import IV2SLS

from bench.causal import worlds
from tests.unit.executor.causal_help import assumption, estimate, in_world, rows

# castle.csv (Cheng & Hoekstra 2013) and organ_donation.csv (Kessler & Roth 2014) lie here.
REAL = Path(os.environ.get("ASSAY_TEST_CAUSAL_DATA", "no folder is named"))


def real(name: str) -> pytest.MarkDecorator:
    absent = not (REAL / name).exists()
    return pytest.mark.skipif(absent, reason=f"ASSAY_TEST_CAUSAL_DATA has no {name}")


def test_an_instrument_finds_what_adjusting_cannot() -> None:
    world = worlds.instrument(5, 1500)
    (row,) = in_world(world, "IV")
    naive = rows(estimate(world.table, adjustment=("a",)))[0]
    assert row["status"] == "ok"
    assert abs(row["estimate"] - 0.8) < 3.5 * row["std_error"]
    assert naive["ci_lower"] > 1.2
    told = assumption(row, "exclusion")["text"]
    assert told.startswith("z moves y through t alone, and shares no cause with y beyond")


def test_two_stage_least_squares_is_that_of_linearmodels() -> None:
    world = worlds.two_instruments(1, 800)
    (row,) = in_world(world, "IV")
    frame = world.table.to_pandas().assign(one=1.0)
    fit = IV2SLS(frame["y"], frame[["one", "a"]], frame["t"], frame[["z", "w"]]).fit()
    assert row["estimate"] == pytest.approx(fit.params["t"])
    assert row["std_error"] == pytest.approx(fit.std_errors["t"])
    assert assumption(row, "overidentification")["passed"] is True


def test_a_weak_instrument_is_rejected_with_its_strength() -> None:
    (row,) = in_world(worlds.instrument(2, 500, strength=0.05), "IV")
    assert row["status"] == "rejected"
    assert "weak" in row["reason"]
    assert assumption(row, "relevance")["statistic"] < 10


def test_instruments_that_contradict_one_another_are_rejected() -> None:
    world = worlds.two_instruments(3, 2000)
    table = world.table
    spoilt = table["y"].to_numpy() + 2 * table["w"].to_numpy()
    (row,) = rows(
        estimate(
            table.set_column(4, "y", pa.array(spoilt)), **{**world.study("IV"), "input": "data"}
        )
    )
    assert row["status"] == "rejected"
    assert "contradict" in row["reason"]


@pytest.mark.parametrize("fuzzy", [False, True])
def test_a_jump_at_the_cutoff_is_found(fuzzy: bool) -> None:
    (row,) = in_world(worlds.discontinuity(4, 3000, fuzzy), "RDD")
    assert row["status"] == "ok"
    assert row["ci_lower"] < 0.3 < row["ci_upper"]
    assert json.loads(row["details"])["design"] == ("fuzzy" if fuzzy else "sharp")


def test_rows_that_moved_across_the_cutoff_spoil_the_design() -> None:
    world = worlds.discontinuity(4, 4000)
    score = world.table["score"].to_numpy().copy()
    moved = (score < 0) & (score > -0.08)
    score[moved] = -score[moved]
    table = world.table.set_column(0, "score", pa.array(score))
    (row,) = rows(estimate(table, **{**world.study("RDD"), "input": "data"}))
    assert row["status"] == "rejected"
    assert "pile up" in row["reason"] or "missing at the cutoff" in row["reason"]


def test_a_covariate_that_jumps_spoils_the_design() -> None:
    world = worlds.discontinuity(4, 3000)
    jumping = world.table["a"].to_numpy() + 3 * world.table["t"].to_numpy()
    table = world.table.set_column(1, "a", pa.array(jumping))
    (row,) = rows(estimate(table, **{**world.study("RDD"), "input": "data"}))
    assert row["status"] == "rejected"
    assert "a jumps" in row["reason"]


def test_a_staggered_panel_gives_the_mean_over_groups_and_times() -> None:
    world = worlds.panel(1, 2400)
    first, *later = in_world(world, "DiD")
    assert first["status"] == "ok"
    assert first["ci_lower"] < world.effects["ATT"] < first["ci_upper"]
    assert [round(row["estimate"]) for row in later][:1] == [1]
    assert later[4]["estimate"] > later[0]["estimate"] + 1
    two_way = json.loads(first["details"])["two_way"]["estimate"]
    assert two_way < first["estimate"]


def test_trends_that_differ_before_the_treatment_are_rejected() -> None:
    first = in_world(worlds.bent_panel(1, 2400), "DiD")[0]
    assert first["status"] == "rejected"
    assert "before the treatment" in first["reason"]


def test_a_treatment_that_ends_again_is_rejected() -> None:
    world = worlds.panel(1, 800)
    t = world.table["t"].to_numpy().copy()
    t[7::8] = 0
    (row,) = rows(
        estimate(
            world.table.set_column(2, "t", pa.array(t)), **{**world.study("DiD"), "input": "data"}
        )
    )
    assert "ends again" in row["reason"]


def test_covariates_explain_trends_that_differ_by_them() -> None:
    random = np.random.default_rng(0)
    units = 600
    x = random.normal(size=units)
    treated = (random.random(units) < 1 / (1 + np.exp(-x))).astype(float)
    year = np.tile(np.arange(4), (units, 1))
    on = treated[:, None] * (year >= 2)
    y = x[:, None] * year + on + random.normal(size=(units, 4))
    table = pa.table(
        {
            "unit": np.repeat(np.arange(units), 4),
            "year": year.ravel(),
            "x": np.repeat(x, 4),
            "t": on.ravel(),
            "y": y.ravel(),
        }
    )
    asked = {"method": "DiD", "unit": "unit", "time": "year"}
    assert rows(estimate(table, **asked))[0]["status"] == "rejected"
    row = rows(estimate(table, **asked, adjustment=("x",)))[0]
    assert row["status"] == "ok"
    assert row["ci_lower"] < 1.0 < row["ci_upper"]


@real("castle.csv")
def test_laws_of_self_defence_as_the_textbook_has_them() -> None:
    """Cheng & Hoekstra 2013; the two-way coefficient of log homicides is 0.069 in Cunningham's
    decomposition of it (Causal Inference: The Mixtape, 2021)."""
    frame = pd.read_csv(REAL / "castle.csv")[["sid", "year", "l_homicide", "post"]]
    told = rows(
        estimate(
            pa.Table.from_pandas(frame),
            treatment="post",
            outcome="l_homicide",
            method="DiD",
            unit="sid",
            time="year",
        )
    )
    details = json.loads(told[0]["details"])
    assert details["two_way"]["estimate"] == pytest.approx(0.069, abs=0.001)
    assert (details["units"], details["treated_units"], details["cohorts"]) == (50, 21, 5)
    # One state was treated for five years: what is told of that year may not look sure.
    assert told[-1]["p_value"] > 0.05


@real("organ_donation.csv")
def test_one_treated_state_gives_the_published_number_and_no_conclusion() -> None:
    """Kessler & Roth 2014: active choice lowered California's donor registrations by 2.2 points."""
    frame = pd.read_csv(REAL / "organ_donation.csv")
    frame["time"] = frame["Quarter"].str[2:].astype(int) * 4 + frame["Quarter"].str[1].astype(int)
    frame["t"] = ((frame["State"] == "California") & (frame["time"] >= 2011 * 4 + 3)).astype(int)
    told = rows(
        estimate(
            pa.Table.from_pandas(frame), outcome="Rate", method="DiD", unit="State", time="time"
        )
    )[0]
    two_way = json.loads(told["details"])["two_way"]["estimate"]
    assert two_way == pytest.approx(-0.022, abs=0.0006)
    assert told["status"] == "rejected"
    assert told["reason"].startswith("1 unit")


def test_a_drift_too_small_in_every_single_period_is_rejected() -> None:
    random = np.random.default_rng(3)
    units, periods = 120, 10
    first = random.choice([4, 6, 8, 99], units)
    when = np.tile(np.arange(1, periods + 1), (units, 1))
    on = when >= first[:, None]
    drift = 0.2 * when * (first < 99)[:, None]
    y = random.normal(size=(units, 1)) + drift + 0.7 * random.normal(size=(units, periods))
    table = pa.table(
        {
            "unit": np.repeat(np.arange(units), periods),
            "year": when.ravel(),
            "t": on.ravel().astype(int),
            "y": y.ravel(),
        }
    )
    row = rows(estimate(table, method="DiD", unit="unit", time="year"))[0]
    assert row["status"] == "rejected"
    assert "drift" in assumption(row, "parallel trends before")["text"]
