"""An OpenID Connect provider for tests: whoever comes is signed in at once."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.unit.gateway.issuing import key_set, signed

CLIENT, SECRET = "assay-console", "a secret of the client"


@dataclass
class SmallProvider:
    """Signs everybody in at once, as `claims` says; keeps to RFC 6749 and RFC 7636."""

    issuer: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self.about),
                Route("/authorize", self.authorize),
                Route("/token", self.token, methods=["POST"]),
                Route("/keys", self.keys),
            ]
        )

    async def about(self, request: Request) -> Response:
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        urls = {name: f"{self.issuer}/{path}" for name, path in places.items()}
        return JSONResponse({"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **urls})

    async def keys(self, request: Request) -> Response:
        return Response(key_set(("one", "ES256", 0)), media_type="application/json")

    async def authorize(self, request: Request) -> Response:
        given = dict(request.query_params)
        assert given["client_id"] == CLIENT and given["response_type"] == "code"
        assert given["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = given
        return RedirectResponse(f"{given['redirect_uri']}?code={code}&state={given['state']}", 303)

    async def token(self, request: Request) -> Response:
        form = {name: one[0] for name, one in parse_qs((await request.body()).decode()).items()}
        began = self.codes.pop(form.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        known = request.headers.get("authorization") == f"Basic {basic}"
        if began is None or not known or proof != began["code_challenge"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "ann@example.com",
            "tenant": "shop",
            "roles": ["analyst"],
            "nonce": began["nonce"],
            "iat": int(time.time()),
            "exp": int(time.time()) + 600,
            **self.claims,
        }
        token = signed(claims, "ES256", key_id="one")
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": token})

    def settings(self) -> dict[str, str]:
        """What a gateway is told so that people sign in here, and nowhere else."""
        return {
            "ASSAY_GATEWAY_AUTH": "tokens",
            "ASSAY_GATEWAY_OIDC_ISSUER": self.issuer,
            "ASSAY_GATEWAY_OIDC_CLIENT": CLIENT,
            "ASSAY_GATEWAY_OIDC_SECRET": SECRET,
        }
