"""PublicationService: translates between the contract and the use cases of publications."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from grpc import aio

from assay.common.v1 import data_pb2
from assay.gateway.v1 import publication_service_pb2 as pb
from assay.gateway.v1 import publication_service_pb2_grpc
from gateway.domain.publication import Publication
from gateway.files.readers import Readers
from gateway.publications.app import Draft, Publications
from mesh.errors import FILE_TOO_LARGE, INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from mesh.paging import page_size
from mesh.text.page import LARGEST

Context = aio.ServicerContext[Any, Any]

_PIECE_BYTES = 1 << 20


class PublicationServicer(publication_service_pb2_grpc.PublicationServiceServicer):
    """Serves assay.gateway.v1.PublicationService."""

    def __init__(self, publications: Publications, readers: Readers) -> None:
        self._publications = publications
        self._readers = readers

    async def Publish(
        self, request_iterator: AsyncIterator[pb.PublishRequest], context: Context
    ) -> pb.PublishResponse:
        """Keep a page of a text that holds."""
        draft = _draft(await anext(aiter(request_iterator), None))
        async with self._readers.place():  # it holds as much memory as a stream that is sent
            made = await self._publications.publish(draft, await _page(request_iterator))
        return pb.PublishResponse(publication=_message(made))

    async def ListPublications(
        self, request: pb.ListPublicationsRequest, context: Context
    ) -> pb.ListPublicationsResponse:
        """The tenant's publications."""
        size = page_size(request.page_size, 100, 100)
        page, token = await self._publications.page(size, request.page_token)
        return pb.ListPublicationsResponse(publications=map(_message, page), next_page_token=token)

    async def GetPublication(
        self, request: pb.GetPublicationRequest, context: Context
    ) -> AsyncIterator[pb.GetPublicationResponse]:
        """A publication and its page."""
        publication_id = parse_id(request.publication_id, "publication_id")
        async with self._readers.place():
            found, page, text = await self._publications.get(publication_id)
            kept = pb.KeptPublication(publication=_message(found), text=text)
            yield pb.GetPublicationResponse(kept=kept)
            content = page.encode()
            for start in range(0, len(content), _PIECE_BYTES):
                chunk = data_pb2.FileChunk(data=content[start : start + _PIECE_BYTES])
                yield pb.GetPublicationResponse(chunk=chunk)

    async def RevokePublication(
        self, request: pb.RevokePublicationRequest, context: Context
    ) -> pb.RevokePublicationResponse:
        """Take a publication back."""
        publication_id = parse_id(request.publication_id, "publication_id")
        ended = await self._publications.revoke(publication_id, request.reason)
        return pb.RevokePublicationResponse(publication=_message(ended))


def _draft(first: pb.PublishRequest | None) -> Draft:
    """What is to be published. Raises AssayError(INVALID_ARGUMENT)."""
    if first is None or first.WhichOneof("part") != "head":
        raise AssayError(
            INVALID_ARGUMENT,
            "a publication begins with a head that has its text",
            fields={"head": "must be the first message"},
        )
    head = first.head
    if "\x00" in head.text:
        raise AssayError(
            INVALID_ARGUMENT,
            "the text has a character that no text has",
            fields={"head.text": "must not have the character U+0000"},
        )
    return Draft(
        publication_id=parse_id(head.request_id, "head.request_id"),
        text=head.text,
        page_sha256=head.page_sha256,
        frames=dict(head.frames),
        session_id=parse_id(head.session_id, "head.session_id") if head.session_id else "",
        accepted=dict(head.accepted),
    )


async def _page(requests: AsyncIterator[pb.PublishRequest]) -> bytes:
    """The page that follows the head. Raises AssayError: FILE_TOO_LARGE, INVALID_ARGUMENT."""
    content = bytearray()
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise AssayError(
                INVALID_ARGUMENT,
                "after its head a publication holds only pieces of its page",
                fields={"chunk": "missing"},
            )
        content += request.chunk.data
        if len(content) > LARGEST:
            raise AssayError(
                FILE_TOO_LARGE,
                f"the page has more than {LARGEST:,} bytes",
                hint="Cite fewer frames, or such with fewer rows and charts.",
                metadata={"limit": str(LARGEST)},
            )
    return bytes(content)


def _message(publication: Publication) -> pb.Publication:
    message = pb.Publication(
        publication_id=publication.publication_id,
        title=publication.title,
        published_by=publication.published_by,
        session_id=publication.session_id,
        frames=[
            pb.PublishedFrame(name=one.name, job_id=one.job_id, accepted=one.accepted)
            for one in publication.frames
        ],
        page_sha256=publication.page_sha256,
        text_sha256=publication.text_sha256,
        page_bytes=publication.page_bytes,
    )
    message.published_at.FromDatetime(publication.published_at)
    if (ended := publication.revocation) is not None:
        message.revocation.revoked_at.FromDatetime(ended.at)
        message.revocation.revoked_by, message.revocation.reason = ended.by, ended.reason
    return message
