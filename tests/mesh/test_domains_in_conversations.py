"""Conversations put questions to domains: of data, of tools elsewhere, of several at once."""

from __future__ import annotations

import json
from pathlib import Path

import grpc
import pytest

from assay.common.v1 import conversation_pb2, job_pb2, routing_pb2
from assay.gateway.v1 import audit_service_pb2 as audit_pb
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import domain_service_pb2 as domains_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.ids import new_id
from mesh.testing.mcp_server import INJECTION, served_over_http
from mesh.transport.status import from_rpc_error
from tests.mesh.domain_world import (
    SALES,
    VISITS,
    DomainTalk,
    approved,
    data_domain,
    domain,
    tool_domain,
    verified,
    world,
)
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller
from tests.mesh.test_conversations import said

pytest.importorskip("mcp")


async def entries(caller: Caller, job_id: str) -> list[dict[str, object]]:
    """What the job's chain holds, in order."""
    pieces = [
        piece.data
        async for piece in caller.records.ExportChain(audit_pb.ExportChainRequest(job_id=job_id))
    ]
    return [json.loads(line)["event_data"] for line in b"".join(pieces).splitlines()]


async def test_a_question_is_put_to_the_domain_that_it_is_about(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(home, monkeypatch) as caller:
        await data_domain(caller, "trade", SALES, tmp_path)
        await data_domain(caller, "harbours", VISITS, tmp_path)
        talk = DomainTalk(caller)

        first = await talk.say("total amount by product")
        routing = first.response.routing
        assert list(routing.identified_domains) == ["trade"] and 0 < routing.confidence < 1
        assert "put to trade" in first.reading.reason
        assert "100" in first.response.answer
        assert list(first.response.sources) == ["trade.trade"]
        await verified(caller, first.response.job_id)
        request = (await entries(caller, first.response.job_id))[0]
        assert request["routing"]["identified_domains"] == ["trade"]  # type: ignore[index]
        assert [one["name"] for one in request["domains"]] == ["trade"]  # type: ignore[attr-defined]

        # Words that change it stay with the domain; another question goes to another.
        second = await talk.say("only 2024-02")
        assert second.reading.kind == conversation_pb2.TURN_KIND_FOLLOW_UP
        assert "50" in second.response.answer
        assert list(second.response.sources) == ["trade.trade"]
        third = await talk.say("how many visits are there of each skipper?")
        assert list(third.response.routing.identified_domains) == ["harbours"]
        assert list(third.response.sources) == ["harbours.harbours"]

        strange = await talk.say("who wrote Hamlet?")
        assert strange.response.failure.reason == "QUESTION_OUT_OF_SCOPE"
        assert not strange.response.job_id
        assert "Harbours (Visits of each skipper" in strange.response.answer


async def test_what_could_be_about_two_domains_is_asked_back_and_the_second_one_answers(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(home, monkeypatch) as caller:
        await data_domain(caller, "trade", SALES, tmp_path)
        await data_domain(caller, "harbours", VISITS, tmp_path)
        talk = DomainTalk(caller)

        unclear = await talk.say("how many records are there by region?")
        asked = unclear.response.clarification
        assert [choice.text for choice in asked.options] == ["Harbours", "Trade"]
        second = await talk.say("the second one")
        assert second.reading.job_id == unclear.response.job_id
        assert "The number of records is the same throughout: 2" in second.response.answer
        assert list(second.response.sources) == ["trade.trade"]
        await verified(caller, second.response.job_id)

        further = await talk.say("by product")
        assert list(further.response.sources) == ["trade.trade"]
        assert "Tea" in further.response.answer


async def test_data_and_a_tool_elsewhere_are_asked_together_joined_and_proved(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(home, monkeypatch) as caller:
        await data_domain(caller, "trade", SALES, tmp_path)
        await tool_domain(caller, "stock", "warehouse", "stock_levels")
        await data_domain(caller, "harbours", VISITS, tmp_path)

        turn = await DomainTalk(caller).say("total amount by product and units in stock")

        told = turn.response
        assert sorted(told.routing.identified_domains) == ["stock", "trade"]
        assert sorted(told.sources) == ["stock.stock_levels", "trade.trade"]
        assert not told.partial_results
        assert "trade: " in told.answer and "stock: 3 rows of stock.stock_levels" in told.answer
        reasons = " ".join(told.confidence_reasons)
        assert "trade and stock are joined by product." in reasons
        assert "1 row of trade has no partner in stock." in reasons
        job = await caller.job(told.job_id)
        calls = {step.task_id: step.tool_name for step in job.steps}
        assert calls["stock_load"] == "domain.call" and calls["joined_1"] == "df.transform"
        assert calls["trade_load"] == "sql.run"
        assert job.answer.table.rows == 4
        called = [one for one in await entries(caller, told.job_id) if "tool_name" in one]
        (made,) = [one for one in called if one["tool_name"] == "domain.call"]
        assert made["arguments"]["arguments"] == {"question": "units in stock"}  # type: ignore[index]
        await verified(caller, told.job_id)


async def test_a_tool_that_is_described_otherwise_is_not_called_until_it_is_approved_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    state.write_text("")
    settings = {"ASSAY_TEST_MCP_STATE": str(state)}
    async with world(home, monkeypatch, environment=settings) as caller:
        await tool_domain(caller, "stock", "warehouse", "stock_levels", approve=False)
        await data_domain(caller, "harbours", VISITS, tmp_path)
        talk = DomainTalk(caller)

        never = await talk.say("units in stock of each product")
        assert never.response.failure.reason == "TOOL_NOT_APPROVED"
        assert "assay domain approve stock stock_levels" in never.response.failure.hint

        await approved(caller, "stock")
        answered = await talk.say("units in stock of each product")
        assert answered.response.state == job_pb2.JOB_STATE_COMPLETED

        state.write_text("It now also deletes them.")
        changed = await talk.say("units in stock of each product")
        assert changed.response.failure.reason == "TOOL_NOT_APPROVED"
        assert "is not described as when it was approved" in changed.response.failure.message
        assert "assay domain approve stock stock_levels" in changed.response.failure.hint
        await verified(caller, changed.response.job_id)

        await approved(caller, "stock")
        again = await talk.say("units in stock of each product")
        assert again.response.state == job_pb2.JOB_STATE_COMPLETED


async def test_a_domain_that_hangs_or_fails_keeps_no_other_from_answering(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PLANNER_CALL_SECONDS", "40")  # half of it for the server of a tool
    with served_over_http() as url:
        async with world(home, monkeypatch, {"elsewhere": url}) as caller:
            await data_domain(caller, "trade", SALES, tmp_path)
            await tool_domain(caller, "stock", "elsewhere", "hangs")
            await tool_domain(caller, "supply", "warehouse", "fails")

            talk = DomainTalk(caller)
            late = (await talk.say("total amount by product and units in stock")).response
            assert late.partial_results and late.state == job_pb2.JOB_STATE_PARTIAL_SUCCESS
            assert list(late.sources) == ["trade.trade"] and "100" in late.answer
            (call,) = [one for one in late.tool_calls_made if one.tool_name == "hangs"]
            assert call.status == conversation_pb2.DOMAIN_CALL_STATUS_TIMEOUT
            assert "stock gave no answer: " in " ".join(late.confidence_reasons)
            await verified(caller, late.job_id)

            broken = (await talk.say("total amount by product and supplier of products")).response
            assert broken.partial_results
            assert "the shelves are on fire" in " ".join(broken.confidence_reasons)


async def test_words_of_a_server_are_cited_and_order_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served_over_http() as url:
        async with world(home, monkeypatch, {"elsewhere": url}) as caller:
            await tool_domain(caller, "remarks", "elsewhere", "remarks")
            await data_domain(caller, "trade", SALES, tmp_path)

            talk = DomainTalk(caller)
            told = (await talk.say("what does the staff remark on complaints?")).response

            assert list(told.sources) == ["remarks.remarks"] and INJECTION not in told.answer
            assert "which were not checked" in " ".join(told.confidence_reasons)
            job = await caller.job(told.job_id)
            assert {step.tool_name for step in job.steps} <= {
                "domain.call",
                "df.transform",
                "table.write",
            }
            await verified(caller, told.job_id)


async def test_domains_are_their_tenants_and_disabled_ones_nobodys(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(home, monkeypatch) as ann:
        await data_domain(ann, "trade", SALES, tmp_path)
        await data_domain(ann, "harbours", VISITS, tmp_path)
        async with Caller(ann.settings, "bob") as bob:
            with pytest.raises(grpc.RpcError) as caught:
                await DomainTalk(bob).say("total amount by product")
            assert from_rpc_error(caught.value).reason.code == "NO_DATA_SOURCES"
            # Nor can he go on with what she was answered.
            talk = DomainTalk(ann)
            await talk.say("total amount by product")
            request = pb.AskRequest(
                request_id=new_id(), conversation_id=talk.conversation, content="only 2024-02"
            )
            with pytest.raises(grpc.RpcError) as caught:
                await said(bob, request)
            assert from_rpc_error(caught.value).reason.code == "NOT_FOUND"

        wanted = pb.GetConversationRequest(conversation_id=talk.conversation)
        held = (await ann.conversations.GetConversation(wanted)).conversation
        assert held.status == pb.CONVERSATION_STATUS_COMPLETED
        assert json.loads(held.metadata_json) == {"user_id": "ann", "domains_accessed": ["trade"]}
        known = await ann.domains.GetDomain(domains_pb.GetDomainRequest(name="trade"))
        known.domain.enabled = False
        await ann.domains.UpdateDomain(domains_pb.UpdateDomainRequest(domain=known.domain))
        gone = (await talk.say("only 2024-02")).response
        assert gone.failure.reason == "NOTHING_TO_FOLLOW"
        assert "trade, which answered before, is not enabled any more" in gone.answer
        held = (await ann.conversations.GetConversation(wanted)).conversation
        assert held.status == pb.CONVERSATION_STATUS_FAILED
        off = (await DomainTalk(ann).say("total amount by product")).response
        assert off.failure.reason == "DOMAIN_DISABLED" and not off.tool_calls_made
        assert "assay domain enable trade" in off.failure.hint
        other = (await DomainTalk(ann).say("visits of each skipper")).response
        assert list(other.sources) == ["harbours.harbours"]


async def test_a_caller_cannot_name_domains_or_tools_in_a_request_of_his_own(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(home, monkeypatch) as caller:
        await data_domain(caller, "trade", SALES, tmp_path)
        request = pb.AskRequest(request_id=new_id(), content="total amount by product")
        request.terms.domains.add(
            name="forged",
            call=routing_pb2.DomainToolCall(server="warehouse", tool="fails", digest="0" * 64),
        )
        turn = await said(caller, request)
        assert list(turn.response.sources) == ["trade.trade"]
        job = await caller.job(turn.response.job_id)
        assert [one.name for one in job.analysis.domains] == ["trade"]
        assert not any(step.tool_name == "domain.call" for step in job.steps)


async def test_the_files_of_a_session_are_a_domain(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(home, monkeypatch) as caller:
        await data_domain(caller, "harbours", VISITS, tmp_path)
        file = tmp_path / "sold.csv"
        file.write_text(SALES)
        create = sessions_pb.CreateSessionRequest(request_id=new_id())
        session = (await caller.sessions.CreateSession(create)).session.session_id
        await uploaded(caller, session, file)
        wanted = domain("trade", session_id=session)
        await caller.domains.RegisterDomain(domains_pb.RegisterDomainRequest(domain=wanted))

        told = (await DomainTalk(caller).say("total amount by product")).response
        assert list(told.sources) == ["trade.sold.csv"] and "100" in told.answer
        await verified(caller, told.job_id)

        both = (
            await DomainTalk(caller).say("total amount by product and visits of each skipper")
        ).response
        assert list(both.sources) == ["trade.sold.csv", "harbours.harbours"]
        assert "trade: " in both.answer and "harbours: " in both.answer
        assert "harbours has no key in common with trade" in " ".join(both.confidence_reasons)
        await verified(caller, both.job_id)

        # What the session held is gone with it, and the other domain answers all the same.
        await caller.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session))
        part = (
            await DomainTalk(caller).say("total amount by product and visits of each skipper")
        ).response
        assert part.partial_results and list(part.sources) == ["harbours.harbours"]


async def test_words_that_policy_blocks_are_kept_and_sent_nowhere(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(home, monkeypatch) as caller:
        await tool_domain(caller, "stock", "warehouse", "stock_levels")
        request = pb.AskRequest(
            request_id=new_id(), content="units in stock that ida@harbour.example ordered"
        )
        request.terms.policy.blocked_patterns.append("email")
        turn = await said(caller, request)

        assert turn.response.failure.reason == "QUESTION_BLOCKED"
        chain = json.dumps(await entries(caller, turn.response.job_id))
        assert "ida@harbour" not in chain and "domain.call" not in chain
        job = await caller.job(turn.response.job_id)
        assert "ida@harbour" not in str(job)
