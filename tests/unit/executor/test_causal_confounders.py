"""What columns are to a treatment and an outcome, in data where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.tool import ToolError
from services.executor.tools.causal_confounders import causal_confounders
from tests.unit.executor.discovery_data import Row, call, noise, rows

TIERS = {"w": 0, "z": 0, "p": 0, "q": 0, "group": 0, "t": 1, "m": 2, "y": 3, "after": 4}


def study(size: int = 20_000) -> pa.Table:
    w, z, p, q, et, ey, em = noise(1, 7, size)
    random = np.random.default_rng(2)
    group = random.choice(["a", "b", "c"], size)
    lift = np.where(group == "a", 1.0, np.where(group == "b", -1.0, 0.0))
    t = (w + z + lift + et > 0).astype(int)
    m = t + em
    y = t + w + p + lift + 0.5 * m + ey
    return pa.table(
        {
            "w": w,
            "z": z,
            "p": p,
            "q": q,
            "group": group,
            "t": t,
            "m": m,
            "y": y,
            "after": y + em,
            "many": [f"k{i % 5000}" for i in range(size)],
            "one": np.ones(size),
            "y_again": 2 * y,
        }
    )


def verdicts(table: pa.Table, **given: Any) -> dict[str, Row]:
    found = call(causal_confounders, table, treatment="t", outcome="y", **given)
    return {row["column"]: row for row in rows(found)}


def test_each_column_is_told_for_what_it_is() -> None:
    told = verdicts(study(), tiers=TIERS)
    expected = {
        "w": "confounder",
        "group": "confounder",
        "z": "instrument_like",
        "p": "precision",
        "q": "irrelevant",
        "m": "post_treatment",
        "after": "post_treatment",
        "many": "unclear",
        "one": "irrelevant",
        "y_again": "collider_risk",
    }
    assert {name: told[name]["verdict"] for name in expected} == expected
    assert "none of them common" in told["many"]["reason"]


def test_a_confounder_changes_the_estimate_and_precision_does_not() -> None:
    told = verdicts(study(), tiers=TIERS)
    assert told["w"]["change_in_estimate"] < -0.2
    assert abs(told["p"]["change_in_estimate"]) < 0.05
    assert all(0 <= told[name]["with_outcome"] <= 1 for name in ("w", "z", "p", "q", "group"))


def test_without_time_no_column_is_called_a_confounder() -> None:
    found = call(causal_confounders, study(), treatment="t", outcome="y")
    assert {row["verdict"] for row in rows(found)}.isdisjoint({"confounder", "instrument_like"})
    assert any("What came before the treatment is not said" in note for note in found.notes)


def test_a_common_consequence_is_a_risk() -> None:
    t, y, e = noise(3, 3)
    table = pa.table({"t": t, "y": y, "c": t + y + e})
    assert verdicts(table)["c"]["verdict"] == "collider_risk"


def test_what_came_before_and_hides_the_effect_is_a_confounder() -> None:
    w, et, ey = noise(5, 3, 3000)  # the worse off are treated more, and gain by it
    t = w + et
    table = pa.table({"w": w, "t": t, "y": t - 2 * w + ey})
    assert verdicts(table)["w"]["verdict"] == "collider_risk", "time would have to tell"
    told = verdicts(table, tiers={"w": 0, "t": 1, "y": 2})
    assert told["w"]["verdict"] == "confounder"


def test_one_of_two_that_say_the_same_is_enough() -> None:
    w, e, et, ey = noise(4, 4, 3000)
    t = w + et
    table = pa.table({"w": w, "twin": w + 0.6 * e, "t": t, "y": t + w + ey})
    told = verdicts(table, tiers={"w": 0, "twin": 0, "t": 1, "y": 2})
    assert told["w"]["verdict"] == "confounder"
    assert told["twin"]["verdict"] == "irrelevant"


@pytest.mark.parametrize(
    ("table", "part"),
    [
        (
            pa.table({"t": np.ones(50), "y": noise(5, 1, 50)[0], "w": noise(6, 1, 50)[0]}),
            "one value",
        ),
        (
            pa.table(
                {"t": noise(5, 1, 50)[0], "y": 2 * noise(5, 1, 50)[0], "w": noise(6, 1, 50)[0]}
            ),
            '"t" determines it',
        ),
    ],
)
def test_a_constant_treatment_and_an_outcome_equal_to_it_are_refused(
    table: pa.Table, part: str
) -> None:
    with pytest.raises(ToolError, match=part):
        verdicts(table)
