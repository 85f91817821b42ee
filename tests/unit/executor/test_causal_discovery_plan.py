"""Which methods suit is told by what the columns are, and what does not fit is named."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from mesh.frames.canonical import table_digest
from services.executor.tools.causal_discover import causal_discover
from services.executor.tools.causal_discovery_plan import causal_discovery_plan
from tests.unit.executor.discovery_data import call, noise, plan


def normal(columns: int = 4, size: int = 800) -> pa.Table:
    e = noise(1, columns, size)
    for k in range(1, columns):
        e[k] = e[k] + 0.8 * e[k - 1]
    return pa.table({f"c{k:02d}": e[k] for k in range(columns)})


def test_normal_straight_columns_suit_all_but_lingam() -> None:
    told = plan(normal())
    assert {name for name, row in told.items() if row["suits"]} == {"PC", "FCI", "GES", "NOTEARS"}
    assert "not normal" in told["LiNGAM"]["reason"]
    assert "scales" in told["NOTEARS"]["reason"]


def test_skewed_straight_columns_suit_lingam() -> None:
    random = np.random.default_rng(2)
    e = [random.exponential(size=2000) for _ in range(3)]
    table = pa.table({"a": e[0], "b": e[0] + e[1], "c": e[0] + e[1] + e[2]})
    assert plan(table)["LiNGAM"]["suits"]


def test_categories_flags_and_curves_leave_the_linear_methods_out() -> None:
    table = normal()
    flags = table.append_column("flag", pa.array([k % 3 == 0 for k in range(800)]))
    texts = table.append_column("kind", pa.array([["x", "y", "z"][k % 3] for k in range(800)]))
    bent = table.append_column("bent", pa.array(table["c00"].to_numpy() ** 2))
    for data, part in (
        (flags, '"flag" has few values'),
        (texts, '"kind" is a category'),
        (bent, "in a curve"),
    ):
        told = plan(data)
        assert not told["LiNGAM"]["suits"] and not told["NOTEARS"]["suits"]
        assert part in told["LiNGAM"]["reason"]
        assert told["PC"]["suits"] and told["GES"]["suits"]


def test_hidden_causes_speak_for_fci() -> None:
    told = plan(normal(), hidden=True)
    assert told["FCI"]["reason"].startswith("hidden causes are likely")
    assert "rules out" in told["PC"]["reason"]


def test_more_columns_than_rows_bear_are_left_out_least_tied_first() -> None:
    e = noise(3, 60, 100)
    table = pa.table({f"c{k:02d}": e[k] for k in range(58)} | {"t": e[58], "y": e[58] + e[59] / 3})
    told = plan(table, treatment="t", outcome="y")["PC"]
    kept = json.loads(told["columns"])
    assert {"t", "y"} <= set(kept) and len(kept) == 10
    assert "the rows bear no more columns" in told["reason"] and "and 42 more" in told["reason"]


def test_what_does_not_fit_into_the_seconds_is_named() -> None:
    table = normal(columns=16)
    told = plan(table, treatment="c00", outcome="c01", seconds=2)["GES"]
    assert "the time bears no more columns" in told["reason"] or told["bootstraps"] < 50
    assert told["predicted_seconds"] <= 2 / 4


def test_nothing_fits_into_no_time() -> None:
    told = plan(normal(), seconds=0.001)
    assert not any(row["suits"] for row in told.values())
    assert "does not fit" in told["PC"]["reason"]


@pytest.mark.parametrize("method", ["PC", "FCI", "GES", "NOTEARS"])
def test_what_was_planned_runs_with_all_its_resamplings(method: str) -> None:
    table = normal()
    row = plan(table, seconds=20)[method]
    result = call(
        causal_discover,
        table,
        method=method,
        seconds=5,
        columns=json.loads(row["columns"]),
        bootstraps=row["bootstraps"],
    )
    assert not any("resamplings fitted" in note for note in result.notes)


def test_equal_calls_give_equal_plans() -> None:
    first, again = (call(causal_discovery_plan, normal(), seconds=5).frame for _ in range(2))
    assert table_digest(first) == table_digest(again)
