"""Questions go to the domains they are about, and doubts are told (seed 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.domain.routing.decision import (
    Alternative,
    DomainRoutingDecision,
    Outcome,
)
from services.planner.domain.routing.domain import Domain, Domains, DomainTable
from services.planner.domain.routing.parts import parts
from services.planner.domain.routing.route import route, to_embed
from services.planner.routing.deciding import Routing

SALES = Domain(
    name="sales",
    display_name="Sales",
    description="What was sold",
    capabilities=("Revenue by region", "Best customers"),
    related_domains=("stock",),
)
STOCK = Domain(
    name="stock",
    display_name="Stock",
    description="What lies in the warehouse",
    capabilities=("Units on hand", "Deliveries that are late"),
)
BOTH = (SALES, STOCK)

# Meaning in two dimensions and one of neither: sales lie along the first, stock along the second.
MEANT = {
    "What was sold": (0.9, 0.0, 0.0),
    "Revenue by region": (1.0, 0.0, 0.0),
    "Best customers": (0.8, 0.0, 0.6),
    "What lies in the warehouse": (0.0, 1.0, 0.0),
    "Units on hand": (0.0, 1.0, 0.0),
    "Deliveries that are late": (0.0, 0.8, 0.6),
    "Who spends most with us": (0.9, 0.1, 0.0),
    "how full are our shelves": (0.1, 0.9, 0.0),
    "Tell us of trading": (0.5, 0.5, 0.0),
    "Who wrote Hamlet?": (0.0, 0.0, -1.0),
}


def vectors(texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    blank = (0.4, 0.4, 0.0)
    return {text: np.asarray(MEANT.get(text, blank), dtype=np.float32) for text in texts}


def routed(question: str, domains: Sequence[Domain] = BOTH) -> DomainRoutingDecision:
    return route(question, domains, vectors(to_embed(question, domains)))


def test_a_question_goes_to_the_domain_that_means_the_same() -> None:
    decided = routed("Who spends most with us")

    assert decided.identified_domains == ("sales",)
    assert decided.outcome is Outcome.ROUTED and not decided.clarification_needed
    assert decided.confidence > 0.8
    assert '"Revenue by region"' in decided.reasoning
    assert decided.user_query == "Who spends most with us"


def test_parts_that_are_about_different_domains_name_both_in_their_order() -> None:
    decided = routed("how full are our shelves and Who spends most with us")

    assert decided.identified_domains == ("stock", "sales")
    assert '"how full are our shelves" is about stock' in decided.reasoning


def test_what_is_as_near_to_two_asks_which() -> None:
    decided = routed("Tell us of trading")

    assert decided.ambiguity_detected and decided.clarification_needed
    assert decided.identified_domains == () and decided.outcome is Outcome.UNCLEAR
    assert {other.domain for other in decided.alternatives} == {"sales", "stock"}
    assert "stock" in decided.reasoning and "sales" in decided.reasoning


def test_what_nothing_is_near_to_is_out_of_scope() -> None:
    decided = routed("Who wrote Hamlet?")

    assert decided.outcome is Outcome.OUT_OF_SCOPE and decided.clarification_needed
    assert decided.identified_domains == ()
    assert decided.confidence < 0.4


@pytest.mark.parametrize("question", ["show me", "?!"])
def test_a_question_without_a_word_about_data_is_unclear(question: str) -> None:
    assert routed(question).outcome is Outcome.UNCLEAR


def test_domains_that_are_not_enabled_are_asked_nothing() -> None:
    away = STOCK.model_copy(update={"enabled": False})

    assert routed("how full are our shelves", (away,)).outcome is Outcome.OUT_OF_SCOPE
    assert "Units on hand" not in to_embed("how full are our shelves", (SALES, away))


def test_without_vectors_words_decide_and_the_reasoning_says_so() -> None:
    decided = route("revenue by region in the north", BOTH, {})

    assert decided.identified_domains == ("sales",)
    assert "Words were compared, not their meaning." in decided.reasoning


def test_names_and_values_of_tables_are_words_of_their_domain() -> None:
    places = Domain(
        name="places",
        display_name="Places",
        tables=(DomainTable(name="cities", columns=("name", "mayor"), values=("New Haven",)),),
    )
    ships = Domain(
        name="ships",
        display_name="Ships",
        tables=(DomainTable(name="vessels", columns=("keel_length",), values=("Old Ironsides",)),),
    )

    told = route("Who is mayor of New Haven?", (ships, places), {})
    assert told.identified_domains == ("places",)
    assert "its data has mayor, new, haven" in told.reasoning
    assert route("keel length of each", (ships, places), {}).identified_domains == ("ships",)


def test_parts_are_cut_only_where_each_has_something_to_say() -> None:
    assert parts("Revenue by region and units on hand") == ("Revenue by region", "units on hand")
    assert parts("How much was sold? Which deliveries are late?") == (
        "How much was sold",
        "Which deliveries are late",
    )
    assert parts("Revenue and please") == ("Revenue and please",)
    assert parts("Revenue by region") == ("Revenue by region",)


def decision(**changed: object) -> DomainRoutingDecision:
    given: dict[str, object] = {
        "user_query": "x",
        "identified_domains": ("sales",),
        "reasoning": "because",
        "confidence": 0.5,
    }
    return DomainRoutingDecision.model_validate(given | changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"identified_domains": ()},
        {"confidence": 1.1},
        {"confidence": -0.1},
        {"reasoning": ""},
        {"identified_domains": ("sales", "sales")},
        {"clarification_needed": True},
        {"ambiguity_detected": True, "alternatives": (Alternative(domain="stock", score=0.4),)},
    ],
)
def test_a_decision_that_breaks_a_rule_of_the_specification_is_none(
    changed: dict[str, object],
) -> None:
    assert decision().confidence == 0.5
    with pytest.raises(ValidationError):
        decision(**changed)


@pytest.mark.parametrize("name", ["Sales", "2sales", "sales-new", "sales__new", "", "_sales"])
def test_names_are_snake_case(name: str) -> None:
    with pytest.raises(ValidationError):
        Domain(name=name, display_name="x")


def test_related_domains_exist_and_names_are_unique() -> None:
    assert Domains(all=BOTH).enabled == BOTH
    with pytest.raises(ValidationError):
        Domains(all=(SALES,))
    with pytest.raises(ValidationError):
        Domains(all=(STOCK, STOCK))


class Away:
    async def vectors(self, texts: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        raise AssayError(SERVICE_UNAVAILABLE, "memory is away")


class Here:
    async def vectors(self, texts: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        return vectors(texts)


async def test_routing_goes_on_by_words_when_memory_is_away() -> None:
    by_words = await Routing(Away(), 1.0).decide("Units on hand", BOTH)
    by_meaning = await Routing(Here(), 1.0).decide("Units on hand", BOTH)

    assert by_words.identified_domains == by_meaning.identified_domains == ("stock",)
    assert "Words were compared" in by_words.reasoning
    assert "Words were compared" not in by_meaning.reasoning
