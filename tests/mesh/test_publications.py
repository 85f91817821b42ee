"""Pages through the whole mesh: published, found, given out, taken back, and nobody else's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import job_pb2
from assay.common.v1.data_pb2 import FileChunk
from assay.gateway.v1 import publication_service_pb2 as pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.errors import (
    FILE_TOO_LARGE,
    ID_REUSED,
    INVALID_ARGUMENT,
    NOT_FOUND,
    PAGE_UNSAFE,
    TEXT_FAILS,
    Reason,
)
from mesh.ids import derived_id, new_id
from mesh.text.page import LARGEST
from tests.mesh import shared
from tests.mesh.cases_publications import PAGE, published
from tests.mesh.support import Caller, refusal
from tests.mesh.test_own_statement import BY_REGION, statement

pytestmark = shared.ON_ONE_LOOP
ann, bob = shared.ann, shared.bob

TEXT = "# Sales\n\nThe North sold {48|f1.n[North]}.\n"


async def given(caller: Caller, publication_id: str) -> tuple[pb.KeptPublication, bytes]:
    """The record of a publication, and its page."""
    request = pb.GetPublicationRequest(publication_id=publication_id)
    first, *others = [part async for part in caller.publications.GetPublication(request)]
    return first.kept, b"".join(part.chunk.data for part in others)


async def listed(caller: Caller) -> list[pb.Publication]:
    return list(
        (await caller.publications.ListPublications(pb.ListPublicationsRequest())).publications
    )


async def refused(caller: Caller, *parts: Any, **more: Any) -> Reason:
    call = caller.publications.Publish(iter(published(*parts, **more)))
    return (await refusal(call)).reason


async def test_a_page_is_published_found_and_taken_back(
    ann: Caller, bob: Caller, sales: Path
) -> None:
    job = await ann.asked(statement(BY_REGION, sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    parts = published(TEXT, frames={"f1": job.job_id})

    made = (await ann.publications.Publish(iter(parts))).publication
    assert (made.title, made.published_by) == ("Sales", ann.tenant)
    assert [(one.name, one.job_id, one.accepted) for one in made.frames] == [("f1", job.job_id, "")]
    assert (await ann.publications.Publish(iter(parts))).publication == made, "it is repeated"
    assert await listed(ann) == [made]
    kept, page = await given(ann, made.publication_id)
    assert (kept.publication, kept.text, page) == (made, TEXT, PAGE)

    assert await listed(bob) == []
    assert (await refusal(given(bob, made.publication_id))).reason is NOT_FOUND
    revoke = pb.RevokePublicationRequest(publication_id=made.publication_id, reason="twice")
    assert (await refusal(bob.publications.RevokePublication(revoke))).reason is NOT_FOUND

    ended = (await ann.publications.RevokePublication(revoke)).publication
    assert (ended.revocation.revoked_by, ended.revocation.reason) == (ann.tenant, "twice")
    revoke.reason = "another"
    assert (await ann.publications.RevokePublication(revoke)).publication == ended
    kept, page = await given(ann, made.publication_id)
    assert (kept.publication, kept.text, page) == (ended, "", b"")
    assert await listed(ann) == [ended]
    assert (await ann.publications.Publish(iter(parts))).publication == ended, "it stays revoked"

    chain = derived_id("publication", ann.tenant, made.publication_id)
    entries = (await ann.audit.List(audit_pb.ListRequest(request_id=chain))).entries
    said = [json.loads(entry.event_data_json) for entry in entries]
    assert [one["rule"] for one in said] == ["PAGE_PUBLISHED", "PAGE_REVOKED"]
    assert said[0]["jobs"] == job.job_id and said[1]["because"] == "twice"


async def test_the_mesh_itself_refuses_a_text_that_fails(ann: Caller, sales: Path) -> None:
    job = await ann.asked(statement(BY_REGION, sales))
    frames = {"f1": job.job_id}
    wrong = TEXT.replace("48", "49")
    assert await refused(ann, wrong, frames=frames) is TEXT_FAILS
    assert await refused(ann, "They sold 49.") is TEXT_FAILS, "a number that is bound to no cell"
    accepted = {"f1": "it is all right"}
    assert await refused(ann, wrong, frames=frames, accepted=accepted) is TEXT_FAILS
    assert await refused(ann, TEXT, frames=frames, accepted=accepted) is INVALID_ARGUMENT
    assert await listed(ann) == []


async def test_a_contested_frame_needs_a_reason(ann: Caller, sales: Path) -> None:
    job = await ann.asked(statement(BY_REGION.replace("where", "where region = region and"), sales))
    frames = {"f1": job.job_id}
    assert await refused(ann, TEXT, frames=frames) is TEXT_FAILS
    assert await refused(ann, TEXT, frames=frames, accepted={"f1": " "}) is INVALID_ARGUMENT
    parts = published(TEXT, frames=frames, accepted={"f1": "no region is empty"})
    made = (await ann.publications.Publish(iter(parts))).publication
    assert [one.accepted for one in made.frames] == ["no region is empty"]


async def test_what_is_no_page_is_refused(ann: Caller) -> None:
    script = PAGE.replace(b"<p>", b"<script>alert(1)</script><p>")
    assert await refused(ann, page=script) is PAGE_UNSAFE
    assert await refused(ann, page_sha256="0" * 64) is INVALID_ARGUMENT
    assert await refused(ann, "a\x00b") is INVALID_ARGUMENT
    piece = published()[1]
    assert (await refusal(ann.publications.Publish(iter([piece])))).reason is INVALID_ARGUMENT
    large = published(page=PAGE + b" " * LARGEST)
    head, content = large[0], large[1].chunk.data
    pieces = [content[at : at + (1 << 20)] for at in range(0, len(content), 1 << 20)]
    chunks = [pb.PublishRequest(chunk=FileChunk(data=piece)) for piece in pieces]
    call = ann.publications.Publish(iter([head, *chunks]))
    assert (await refusal(call)).reason is FILE_TOO_LARGE
    assert await listed(ann) == []


async def test_an_id_stands_for_one_page(ann: Caller) -> None:
    wanted = new_id()
    await ann.publications.Publish(iter(published(request_id=wanted)))
    assert await refused(ann, "They sold more of it.", request_id=wanted) is ID_REUSED


async def test_a_page_goes_with_its_session(ann: Caller) -> None:
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(create)).session.session_id
    parts = published(session_id=session)
    made = (await ann.publications.Publish(iter(parts))).publication
    await ann.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session))
    kept, page = await given(ann, made.publication_id)
    assert page == b"" and kept.publication.revocation.revoked_by == ann.tenant
    assert "session" in kept.publication.revocation.reason
    assert await refused(ann, session_id=session) is NOT_FOUND
