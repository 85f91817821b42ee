"""Questions in other languages: which it is, what needs no binding, what the rules make of it."""

from __future__ import annotations

import pytest

from mesh.proof.wording import words_of
from services.planner.domain.analysis.another_language import as_far_as_read
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.clarification import Clarification
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.proposals.unbound import find_unread_words, unbound
from services.planner.domain.statements.proposal import Proposal
from services.planner.domain.tongues import language_of

SQL = 'SELECT "Country" AS country, count(*) AS orders FROM "Orders" GROUP BY 1'


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie viele Bestellungen gab es pro Jahr?", "de"),
        ("Umsatz pro Land", "de"),
        ("Combien de commandes y a-t-il par année ?", "fr"),
        ("Nombre de clients par pays", "fr"),
        ("¿Qué país tiene los mayores ingresos?", "es"),
        ("Productos que nunca se pidieron", "es"),
        ("1997年各类别的收入是多少？", "zh"),
        ("how many orders per year", "en"),
        ("sales in Los Angeles and Las Vegas", "en"),
        ("Los Angeles vs Las Vegas sales", "en"),
        ("revenue of La Maison d'Asie by month", "en"),
        ("revenue", "en"),
        ("注文数は年ごとにいくつですか", "en"),  # Japanese, which nobody here reads
        ("what are the rows of 收入, by year", "en"),
        ("", "en"),
    ],
)
def test_a_language_is_known_by_its_script_or_its_function_words(
    question: str, language: str
) -> None:
    assert language_of(question) == language


def bound(*pairs: tuple[str, str]) -> Proposal:
    bindings = [{"words": words, "fragment": part, "kind": "column"} for words, part in pairs]
    return Proposal.model_validate(
        {"proposer": "m", "interpretation": "x", "statement": SQL, "bindings": bindings}
    )


@pytest.mark.parametrize(
    ("question", "pairs", "left"),
    [
        (
            "Wie viele Bestellungen gab es pro Land ohne Deutschland?",
            [("Bestellungen", "count(*)"), ("Land", '"Country"')],
            ("ohne", "Deutschland"),
        ),
        (
            "Combien de commandes y a-t-il par pays sans la France ?",
            [("commandes", "count(*)"), ("pays", '"Country"')],
            ("sans", "France"),
        ),
        (
            "¿Cuántos pedidos hubo por país sin España?",
            [("pedidos", "count(*)"), ("país", '"Country"')],
            ("sin", "España"),
        ),
        (
            "除德国以外每个国家有多少订单？",
            [("订单", "count(*)"), ("国家", '"Country"')],
            ("除德", "以外"),
        ),
    ],
)
def test_what_says_nothing_in_its_language_needs_no_binding(
    question: str, pairs: list[tuple[str, str]], left: tuple[str, ...]
) -> None:
    assert unbound(question, bound(*pairs)) == left


def test_most_of_a_chinese_question_left_aside_is_seen_by_its_characters() -> None:
    question = "除德国以外每个国家有多少订单？"
    assert find_unread_words(question, bound(("订单", "count(*)"))) != ()
    assert find_unread_words(question, bound(("订单", "count(*)"), ("每个国家", '"Country"'))) == ()


def test_chinese_words_are_found_without_spaces() -> None:
    assert [word for _, _, word in words_of("收入最高的国家")] == [*"收入", "最高", "的", *"国家"]


def decision(confidence: str, *, asked: bool = False) -> Planning:
    load = Subtask(task_id="load", description="x", tool_name="sql.run", arguments={"query": SQL})
    if asked:
        return Planning(clarification=Clarification(question="Which?", options=("a", "b")))
    draft = PlanDraft(subtasks=(load,), reasoning="", answer_task="load")
    return Planning.model_validate({"draft": draft, "confidence": confidence, "understood": "x"})


def test_the_rules_are_never_sure_of_a_language_that_they_do_not_read() -> None:
    french = "Total des ventes par pays"
    sure = as_far_as_read(decision("high"), french)
    assert sure.confidence == "low"
    assert "seems to be French" in sure.assumptions[0]
    for other in (decision("low"), decision("low", asked=True)):
        found = as_far_as_read(other, french)
        assert found.draft is None and found.clarification is None
        assert found.failure is not None and "ASSAY_LLM" in found.failure.hint
    assert as_far_as_read(decision("high"), "total sales by country").confidence == "high"
