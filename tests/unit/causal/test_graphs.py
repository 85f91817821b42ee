"""Graphs: what algorithms agree on, and what knowledge makes of it."""

from __future__ import annotations

import pytest

from mesh.errors import AssayError
from services.planner.domain.causal.agents.dag_expert import expert_graph
from services.planner.domain.causal.agreement import agreed
from services.planner.domain.causal.graph import CausalDAG, CausalEdge, descendants, has_cycle
from services.planner.domain.causal.knowledge import Knowledge
from tests.unit.causal.frames_of_study import COLUMNS, edge_row


def graph(*edges: CausalEdge) -> CausalDAG:
    return CausalDAG(
        nodes=COLUMNS,
        edges=edges,
        discovery_method="PC",
        treatment_variable="promo",
        outcome_variable="spend",
    )


def arrows(of: CausalDAG) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.target, edge.edge_type) for edge in of.edges}


def test_an_edge_that_one_of_three_methods_sees_does_not_stand() -> None:
    methods = {
        "PC": [edge_row("age", "promo"), edge_row("income", "spend")],
        "GES": [edge_row("age", "promo")],
        "LiNGAM": [edge_row("age", "promo")],
    }
    assert arrows(agreed(methods, COLUMNS, "promo", "spend")) == {("age", "promo", "directed")}


def test_methods_that_point_opposite_ways_leave_an_edge_without_direction() -> None:
    methods = {"PC": [edge_row("age", "promo")], "GES": [edge_row("promo", "age")]}
    found = agreed(methods, COLUMNS, "promo", "spend")
    assert arrows(found) == {("age", "promo", "undirected")}


def test_disturbances_that_tell_a_direction_are_not_outvoted_by_what_leaves_it_open() -> None:
    methods = {
        "PC": [edge_row("age", "promo", edge_type="undirected")],
        "FCI": [edge_row("age", "promo", edge_type="partial")],
        "GES": [edge_row("age", "promo", edge_type="undirected")],
        "LiNGAM": [edge_row("promo", "age", direction_weight=1.0)],
    }
    found = agreed(methods, COLUMNS, "promo", "spend")
    assert arrows(found) == {("promo", "age", "directed")}
    backwards = {name: methods[name] for name in reversed(methods)}
    assert agreed(backwards, COLUMNS, "promo", "spend").edges == found.edges


def test_a_direction_of_no_weight_does_not_count_though_its_link_does() -> None:
    methods = {
        "PC": [edge_row("age", "promo", edge_type="undirected")],
        "NOTEARS": [edge_row("age", "promo", direction_weight=0.0)],
        "LiNGAM": [edge_row("age", "promo", direction_weight=0.0)],
    }
    found = agreed(methods, COLUMNS, "promo", "spend")
    assert arrows(found) == {("age", "promo", "undirected")}
    assert found.edges[0].confidence > 0.9


def test_disturbances_and_independences_that_contradict_leave_no_direction() -> None:
    methods = {
        "PC": [edge_row("age", "promo")],
        "GES": [edge_row("age", "promo")],
        "LiNGAM": [edge_row("promo", "age", direction_weight=1.0)],
    }
    found = agreed(methods, COLUMNS, "promo", "spend")
    assert arrows(found) == {("age", "promo", "undirected")}


def test_no_algorithm_gives_no_edge_and_says_so() -> None:
    found = agreed({}, COLUMNS, "promo", "spend")
    assert found.edges == () and "No algorithm suited" in found.interpretation


def test_time_turns_an_edge_and_gives_an_undirected_one_its_way() -> None:
    known = Knowledge(tiers=(("age", "income"), ("promo",), ("spend",)))
    found, said = expert_graph(
        graph(
            CausalEdge(source="promo", target="age"),
            CausalEdge(source="spend", target="income", edge_type="undirected"),
            CausalEdge(source="promo", target="spend"),
        ),
        known,
    )
    assert arrows(found) == {
        ("age", "promo", "directed"),
        ("income", "spend", "directed"),
        ("promo", "spend", "directed"),
    }
    assert any("turned" in line for line in said)


def test_required_edges_are_added_and_forbidden_ones_go() -> None:
    known = Knowledge(
        required=(("income", "promo"),), forbidden=(("age", "spend"), ("spend", "age"))
    )
    found, _ = expert_graph(graph(CausalEdge(source="age", target="spend")), known)
    assert ("income", "promo", "directed") in arrows(found)
    assert not any({"age", "spend"} == set(edge[:2]) for edge in arrows(found))


def test_a_circle_loses_the_direction_of_its_weakest_edge() -> None:
    found, said = expert_graph(
        graph(
            CausalEdge(source="age", target="income", confidence=0.9),
            CausalEdge(source="income", target="promo", confidence=0.6),
            CausalEdge(source="promo", target="age", confidence=0.8),
        ),
        Knowledge(),
    )
    assert not has_cycle(found.edges)
    assert ("income", "promo", "undirected") in arrows(found)
    assert any("closed a circle" in line for line in said)


def test_what_is_asked_is_an_edge_and_it_is_told_where_the_data_say_otherwise() -> None:
    found, said = expert_graph(graph(CausalEdge(source="spend", target="promo")), Knowledge())
    assert ("promo", "spend", "directed") in arrows(found)
    assert any("the other way round" in line for line in said)


def test_descendants_are_all_that_arrows_lead_to() -> None:
    edges = [
        CausalEdge(source="a", target="b"),
        CausalEdge(source="b", target="c"),
        CausalEdge(source="d", target="c"),
        CausalEdge(source="c", target="e", edge_type="undirected"),
    ]
    assert descendants(edges, "a") == {"b", "c"}


@pytest.mark.parametrize(
    ("known", "what"),
    [
        (Knowledge(tiers=(("nobody",),)), "'nobody', which is no column"),
        (
            Knowledge(required=(("age", "promo"),), forbidden=(("age", "promo"),)),
            "both requires and forbids",
        ),
        (
            Knowledge(tiers=(("age",), ("promo",)), required=(("promo", "age"),)),
            "against the order of its tiers",
        ),
    ],
)
def test_knowledge_that_cannot_be_is_refused(known: Knowledge, what: str) -> None:
    with pytest.raises(AssayError, match=what):
        known.checked(COLUMNS)
