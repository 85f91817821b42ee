"""Definitions in short forms, as the YAML that they are."""

from __future__ import annotations

import pytest

from clients.python.definition_text import definition_text
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.domain.semantic_model.reading import read_model


def test_short_forms_are_a_semantic_model() -> None:
    text = definition_text(
        ["orders.net revenue = quantity * price", "orders.share=sum(a) / sum(b)"],
        ["orders = placed_on"],
        ["orders.shop = shops.id"],
        ["orders.region.NO = Norway, Norge"],
    )
    model, _ = read_model("definition", text)
    orders = model.tables["orders"]

    assert {name: one.formula for name, one in orders.metrics.items()} == {
        "net revenue": "quantity * price",
        "share": "sum(a) / sum(b)",
    }
    assert orders.time == "placed_on"
    assert orders.joins[0].to == "shops" and orders.joins[0].on == {"shop": "id"}
    assert orders.columns["region"].values == {"NO": ("Norway", "Norge")}
    assert definition_text() == ""


@pytest.mark.parametrize(
    "given",
    [
        {"metrics": ["revenue = a"]},
        {"metrics": ["orders.revenue"]},
        {"times": ["orders ="]},
        {"joins": ["orders.shop = shops"]},
        {"values": ["orders.region = NO"]},
    ],
)
def test_other_forms_are_refused_with_the_right_one(given: dict[str, list[str]]) -> None:
    with pytest.raises(AssayError) as error:
        definition_text(**given)
    assert error.value.reason is INVALID_ARGUMENT
    assert error.value.hint and error.value.hint.startswith("Write it so: TABLE")
