"""Signing in at an OpenID Connect provider: authorization code with PKCE (RFC 7636, OIDC core 3.1).

What the provider's token says of its bearer is verified where all signed tokens are
(`gateway.adapters.jwt_tokens`), by the provider's keys, which are kept in a file of the home.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from pathlib import Path
from typing import Any

from gateway.domain.sign_in import Attempt
from mesh.errors import SERVICE_UNAVAILABLE, TOKEN_REFUSED, AssayError

log = logging.getLogger("assay.gateway")

CALL_SECONDS = 10.0
DISCOVERY = "/.well-known/openid-configuration"


class Provider:
    """One provider, as it describes itself; implements `gateway.ports.SignInProvider`."""

    def __init__(
        self, issuer: str, client_id: str, client_secret: str, scopes: str, keys: Path
    ) -> None:
        self.issuer = issuer.rstrip("/")
        self._client_id = client_id
        self._client_secret = client_secret
        self._scopes = scopes
        self._keys = keys

    async def refresh_keys(self) -> None:
        """Fetch the provider's public keys; those of before stay where that fails.

        Raises AssayError(SERVICE_UNAVAILABLE) where there are none.
        """
        try:
            text = await self._fetched((await self._about())["jwks_uri"])
            await asyncio.to_thread(self._keys.write_text, text, encoding="utf-8")
        except AssayError as error:
            if not self._keys.is_file():
                raise
            log.warning("the keys of %s stay as they were: %s", self.issuer, error)

    async def begin(self, attempt: Attempt, back: str) -> str:
        """Where the browser goes to sign in. Raises AssayError(SERVICE_UNAVAILABLE)."""
        async with self._client(back) as client:
            url, _ = client.create_authorization_url(
                (await self._about())["authorization_endpoint"],
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
            )
            return str(url)

    async def finish(self, attempt: Attempt, back: str, state: str, code: str) -> str:
        """The token of whoever signed in; its signature is not checked here.

        Raises AssayError: TOKEN_REFUSED, SERVICE_UNAVAILABLE.
        """
        import httpx2
        import jwt
        from authlib.integrations.base_client.errors import OAuthError

        if not code or not secrets.compare_digest(state.encode(), attempt.state.encode()):
            raise AssayError(TOKEN_REFUSED, "this sign-in was not started in this browser")
        await self.refresh_keys()
        try:
            async with self._client(back) as client:
                answer: dict[str, Any] = await client.fetch_token(
                    (await self._about())["token_endpoint"],
                    code=code,
                    code_verifier=attempt.verifier,
                )
            token = str(answer["id_token"])
            nonce = jwt.decode(token, options={"verify_signature": False}).get("nonce")
        except httpx2.HTTPError as error:
            raise self._away(error) from error
        except (OAuthError, KeyError, jwt.PyJWTError, ValueError) as error:
            log.warning("signing in at %s failed: %s", self.issuer, error)
            raise AssayError(TOKEN_REFUSED, "the provider returned no token") from error
        if nonce != attempt.nonce:
            raise AssayError(TOKEN_REFUSED, "the provider's token belongs to another sign-in")
        return token

    def _client(self, back: str) -> Any:
        from authlib.integrations.httpx_client import AsyncOAuth2Client

        return AsyncOAuth2Client(
            self._client_id,
            self._client_secret or None,
            scope=self._scopes,
            redirect_uri=back,
            code_challenge_method="S256",
            token_endpoint_auth_method=None if self._client_secret else "none",
            timeout=CALL_SECONDS,
        )

    async def _about(self) -> dict[str, str]:
        import json

        try:
            about = json.loads(await self._fetched(f"{self.issuer}{DISCOVERY}"))
            wanted = ("authorization_endpoint", "token_endpoint", "jwks_uri")
            if about["issuer"].rstrip("/") != self.issuer:
                raise ValueError(f"it calls itself {about['issuer']}")
            return {name: str(about[name]) for name in wanted}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._away(error) from error

    async def _fetched(self, url: str) -> str:
        import httpx2

        try:
            async with httpx2.AsyncClient(timeout=CALL_SECONDS) as client:
                return (await client.get(url)).raise_for_status().text
        except httpx2.HTTPError as error:
            raise self._away(error) from error

    def _away(self, error: Exception) -> AssayError:
        log.warning("the provider %s: %s: %s", self.issuer, type(error).__name__, error)
        return AssayError(
            SERVICE_UNAVAILABLE,
            f"the sign-in provider {self.issuer} cannot be reached",
            hint="Try again soon; ask the operator whether ASSAY_GATEWAY_OIDC_ISSUER is right.",
        )
