"""TokenService: translates between the contract and the use cases of API keys."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from grpc import aio

from assay.common.v1 import access_pb2
from assay.gateway.v1 import token_service_pb2 as pb
from assay.gateway.v1 import token_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.domain.api_key import ApiKey
from gateway.tokens.app import ApiKeys
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.paging import page_size
from mesh.roles import Role

Context = aio.ServicerContext[Any, Any]


class TokenServicer(token_service_pb2_grpc.TokenServiceServicer):
    """Serves assay.gateway.v1.TokenService."""

    def __init__(self, keys: ApiKeys, strangers: Strangers) -> None:
        self._keys = keys
        self._strangers = strangers

    async def CreateToken(
        self, request: pb.CreateTokenRequest, context: Context
    ) -> pb.CreateTokenResponse:
        """Make a key."""
        lifetime = None
        if request.HasField("lifetime"):
            try:
                lifetime = request.lifetime.ToTimedelta()
            except (ValueError, OverflowError):
                lifetime = timedelta(0)  # longer than a time can be, and refused like it
        key, secret = await self._keys.create(
            request.user, _role(request.role), request.label, lifetime
        )
        return pb.CreateTokenResponse(token=_message(key), secret=secret)

    async def ListTokens(
        self, request: pb.ListTokensRequest, context: Context
    ) -> pb.ListTokensResponse:
        """The tenant's keys."""
        size = page_size(request.page_size, 100, 100)
        page, token = await self._keys.page(size, request.page_token)
        return pb.ListTokensResponse(tokens=map(_message, page), next_page_token=token)

    async def RevokeToken(
        self, request: pb.RevokeTokenRequest, context: Context
    ) -> pb.RevokeTokenResponse:
        """End a key."""
        with self._strangers.noticing("token", request.token_id):
            key = await self._keys.revoke(request.token_id)
        return pb.RevokeTokenResponse(token=_message(key))


def _role(number: int) -> Role:
    """What was asked for; a reader's where nothing was. Raises AssayError(INVALID_ARGUMENT)."""
    if number == access_pb2.ROLE_UNSPECIFIED:
        return Role.READER
    try:
        return Role(number)
    except ValueError:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no role {number}",
            fields={"role": "must be reader, analyst or operator"},
        ) from None


def _message(key: ApiKey) -> pb.Token:
    message = pb.Token(
        token_id=key.key_id,
        tenant=key.tenant,
        user=key.user,
        role=access_pb2.Role.ValueType(key.role),
        label=key.label,
    )
    message.created_at.FromDatetime(key.created_at)
    message.expires_at.FromDatetime(key.expires_at)
    if key.revoked_at is not None:
        message.revoked_at.FromDatetime(key.revoked_at)
    if key.last_used_at is not None:
        message.last_used_at.FromDatetime(key.last_used_at)
    return message
