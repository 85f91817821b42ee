"""What a model would look at in an investigation: asked once, checked, measured like all else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mesh.policy import Policy
from mesh.testing.model_server import Answered, Raw, Refused, Said, Turn
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus
from services.planner.domain.investigation.leads import Lead, Leads, LeadsInput, leads_told
from tests.unit.investigation.shop import shop_of_lines
from tests.unit.planner.llm_world import MODEL, Rules, by_rules, world

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")

GIVEN = LeadsInput(
    job_id="a" * 32,
    question="why did freight fall in March?",
    metric="flimflam",
    context="",
    catalogue=shop_of_lines(),
    policy=Policy(),
)
NOW = datetime(2024, 4, 1, tzinfo=UTC)


def lead(column: str = "region", because: str = "") -> dict[str, str]:
    return {"table": "orders", "column": column, "because": because}


async def asked(folder: Path, *turns: Turn, given: LeadsInput = GIVEN) -> tuple[Leads, list[str]]:
    """What the reasoner makes of a model's answers, and what the model was asked."""
    async with world(folder) as made:
        made.server.will(*turns)
        found = await made.together(Rules(by_rules())).leads(given)
        assert found is not None
        return found, list(made.server.prompts)


async def test_columns_are_named_in_one_request(tmp_path: Path) -> None:
    found, prompts = await asked(tmp_path, Answered({"leads": [lead(because="shops differ")]}))

    assert found.leads == (Lead(table="orders", column="region", because="shops differ"),)
    assert found.model_use is not None and found.model_use.requests == 1
    assert (found.by, found.failed, found.metric) == (MODEL, "", "")
    assert "why did freight fall" in prompts[0]

    both = {"leads": [lead("weather"), lead()]}
    some, _ = await asked(tmp_path, Answered(both))
    assert [one.column for one in some.leads] == ["region"] and not some.failed


@pytest.mark.parametrize(
    "wrong",
    [
        {"leads": [lead("weather")]},
        {"leads": [{"table": "storms", "column": "region"}]},
        {"leads": [lead(because="the strike took 80 % of it")]},
    ],
)
async def test_what_is_not_there_and_numbers_nobody_saw_are_left_out(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    found, _ = await asked(tmp_path, Answered(wrong))

    assert found.failed and not found.leads
    assert found.model_use is not None and found.model_use.requests == 1, "nothing is sent back"
    assert leads_told(found, ()) == (
        f"{MODEL} gave nothing: {found.failed.rstrip('.')}. The built-in rules decided.",
    )


@pytest.mark.parametrize("turn", [Answered("{not json"), Said("no"), Raw(b"<html>"), Refused(400)])
async def test_a_model_that_is_of_no_use_is_told(tmp_path: Path, turn: Turn) -> None:
    found, _ = await asked(tmp_path, turn)
    assert found.failed and not found.leads


async def test_a_metric_is_sql_over_the_columns_there_are(tmp_path: Path) -> None:
    wanted = GIVEN.model_copy(update={"wants_metric": True})
    sound, _ = await asked(tmp_path, Answered({"metric": "sum(freight)"}), given=wanted)
    assert sound.metric == "sum(freight)"

    for metric in ("", "sum(gribbles)", "drop table orders"):
        found, _ = await asked(tmp_path, Answered({"metric": metric}), given=wanted)
        assert found.failed and not found.metric


async def test_what_policy_hides_a_model_neither_sees_nor_names(tmp_path: Path) -> None:
    hidden = Policy(allowed_columns=("orders.order_id", "orders.freight"))
    given = GIVEN.model_copy(update={"policy": hidden})
    found, prompts = await asked(tmp_path, Answered({"leads": [lead()]}), given=given)
    assert found.failed and "region" not in prompts[0]


def test_what_came_of_each_is_told() -> None:
    def tried(number: int, name: str, status: HypothesisStatus) -> Hypothesis:
        return Hypothesis(
            hypothesis_id=f"hyp_00{number}", title=name, causal_story="", dimensions=(name,),
            expected_pattern="", priority=5, status=status, created_at=NOW,
        )  # fmt: skip

    names = ("region", "channel", "city", "colour", "note")
    leads = Leads(by=MODEL, leads=tuple(Lead(table="orders", column=name) for name in names))
    placed = leads.placed({f"orders.{name}": name for name in names[:4]})
    hypotheses = (
        tried(1, "region", HypothesisStatus.CONFIRMED),
        tried(2, "channel", HypothesisStatus.RULED_OUT),
        tried(3, "city", HypothesisStatus.PENDING),
    )

    assert leads_told(placed, hypotheses) == (
        f"Supposed by {MODEL}, and measured like every other split: region is borne out by the "
        "data; channel is not supported by the data; city, colour was not tried by itself; note "
        "does not split these rows.",
    )
    assert leads_told(None, hypotheses) == ()
