"""Requests of bob's that name what is ann's."""

from __future__ import annotations

import json
from typing import Any

from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import conversation_service_pb2 as talk_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh.ids import new_id
from tests.mesh.owned import Owned
from tests.mesh.support import question


def asked(owned: Owned) -> jobs_pb.CreateJobRequest:
    """A question of bob's own about ann's file."""
    wanted = question("total price by region")
    wanted.analysis.data_sources.append(data_pb2.DataSource(file_id=owned.file))
    return wanted


def inside(owned: Owned) -> jobs_pb.CreateJobRequest:
    """The same in a session of ann's."""
    wanted = asked(owned)
    wanted.session_id = owned.session
    return wanted


def on_a_name_of_anns(owned: Owned) -> jobs_pb.CreateJobRequest:
    """A question of bob's about what ann calls so."""
    wanted = question("total price by region")
    wanted.analysis.data_sources.append(data_pb2.DataSource(source_name=owned.source_name))
    return wanted


def sourced(owned: Owned) -> list[executor_pb.Source]:
    return [executor_pb.Source(content_digest=owned.source)]


def for_planner(owned: Owned) -> tuple[analysis_pb2.AnalysisRequest, dict[str, Any]]:
    """A question about ann's upload as the gateway would pass it on, with what the file is."""
    wanted = analysis_pb2.AnalysisRequest(
        intent="total price by region", data_sources=[data_pb2.DataSource(file_id=owned.file)]
    )
    content = planner_pb.FileContent(content_digest=owned.source, name="sales.csv")
    return wanted, {owned.file: content}


def job_of_anns(owned: Owned) -> planner_pb.CreateJobRequest:
    wanted, files = for_planner(owned)
    return planner_pb.CreateJobRequest(request_id=owned.job, analysis=wanted, files=files)


def plan_about_anns(owned: Owned) -> planner_pb.PlanJobRequest:
    wanted, files = for_planner(owned)
    return planner_pb.PlanJobRequest(analysis=wanted, files=files)


def execution(owned: Owned, **fields: Any) -> executor_pb.ExecuteRequest:
    call = analysis_pb2.ToolCall(
        call_id=new_id(),
        task_id="t",
        tool_name="sql.run",
        arguments_json=json.dumps({"sql": "SELECT 1 AS one"}),
        attempt_number=1,
    )
    request = executor_pb.ExecuteRequest(call=call, request_id=new_id())
    for name, value in fields.items():
        if name == "call_id":
            request.call.call_id = value
        elif name == "sources":
            request.sources.extend(value)
        else:
            request.request_id = value
    return request


def look_at_anns(owned: Owned) -> jobs_pb.LookAtSourcesRequest:
    return jobs_pb.LookAtSourcesRequest(data_sources=asked(owned).analysis.data_sources)


def planner_look_at_anns(owned: Owned) -> planner_pb.LookAtSourcesRequest:
    wanted, files = for_planner(owned)
    return planner_pb.LookAtSourcesRequest(analysis=wanted, files=files)


def lint_over_anns(owned: Owned) -> jobs_pb.LintStatementRequest:
    return jobs_pb.LintStatementRequest(
        statement="SELECT 1", data_sources=asked(owned).analysis.data_sources
    )


def planner_lint_over_anns(owned: Owned) -> planner_pb.LintStatementRequest:
    wanted, files = for_planner(owned)
    wanted.intent, wanted.statement = "", "SELECT 1"
    return planner_pb.LintStatementRequest(analysis=wanted, files=files)


def after_anns(owned: Owned) -> jobs_pb.CreateJobRequest:
    """Words of bob's that change what ann asked, over data of his own."""
    wanted = question("only north")
    wanted.analysis.data_sources.append(data_pb2.DataSource(file_path="/nowhere/of_bobs_own.csv"))
    wanted.analysis.follows_job_id = owned.job
    return wanted


def said_in_anns(owned: Owned) -> talk_pb.AskRequest:
    """Something said in a conversation of ann's."""
    return talk_pb.AskRequest(
        request_id=new_id(), conversation_id=owned.conversation, content="only north"
    )


def said_in_a_session_of_anns(owned: Owned) -> talk_pb.AskRequest:
    """A conversation of bob's about what ann uploaded."""
    return talk_pb.AskRequest(
        request_id=new_id(), session_id=owned.session, content="total price by region"
    )


def turn_under_anns_id(owned: Owned) -> planner_pb.ConverseRequest:
    """A turn whose job would have the id of one of ann's."""
    wanted = turn_about_anns(owned)
    wanted.request_id = owned.job
    return wanted


def turn_after_a_job_of_anns(owned: Owned) -> planner_pb.ConverseRequest:
    """A turn that goes on from a job of ann's."""
    return planner_pb.ConverseRequest(
        request_id=new_id(),
        conversation_id=new_id(),
        turn=3,
        content="only north",
        continues_job_id=owned.job,
    )


def turn_about_anns(owned: Owned) -> planner_pb.ConverseRequest:
    """A turn about ann's upload."""
    terms, files = for_planner(owned)
    terms.ClearField("intent")
    return planner_pb.ConverseRequest(
        request_id=new_id(),
        conversation_id=new_id(),
        turn=1,
        content="total price by region",
        terms=terms,
        files=files,
    )
