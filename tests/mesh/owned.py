"""One answered question of a tenant's, with all that it left behind: an id of every kind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import board_service_pb2 as boards_pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import conversation_service_pb2 as conversations_pb
from assay.gateway.v1 import definition_service_pb2 as definitions_pb
from assay.gateway.v1 import domain_service_pb2 as domains_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from assay.gateway.v1 import token_service_pb2 as tokens_pb
from assay.memory.v1 import memory_service_pb2 as memory_pb
from mesh.ids import new_id
from tests.mesh.every_rpc import called, every_rpc
from tests.mesh.support import Caller, question

RPCS = every_rpc()


@dataclass
class Owned:
    """What is ann's: an id of every kind."""

    session: str
    file: str
    source: str
    job: str
    artifact: analysis_pb2.Artifact
    frame: data_pb2.FrameRef
    call: str
    entry: str
    recipe: str
    document: str
    source_name: str
    token_id: str
    conversation: str
    domain: str
    publication: str
    definition: str
    board: str
    pin: str


async def uploaded(caller: Caller, session: str, path: Path) -> str:
    head = files_pb.UploadFileHead(session_id=session, name=path.name)
    parts = [
        files_pb.UploadFileRequest(head=head),
        files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=path.read_bytes())),
    ]
    return str((await caller.files.UploadFile(iter(parts))).file.file_id)


async def own_something(ann: Caller, sales: Path) -> Owned:
    """One answered question of ann's, with all that it left behind."""
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(create)).session.session_id
    file = await uploaded(ann, session, sales)
    wanted = question(
        "total price by region",
        deliverables=[analysis_pb2.DELIVERABLE_CHARTS, analysis_pb2.DELIVERABLE_SUMMARY],
    )
    wanted.analysis.data_sources.append(data_pb2.DataSource(file_id=file))
    wanted.session_id = session
    job = (await ann.jobs.CreateJob(wanted)).job.job_id
    await ann.watched(job)
    answered = await ann.job(job)
    assert answered.state == job_pb2.JOB_STATE_COMPLETED, answered
    listing = (await ann.audit.List(audit_pb.ListRequest(request_id=job))).entries
    seen = [json.loads(entry.event_data_json) for entry in listing]
    call = next(data["call_id"] for data in seen if "call_id" in data)
    digest = answered.answer.claims[0].frame_digest
    put = executor_pb.PutSourceRequest
    parts = [
        put(head=executor_pb.PutSourceHead(name="sales.csv", max_bytes=1 << 20)),
        put(chunk=data_pb2.FileChunk(data=sales.read_bytes())),
        put(end=executor_pb.PutSourceEnd()),
    ]
    source = (await ann.executor.PutSource(iter(parts))).digest
    memory = ann.channel("memory")
    document = memory_pb.Document(
        document_id=new_id(), session_id=session, content="north leads in sales"
    )
    stored = memory_pb.StoreDocumentRequest(document=document)
    name = "/assay.memory.v1.MemoryService/StoreDocument"
    await called(memory, name, RPCS[name], [stored])
    recipes = (await ann.catalogue.ListRecipes(catalogue_pb.ListRecipesRequest())).recipes
    named = f"sales-of-{new_id()[:8]}"
    place = data_pb2.DataSource(file_path=str(sales))
    await ann.sources.AddSource(sources_pb.AddSourceRequest(name=named, source=place))
    made = await ann.tokens.CreateToken(tokens_pb.CreateTokenRequest(user="ann's program"))
    said = conversations_pb.AskRequest(
        request_id=new_id(), session_id=session, content="total price by region"
    )
    told = [one async for one in ann.conversations.Ask(said)]
    domain = domains_pb.Domain(
        name=f"anns_{new_id()[:8]}",
        display_name="Ann's",
        description="what is ann's",
        session_id=session,
    )
    await ann.domains.RegisterDomain(domains_pb.RegisterDomainRequest(domain=domain))
    proposed = definitions_pb.ProposeDefinitionRequest(
        request_id=new_id(),
        sources=[data_pb2.DataSource(file_path=str(sales))],
        model="{tables: {sales: {synonyms: [deals]}}}",
    )
    definition = (await ann.definitions.ProposeDefinition(proposed)).definition.definition_id
    board, pin = await pin_something(ann, job)
    return Owned(
        session=session,
        file=file,
        source=source,
        job=job,
        artifact=answered.answer.artifacts[0],
        frame=data_pb2.FrameRef(name="rows", digest=digest),
        call=call,
        entry=listing[0].entry_id,
        recipe=recipes[0].recipe_id,
        document=document.document_id,
        source_name=named,
        token_id=made.token.token_id,
        conversation=told[0].asked.conversation.conversation_id,
        domain=domain.name,
        publication=await publish_something(ann, session),
        definition=definition,
        board=board,
        pin=pin,
    )


async def publish_something(ann: Caller, session: str) -> str:
    """A page of ann's."""
    from tests.mesh.cases_publications import published

    made = await ann.publications.Publish(iter(published(session_id=session)))
    return str(made.publication.publication_id)


async def pin_something(ann: Caller, job: str) -> tuple[str, str]:
    """A board of ann's with an answer on it."""
    create = boards_pb.CreateBoardRequest(request_id=new_id(), title="Ann's board")
    board = (await ann.boards.CreateBoard(create)).board.board_id
    wanted = boards_pb.PinAnswerRequest(request_id=new_id(), board_id=board, job_id=job)
    return board, str((await ann.boards.PinAnswer(wanted)).pin.pin_id)


def names(owned: Owned) -> set[str]:
    """All of the ids."""
    return {
        owned.session,
        owned.file,
        owned.source,
        owned.job,
        owned.artifact.artifact_id,
        owned.artifact.content_ref,
        owned.frame.digest,
        owned.call,
        owned.entry,
        owned.recipe,
        owned.document,
        owned.source_name,
        owned.token_id,
        owned.conversation,
        owned.domain,
        owned.publication,
        owned.definition,
        owned.board,
        owned.pin,
    }
