"""Signing browsers in and out: sessions of the console, which end at any gateway of the mesh."""

from __future__ import annotations

import hmac
from datetime import timedelta

from gateway.domain.sign_in import LONGEST_COOKIE, Cookie, How, SignIn
from gateway.store_ports import SignInStore
from mesh.clock import Clock
from mesh.context import Principal
from mesh.errors import SIGN_IN_ENDED, TOKEN_REFUSED, TOKEN_REQUIRED, AssayError

KNOWN_SECONDS = 2.0
"""How long a sign-in that was looked up is not looked up again: so long may one that ended at
another gateway still be believed."""

MOST_KNOWN = 1_024


class SignIns:
    """Who is signed in, by cookie."""

    def __init__(self, store: SignInStore, clock: Clock, lifetime: timedelta) -> None:
        self._store = store
        self._clock = clock
        self._lifetime = lifetime
        self._known: dict[str, tuple[SignIn, float]] = {}

    async def begin(self, who: Principal, how: How, token: str = "") -> tuple[Cookie, SignIn]:
        """Sign a browser in. Raises AssayError(TOKEN_REFUSED) for a token too long for a cookie."""
        cookie = Cookie.fresh(token)
        if len(str(cookie)) > LONGEST_COOKIE:
            raise AssayError(TOKEN_REFUSED, "the token is too long for a browser to keep")
        now = self._clock.now()
        sign_in = SignIn(cookie.sign_in_id, who.tenant, who.user, how, now, now + self._lifetime)
        await self._store.add(sign_in)
        return cookie, sign_in

    async def of(self, cookie: str) -> tuple[Cookie, SignIn]:
        """What a cookie stands for.

        Raises AssayError: TOKEN_REQUIRED for none, SIGN_IN_ENDED for one that is over, that was
        ended, or that was never given.
        """
        if not cookie:
            raise AssayError(TOKEN_REQUIRED, "this browser is not signed in")
        parsed = Cookie.parse(cookie)
        found = None if parsed is None else await self._find(parsed.sign_in_id)
        if parsed is None or found is None or self._clock.now() >= found.expires_at:
            raise AssayError(SIGN_IN_ENDED, "this browser is no longer signed in")
        return parsed, found

    async def end(self, cookie: str) -> None:
        """Sign this browser out; nothing happens to one that is not signed in."""
        if (parsed := Cookie.parse(cookie)) is not None:
            self._known.pop(parsed.sign_in_id, None)
            await self._store.end(parsed.sign_in_id)

    async def end_all(self, sign_in: SignIn) -> int:
        """Sign out every browser of this user; returns how many."""
        self._known.clear()
        return await self._store.end_all(sign_in.tenant, sign_in.user)

    async def sweep(self) -> None:
        """Forget those whose time is over."""
        await self._store.forget(self._clock.now())

    async def _find(self, sign_in_id: str) -> SignIn | None:
        tick = self._clock.monotonic()
        known = self._known.get(sign_in_id)
        if known is not None and tick < known[1]:
            return known[0]
        self._known.pop(sign_in_id, None)
        found = await self._store.find(sign_in_id)
        if found is not None:
            while len(self._known) >= MOST_KNOWN:  # the oldest first
                del self._known[next(iter(self._known))]
            self._known[sign_in_id] = found, tick + KNOWN_SECONDS
        return found


class StartLink:
    """The key of the link with which this machine's user signs in at their own mesh."""

    def __init__(self, key: str) -> None:
        self._key = key

    def opens(self, key: str) -> bool:
        """Whether it is the key, in a time that says nothing of how nearly it is."""
        return bool(self._key) and hmac.compare_digest(key.encode(), self._key.encode())
