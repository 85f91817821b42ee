"""A call of every rpc that names what is a tenant's; a new rpc needs a case here."""

from __future__ import annotations

from google.protobuf.message import Message

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import definition_service_pb2 as definitions_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from assay.gateway.v1 import text_service_pb2 as texts_pb
from assay.gateway.v1 import token_service_pb2 as tokens_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh.ids import new_id
from tests.mesh.bobs import (
    after_anns,
    asked,
    execution,
    inside,
    job_of_anns,
    lint_over_anns,
    look_at_anns,
    on_a_name_of_anns,
    plan_about_anns,
    planner_lint_over_anns,
    planner_look_at_anns,
    sourced,
    turn_about_anns,
    turn_after_a_job_of_anns,
    turn_under_anns_id,
)
from tests.mesh.case import NOT_FOUND, NOTHING, OPEN, Case, one
from tests.mesh.cases_boards import BOARD_CASES
from tests.mesh.cases_conversations import CONVERSATION_CASES
from tests.mesh.cases_domains import DOMAIN_CASES
from tests.mesh.cases_memory import MEMORY, MEMORY_CASES
from tests.mesh.cases_operation import OPERATION_CASES
from tests.mesh.cases_publications import PUBLICATION_CASES
from tests.mesh.owned import Owned

__all__ = ["AUDIT", "CASES", "MEMORY", "NOTHING", "NOT_FOUND", "OPEN", "sourced"]

REPORT = analysis_pb2.ARTIFACT_TYPE_REPORT
BOBS_OWN = "sqlite:////nowhere/of_bobs_own.sqlite"


GATEWAY = "/assay.gateway.v1"
AUDIT = "/assay.audit.v1.AuditService"
EXECUTOR = "/assay.executor.v1.ExecutorService"
PLANNER = "/assay.planner.v1.PlannerService"


def head_of_upload(owned: Owned) -> list[Message]:
    head = files_pb.UploadFileHead(session_id=owned.session, name="x.csv")
    return [files_pb.UploadFileRequest(head=head)]


def head_of_frame(owned: Owned) -> list[Message]:
    head = artifacts_pb.WriteFrameHead(session_id=owned.session, name="x")
    return [artifacts_pb.WriteFrameRequest(head=head)]


def upload_of_bobs_own(owned: Owned) -> list[Message]:
    put = executor_pb.PutSourceRequest
    return [
        put(head=executor_pb.PutSourceHead(name="own.csv", max_bytes=100)),
        put(chunk=data_pb2.FileChunk(data=b"a,b\n1,2\n")),
        put(end=executor_pb.PutSourceEnd()),
    ]


def entry_in(owned: Owned) -> Message:
    entry = audit_pb.NewEntry(
        entry_id=new_id(),
        request_id=owned.job,
        event_type="policy_decision",
        event_data_json="{}",
        actor="system",
    )
    return audit_pb.AppendRequest(entries=[entry])


CASES: dict[str, list[Case]] = {
    **OPERATION_CASES,
    **CONVERSATION_CASES,
    **DOMAIN_CASES,
    **BOARD_CASES,
    **PUBLICATION_CASES,
    f"{GATEWAY}.ArtifactService/ListArtifacts": [
        one(lambda o: artifacts_pb.ListArtifactsRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.ArtifactService/GetArtifact": [
        one(
            lambda o: artifacts_pb.GetArtifactRequest(
                job_id=o.job, artifact_id=o.artifact.artifact_id
            ),
            recorded="job",
        )
    ],
    f"{GATEWAY}.ArtifactService/DownloadArtifact": [
        one(
            lambda o: artifacts_pb.DownloadArtifactRequest(
                job_id=o.job, artifact_id=o.artifact.artifact_id
            ),
            recorded="job",
        )
    ],
    f"{GATEWAY}.ArtifactService/ReadFrame": [
        one(
            lambda o: artifacts_pb.ReadFrameRequest(job_id=o.job, digest=o.frame.digest),
            recorded="job",
        ),
        one(lambda o: artifacts_pb.ReadFrameRequest(file_id=o.file), recorded="file"),
    ],
    f"{GATEWAY}.ArtifactService/WriteFrame": [Case(head_of_frame, recorded="session")],
    f"{GATEWAY}.AuditService/ListEntries": [
        one(lambda o: records_pb.ListEntriesRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.AuditService/ExportChain": [
        one(lambda o: records_pb.ExportChainRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.AuditService/VerifyJob": [
        one(lambda o: records_pb.VerifyJobRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.AuditService/GetCheckpoint": [
        one(lambda o: records_pb.GetCheckpointRequest(), OPEN)
    ],
    f"{GATEWAY}.AuditService/GetInclusionProof": [
        one(lambda o: records_pb.GetInclusionProofRequest(), OPEN)
    ],
    f"{GATEWAY}.AuditService/ExportProofs": [
        one(lambda o: records_pb.ExportProofsRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.AuditService/RecomputeJob": [
        one(lambda o: records_pb.RecomputeJobRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.AuditService/AddCosignature": [
        one(lambda o: records_pb.AddCosignatureRequest(), OPEN)
    ],
    f"{GATEWAY}.AuditService/GetConsistencyProof": [
        one(lambda o: records_pb.GetConsistencyProofRequest(old_size=1), OPEN)
    ],
    f"{GATEWAY}.CatalogueService/ListTools": [one(lambda o: catalogue_pb.ListToolsRequest(), OPEN)],
    f"{GATEWAY}.CatalogueService/ListRecipes": [
        one(lambda o: catalogue_pb.ListRecipesRequest(), NOTHING)
    ],
    f"{GATEWAY}.CatalogueService/DeleteRecipe": [
        one(lambda o: catalogue_pb.DeleteRecipeRequest(recipe_id=o.recipe), recorded="recipe")
    ],
    f"{GATEWAY}.FileService/UploadFile": [Case(head_of_upload, recorded="session")],
    f"{GATEWAY}.FileService/UpdateFile": [
        one(
            lambda o: files_pb.UpdateFileRequest(file_id=o.file, description="ours"),
            recorded="file",
        )
    ],
    f"{GATEWAY}.FileService/GetFile": [
        one(lambda o: files_pb.GetFileRequest(file_id=o.file), recorded="file")
    ],
    f"{GATEWAY}.FileService/ListFiles": [
        one(lambda o: files_pb.ListFilesRequest(session_id=o.session), recorded="session")
    ],
    f"{GATEWAY}.FileService/PreviewFile": [
        one(lambda o: files_pb.PreviewFileRequest(file_id=o.file), recorded="file")
    ],
    f"{GATEWAY}.FileService/DownloadFile": [
        one(lambda o: files_pb.DownloadFileRequest(file_id=o.file), recorded="file")
    ],
    f"{GATEWAY}.FileService/DeleteFile": [
        one(lambda o: files_pb.DeleteFileRequest(file_id=o.file), recorded="file")
    ],
    f"{GATEWAY}.JobService/CreateJob": [
        one(asked, recorded="file"),
        one(inside, recorded="session"),
        one(on_a_name_of_anns),
        one(after_anns, recorded="job"),
    ],
    f"{GATEWAY}.JobService/GetJob": [
        one(lambda o: jobs_pb.GetJobRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.JobService/AskAboutJob": [
        one(
            lambda o: jobs_pb.AskAboutJobRequest(job_id=o.job, question="how sure are you?"),
            recorded="job",
        ),
        one(
            lambda o: jobs_pb.AskAboutJobRequest(session_id=o.session, question="what was it?"),
            recorded="session",
        ),
    ],
    f"{GATEWAY}.JobService/ListJobs": [one(lambda o: jobs_pb.ListJobsRequest(), NOTHING)],
    f"{GATEWAY}.JobService/WatchJob": [
        one(lambda o: jobs_pb.WatchJobRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.JobService/CancelJob": [
        one(lambda o: jobs_pb.CancelJobRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.JobService/AnswerJob": [
        one(lambda o: jobs_pb.AnswerJobRequest(job_id=o.job, option_id="1"), recorded="job")
    ],
    f"{GATEWAY}.JobService/PlanJob": [
        one(lambda o: jobs_pb.PlanJobRequest(analysis=asked(o).analysis), recorded="file")
    ],
    f"{GATEWAY}.JobService/LookAtSources": [one(look_at_anns, recorded="file")],
    f"{GATEWAY}.JobService/LintStatement": [one(lint_over_anns, recorded="file")],
    f"{GATEWAY}.JobService/GetTrace": [
        one(lambda o: jobs_pb.GetTraceRequest(job_id=o.job), recorded="job")
    ],
    f"{GATEWAY}.DefinitionService/ProposeDefinition": [
        one(
            lambda o: definitions_pb.ProposeDefinitionRequest(
                request_id=new_id(),
                sources=[data_pb2.DataSource(file_id=o.file)],
                model="{tables: {sales: {}}}",
                session_id=o.session,
            ),
            recorded="session",
        ),
        one(
            lambda o: definitions_pb.ProposeDefinitionRequest(
                request_id=new_id(),
                sources=[data_pb2.DataSource(source_name=o.source_name)],
                model="{tables: {sales: {}}}",
            )
        ),
    ],
    f"{GATEWAY}.DefinitionService/GetDefinition": [
        one(
            lambda o: definitions_pb.GetDefinitionRequest(definition_id=o.definition),
            recorded="definition",
        )
    ],
    f"{GATEWAY}.DefinitionService/ListDefinitions": [
        one(lambda o: definitions_pb.ListDefinitionsRequest(), NOTHING)
    ],
    f"{GATEWAY}.DefinitionService/DecideDefinition": [
        one(
            lambda o: definitions_pb.DecideDefinitionRequest(
                definition_id=o.definition, state=definitions_pb.DEFINITION_STATE_APPROVED
            ),
            recorded="definition",
        )
    ],
    f"{GATEWAY}.TextService/CheckText": [
        one(lambda o: texts_pb.CheckTextRequest(text="-", frames={"f1": o.job}), recorded="job")
    ],
    f"{GATEWAY}.SessionService/CreateSession": [
        one(lambda o: sessions_pb.CreateSessionRequest(request_id=o.session), recorded="session")
    ],
    f"{GATEWAY}.SessionService/GetSession": [
        one(lambda o: sessions_pb.GetSessionRequest(session_id=o.session), recorded="session")
    ],
    f"{GATEWAY}.SessionService/ListSessions": [
        one(lambda o: sessions_pb.ListSessionsRequest(), NOTHING)
    ],
    f"{GATEWAY}.SessionService/UpdateSession": [
        one(
            lambda o: sessions_pb.UpdateSessionRequest(session_id=o.session, title="bob's"),
            recorded="session",
        )
    ],
    f"{GATEWAY}.SessionService/DeleteSession": [
        one(lambda o: sessions_pb.DeleteSessionRequest(session_id=o.session), recorded="session")
    ],
    # Names are each tenant's own: bob's "shop" is not ann's, and naming it is no trespass.
    f"{GATEWAY}.SourceService/AddSource": [
        one(
            lambda o: sources_pb.AddSourceRequest(
                name=o.source_name, source=data_pb2.DataSource(connection_string=BOBS_OWN)
            ),
            OPEN,
        )
    ],
    f"{GATEWAY}.SourceService/GetSource": [
        one(lambda o: sources_pb.GetSourceRequest(name=o.source_name))
    ],
    f"{GATEWAY}.SourceService/ListSources": [
        one(lambda o: sources_pb.ListSourcesRequest(), NOTHING)
    ],
    f"{GATEWAY}.SourceService/RemoveSource": [
        one(lambda o: sources_pb.RemoveSourceRequest(name=o.source_name))
    ],
    f"{GATEWAY}.TokenService/CreateToken": [
        one(lambda o: tokens_pb.CreateTokenRequest(user="bob"), OPEN)
    ],
    f"{GATEWAY}.TokenService/ListTokens": [one(lambda o: tokens_pb.ListTokensRequest(), NOTHING)],
    f"{GATEWAY}.TokenService/RevokeToken": [
        one(lambda o: tokens_pb.RevokeTokenRequest(token_id=o.token_id), recorded="token")
    ],
    f"{PLANNER}/CreateJob": [one(job_of_anns)],
    f"{PLANNER}/GetJob": [one(lambda o: planner_pb.GetJobRequest(job_id=o.job))],
    f"{PLANNER}/ListJobs": [one(lambda o: planner_pb.ListJobsRequest(), NOTHING)],
    f"{PLANNER}/WatchJob": [one(lambda o: planner_pb.WatchJobRequest(job_id=o.job))],
    f"{PLANNER}/CancelJob": [one(lambda o: planner_pb.CancelJobRequest(job_id=o.job))],
    f"{PLANNER}/AnswerJob": [
        one(lambda o: planner_pb.AnswerJobRequest(job_id=o.job, option_id="1"))
    ],
    f"{PLANNER}/AskAboutJob": [
        one(lambda o: planner_pb.AskAboutJobRequest(job_id=o.job, question="how sure are you?")),
        one(lambda o: planner_pb.AskAboutJobRequest(session_id=o.session, question="what was it?")),
    ],
    f"{PLANNER}/PlanJob": [one(plan_about_anns, recorded="source")],
    f"{PLANNER}/LookAtSources": [one(planner_look_at_anns, recorded="source")],
    f"{PLANNER}/LintStatement": [one(planner_lint_over_anns, recorded="source")],
    f"{PLANNER}/Converse": [
        one(turn_under_anns_id),
        one(turn_about_anns, NOTHING, recorded="source"),
        one(turn_after_a_job_of_anns),
    ],
    f"{PLANNER}/GetResponses": [
        one(
            lambda o: planner_pb.GetResponsesRequest(turns=[planner_pb.TurnEnd(job_id=o.job)]),
            NOTHING,
        )
    ],
    f"{PLANNER}/CountJobs": [
        one(lambda o: planner_pb.CountJobsRequest(session_ids=[o.session]), NOTHING)
    ],
    f"{PLANNER}/ListRecipes": [one(lambda o: planner_pb.ListRecipesRequest(), NOTHING)],
    f"{PLANNER}/DeleteRecipe": [one(lambda o: planner_pb.DeleteRecipeRequest(recipe_id=o.recipe))],
    f"{EXECUTOR}/ListTools": [one(lambda o: executor_pb.ListToolsRequest(), OPEN)],
    f"{EXECUTOR}/Execute": [
        one(lambda o: execution(o, request_id=o.job), recorded="job"),
        one(lambda o: execution(o, call_id=o.call), recorded="call"),
        one(lambda o: execution(o, sources=sourced(o)), recorded="source"),
    ],
    # A call that has ended is nobody's to cancel; one that runs is in a test of its own.
    f"{EXECUTOR}/CancelCall": [one(lambda o: executor_pb.CancelCallRequest(call_id=o.call), OPEN)],
    f"{EXECUTOR}/PutSource": [Case(upload_of_bobs_own, OPEN)],
    f"{EXECUTOR}/PutCredential": [
        one(
            lambda o: executor_pb.PutCredentialRequest(
                address="postgresql://db.example/shop", secrets_json='{"password": "x"}'
            ),
            OPEN,
        )
    ],
    f"{EXECUTOR}/DeleteSource": [
        one(lambda o: executor_pb.DeleteSourceRequest(digest=o.source), recorded="source")
    ],
    f"{EXECUTOR}/ReadSource": [
        one(lambda o: executor_pb.ReadSourceRequest(digest=o.source), recorded="source")
    ],
    f"{EXECUTOR}/DescribeSource": [
        one(lambda o: executor_pb.DescribeSourceRequest(sources=sourced(o)), recorded="source")
    ],
    f"{EXECUTOR}/GetReadingProgress": [
        one(lambda o: executor_pb.GetReadingProgressRequest(sources=sourced(o)), recorded="source")
    ],
    f"{EXECUTOR}/LookupValues": [
        one(
            lambda o: executor_pb.LookupValuesRequest(sources=sourced(o), phrases=["north"]),
            recorded="source",
        )
    ],
    f"{EXECUTOR}/ProbeQueries": [
        one(
            lambda o: executor_pb.ProbeQueriesRequest(
                sources=sourced(o), queries=[executor_pb.ProbeQuery(sql="SELECT 1 AS one")]
            ),
            recorded="source",
        )
    ],
    f"{EXECUTOR}/PutArtifact": [
        one(
            lambda o: executor_pb.PutArtifactRequest(
                request_id=o.job,
                name="x.md",
                artifact_type=analysis_pb2.ARTIFACT_TYPE_REPORT,
                content=b"x",
            ),
            recorded="job",
        )
    ],
    f"{EXECUTOR}/GetArtifact": [
        one(
            lambda o: executor_pb.GetArtifactRequest(content_ref=o.artifact.content_ref),
            recorded="artifact",
        )
    ],
    f"{EXECUTOR}/ReadFrame": [
        one(lambda o: executor_pb.ReadFrameRequest(digest=o.frame.digest), recorded="frame")
    ],
    f"{EXECUTOR}/LocateFrame": [
        one(lambda o: executor_pb.LocateFrameRequest(frame=o.frame), recorded="frame")
    ],
    f"{EXECUTOR}/ReleaseJob": [
        one(lambda o: executor_pb.ReleaseJobRequest(request_id=o.job), recorded="job")
    ],
    f"{EXECUTOR}/CheckRecords": [
        one(lambda o: executor_pb.CheckRecordsRequest(call_ids=[o.call]), recorded="call")
    ],
    f"{EXECUTOR}/KeepFrame": [
        one(lambda o: executor_pb.KeepFrameRequest(file_digest=o.source), recorded="source")
    ],
    f"{AUDIT}/Append": [one(entry_in, recorded="job")],
    f"{AUDIT}/Get": [one(lambda o: audit_pb.GetRequest(entry_id=o.entry), recorded="entry")],
    f"{AUDIT}/List": [one(lambda o: audit_pb.ListRequest(request_id=o.job), recorded="job")],
    f"{AUDIT}/Checkpoint": [one(lambda o: audit_pb.CheckpointRequest(), OPEN)],
    f"{AUDIT}/InclusionProof": [one(lambda o: audit_pb.InclusionProofRequest(), OPEN)],
    f"{AUDIT}/ConsistencyProof": [
        one(lambda o: audit_pb.ConsistencyProofRequest(old_size=1), OPEN)
    ],
    f"{AUDIT}/AddCosignature": [one(lambda o: audit_pb.AddCosignatureRequest(), OPEN)],
    f"{AUDIT}/Watch": [one(lambda o: audit_pb.WatchRequest(), NOTHING)],
    **MEMORY_CASES,
}
