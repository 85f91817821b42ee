"""What checks find in a model's statement goes back once; what it insists on stands doubted."""

from __future__ import annotations

from mesh.policy import Disclosure
from services.planner.adapters.llm.findings import GivenBack
from services.planner.adapters.llm.forms import ProposedAnswer
from services.planner.domain.checks.examples import SHOP
from tests.unit.checks.small_data import SmallData
from tests.unit.planner.llm_world import MODEL, answer_of, asked, given

_SHOP = SmallData(SHOP)
_REPEATED = "SELECT sum(o.freight) FROM orders o JOIN lines l ON l.order_id = o.order_id"


def _back(question: str, level: Disclosure = Disclosure.SHAPES) -> GivenBack:
    data = given(request=asked(question), catalogue=_SHOP.catalogue, evidence=_SHOP.evidence)
    return GivenBack(data, MODEL, level)


def _form(sql: str, words: str) -> ProposedAnswer:
    return ProposedAnswer.model_validate(answer_of(sql, words))


async def test_an_error_goes_back_with_both_numbers_and_only_once() -> None:
    back, proposal = _back("total freight"), _form(_REPEATED, "total freight")
    (said,) = await back(proposal)

    assert said.startswith("J01 fan-out: ")
    assert "98 over 9 rows where each of 5 once gives 51" in said
    assert not await back(proposal)


async def test_where_no_shapes_are_told_it_goes_back_without_numbers() -> None:
    back = _back("total freight", Disclosure.VALUES)
    (said,) = await back(_form(_REPEATED, "total freight"))

    assert said.startswith("J01 fan-out, at ")
    assert "98" not in said
    assert "51" not in said


async def test_a_right_statement_and_a_doubt_do_not() -> None:
    question = "orders from elsewhere than North"
    back = _back(question)
    for sql in (
        "SELECT sum(freight) FROM orders",
        "SELECT count(*) FROM orders WHERE region <> 'North'",
    ):
        assert not await back(_form(sql, question))


async def test_a_question_back_is_not_judged() -> None:
    asks = {"kind": "question", "question": "which?", "options": ("a", "b")}
    assert not await _back("freight")(ProposedAnswer.model_validate(asks))
