"""Graphs whose truth is known are found, as far as data can tell, by each method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.frames.canonical import table_digest
from mesh.tool import ErrorCategory, ToolError
from services.executor.tools.causal_discover import causal_discover
from tests.unit.executor.discovery_data import arrows, call, discovered, noise, published, rows

SEARCHES = ("PC", "GES")


def chain() -> pa.Table:
    e = noise(1, 3)
    b = e[0] + e[1]
    return pa.table({"a": e[0], "b": b, "c": b + e[2]})


def collider() -> pa.Table:
    e = noise(2, 4)
    c = e[0] + e[1] + e[2]
    return pa.table({"a": e[0], "b": e[1], "c": c, "d": c + e[3]})


def skewed(seed: int = 3) -> pa.Table:
    random = np.random.default_rng(seed)
    e = [random.exponential(size=2000) for _ in range(4)]
    b = 0.8 * e[0] + e[1]
    c = 0.9 * b + e[2]
    return pa.table({"z_first": e[0], "b": b, "c": c, "a_last": 0.7 * c + 0.5 * b + e[3]})


@pytest.mark.parametrize("method", SEARCHES)
def test_a_chain_is_found_and_its_direction_left_open(method: str) -> None:
    assert arrows(discovered(chain(), method)) == {"a - b", "b - c"}


@pytest.mark.parametrize("method", SEARCHES)
def test_a_collider_and_what_follows_it_are_directed(method: str) -> None:
    assert arrows(discovered(collider(), method)) == {"a -> c", "b -> c", "c -> d"}


@pytest.mark.parametrize("method", SEARCHES)
def test_a_fork_is_a_chain_to_data_until_time_tells(method: str) -> None:
    e = noise(4, 3)
    fork = pa.table({"w": e[0], "t": e[0] + e[1], "y": e[0] + e[2]})
    assert arrows(discovered(fork, method)) == {"t - w", "w - y"}
    told = discovered(fork, method, tiers={"w": 0, "t": 1, "y": 2})
    assert arrows(told) == {"w -> t", "w -> y"}


def test_an_m_structure_has_its_collider_in_the_middle() -> None:
    e = noise(5, 5)
    m = pa.table(
        {"u": e[0], "v": e[1], "m": e[0] + e[1] + e[2], "t": e[0] + e[3], "y": e[1] + e[4]}
    )
    assert {"u -> m", "v -> m"} <= arrows(discovered(m))
    assert frozenset("ty") not in discovered(m)


def test_fci_tells_a_hidden_common_cause_where_pc_cannot() -> None:
    e = noise(6, 5, 4000)
    data = pa.table(
        {
            "a": e[0],
            "b": e[1],
            "t": e[0] + e[4] + 0.5 * e[2],
            "y": e[1] + e[4] + 0.5 * e[3],
        }
    )
    assert "t <-> y" in arrows(discovered(data, "FCI"))


def test_tiers_do_not_rule_out_hidden_causes_for_fci() -> None:
    e = noise(6, 5, 4000)
    data = pa.table(
        {
            "a": e[0],
            "b": e[1],
            "t": e[0] + e[4] + 0.5 * e[2],
            "y": e[1] + e[4] + 0.5 * e[3],
        }
    )
    told = discovered(data, "FCI", tiers={"a": 0, "b": 0, "t": 1, "y": 2})
    assert "t <-> y" in arrows(told)
    assert {"a o t", "b o y"} <= arrows(told)


def test_lingam_directs_what_correlations_leave_open() -> None:
    expected = {"z_first -> b", "b -> c", "c -> a_last", "b -> a_last"}
    assert arrows(discovered(skewed(), "LiNGAM", alpha=0.01)) == expected


def test_lingam_says_so_where_disturbances_are_normal() -> None:
    notes = call(causal_discover, chain(), method="LiNGAM", bootstraps=0).notes
    assert any("by chance" in note for note in notes)


def test_notears_finds_the_skeleton_and_warns_of_scales() -> None:
    result = call(causal_discover, collider(), method="NOTEARS", bootstraps=0)
    assert {frozenset((r["source"], r["target"])) for r in rows(result)} >= {
        frozenset("ac"),
        frozenset("bc"),
    }
    assert any("scales" in note for note in result.notes)


def test_categories_numbers_and_flags_are_in_one_graph() -> None:
    random = np.random.default_rng(7)
    e = noise(7, 2, 3000)
    region = random.choice(["north", "south", "west"], 3000)
    size = np.where(region == "north", 1.0, np.where(region == "south", -1.0, 0.2)) + e[0]
    bought = (0.8 * size + random.logistic(size=3000)) > 0
    data = pa.table({"region": region, "size": size, "bought": bought, "unrelated": e[1]})
    for method in SEARCHES:
        assert arrows(discovered(data, method)) == {"region - size", "bought - size"}


def test_counts_are_tested_where_all_columns_are_discrete() -> None:
    random = np.random.default_rng(8)
    a, b = random.integers(0, 2, 4000), random.integers(0, 2, 4000)
    c = (a ^ b) ^ (random.random(4000) < 0.1)  # seen only by tests on counts, given the other
    d = np.where(random.random(4000) < 0.9, c, 1 - c)
    data = pa.table({"a": a, "b": b, "c": c.astype(int), "d": d})
    assert frozenset("cd") in discovered(data)


@pytest.mark.parametrize("method", SEARCHES)
def test_a_curve_without_slope_is_seen(method: str) -> None:
    e = noise(9, 3)
    data = pa.table({"x": e[0], "y": e[0] ** 2 + 0.5 * e[1], "z": e[2]})
    assert set(discovered(data, method)) == {frozenset("xy")}


def test_heavy_tails_do_not_hide_a_relation() -> None:
    random = np.random.default_rng(10)
    x = random.standard_cauchy(800)
    data = pa.table(
        {"x": x, "y": x + random.standard_cauchy(800), "z": random.standard_cauchy(800)}
    )
    assert set(discovered(data)) == {frozenset("xy")}


@pytest.mark.parametrize("method", ["PC", "FCI", "GES", "NOTEARS", "LiNGAM"])
def test_every_method_obeys_tiers_forbidden_and_required_edges(method: str) -> None:
    table = skewed()
    told = discovered(
        table,
        method,
        tiers={"a_last": 0, "b": 1},
        required=[["c", "z_first"]],
        forbidden=[["c", "b"], ["b", "c"]],
    )
    assert told[frozenset(("c", "z_first"))]["edge_type"] == "directed"
    assert told[frozenset(("c", "z_first"))]["source"] == "c"
    assert frozenset("bc") not in told
    assert "b -> a_last" not in arrows(told)


@pytest.mark.parametrize("method", ["PC", "FCI", "GES", "NOTEARS", "LiNGAM"])
def test_the_order_of_columns_changes_nothing(method: str) -> None:
    table = skewed()
    turned = table.select(table.column_names[::-1])
    given: dict[str, Any] = {"method": method, "bootstraps": 3}
    first, other = (call(causal_discover, data, **given).frame for data in (table, turned))
    assert table_digest(first) == table_digest(other)


def test_stability_tells_what_stands_from_what_chance_gives() -> None:
    e = noise(11, 4, 300)
    data = pa.table({"a": e[0], "b": e[0] + e[1], "c": 0.13 * e[0] + e[2], "d": e[3]})
    told = discovered(data, bootstraps=30, alpha=0.1)
    assert told[frozenset("ab")]["skeleton_stability"] == 1.0
    weak = told.get(frozenset("ac"))
    assert weak is None or weak["skeleton_stability"] < 1.0


def test_an_undirected_edge_is_as_sure_as_its_skeleton() -> None:
    for row in discovered(chain(), bootstraps=10).values():
        assert row["confidence"] == row["skeleton_stability"]
        assert 0 <= row["direction_stability"] <= 1


def test_auto_mpg_is_told_within_its_published_knowledge() -> None:
    table = published("auto-mpg.data.mixed.max.3.categories.txt")
    tiers = {
        "modelyear": 1,
        "origin": 1,
        "weight": 1,
        "cylinders": 2,
        "displacement": 3,
        "horsepower": 4,
        "acceleration": 5,
        "mpg": 5,
    }
    for method in ("PC", "GES"):
        told = discovered(table, method, tiers=tiers, bootstraps=10)
        assert {
            "displacement -> horsepower",
            "weight -> mpg",
            "horsepower -> acceleration",
        } <= arrows(told)
        assert all(
            tiers[r["source"]] <= tiers[r["target"]]
            for r in told.values()
            if r["edge_type"] == "directed"
        )


def test_airfoil_pressure_depends_on_what_is_set_in_the_tunnel() -> None:
    table = published("airfoil-self-noise.continuous.txt")
    tiers = {
        "Frequency": 0,
        "Attack": 0,
        "Chord": 0,
        "Velocity": 0,
        "Displacement": 1,
        "Pressure": 2,
    }
    told = arrows(discovered(table, "PC", tiers=tiers))
    assert {"Frequency -> Pressure", "Attack -> Displacement", "Chord -> Displacement"} <= told


def test_what_misleads_a_search_is_left_out_and_named() -> None:
    e = noise(12, 3, 600)
    data = pa.table(
        {
            "a": e[0],
            "b": e[0] + e[1],
            "copy": e[0] * 3 + 1,
            "total": 2 * e[0] + e[1],
            "one": np.ones(600),
            "key": [f"id {i % 599}" for i in range(600)],
            "void": pa.nulls(600, pa.float64()),
            "moment": pa.array(range(600), pa.timestamp("s")),
        }
    )
    result = call(causal_discover, data, method="PC", bootstraps=0)
    told = " ".join(result.notes)
    for part in (
        '"copy" is left out of the graph: "a" determines it',
        '"total" is left out of the graph: it is a sum of other columns',
        '"one" is left out of the graph: it has one value only',
        '"key" is left out of the graph: it has 599 levels',
        '"void" is left out of the graph: it has no values',
    ):
        assert part in told
    assert {name for r in rows(result) for name in (r["source"], r["target"])} <= {
        "a",
        "b",
        "moment",
    }


def test_treatment_and_outcome_stay_when_others_repeat_them() -> None:
    e = noise(13, 2, 500)
    data = pa.table({"copy": e[0] * 2, "treated": e[0], "sold": e[0] + e[1]})
    told = discovered(data, treatment="treated", outcome="sold")
    assert set(told) == {frozenset(("treated", "sold"))}


@pytest.mark.parametrize(
    ("table", "given", "part"),
    [
        (pa.table({"a": [1.0] * 20, "b": [2.0] * 20}), {}, "at least two columns that vary"),
        (pa.table({"a": list(range(20)), "b": [i * i % 7 for i in range(20)]}), {}, "Only 20 rows"),
        (pa.table({f"c{i}": n for i, n in enumerate(noise(1, 60, 50))}), {}, "too many for 50"),
        (chain(), {"columns": ["a", "q"]}, 'no column "q"'),
        (chain(), {"required": [["a", "b"], ["b", "a"]]}, "run in a circle"),
        (chain(), {"required": [["a", "b"]], "tiers": {"a": 1, "b": 0}}, "its tier is later"),
        (chain(), {"required": [["a", "b"]], "forbidden": [["a", "b"]]}, "forbidden too"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_plain_words(
    table: pa.Table, given: dict[str, Any], part: str
) -> None:
    with pytest.raises(ToolError) as refused:
        call(causal_discover, table, method="PC", **given)
    assert part in refused.value.message
    assert refused.value.hint or refused.value.details


def test_lingam_refuses_categories() -> None:
    table = chain().append_column("kind", pa.array(["x", "y", "z"] * 500))
    with pytest.raises(ToolError, match='"kind" is a category') as refused:
        call(causal_discover, table, method="LiNGAM")
    assert refused.value.category is ErrorCategory.INVALID_ARGUMENTS


def test_fifty_rows_are_searched_and_five_million_sampled() -> None:
    assert frozenset("bc") in discovered(chain().slice(0, 50))
    e = noise(14, 2, 150_000)
    many = pa.table({"a": e[0], "b": e[0] + e[1]})
    result = call(causal_discover, many, method="PC", bootstraps=0)
    assert any("100,000 of 150,000 rows" in note for note in result.notes)


def test_what_does_not_fit_into_the_time_is_left_out_by_count_and_said() -> None:
    result = call(causal_discover, collider(), method="PC", bootstraps=1000, seconds=1)
    assert any("of 1000 resamplings fitted" in note for note in result.notes)
    with pytest.raises(ToolError, match="does not fit") as refused:
        call(causal_discover, collider(), method="GES", bootstraps=0, seconds=0.001)
    assert refused.value.category is ErrorCategory.RESOURCE_EXHAUSTED


def test_the_deadline_and_a_stop_end_a_search() -> None:
    with pytest.raises(ToolError, match="did not end in its time"):
        call(causal_discover, collider(), method="PC", left=-1.0)


def test_the_first_imputation_is_searched() -> None:
    table = chain()
    twice = pa.concat_tables([table, table]).append_column(
        "_imputation", pa.array([0] * 1500 + [1] * 1500)
    )
    assert arrows(discovered(twice)) == arrows(discovered(table))


@pytest.mark.parametrize("method", ["PC", "FCI", "GES", "NOTEARS", "LiNGAM"])
def test_what_is_clear_stands_in_every_order_of_columns_and_in_every_resampling(
    method: str,
) -> None:
    for ends, row in discovered(skewed(), method, bootstraps=6).items():
        if ends in (frozenset(("z_first", "b")), frozenset(("b", "c"))):
            assert row["in_order_stability"] == 1.0
            assert row["skeleton_stability"] == 1.0


def test_imports_of_heavy_libraries_wait_for_the_call() -> None:
    import subprocess
    import sys

    tools = "discover discovery_plan identify confounders".split()
    code = ";".join(
        [
            *(f"import services.executor.tools.causal_{t}" for t in tools),
            "import sys; print(*sys.modules)",
        ]
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "causallearn",
        "lingam",
        "dowhy",
        "networkx",
        "scipy",
        "pandas",
        "sklearn",
        "matplotlib",
    }
    assert heavy.isdisjoint(told.stdout.split())


@pytest.mark.parametrize("method", ["PC", "FCI"])
def test_what_came_later_does_not_part_two_that_are_linked(method: str) -> None:
    """Given what both cause, these two look apart: the ways along which they go together cancel."""
    draw = np.random.default_rng(5)
    a = draw.normal(size=3_000)
    b = a + draw.normal(size=3_000)
    c = a + b + draw.normal(size=3_000)
    found = discovered(pa.table({"a": a, "b": b, "c": c}), method, tiers={"a": 0, "b": 1, "c": 2})
    assert set(found) == {frozenset("ab"), frozenset("ac"), frozenset("bc")}
