"""Calls of the rpcs about publications that name what is a tenant's, and what another gets."""

from __future__ import annotations

from google.protobuf.message import Message

from assay.common.v1.data_pb2 import FileChunk
from assay.gateway.v1 import publication_service_pb2 as pb
from mesh.digest import sha256_hex
from mesh.ids import new_id
from mesh.text.page import POLICY
from tests.mesh.case import NOTHING, Case, one
from tests.mesh.owned import Owned

SERVICE = "/assay.gateway.v1.PublicationService"
PAGE = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    "<title>Sales</title></head><body><p>They sold.</p></body></html>"
).encode()


def published(
    text: str = "They sold.", *, page: bytes = PAGE, **more: object
) -> list[pb.PublishRequest]:
    """The messages of a call that publishes a text."""
    said: dict[str, object] = {"request_id": new_id(), "page_sha256": sha256_hex(page), **more}
    head = pb.PublishHead(text=text, **said)  # type: ignore[arg-type]
    return [pb.PublishRequest(head=head), pb.PublishRequest(chunk=FileChunk(data=page))]


def under_anns_id(owned: Owned) -> list[Message]:
    return list(published(request_id=owned.publication))


def of_a_job_of_anns(owned: Owned) -> list[Message]:
    return list(published(frames={"f1": owned.job}))


def in_a_session_of_anns(owned: Owned) -> list[Message]:
    return list(published(session_id=owned.session))


PUBLICATION_CASES: dict[str, list[Case]] = {
    f"{SERVICE}/Publish": [
        Case(under_anns_id, recorded="publication"),
        Case(of_a_job_of_anns, recorded="job"),
        Case(in_a_session_of_anns, recorded="session"),
    ],
    f"{SERVICE}/ListPublications": [one(lambda o: pb.ListPublicationsRequest(), NOTHING)],
    f"{SERVICE}/GetPublication": [
        one(
            lambda o: pb.GetPublicationRequest(publication_id=o.publication), recorded="publication"
        )
    ],
    f"{SERVICE}/RevokePublication": [
        one(
            lambda o: pb.RevokePublicationRequest(publication_id=o.publication, reason="bob's"),
            recorded="publication",
        )
    ],
}
