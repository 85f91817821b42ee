"""How sure an answer is has one word, whoever tells it: terminal, JSON, report, what is quoted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.common.v1 import analysis_pb2
from clients.python import words_of
from clients.python.cli.as_json import answer_object
from clients.python.cli.result import SURENESS
from mesh.sureness import WORDS, describe_level
from services.planner.analysis.checking import _in_its_word
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.analysis.report import render_html, render_markdown
from services.planner.domain.answer import Answer
from services.planner.domain.inquiry.of_analysis import of_analysis
from tests.unit.planner.stories import report, revenue_by_month_and_category


@pytest.mark.parametrize("level", WORDS)
def test_every_surface_says_the_same_word(level: str) -> None:
    number = analysis_pb2.Confidence.Value(f"CONFIDENCE_{level.upper()}")
    answer = analysis_pb2.Answer(confidence=number)
    written = replace(report(revenue_by_month_and_category()), confidence=level)
    quoted = [
        one.text
        for one in of_analysis(written.job, Answer(confidence=level), Planning())  # type: ignore[arg-type]
    ]

    assert answer_object(answer)["confidence"] == words_of.sureness(answer) == describe_level(level)
    assert SURENESS[level][0] == describe_level(level)
    for text in (render_markdown(written), render_html(written)):
        assert f", told as {describe_level(level)}" in text
        assert f"{level} confidence" not in text
    assert any(f"told as {describe_level(level)}: " in text for text in quoted), quoted


@pytest.mark.parametrize(
    "said", ["likely (0.83): orders", "doubtful (0.31): orders", "likely, not sure: “x” is usual"]
)
def test_what_is_told_of_the_reading_never_contradicts_the_answer(said: str) -> None:
    doubt = f"this reading is {said}"

    assert _in_its_word(doubt, "low").startswith("this reading is doubtful: ")
    assert _in_its_word(doubt, "medium").startswith("this reading is likely: ")
    assert _in_its_word(doubt, "high") in ("", "this reading is sure: “x” is usual")
