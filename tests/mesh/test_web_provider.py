"""Signing in to the console at an OpenID Connect provider, which runs here.

The provider is a server of its own because what is asked about is what passes between the three.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest_asyncio

from clients.python.consoles import start_link
from gateway.web.serving import serving
from tests.mesh import shared
from tests.small_provider import SmallProvider

pytestmark = shared.ON_ONE_LOOP


@dataclass(frozen=True)
class Place:
    """A console, and the provider at which people sign in to it."""

    url: str
    provider: SmallProvider


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place() -> AsyncIterator[Place]:
    provider = SmallProvider()
    async with serving(provider.app(), "127.0.0.1:0", None, None) as address:
        provider.issuer = f"http://{address}"
        environment = {"ASSAY_WEB": "127.0.0.1:0", **provider.settings()}
        async with shared.settled_mesh(environment) as settings:
            yield Place(start_link(settings.home).rstrip("/"), provider)


@asynccontextmanager
async def browser(place: Place) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=place.url, headers={"origin": place.url}) as client:
        yield client


async def at_provider(client: httpx2.AsyncClient) -> str:
    """Where the provider sends the browser back to."""
    begun = await client.get("/sign-in/provider")
    assert begun.status_code == 303
    return (await client.get(begun.headers["location"])).headers["location"]


async def reason(client: httpx2.AsyncClient, back: str) -> str:
    """Why coming back does not sign in; empty where it does."""
    answer = await client.get(back)
    assert answer.status_code == 303
    return parse_qs(urlsplit(answer.headers["location"]).query).get("reason", [""])[0]


async def test_whoever_signs_in_is_whom_the_provider_says(place: Place) -> None:
    async with browser(place) as client:
        assert (await client.get("/sign-in/ways")).json() == {"provider": place.provider.issuer}
        assert await reason(client, await at_provider(client)) == ""
        who = (await client.post("/who")).json()
        assert (who["tenant"], who["user"]) == ("shop", "ann@example.com")
        assert (who["role"], who["how"]) == ("analyst", "provider")
        assert (await client.post("/assay.gateway.v1.JobService/ListJobs", json={})).json() == {}


async def test_a_way_back_that_this_browser_did_not_begin_leads_nowhere(place: Place) -> None:
    async with browser(place) as one, browser(place) as other:
        back = await at_provider(one)
        assert await reason(other, back) == "TOKEN_REFUSED", "it has no attempt"
        await at_provider(other)
        assert await reason(other, back) == "TOKEN_REFUSED", "it has another"
        assert (await other.post("/who")).json()["reason"] == "TOKEN_REQUIRED"


async def test_a_code_is_good_once_and_for_its_verifier_alone(place: Place) -> None:
    async with browser(place) as client:
        back = await at_provider(client)
        assert await reason(client, back) == ""
        begun = await client.get("/sign-in/provider")
        state = parse_qs(urlsplit(begun.headers["location"]).query)["state"][0]
        used = parse_qs(urlsplit(back).query)["code"][0]
        assert await reason(client, f"/sign-in/back?code={used}&state={state}") == "TOKEN_REFUSED"


async def test_a_token_for_another_or_of_another_attempt_is_refused(place: Place) -> None:
    for wrong in ({"aud": "another"}, {"nonce": "another"}, {"exp": 1}, {"tenant": "a,b"}):
        place.provider.claims = wrong
        try:
            async with browser(place) as client:
                assert await reason(client, await at_provider(client)) in (
                    "TOKEN_REFUSED",
                    "TOKEN_EXPIRED",
                ), wrong
        finally:
            place.provider.claims = {}


async def test_without_a_start_link_nobody_is_this_machine_s_user(place: Place) -> None:
    async with browser(place) as client:
        answer = await client.get("/start", params={"key": ""})
        assert answer.headers["location"] == "/?reason=SIGN_IN_ENDED"
