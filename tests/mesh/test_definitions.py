"""Definitions through the mesh: proposed, decided, in force for everybody, or left out and told."""

from __future__ import annotations

import json
from pathlib import Path

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import analysis_pb2, data_pb2, job_pb2, proposals_pb2
from assay.gateway.v1 import definition_service_pb2 as pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.errors import DEFINITION_DECIDED, INVALID_ARGUMENT, SEMANTIC_MODEL_INVALID
from mesh.ids import derived_id, new_id
from tests.mesh import shared
from tests.mesh.support import Caller, question, refusal
from tests.mesh.test_twin_through_mesh import declared

pytestmark = shared.ON_ONE_LOOP
ann, bob = shared.ann, shared.bob

NET = "{tables: {sales: {metrics: {net: {formula: price * quantity * 0.5, unit: EUR}}}}}"


async def proposed(
    caller: Caller, model: str, *places: Path, session: str = "", evidence: str = ""
) -> pb.Definition:
    request = pb.ProposeDefinitionRequest(
        request_id=new_id(),
        sources=[data_pb2.DataSource(file_path=str(place)) for place in places],
        model=model,
        evidence=evidence,
        session_id=session,
    )
    return (await caller.definitions.ProposeDefinition(request)).definition


async def decided(
    caller: Caller, definition: pb.Definition, state: str, reason: str = "as agreed"
) -> pb.DecideDefinitionResponse:
    request = pb.DecideDefinitionRequest(
        definition_id=definition.definition_id,
        state=pb.DefinitionState.Value(f"DEFINITION_STATE_{state}"),
        reason=reason,
    )
    return await caller.definitions.DecideDefinition(request)


async def test_nothing_changes_until_a_person_approves_and_then_everything_goes_by_it(
    ann: Caller, bob: Caller, sales: Path
) -> None:
    made = await proposed(ann, NET, sales, evidence="the annual report")
    assert made.state == pb.DEFINITION_STATE_PENDING
    assert list(made.subjects) == ["metric net of sales"]
    assert made.facts[0].startswith("net is computed over the ")

    stated = declared("select sum(price * quantity) as net from sales", sales, metric="net")
    before = await ann.asked(stated)
    assert "neither a declared metric" in before.plan.proposal.not_checked[0]

    approved = (await decided(ann, made, "APPROVED")).definition
    assert (approved.state, approved.version) == (pb.DEFINITION_STATE_APPROVED, 1)
    assert approved.decided_by == ann.tenant

    asked = await ann.asked(question("net by region", sales))
    assert asked.state == job_pb2.JOB_STATE_COMPLETED, asked.failure
    assert asked.understood.startswith("total net = price × quantity × 0.5 by region")
    (model,) = asked.analysis.data_sources[0].semantic_models
    assert model.definition_id == made.definition_id
    stated.request_id = new_id()
    again = await ann.asked(stated)
    [twin] = again.plan.proposal.others
    assert twin.compared == proposals_pb2.AGREEMENT_DIFFERS, "a declared metric, and another sum"
    others = await bob.asked(question("total price by region", sales))
    assert not others.analysis.data_sources[0].semantic_models, "another tenant's means nothing"

    await decided(ann, made, "RETIRED", "it was wrong")
    asked.analysis.data_sources[0].semantic_models[0].text = NET
    late = question("total price by region")
    late.analysis.data_sources.extend(asked.analysis.data_sources)
    sent_again = await ann.asked(late)
    assert not sent_again.analysis.data_sources[0].semantic_models, "nobody brings it back"


async def test_it_tells_what_it_would_change_in_a_session(ann: Caller, sales: Path) -> None:
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(create)).session.session_id
    changing = question("total price by region", sales)
    staying = question("number of sales by region", sales)
    for one in (changing, staying):
        one.session_id = session
        assert (await ann.asked(one)).state == job_pb2.JOB_STATE_COMPLETED

    price = "{tables: {sales: {metrics: {total price: {formula: price * quantity}}}}}"
    made = await proposed(ann, price, sales, session=session)

    assert [one.job_id for one in made.effects] == [changing.request_id]
    assert made.effects[0].change.startswith("it would be computed otherwise: ")


async def test_one_that_says_the_same_anew_retires_the_former(ann: Caller, sales: Path) -> None:
    first, second = await proposed(ann, NET, sales), await proposed(ann, NET, sales)
    await decided(ann, first, "APPROVED")
    answer = await decided(ann, second, "APPROVED")

    assert answer.definition.version == 2
    assert [one.definition_id for one in answer.retired] == [first.definition_id]
    assert answer.retired[0].reason == f"replaced by {second.definition_id[:8]}"
    await decided(ann, second, "RETIRED")


async def test_a_decision_is_made_once_and_stands_in_the_log(ann: Caller, sales: Path) -> None:
    made = await proposed(ann, NET, sales)
    nothing = await refusal(decided(ann, made, "REJECTED", reason=" "))
    assert nothing.reason is INVALID_ARGUMENT

    await decided(ann, made, "REJECTED", "no such rebate")
    await decided(ann, made, "REJECTED", "no such rebate")  # again, as after a lost answer
    late = await refusal(decided(ann, made, "APPROVED"))
    assert late.reason is DEFINITION_DECIDED and f"is rejected, by {ann.tenant}" in late.message

    chain = derived_id("definition", made.definition_id)
    listed = await ann.audit.List(audit_pb.ListRequest(request_id=chain))
    [entry] = [json.loads(one.event_data_json) for one in listed.entries]
    assert entry["rule"] == "DEFINITION_REJECTED" and entry["by"] == ann.tenant
    assert entry["reason"] == "no such rebate"


async def test_what_does_not_fit_its_data_is_not_proposed(ann: Caller, sales: Path) -> None:
    unknown = await refusal(proposed(ann, "{tables: {sales: {time: sold_onn}}}", sales))
    assert unknown.reason is SEMANTIC_MODEL_INVALID and "did you mean" in unknown.message
    failing = "{tables: {sales: {metrics: {bad: {formula: region * 2}}}}}"
    assert (await refusal(proposed(ann, failing, sales))).reason is SEMANTIC_MODEL_INVALID
    assert (await refusal(proposed(ann, " ", sales))).reason is INVALID_ARGUMENT


async def test_what_no_longer_fits_is_left_out_and_the_answer_is_not_sure(
    ann: Caller, tmp_path: Path
) -> None:
    file = tmp_path / "visits.csv"
    file.write_text("day,ward,n\n2024-01-01,A,2\n2024-01-02,B,3\n2024-02-01,A,4\n")
    made = await proposed(ann, "{tables: {visits: {metrics: {double: {formula: n * 2}}}}}", file)
    await decided(ann, made, "APPROVED")

    file.write_text("day,ward,visits\n2024-01-01,A,2\n2024-01-02,B,3\n2024-02-01,A,4\n")
    job = await ann.asked(question("total visits by ward", file))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    told = [one for one in job.answer.caveats if made.definition_id[:8] in one]
    assert told and told[0].startswith("not used: definition "), job.answer.caveats
    assert job.answer.confidence != analysis_pb2.CONFIDENCE_HIGH


async def test_a_definition_does_not_widen_a_policy(ann: Caller, sales: Path) -> None:
    model = "{tables: {sales: {metrics: {letters: {formula: length(customer_email)}}}}}"
    made = await proposed(ann, model, sales)
    await decided(ann, made, "APPROVED")

    asked = question("total letters by region", sales, blocked=["customer_email"])
    job = await ann.asked(asked)

    assert job.state == job_pb2.JOB_STATE_FAILED or "customer_email" not in str(job.answer)
    await decided(ann, made, "RETIRED")
