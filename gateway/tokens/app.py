"""What the gateway does with API keys: make, list, revoke, believe."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta

from gateway.domain.api_key import (
    DEFAULT_LIFETIME,
    SECRET_BYTES,
    ApiKey,
    check_new,
    key_id_of,
    parts_of,
    secret_hash,
    token_of,
)
from gateway.domain.refusal import token_refused
from gateway.ports import AccessLog, Believed
from gateway.store_ports import ApiKeyStore
from mesh import context as calls
from mesh.clock import Clock
from mesh.context import Established, Principal
from mesh.errors import NOT_FOUND, TOKEN_EXPIRED, AssayError
from mesh.roles import Role

USE_NOTED_EVERY = timedelta(hours=1)


class ApiKeys:
    """The use cases of TokenService, for the caller of the running call; implements
    `gateway.ports.Verifier` for the keys' tokens.

    `revoked` is told the id of a key that was just revoked here.
    """

    def __init__(
        self,
        store: ApiKeyStore,
        record: AccessLog,
        clock: Clock,
        revoked: Callable[[str], object] = lambda key_id: None,
    ) -> None:
        self._store = store
        self._record = record
        self._clock = clock
        self.revoked = revoked

    async def create(
        self, user: str, role: Role, label: str, lifetime: timedelta | None
    ) -> tuple[ApiKey, str]:
        """A new key of the caller's tenant, and its token, which cannot be had again.

        Raises AssayError(INVALID_ARGUMENT). It is on record before it can be used.
        """
        lifetime = DEFAULT_LIFETIME if lifetime is None else lifetime
        check_new(user, role, label, lifetime)
        now, secret = self._clock.now(), secrets.token_urlsafe(SECRET_BYTES)
        caller = calls.current()
        key = ApiKey(
            key_id=secrets.token_hex(8),
            secret_hash=secret_hash(secret),
            tenant=caller.tenant,
            user=user,
            role=role,
            label=label,
            created_at=now,
            expires_at=now + lifetime,
        )
        await self._record.record_key("TOKEN_CREATED", key, caller.user)
        await self._store.add(key)
        return key, token_of(key.key_id, secret)

    async def page(self, size: int, token: str) -> tuple[list[ApiKey], str]:
        """The keys of the caller's tenant, newest first, and the token of the next page."""
        return await self._store.page(calls.current().tenant, size, token)

    async def revoke(self, key_id: str) -> ApiKey:
        """End a key of the caller's tenant. Raises AssayError: NOT_FOUND, INVALID_ARGUMENT.

        It ends first and is recorded then: repeating a call that failed records it.
        """
        caller = calls.current()
        key = await self._store.revoke(caller.tenant, key_id_of(key_id), self._clock.now())
        if key is None:
            raise AssayError(NOT_FOUND, f"there is no key {key_id}")
        self.revoked(key_id)
        await self._record.record_key("TOKEN_REVOKED", key, caller.user)
        return key

    async def verified(self, token: str) -> Believed:
        """Whose a key is. A key that is not there costs as much as one with another secret."""
        parts = parts_of(token)
        if parts is None:
            raise token_refused("it is not spelled as a key's token is")
        key_id, secret = parts
        now = self._clock.now()
        key = await self._store.find(key_id)
        if key is None:
            secret_hash(secret)
            raise token_refused("there is no such key")
        if not key.has(secret):
            raise token_refused(f"the secret is not that of key {key_id}")
        if key.revoked_at is not None:
            raise token_refused(f"key {key_id} was revoked")
        if now >= key.expires_at:
            raise AssayError(TOKEN_EXPIRED, "the key's time is over")
        if key.last_used_at is None or now - key.last_used_at >= USE_NOTED_EVERY:
            await self._store.used(key_id, now)
        who = Principal(key.tenant, key.user, Established.KEY, key.role)
        return Believed(who, key.expires_at.timestamp(), key_id)
