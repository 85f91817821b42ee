"""API keys of one's tenant: what programs are known by."""

from __future__ import annotations

from datetime import timedelta

from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import access_pb2
from assay.gateway.v1 import token_service_pb2 as pb
from assay.gateway.v1 import token_service_pb2_grpc
from clients.python.calls import answered


class Tokens:
    """TokenService as methods; every one raises AssayError, ROLE_MISSING for who is no operator."""

    def __init__(self, stub: token_service_pb2_grpc.TokenServiceStub) -> None:
        self._stub = stub

    async def create(
        self, user: str, role: str = "reader", label: str = "", lifetime: timedelta | None = None
    ) -> pb.CreateTokenResponse:
        """A new key and its token, which is told this once. `role` is reader, analyst or operator;
        `lifetime` is 90 days where it is not given."""
        wanted = pb.CreateTokenRequest(
            user=user, role=access_pb2.Role.Value(f"ROLE_{role.upper()}"), label=label
        )
        if lifetime is not None:
            duration = Duration()
            duration.FromTimedelta(lifetime)
            wanted.lifetime.CopyFrom(duration)
        return await answered(self._stub.CreateToken(wanted))

    async def all(self) -> list[pb.Token]:
        """The tenant's keys, newest first."""
        found: list[pb.Token] = []
        token = ""
        while True:
            page = await answered(self._stub.ListTokens(pb.ListTokensRequest(page_token=token)))
            found += page.tokens
            token = page.next_page_token
            if not token:
                return found

    async def revoke(self, token_id: str) -> pb.Token:
        """End a key; repeating it changes nothing."""
        wanted = pb.RevokeTokenRequest(token_id=token_id)
        return (await answered(self._stub.RevokeToken(wanted))).token


def role_word(role: access_pb2.Role.ValueType) -> str:
    """A role as people write it."""
    return access_pb2.Role.Name(role).removeprefix("ROLE_").lower()
