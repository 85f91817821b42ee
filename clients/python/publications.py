"""Pages of checked texts that everybody of a tenant can find, until they are revoked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from assay.common.v1.data_pb2 import FileChunk
from assay.gateway.v1 import publication_service_pb2 as pb
from assay.gateway.v1 import publication_service_pb2_grpc
from clients.python.calls import answered, streamed
from mesh.digest import sha256_hex
from mesh.errors import VERIFICATION_FAILED, AssayError
from mesh.ids import new_id

_PIECE_BYTES = 1 << 19


@dataclass(frozen=True, slots=True)
class Kept:
    """A publication as it is kept; page and text are empty once it was revoked."""

    publication: pb.Publication
    text: str
    page: bytes


class Publications:
    """PublicationService as methods; every one raises AssayError."""

    def __init__(self, stub: publication_service_pb2_grpc.PublicationServiceStub) -> None:
        self._stub = stub

    async def publish(
        self,
        text: str,
        page: bytes,
        frames: Mapping[str, str],
        *,
        session: str = "",
        accepted: Mapping[str, str] | None = None,
        publication_id: str = "",
    ) -> pb.Publication:
        """Have a page of a text kept. The mesh checks the text itself.

        `frames` and `session` are those of `Texts.check`; `accepted` has reasons for contested
        frames by their names. With a `publication_id` of the caller's, repeating it changes
        nothing. Raises AssayError: TEXT_FAILS, PAGE_UNSAFE, FILE_TOO_LARGE, NOT_FOUND.
        """
        head = pb.PublishHead(
            request_id=publication_id or new_id(),
            text=text,
            frames=frames,
            session_id=session,
            accepted=accepted,
            page_sha256=sha256_hex(page),
        )

        async def parts() -> AsyncIterator[pb.PublishRequest]:
            yield pb.PublishRequest(head=head)
            for start in range(0, len(page), _PIECE_BYTES):
                chunk = FileChunk(data=page[start : start + _PIECE_BYTES])
                yield pb.PublishRequest(chunk=chunk)

        call = self._stub.Publish(parts())
        try:
            return (await answered(call)).publication
        finally:
            call.cancel()

    async def list(self, most: int = 1_000) -> list[pb.Publication]:
        """The tenant's publications, newest first, with those that were revoked."""
        found: list[pb.Publication] = []
        token = ""
        while len(found) < most:
            request = pb.ListPublicationsRequest(page_token=token)
            page = await answered(self._stub.ListPublications(request))
            found += page.publications
            token = page.next_page_token
            if not token:
                break
        return found[:most]

    async def get(self, publication_id: str) -> Kept:
        """A publication with its page, checked against its hash.

        Raises AssayError: NOT_FOUND; VERIFICATION_FAILED for a page that is not the one published.
        """
        kept = pb.KeptPublication()
        page = bytearray()
        request = pb.GetPublicationRequest(publication_id=publication_id)
        async for part in streamed(self._stub.GetPublication(request)):
            if part.WhichOneof("part") == "kept":
                kept = part.kept
            page += part.chunk.data
        made = kept.publication
        if not made.HasField("revocation") and sha256_hex(bytes(page)) != made.page_sha256:
            raise AssayError(
                VERIFICATION_FAILED,
                f"page {publication_id[:8]} is not the one that was published: it has another hash",
            )
        return Kept(made, kept.text, bytes(page))

    async def revoke(self, publication_id: str, reason: str) -> pb.Publication:
        """Take a publication back; of one that was revoked the first time counts."""
        request = pb.RevokePublicationRequest(publication_id=publication_id, reason=reason)
        return (await answered(self._stub.RevokePublication(request))).publication
