"""A conversation whose answers a language model gave: followed up, and asked why of."""

from __future__ import annotations

from pathlib import Path

from assay.common.v1 import analysis_pb2, conversation_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from mesh.testing.model_server import Refused
from tests.mesh.support import question
from tests.mesh.test_conversations import Talk
from tests.mesh.with_model import UNHEARD_OF, mesh_with_model, plan

BY_MONTH = (
    'SELECT date_trunc(\'month\', "sold_on") AS "month", sum("quantity" * "price") AS "revenue" '
    'FROM "sales" GROUP BY 1 ORDER BY 1'
)
NORTH = BY_MONTH.replace(" GROUP", " WHERE \"region\" = 'North' GROUP")
COLUMNS = [
    {"name": "month", "role": "date"},
    {"name": "revenue", "role": "measure", "additive": True},
]


async def test_what_a_model_answered_is_gone_on_from(home: Path, sales: Path) -> None:
    async with mesh_with_model(home) as ours:
        talk = Talk(ours.caller, sales)
        ours.model.will(plan(BY_MONTH, columns=COLUMNS))
        first = await talk.say(UNHEARD_OF)
        assert first.response.state == job_pb2.JOB_STATE_COMPLETED, first.response

        ours.model.will(plan(NORTH, "frobnicated northerly", columns=COLUMNS))
        north = await talk.say("only frobnicated northerly")

        assert north.reading.kind == conversation_pb2.TURN_KIND_FOLLOW_UP
        assert north.response.edit == "as before, but region is North"
        assert len(ours.model.asked) == 1, "suggestions are planned without it"
        [prompt] = ours.model.prompts
        assert UNHEARD_OF in prompt and "Said now: only frobnicated northerly" in prompt
        job = await ours.caller.job(north.response.job_id)
        assert job.answer.confidence == analysis_pb2.CONFIDENCE_MEDIUM
        assert job.answer.text.startswith("Revenue")

        ours.model.will(plan(BY_MONTH, "everything zorkified", columns=COLUMNS))
        back = await talk.say("how about everything zorkified, please?")
        assert back.response.edit == "as before, but without region is North"

        why = await talk.say("why?")
        assert why.reading.job_id, why.response.answer
        assert why.reading.kind == conversation_pb2.TURN_KIND_WHY
        asked = (await ours.caller.job(why.reading.job_id)).investigation
        assert asked.metric_sql == 'SUM("sales"."quantity" * "sales"."price")'
        assert asked.HasField("baseline_period") and asked.HasField("comparison_period")

        for words, told in (
            ("only North", "as before, but region is North"),
            ("by product instead", "as before, but by product instead of by month"),
            ("top 2", "as before, but the 2 highest"),
        ):
            ours.model.will(Refused(400))
            alone = await talk.say(words)
            assert alone.response.state == job_pb2.JOB_STATE_COMPLETED, alone.response.failure
            assert alone.response.edit == told, "the rules change what the model answered"


async def test_further_results_are_told_beneath_the_answer(home: Path, sales: Path) -> None:
    async with mesh_with_model(home) as ours:
        most = 'SELECT "product", sum("price") AS "pieces" FROM "sales" GROUP BY 1 ORDER BY 2 DESC'
        further = [{"title": "the gribbliest products", "statement": most}]
        bindings = [
            {"words": "flimflam by month", "fragment": "date_trunc('month', \"sold_on\")"},
            {"words": "gribbliest products", "fragment": '"product"'},
        ]
        bound = [{**one, "kind": "grouping"} for one in bindings]
        ours.model.will(plan(BY_MONTH, columns=COLUMNS, bindings=bound, further=further))

        job = await ours.caller.asked(
            question("flimflam by month, and the gribbliest products", sales)
        )

        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert len(ours.model.asked) == 1
        calls = [
            given["query"] for name, given in await ours.calls(job.job_id) if name == "sql.run"
        ]
        assert sorted(calls) == sorted([BY_MONTH, most])
        [report] = (home / "artifacts").rglob("report.md")
        [table] = (home / "artifacts").rglob("further_1.csv")
        assert table.read_text().startswith('"product","pieces"\n')
        text = report.read_text()
        told = text.partition("## Further results")[2].partition("\n## ")[0]
        assert "the gribbliest products" in told and "lamp" in told
        verified = await ours.caller.records.VerifyJob(
            records_pb.VerifyJobRequest(job_id=job.job_id)
        )
        assert verified.ok, verified
