"""What a language model took, as people and programs see it."""

from __future__ import annotations

import json

import pytest
from google.protobuf.duration_pb2 import Duration

from assay.common.v1.analysis_pb2 import Answer, ModelUse
from assay.common.v1.job_pb2 import Job
from assay.gateway.v1.job_service_pb2 import Span
from clients.python.cli.as_json import answer_object
from clients.python.cli.result import ending
from clients.python.cli.trace import describe_span

USE = ModelUse(
    model="openai:gpt-5",
    requests=2,
    input_tokens=1_800,
    output_tokens=200,
    cost=0.0038,
    currency="USD",
    elapsed=Duration(seconds=3),
)
UNPRICED = ModelUse(model="openai:own", requests=1, input_tokens=900, output_tokens=100)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(reasoner="rules"), "no model used"),
        (
            Answer(reasoner="openai:gpt-5", model_use=USE),
            "model openai:gpt-5, 2,000 tokens, 0.0038 USD",
        ),
        (Answer(reasoner="openai:own", model_use=UNPRICED), "model openai:own, 1,000 tokens"),
        (
            Answer(reasoner="rules", model_use=UNPRICED),
            "decided by rules, model openai:own asked, 1,000 tokens",
        ),
    ],
)
def test_the_last_line_says_what_a_model_took(answer: Answer, words: str) -> None:
    assert ending(Job(answer=answer))[1] == words


def test_a_trace_says_what_each_request_took() -> None:
    used = {"gen_ai.usage.input_tokens": 1_800, "gen_ai.usage.output_tokens": 200}
    assert describe_span(Span(name="ask model", attributes_json=json.dumps(used))) == "2,000 tokens"
    assert describe_span(Span(name="query")) == ""
    looked = {"assay.lookup": "find_values", "assay.found": "2 values"}
    assert describe_span(Span(attributes_json=json.dumps(looked))) == "find_values: 2 values"


def test_programs_read_it_in_full_and_an_unknown_cost_as_null() -> None:
    assert answer_object(Answer(model_use=USE))["model_use"] == {
        "model": "openai:gpt-5",
        "requests": 2,
        "input_tokens": 1_800,
        "output_tokens": 200,
        "cost": 0.0038,
        "currency": "USD",
        "seconds": 3.0,
    }
    assert answer_object(Answer(model_use=UNPRICED))["model_use"]["cost"] is None
    assert answer_object(Answer())["model_use"] is None
