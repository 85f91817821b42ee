"""What a graph identifies, on graphs whose answer is in the textbooks."""

from __future__ import annotations

import json

import pytest

from mesh.tool import ToolError
from services.executor.tools.causal_identify import causal_identify
from tests.unit.executor.discovery_data import call, identified, sets


def reasons(row: dict[str, str]) -> dict[str, str]:
    return {one["column"]: one["reason"] for one in json.loads(row["excluded"])}


def test_a_confounder_is_adjusted_for() -> None:
    assert sets(identified("W -> T, W -> Y, T -> Y"), "backdoor") == [["W"]]


def test_what_moves_the_outcome_alone_is_offered_for_precision() -> None:
    found = sets(identified("W -> T, W -> Y, T -> Y, P -> Y"), "backdoor")
    assert found == [["W"], ["P", "W"]]


def test_of_an_m_structure_nothing_is_adjusted_for_and_the_collider_is_named() -> None:
    found = identified("U -> T, U -> C, V -> C, V -> Y, T -> Y", latent=("U", "V"))
    assert sets(found, "backdoor") == [[]]
    assert reasons(found[0])["C"].startswith("collider")


def test_mediators_and_what_follows_stay_out() -> None:
    told = reasons(identified("W -> T, W -> Y, T -> M, M -> Y, Y -> D, T -> S")[0])
    assert told["M"].startswith("mediator")
    assert told["D"].startswith("post-treatment") and told["S"].startswith("post-treatment")


def test_a_hidden_cause_leaves_the_instrument() -> None:
    found = identified("Z -> T, T -> Y, T <-> Y")
    assert sets(found, "instrument") == [["Z"]] and not sets(found, "backdoor")
    assert found[0]["estimand"] == "LATE"


def test_an_instrument_may_be_one_given_others() -> None:
    found = identified("W -> Z, W -> Y, Z -> T, T -> Y, T <-> Y")
    assert sets(found, "instrument") == [["Z"]]
    assert json.loads(found[0]["given"]) == ["W"]


def test_what_moves_the_outcome_itself_is_no_instrument() -> None:
    found = identified("Z -> T, Z -> Y, T -> Y, T <-> Y")
    assert found[0]["strategy"] == "none" and not sets(found, "instrument")


def test_a_hidden_cause_of_an_instrument_and_treatment_is_no_instrument_itself() -> None:
    found = identified("Z <-> T, T -> Y, T <-> Y")
    assert all("hidden" not in name for one in sets(found, "instrument") for name in one)


def test_a_front_door() -> None:
    found = identified("T -> M, M -> Y, T <-> Y")
    assert sets(found, "frontdoor") == [["M"]]


def test_a_hidden_common_cause_alone_identifies_nothing_and_the_path_is_told() -> None:
    found = identified("T -> Y, T <-> Y")
    assert [row["strategy"] for row in found] == ["none"] and not found[0]["identified"]
    assert "T <- hidden cause of T and Y -> Y" in found[0]["assumptions"]


def test_open_directions_that_agree_identify() -> None:
    found = identified("A -- W, W -> T, W -> Y, T -> Y")
    assert ["W"] in sets(found, "backdoor")
    row = next(r for r in found if json.loads(r["variables"]) == ["W"])
    assert "in all 2 graphs" in row["assumptions"]


def test_open_directions_that_disagree_identify_nothing_and_it_is_said_where() -> None:
    found = identified("W -- T, W -> Y, T -> Y")
    assert found[0]["strategy"] == "none" and "say what came first" in found[0]["assumptions"]
    by_set = {tuple(json.loads(r["variables"])): r["assumptions"] for r in found[1:]}
    assert "only in 1 of 2 graphs; not where T -> W" in by_set["W",]


def test_a_partial_edge_may_be_a_hidden_cause() -> None:
    found = identified("W o-> T, W -> Y, T -> Y")
    assert sets(found, "backdoor") == [["W"]]


def test_too_many_open_edges_are_not_guessed() -> None:
    edges = ", ".join(f"N{k} -- N{k + 1}" for k in range(7))
    assert "7 edges leave their direction open" in identified(f"{edges}, T -> Y")[0]["assumptions"]


EARLIER = tuple(f"W{k}" for k in range(8))
WEB = ", ".join(f"{a} -- {b}" for k, a in enumerate(EARLIER) for b in EARLIER[k + 1 : k + 3])


def test_open_edges_among_what_came_before_the_treatment_do_not_matter() -> None:
    found = identified(f"{WEB}, W0 -> T, W3 -> T, W5 -> Y, T -> Y", before=EARLIER)
    assert sets(found, "backdoor") == [["W0", "W3"], ["W0", "W3", "W5"]]
    assert "whichever way 13 edges among what came before" in found[0]["assumptions"]


def test_of_few_such_edges_all_causes_of_the_treatment_are_tried_too() -> None:
    found = identified("A -- C, C -- B, A -> T, B -> T, A -> Y, B -> Y, T -> Y")
    assert ["A", "B"] in sets(found, "backdoor")


@pytest.mark.parametrize(
    "edge, why",
    [
        ("W0 <-> T", "not all causes of the treatment are in the data"),
        ("T -> W7", "to what came before it"),
    ],
)
def test_what_matters_among_many_open_edges_is_still_asked(edge: str, why: str) -> None:
    found = identified(f"{WEB}, {edge}, W3 -> T, W0 -> Y, T -> Y", before=EARLIER)
    assert found[0]["strategy"] == "none" and why in found[0]["assumptions"]
    assert not any(row["identified"] for row in found)


def test_an_effect_on_a_cause_is_not_identified() -> None:
    assert '"Y" is a cause of "T"' in identified("Y -> T")[0]["assumptions"]


def test_a_graph_without_a_path_says_that_there_is_no_effect() -> None:
    found = identified("W -> T, W -> Y")
    assert sets(found, "backdoor") == [["W"]]
    assert "there is no effect" in found[0]["assumptions"]


def test_a_circle_is_no_graph() -> None:
    assert "circle" in identified("T -> Y, Y -> W, W -> T")[0]["assumptions"]


@pytest.mark.parametrize(
    ("treatment", "outcome", "latent", "part"),
    [
        ("T", "Q", (), '"Q" is no node'),
        ("T", "T", (), "both"),
        ("T", "Y", ("T",), "cannot be latent"),
    ],
)
def test_a_question_that_cannot_be_is_refused(
    treatment: str, outcome: str, latent: tuple[str, ...], part: str
) -> None:
    with pytest.raises(ToolError, match=part):
        call(
            causal_identify,
            nodes=["T", "Y"],
            edges=[],
            treatment=treatment,
            outcome=outcome,
            latent=latent,
        )
