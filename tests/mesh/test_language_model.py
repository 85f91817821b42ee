"""A mesh with a language model: it answers what the rules do not understand, and nothing else.

The model is a real endpoint on this machine, whose answers are scripted.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.common.v1 import analysis_pb2, job_pb2, proposals_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.testing.model_server import Answered, Refused
from tests.mesh.support import question
from tests.mesh.with_model import (
    BY_REGION,
    MODEL,
    PARTLY,
    SUMMARY,
    UNHEARD_OF,
    Ours,
    mesh_with_model,
    plan,
)

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")


@pytest_asyncio.fixture
async def ours(home: Path) -> AsyncIterator[Ours]:
    prices = json.dumps({MODEL: [1.0, 10.0]})
    async with mesh_with_model(home, ASSAY_LLM_PRICES=prices) as made:
        yield made


def proposed(home: Path, job_id: str) -> dict[str, Any]:
    """What the recorded planning decision says was proposed."""
    with closing(sqlite3.connect(home / "planner" / "planner.sqlite")) as database:
        query = "SELECT decision FROM decisions WHERE planner_id = ?"
        kept = [json.loads(row[0]) for row in database.execute(query, (job_id,))]
    (found,) = [one["decided"]["proposal"] for one in kept if one["kind"] == "plan"]
    return dict(found)


def planners_row(home: Path, job_id: str) -> dict[str, Any]:
    """The job as seed 004's table has it."""
    with closing(sqlite3.connect(home / "planner" / "planner.sqlite")) as database:
        database.row_factory = sqlite3.Row
        query = "SELECT model, temperature, agent_metadata FROM planners WHERE planner_id = ?"
        return dict(database.execute(query, (job_id,)).fetchone())


async def test_the_model_plans_what_the_rules_do_not_understand(ours: Ours, sales: Path) -> None:
    ours.model.will(plan())

    job = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=SUMMARY))

    answer = job.answer
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.understood == "pieces = sum of quantity by region"
    assert answer.reasoner == MODEL
    assert answer.confidence == analysis_pb2.CONFIDENCE_MEDIUM
    numbers = re.findall(r"\d[\d,.]*\d|\d", answer.text)
    assert numbers, "the answer is told in numbers"
    assert set(numbers) <= {claim.text for claim in answer.claims}, "and each is a claim"
    use = answer.model_use
    took = (use.model, use.requests, use.input_tokens, use.output_tokens)
    assert took == (MODEL, 1, 900, 100), "one request for a question"
    assert use.cost == pytest.approx(0.0019)
    assert use.currency == "USD"
    planner = planners_row(ours.home, job.job_id)
    assert (planner["model"], planner["temperature"]) == (MODEL, None)
    kept = json.loads(planner["agent_metadata"])["model_use"]
    assert (kept["requests"], kept["input_tokens"], kept["output_tokens"]) == took[1:]
    assert kept["seconds"] == pytest.approx(use.elapsed.ToMilliseconds() / 1000, abs=0.002)
    verify = records_pb.VerifyJobRequest(job_id=job.job_id)
    verified = await ours.caller.records.VerifyJob(verify)
    assert verified.ok, verified
    again = records_pb.RecomputeJobRequest(job_id=job.job_id)
    recomputed = [told async for told in ours.caller.records.RecomputeJob(again)]
    assert recomputed
    assert all(told.same for told in recomputed), recomputed
    assert len(ours.model.asked) == 1, "recomputing asks no model"
    entries = await ours.entries(job.job_id)
    (planned,) = [e for e in entries if e.event_type == "plan_created"]
    assert json.loads(planned.event_data_json)["reasoner"] == MODEL
    kept = proposed(ours.home, job.job_id)
    assert (kept["proposer"], kept["statement"]) == (f"model:{MODEL}", BY_REGION)
    assert kept["bindings"][0]["words"] == UNHEARD_OF


async def test_a_model_that_stands_alone_is_asked_twice_and_sure_where_both_agree(
    home: Path, sales: Path
) -> None:
    otherwise = BY_REGION.replace('"sales"', '"sales" AS s').replace("pieces", "all_pieces")
    async with mesh_with_model(home, ASSAY_LLM_SAMPLES="2") as ours:
        ours.model.will(plan(), plan(otherwise, columns=[]))
        job = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=SUMMARY))

    assert job.answer.reasoner == MODEL
    assert job.answer.confidence == analysis_pb2.CONFIDENCE_HIGH, job.answer.caveats
    assert job.answer.model_use.requests == 2


async def test_what_makes_no_use_of_the_question_is_a_clear_no(ours: Ours, sales: Path) -> None:
    ours.model.will(plan(bindings=[]))

    job = await ours.caller.asked(question(UNHEARD_OF, sales))

    assert job.failure.reason == "NOTHING_UNDERSTOOD"
    assert (
        "The language model read it as pieces = sum of quantity by region; it makes no use of "
        '"zorkify", "frobnicators".'
    ) in job.failure.hint
    assert len(ours.model.asked) == 2, "that was told to it once"


async def test_a_chart_is_drawn_by_what_the_columns_are(ours: Ours, sales: Path) -> None:
    ours.model.will(plan())
    wanted = (analysis_pb2.DELIVERABLE_CHARTS,)

    job = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=wanted))

    (chart,) = [a for a in job.answer.artifacts if a.local_path.endswith(".png")]
    assert chart.local_path.endswith("pieces_by_region.png")
    called = await ours.calls(job.job_id)
    [drawn] = [arguments for tool, arguments in called if tool == "plot.render"]
    assert (drawn["type"], drawn["x_col"], drawn["y_col"]) == ("bar", "region", "pieces")


async def test_a_statistical_test_that_a_model_asks_for_is_run_over_its_rows(
    ours: Ours, sales: Path
) -> None:
    rows = 'SELECT "region", "quantity" FROM "sales"'
    test = {"test": "kruskal", "columns": ["quantity"], "by": "region"}
    ours.model.will(plan(rows, columns=[], test=test))

    job = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=SUMMARY))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert "Kruskal" in job.answer.text
    called = dict(await ours.calls(job.job_id))
    assert called["stats.test"] == {"input": "load", **test}
    said = str(ours.model.asked[0]["messages"][0]["content"])
    assert "There are: describe, missing, normality, correlation, " in said


async def test_another_interpretation_is_told_where_it_gives_another_result(
    ours: Ours, sales: Path
) -> None:
    counted = BY_REGION.replace('sum("quantity")', "count(*)")
    others = [
        {"interpretation": "the number of sales by region.", "statement": counted},
        {"interpretation": "all of it by region", "statement": BY_REGION.replace("DESC", "ASC")},
    ]
    ours.model.will(plan(alternatives=others))

    job = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=SUMMARY))

    told = [c for c in job.answer.caveats if c.startswith("It could also mean")]
    (said,) = told
    assert said.startswith("It could also mean: the number of sales by region: other numbers in ")
    assert " instead of " in said


async def test_a_report_says_who_planned_and_what_that_took(ours: Ours, sales: Path) -> None:
    ours.model.will(plan())
    wanted = (analysis_pb2.DELIVERABLE_REPORTS,)
    job = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=wanted))
    (report,) = [a for a in job.answer.artifacts if a.local_path.endswith(".md")]
    assert (
        f"Planned by {MODEL}, told as likely; 1 request to {MODEL}, 900 tokens sent and "
        "100 received, 0.0019 USD, "
    ) in Path(report.local_path).read_text()


async def test_a_plan_that_worked_serves_the_question_again_without_the_model(
    ours: Ours, sales: Path
) -> None:
    ours.model.will(plan())
    first = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=SUMMARY))
    again = await ours.caller.asked(question(UNHEARD_OF, sales, deliverables=SUMMARY))

    assert (first.answer.reasoner, first.answer.recipe) == (MODEL, "plan remembered")
    assert (again.answer.reasoner, again.answer.recipe) == ("rules", "remembered plan used")
    assert again.understood == first.understood
    assert again.answer.confidence == analysis_pb2.CONFIDENCE_MEDIUM
    assert again.answer.table.digest == first.answer.table.digest
    assert len(ours.model.asked) == 1
    assert not again.answer.HasField("model_use")

    fewer = question(UNHEARD_OF, sales, deliverables=SUMMARY, row_limit=50)
    anew = await ours.caller.asked(fewer)
    assert anew.answer.reasoner == "rules", "its intent is drawn up for other limits"
    assert anew.answer.table.rows == first.answer.table.rows
    today = f"{UNHEARD_OF} of this month"
    ours.model.will(plan(words=today))
    await ours.caller.asked(question(today, sales, deliverables=SUMMARY))
    ours.model.will(plan(words=today))
    later = await ours.caller.asked(question(today, sales, deliverables=SUMMARY))
    assert later.answer.reasoner == MODEL, "another month needs another plan"


async def test_a_recipe_of_a_models_statement_takes_other_values(ours: Ours, sales: Path) -> None:
    words = "zorkify 2 frobnicators"
    ours.model.will(plan(f"{BY_REGION} LIMIT 2", words))

    first = await ours.caller.asked(question(words, sales, deliverables=SUMMARY))
    more = words.replace("2", "3")
    again = await ours.caller.asked(question(more, sales, deliverables=SUMMARY))

    assert (first.answer.reasoner, first.answer.recipe) == (MODEL, "recipe saved")
    assert (again.answer.reasoner, again.answer.recipe) == ("rules", "recipe adapted")
    (ran,) = [given for name, given in await ours.calls(again.job_id) if name == "sql.run"][:1]
    assert ran["query"].endswith("LIMIT 3") and again.answer.table.rows == 3
    assert len(ours.model.asked) == 1


async def test_what_the_rules_are_sure_of_is_put_to_the_model_too(ours: Ours, sales: Path) -> None:
    ours.model.will(plan(words="total quantity"))

    job = await ours.caller.asked(question("total quantity by region", sales, deliverables=SUMMARY))

    assert job.state == job_pb2.JOB_STATE_COMPLETED
    assert job.answer.model_use.requests == 1
    assert job.answer.reasoner == "rules", "both give the same, and of theirs more can be told"
    assert job.answer.confidence == analysis_pb2.CONFIDENCE_HIGH
    told = job.plan.proposal
    assert (told.proposer, proposed(ours.home, job.job_id)["proposer"]) == ("rules", "rules")
    (other,) = told.others
    assert other.statement == BY_REGION and other.compared == proposals_pb2.AGREEMENT_SAME


async def test_a_question_back_and_its_reply_survive_the_wait(ours: Ours, sales: Path) -> None:
    back = {"kind": "question", "question": "what is a zork?", "options": ["piece", "sale"]}
    ours.model.will(Answered(back), plan())

    job = await ours.caller.asked(question(UNHEARD_OF, sales, assume=False))
    assert [option.text for option in job.clarification.options] == ["piece", "sale"]
    reply = jobs_pb.AnswerJobRequest(job_id=job.job_id, option_id="1")
    await ours.caller.jobs.AnswerJob(reply)
    await ours.caller.watched(job.job_id, after=3)
    job = await ours.caller.job(job.job_id)

    assert job.state == job_pb2.JOB_STATE_COMPLETED
    assert job.answer.model_use.requests == 2
    assert "1. piece; 2. sale" in ours.model.asked[1]["messages"][-1]["content"]


async def test_while_it_thinks_whoever_watches_is_told_how_far_it_is(
    ours: Ours, sales: Path
) -> None:
    looks = Answered({"statement": BY_REGION}, name="try_statement")
    ours.model.will(looks, replace(plan(), seconds=1.5))

    job = await ours.caller.create(question(UNHEARD_OF, sales))
    events = await ours.caller.watched(job.job_id)
    job = await ours.caller.job(job.job_id)

    assert job.answer.reasoner == MODEL
    told = [event.progress.reason for event in events if event.WhichOneof("event") == "progress"]
    assert any(reason.startswith("the model is thinking: ") for reason in told)
    sequences = [event.sequence for event in events]
    assert sequences == sorted(sequences), "what is told and not kept has no number of its own"
    assert " rows" in str(ours.model.asked[1]["messages"][-1]), "it tried its statement first"


@pytest.mark.parametrize("turn", [Refused(503), Refused(429, {"retry-after": "90"})])
async def test_without_the_model_the_rules_answer_and_say_so(
    home: Path, sales: Path, turn: Any
) -> None:
    async with mesh_with_model(home, ASSAY_LLM_SECONDS="1") as ours:
        ours.model.will(turn)
        job = await ours.caller.asked(question(PARTLY, sales))
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert job.answer.reasoner == "rules"
        assert [c for c in job.answer.caveats if c.startswith("The language model gave no plan")]

        job = await ours.caller.asked(question(UNHEARD_OF, sales))
        assert job.failure.reason == "NOTHING_UNDERSTOOD"
        assert "The language model gave no plan" in job.failure.hint


# A function that the planner knows nothing of, and the executor does not allow.
SLY = 'SELECT concat("region", current_setting(\'threads\')) AS "x" FROM "sales"'


async def test_a_query_that_the_executor_refuses_leaves_the_rules(ours: Ours, sales: Path) -> None:
    ours.model.will(plan(SLY, PARTLY, columns=[]))

    job = await ours.caller.asked(question(PARTLY, sales))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.reasoner == "rules"
    assert any("The language model's plan cannot be run" in c for c in job.answer.caveats)


async def test_where_the_rules_have_nothing_either_a_refused_query_ends_with_why(
    ours: Ours, sales: Path
) -> None:
    again = {"possible": True, "arguments": {"query": f"{SLY} LIMIT 1"}, "reason": "fewer"}

    def obey(request: dict[str, Any]) -> Answered:
        repairing = "A call of a tool failed" in str(request["messages"][0])
        return Answered(again) if repairing else plan(SLY, columns=[])

    ours.model.script = obey

    job = await ours.caller.asked(question(UNHEARD_OF, sales))

    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.message and job.failure.hint, job.failure
    assert len(ours.model.asked) >= 2, "it was let change what was refused"
