"""What the gateway's settings and contracts say about who may call; part of its wiring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from google.protobuf import descriptor_pool

from assay.common.v1 import access_pb2
from gateway.domain.refusal import token_refused
from gateway.ports import Believed, Verifier
from gateway.settings import GatewaySettings, listed
from mesh.clock import Clock
from mesh.roles import Role

if TYPE_CHECKING:
    from gateway.adapters.provider import Provider


class NoIssuers:
    """Believes no signed token; implements `gateway.ports.Verifier`."""

    async def verified(self, token: str) -> Believed:
        """Raises AssayError(TOKEN_REFUSED)."""
        raise token_refused("no issuers of tokens are configured")


async def found_provider(settings: GatewaySettings) -> tuple[GatewaySettings, Provider | None]:
    """The sign-in provider, if one is configured, with the settings by which its tokens are
    believed. Raises AssayError(SERVICE_UNAVAILABLE) where its keys never could be fetched."""
    if not settings.gateway_oidc_issuer:
        return settings, None
    from gateway.adapters.provider import Provider

    keys = settings.folder("gateway") / "provider_keys.json"
    provider = Provider(
        settings.gateway_oidc_issuer,
        settings.gateway_oidc_client,
        settings.gateway_oidc_secret.get_secret_value(),
        settings.gateway_oidc_scopes,
        keys,
    )
    await provider.refresh_keys()
    believed = {
        "gateway_jwt_keys": keys,
        "gateway_jwt_issuers": settings.gateway_oidc_issuer,
        "gateway_jwt_audiences": settings.gateway_oidc_client,
    }
    return settings.model_copy(update=believed), provider


def signed_tokens(settings: GatewaySettings, clock: Clock) -> Verifier:
    """What believes signed tokens. Blocks. Raises AssayError(INVALID_ARGUMENT) for its settings."""
    if settings.gateway_jwt_keys is None:
        return NoIssuers()
    from gateway.adapters.jwt_keys import KeyFiles
    from gateway.adapters.jwt_tokens import JwtTokens, Rules

    rules = Rules(
        issuers=listed(settings.gateway_jwt_issuers),
        audiences=listed(settings.gateway_jwt_audiences),
        leeway_seconds=settings.gateway_jwt_leeway_seconds,
        tenant_claim=settings.gateway_jwt_tenant_claim,
        user_claim=settings.gateway_jwt_user_claim,
        roles_claim=settings.gateway_jwt_roles_claim,
    )
    keys = KeyFiles(settings.gateway_jwt_keys, listed(settings.gateway_jwt_algorithms))
    return JwtTokens(keys, rules, clock)


def needed_roles(contracts: Sequence[str]) -> dict[str, Role]:
    """The least role for every method of the contracts, by "/package.Service/Name"."""
    pool = descriptor_pool.Default()
    return {
        f"/{service}/{method.name}": Role(method.GetOptions().Extensions[access_pb2.role])
        for service in contracts
        for method in pool.FindServiceByName(service).methods
    }
