"""Signed tokens (JWT, RFC 7519) into principals; implements `gateway.ports.Verifier`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from gateway.adapters.jwt_keys import KeyFiles, PublicKey
from gateway.domain.refusal import token_refused
from gateway.ports import Believed
from mesh.clock import Clock
from mesh.context import Established, Principal
from mesh.errors import TOKEN_EXPIRED, AssayError
from mesh.ids import is_user_name
from mesh.roles import highest

# What the library raises for tokens that are none; the latter three by way of what it calls.
_WRONG = (jwt.PyJWTError, ValueError, TypeError, RecursionError)
_FIRST, _LAST = 0, 253_402_300_800
"""Times from 1970 on and before the year 10000, in seconds."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Whose tokens for whom are believed, how far clocks may differ, and what claims say it."""

    issuers: frozenset[str]
    audiences: frozenset[str]
    leeway_seconds: float
    tenant_claim: str
    user_claim: str
    roles_claim: str


class JwtTokens:
    """Verifies signature, issuer, audience and times; nothing of a token counts before that."""

    def __init__(self, keys: KeyFiles, rules: Rules, clock: Clock) -> None:
        self._keys = keys
        self._rules = rules
        self._clock = clock

    async def verified(self, token: str) -> Believed:
        """Who calls with a token.

        Raises AssayError: TOKEN_REFUSED, TOKEN_EXPIRED for one that was good in all else.
        """
        key = await self._key_of(token)
        claims = self._signed(token, key)
        until = self._in_time(claims)
        who = Principal(
            _name(claims, self._rules.tenant_claim),
            _name(claims, self._rules.user_claim),
            Established.TOKEN,
            highest(_claim(claims, self._rules.roles_claim)),
        )
        if self._clock.now().timestamp() >= until:
            raise AssayError(TOKEN_EXPIRED, "the token's time is over")
        return Believed(who, until)

    async def _key_of(self, token: str) -> PublicKey:
        """The key that a token's header names; its type decides the algorithm."""
        try:
            header = jwt.get_unverified_header(token)
        except _WRONG as error:
            raise token_refused(f"its header: {type(error).__name__}") from None
        key_id, algorithm = header.get("kid"), header.get("alg")
        if not isinstance(algorithm, str) or not isinstance(key_id, str | None):
            raise token_refused("its header names no algorithm")
        tick = self._clock.monotonic()
        if self._keys.is_due(tick):
            await asyncio.to_thread(self._keys.look, tick)
        key = self._keys.chosen(key_id, algorithm)
        if key is None and self._keys.is_due(tick, impatient=True):
            await asyncio.to_thread(self._keys.look, tick)
            key = self._keys.chosen(key_id, algorithm)
        if key is None:
            raise token_refused("no key of that id and algorithm is configured")
        return key

    def _signed(self, token: str, key: PublicKey) -> dict[str, Any]:
        """What a token claims, once its signature, issuer and audience were found good."""
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key.key,
                algorithms=[key.algorithm],
                audience=self._rules.audiences,
                issuer=self._rules.issuers,
                # Times are checked by the gateway's own clock, after all else.
                options={
                    "require": ["exp", "iss", "aud"],
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
        except _WRONG as error:
            raise token_refused(type(error).__name__) from None
        return claims

    def _in_time(self, claims: Mapping[str, Any]) -> float:
        """When a token ends, in seconds since 1970 with the leeway; it must have begun."""
        leeway, now = self._rules.leeway_seconds, self._clock.now().timestamp()
        for claim in ("nbf", "iat"):
            ahead = _moment(claims, claim) - now if claim in claims else 0.0
            if ahead > leeway:
                raise token_refused(f"{claim} lies {ahead:.0f} s in the future: is a clock wrong?")
        return _moment(claims, "exp") + leeway


def _moment(claims: Mapping[str, Any], claim: str) -> float:
    value = claims.get(claim)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _FIRST < value < _LAST:
        raise token_refused(f"{claim} is no time")
    return float(value)


def _name(claims: Mapping[str, Any], claim: str) -> str:
    value = _claim(claims, claim)
    if not isinstance(value, str) or not is_user_name(value):
        raise token_refused(f"the claim {claim} is no name")
    return value


def _claim(claims: Mapping[str, Any], path: str) -> object:
    """A claim by its name, or by a path with dots into claims that are objects."""
    if path in claims:
        return claims[path]
    found: object = claims
    for part in path.split("."):
        if not isinstance(found, Mapping):
            return None
        found = found.get(part)
    return found
