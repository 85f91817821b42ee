"""Where the parts of an answer's statement come from, in sight of whoever asks."""

from __future__ import annotations

import pytest

from assay.common.v1 import job_pb2, proposals_pb2
from clients.python.cli.why import proposed_by, show_why
from tests.unit.clients.conftest import Printed
from tests.unit.clients.proven import proven_job


def shown(job: job_pb2.Job) -> list[str]:
    screen = Printed()
    show_why(screen, job)
    return [" ".join(line.split()) for line in screen.text.splitlines()]


def test_words_and_what_they_became_are_shown_with_who_else_answers_so_and_what_was_found() -> None:
    assert shown(proven_job()) == [
        "proposed by the built-in rules",
        "words revenue amount a synonym",
        "a row is one row of orders",
        "columns amount (measure, EUR, adds up)",
        "beside it the model m gives 5 instead of 6",
        "or number of orders: 3 rows: North 2, South 1",
        "finding A07 empty ones: 3 of 9 are empty",
    ]


def test_words_that_change_nothing_say_why() -> None:
    job = proven_job()
    kind = proposals_pb2.BINDING_KIND_ASSUMPTION
    job.plan.proposal.bindings[0].CopyFrom(
        proposals_pb2.Binding(words="all", kind=kind, because="every row is meant")
    )
    assert "words all changes nothing every row is meant" in shown(job)


def test_an_answer_of_several_statements_says_so() -> None:
    job = proven_job()
    job.plan.ClearField("proposal")
    assert shown(job) == ["why this the answer takes several statements: --sql shows them"]


@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("rules", "the built-in rules"),
        ("model:openai:gpt", "the model openai:gpt"),
        ("recipe:" + "ab" * 16, "a recipe (abababab)"),
        ("person", "a person"),
    ],
)
def test_who_proposed_is_told_in_words(who: str, told: str) -> None:
    assert proposed_by(who) == told
