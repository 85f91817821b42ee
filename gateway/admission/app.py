"""Who may call the gateway: tokens and names into principals, and roles into leave or refusal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import AbstractContextManager

from gateway.admission.allowances import Allowances
from gateway.admission.refusals import Refusals
from gateway.domain.api_key import PREFIX
from gateway.domain.refusal import Refusal, token_refused
from gateway.ports import Believed, Verifier
from mesh.clock import Clock
from mesh.context import AUTHORIZATION_KEY, STRANGERS_TENANT, Principal
from mesh.errors import ROLE_MISSING, AssayError
from mesh.roles import Role
from mesh.transport.callers import ByName, Metadata, host_of, is_socket, token_required, values_of

BELIEVED_SECONDS = 5.0
"""How long a token that was verified is not verified again: so long may a revoked key, or a token
whose key was taken away, still be believed."""

MOST_BELIEVED = 4_096
LONGEST_TOKEN = 8_192


class Admission:
    """Lets callers in; implements `mesh.transport.callers.EndUsers`.

    A token wins over every name. Without one, whoever calls over this user's own socket is that
    user, or whom they name; callers on this machine are whom they name where `by_name` says so; and
    all others are refused. `needed` is the least role for each method; what has none is nobody's to
    call.
    """

    def __init__(
        self,
        keys: Verifier,
        signed: Verifier,
        needed: Mapping[str, Role],
        refusals: Refusals,
        clock: Clock,
        allowances: Allowances,
        *,
        by_name: bool,
    ) -> None:
        self._keys = keys
        self._signed = signed
        self._needed = needed
        self._refusals = refusals
        self._clock = clock
        self._allowances = allowances
        self._by_name = by_name
        self._names = ByName()
        # By the token's digest: what was believed, and when it is to be verified again.
        self._believed: dict[bytes, tuple[Believed, float]] = {}

    async def admitted(self, method: str, metadata: Metadata, peer: str) -> Principal:
        """Who calls `method`, which they may.

        Raises AssayError: TOKEN_REQUIRED, TOKEN_EXPIRED, CREDENTIALS_REFUSED,
        ROLE_MISSING. All of them are recorded.
        """
        who: Principal | None = None
        try:
            who = await self._who(method, metadata, peer)
            self._check_role(who, method)
        except AssayError as error:
            self._notice(error, who, method, peer)
            raise
        return who

    def taken(self, who: Principal) -> AbstractContextManager[None]:
        """Counts a call against what its tenant may; as `Allowances.taken`."""
        return self._allowances.taken(who)

    def forget(self, key_id: str) -> None:
        """Have tokens of a key verified again: it was revoked."""
        stale = [digest for digest, (found, _) in self._believed.items() if found.key_id == key_id]
        for digest in stale:
            del self._believed[digest]

    async def _who(self, method: str, metadata: Metadata, peer: str) -> Principal:
        given = values_of(metadata, AUTHORIZATION_KEY)
        if given:
            if len(given) > 1:
                raise token_refused("several tokens came at once")
            return await self._bearer(given[0])
        if not self._by_name and not is_socket(peer):
            raise token_required()
        return await self._names.admitted(method, metadata, peer)

    async def _bearer(self, header: str) -> Principal:
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not 0 < len(token) <= LONGEST_TOKEN:
            raise token_refused("it is no bearer token, or too long")
        digest = hashlib.sha256(token.encode()).digest()
        now, tick = self._clock.now().timestamp(), self._clock.monotonic()
        known = self._believed.get(digest)
        if known is not None and tick < known[1] and now < known[0].until:
            return known[0].principal
        self._believed.pop(digest, None)
        verifier = self._keys if token.startswith(PREFIX) else self._signed
        found = await verifier.verified(token)
        while len(self._believed) >= MOST_BELIEVED:  # the oldest first
            del self._believed[next(iter(self._believed))]
        self._believed[digest] = found, tick + BELIEVED_SECONDS
        return found.principal

    def _check_role(self, who: Principal, method: str) -> None:
        needed = self._needed.get(method, Role.NONE)
        if needed is Role.NONE:
            raise AssayError(ROLE_MISSING, "no role may call this method")
        if who.role < needed:
            raise AssayError(
                ROLE_MISSING,
                f"this needs the role {needed.word}",
                metadata={"needed": needed.word, "has": who.role.word},
            )

    def _notice(self, error: AssayError, who: Principal | None, method: str, peer: str) -> None:
        refusal = Refusal(
            tenant=who.tenant if who else STRANGERS_TENANT,
            rule=error.reason.code,
            reason=error.message,
            host=host_of(peer),
            # What a stranger wanted is not told: it would make many refusals of one.
            method=method if who else "",
        )
        self._refusals.noticed(refusal, str(error.__cause__ or error.message))
