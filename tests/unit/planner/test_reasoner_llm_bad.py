"""Whatever a model does, again and again: the rules' answer stands, or a clear no with its reason,
within the limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mesh.errors import NOTHING_UNDERSTOOD
from mesh.testing.model_server import Answered, Hangs, Refused, TextReply, Turn
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.failure import Failure
from tests.unit.planner.llm_world import (
    BY_REGION,
    QUESTION,
    Rules,
    answer_of,
    answered,
    asked,
    by_rules,
    given,
    known_policy,
    world,
)

MOST_REQUESTS, MOST_TOKENS = 8, 60_000
NO_USE = "what it proposed could not be used"
OBEYING = "DROP TABLE orders; COPY (SELECT 1) TO '/tmp/gone'"

BAD: dict[str, tuple[Turn, str]] = {
    "refuses": (TextReply("I cannot help with that."), NO_USE),
    "answers prose": (TextReply(f"Sure! Here it is: {BY_REGION}"), NO_USE),
    "says nothing": (TextReply(""), "no plan"),
    "stalls": (Hangs(), "did not answer within"),
    "floods in words": (Answered(answer_of(grain="many " * 100_000)), NO_USE),
    "sends no JSON": (Answered('{"kind": "answer", '), NO_USE),
    "is over its quota": (Refused(429, {"retry-after": "3600"}), "allows no more requests"),
    "obeys a cell": (answered(OBEYING), NO_USE),
    "does not parse": (answered("SELEKT region FORM orders"), NO_USE),
    "writes": (answered("DELETE FROM orders"), NO_USE),
    "speaks another dialect": (answered('SELECT TOP 5 "region" FROM "orders"'), NO_USE),
    "names what is masked": (answered('SELECT "email" FROM "customers"'), NO_USE),
    "names what is absent": (answered('SELECT "profit" FROM "orders"'), NO_USE),
    "writes pages": (answered(BY_REGION + " -- more" * 4_000), "no plan"),
    "binds other words": (answered(words="the profits of Mars"), NO_USE),
    "binds to nothing": (
        answered(bindings=[{"words": QUESTION, "fragment": "HAVING 7", "kind": "metric"}]),
        NO_USE,
    ),
    "looks and never answers": (
        Answered({"column": "orders.region", "text": "north"}, name="find_values"),
        NO_USE,
    ),
    "tries what it may not": (
        Answered({"statement": "SELECT * FROM read_csv('/etc/passwd')"}, name="try_statement"),
        NO_USE,
    ),
}


@pytest.mark.parametrize(("turn", "why"), BAD.values(), ids=BAD.keys())
async def test_the_rules_answer_and_say_why_the_model_did_not(
    tmp_path: Path, turn: Turn, why: str
) -> None:
    planning = await _asked(tmp_path, turn, by_rules())

    assert planning.draft == by_rules().draft
    assert planning.decided_by == "rules"
    assert "The language model gave no plan: " in planning.caveats[-1]
    assert why in planning.caveats[-1]


@pytest.mark.parametrize("name", ["refuses", "obeys a cell", "stalls"])
async def test_where_the_rules_know_nothing_it_is_a_no_with_both_reasons(
    tmp_path: Path, name: str
) -> None:
    no = Failure(reason=NOTHING_UNDERSTOOD.code, message="nothing is known of it", hint="Ask anew.")
    turn, why = BAD[name]
    planning = await _asked(tmp_path, turn, Planning(failure=no))

    assert planning.draft is None
    assert planning.failure is not None
    assert planning.failure.message == "nothing is known of it"
    assert why in planning.failure.hint


async def _asked(folder: Path, turn: Turn, rules: Planning) -> Planning:
    patience = 0.3 if isinstance(turn, Hangs) else 15.0
    async with world(folder, llm_seconds=patience) as shop:
        shop.server.will(turn)
        request = asked(policy=known_policy())
        planning = await shop.together(Rules(rules)).plan(given(request, evidence=_nothing))
        assert len(shop.server.asked) <= MOST_REQUESTS
        assert "a@b.org" not in "".join(shop.server.prompts)
    use = planning.model_use
    assert use is None or use.tokens <= MOST_TOKENS
    return planning


async def _nothing(queries: Any, limits: Any = None) -> Any:
    raise AssertionError("nothing of it reaches the data")
