"""The public contract over HTTP: Connect and gRPC-Web say what gRPC says, to whom gRPC says it.

One mesh for the file, with the web face on a port of its own.
"""

from __future__ import annotations

import asyncio
import base64
import json
import struct
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from google.protobuf import json_format, message_factory
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc import aio

from assay.common.v1 import access_pb2, data_pb2
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import job_service_pb2_grpc
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import token_service_pb2 as tokens_pb
from clients.python.consoles import start_link
from gateway.web.staying import AGAIN_SECONDS
from mesh.config import MeshSettings
from mesh.errors import AssayError
from mesh.ids import new_id
from mesh.transport.dial import open_channel
from mesh.transport.status import from_rpc_error
from tests.busy import allowing
from tests.mesh import shared
from tests.mesh.every_rpc import called, every_rpc, service_of
from tests.mesh.heavy import ENDLESS_SQL
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP

PUBLIC = {name: rpc for name, rpc in every_rpc().items() if service_of(name) == "gateway"}
ELSEWHERE = "https://pages.example"


@dataclass(frozen=True)
class Web:
    """A web face that runs, with a browser that this machine's user has signed in."""

    settings: MeshSettings
    url: str
    start: str
    browser: httpx2.AsyncClient

    def stranger(self, **headers: str) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=60)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def web() -> AsyncIterator[Web]:
    environment = {"ASSAY_WEB": "127.0.0.1:0", "ASSAY_GATEWAY_WEB_ORIGINS": ELSEWHERE}
    async with shared.settled_mesh(environment) as settings:
        start = start_link(settings.home)
        url = start.partition("/start")[0]
        async with httpx2.AsyncClient(
            base_url=url, headers={"origin": url}, timeout=60, follow_redirects=False
        ) as browser:
            assert (await browser.get(start)).status_code == 303
            yield Web(settings, url, start, browser)


async def connect(client: httpx2.AsyncClient, name: str, message: Message | None = None) -> Any:
    """What a call gives over Connect with JSON: the response as an object, or its error."""
    body = json_format.MessageToDict(message) if message is not None else {}
    answer = await client.post(name, json=body)
    return answer.json()


def details(error: Mapping[str, Any]) -> error_details_pb2.ErrorInfo:
    (info,) = [one for one in error["details"] if one["type"] == "google.rpc.ErrorInfo"]
    padded = info["value"] + "=" * (-len(info["value"]) % 4)
    return error_details_pb2.ErrorInfo.FromString(base64.b64decode(padded))


def envelopes(body: bytes) -> list[tuple[int, bytes]]:
    found, at = [], 0
    while at < len(body):
        flags, length = struct.unpack(">BI", body[at : at + 5])
        found.append((flags, body[at + 5 : at + 5 + length]))
        at += 5 + length
    return found


def enveloped(*messages: bytes) -> bytes:
    return b"".join(struct.pack(">BI", 0, len(one)) + one for one in messages)


@pytest.mark.parametrize("name", [n for n, rpc in PUBLIC.items() if not rpc.client_streaming])
async def test_an_empty_request_is_answered_or_refused_as_over_grpc(web: Web, name: str) -> None:
    rpc = PUBLIC[name]
    empty = message_factory.GetMessageClass(rpc.input_type)()
    async with Caller(web.settings, "local") as caller:
        expected = await over_grpc(caller, name, empty, rpc.server_streaming)
    if rpc.server_streaming:
        answer = await web.browser.post(
            name,
            content=enveloped(b"{}"),
            headers={"content-type": "application/connect+json"},
        )
        error = json.loads(envelopes(answer.content)[-1][1]).get("error")
        given: Any = error if error else [json.loads(one) for _, one in envelopes(answer.content)]
    else:
        given = await connect(web.browser, name, empty)
    if isinstance(expected, AssayError):
        assert details(given).reason == expected.reason.code
        assert given["message"] == expected.message
        assert details(given).metadata["remedy"] == expected.remedy
    elif rpc.server_streaming:
        assert given[:-1] == expected
    else:
        assert given.keys() == expected.keys()


async def over_grpc(caller: Caller, name: str, request: Message, many: bool) -> Any:
    """What a call gives over gRPC: the response as an object, or the error."""
    try:
        answers = await called(caller.gateway, name, PUBLIC[name], [request], most=1_000)
    except aio.AioRpcError as error:
        return from_rpc_error(error)
    told = [json_format.MessageToDict(answer) for answer in answers]
    return told if many else told[0]


async def test_a_file_is_uploaded_asked_about_and_watched(web: Web, sales: Path) -> None:
    made = sessions_pb.CreateSessionRequest(request_id=new_id(), title="by the web")
    session = (await connect(web.browser, "/assay.gateway.v1.SessionService/CreateSession", made))[
        "session"
    ]["sessionId"]
    parts = [
        files_pb.UploadFileRequest(
            head=files_pb.UploadFileHead(session_id=session, name="sales.csv")
        ),
        files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=sales.read_bytes())),
    ]
    stored = await web.browser.post(
        "/assay.gateway.v1.FileService/UploadFile",
        content=enveloped(*(part.SerializeToString() for part in parts)),
        headers={"content-type": "application/connect+proto"},
    )
    (_, first), (flags, end) = envelopes(stored.content)
    assert files_pb.UploadFileResponse.FromString(first).file.row_count == 60
    assert (flags, json.loads(end)) == (2, {})
    asked = {"requestId": new_id(), "sessionId": session, "content": "number of sales by region"}
    told = []
    async with web.browser.stream(
        "POST",
        "/assay.gateway.v1.ConversationService/Ask",
        content=enveloped(json.dumps(asked).encode()),
        headers={"content-type": "application/connect+json"},
    ) as answer:
        body = b"".join([piece async for piece in answer.aiter_bytes()])
    told = [json.loads(one) for _, one in envelopes(body)]
    assert [next(iter(one)) for one in told[:2]] == ["asked", "reading"]
    assert "20" in told[-2]["response"]["answer"]
    assert told[-1] == {}


async def test_grpc_web_says_the_same(web: Web) -> None:
    request = sessions_pb.ListSessionsRequest(page_size=1)
    answer = await web.browser.post(
        "/assay.gateway.v1.SessionService/ListSessions",
        content=enveloped(request.SerializeToString()),
        headers={"content-type": "application/grpc-web+proto"},
    )
    (_, message), (flags, trailers) = envelopes(answer.content)
    assert len(sessions_pb.ListSessionsResponse.FromString(message).sessions) <= 1
    assert flags == 0x80 and b"grpc-status: 0" in trailers.lower()


async def test_whoever_is_not_signed_in_is_told_so(web: Web) -> None:
    async with web.stranger() as nobody:
        error = await connect(nobody, "/assay.gateway.v1.JobService/ListJobs")
        assert (error["code"], details(error).reason) == ("unauthenticated", "TOKEN_REQUIRED")
        # Over gRPC a caller on this machine is whom it names; a page of any site can call here.
        named = await nobody.post(
            "/assay.gateway.v1.JobService/ListJobs", json={}, headers={"x-assay-user": "ann"}
        )
        assert details(named.json()).reason == "TOKEN_REQUIRED"
        assert (await nobody.get("/start", params={"key": "x" * 43})).headers["location"] == (
            "/?reason=SIGN_IN_ENDED"
        )
        assert (await nobody.post("/who")).json()["reason"] == "TOKEN_REQUIRED"
        forged = {"cookie": f"assay={'x' * 43}", "origin": web.url}
        assert (await nobody.post("/who", headers=forged)).json()["reason"] == "SIGN_IN_ENDED"


async def test_a_token_signs_in_for_what_it_may_and_until_it_is_revoked(web: Web) -> None:
    async with Caller(web.settings, "local") as operator:
        made = await operator.tokens.CreateToken(
            tokens_pb.CreateTokenRequest(user="carol", role=access_pb2.ROLE_READER, label="browser")
        )
        async with web.stranger(origin=web.url) as browser:
            refused = await browser.post("/sign-in", json={"token": "assay_no"})
            assert (refused.status_code, refused.json()["reason"]) == (401, "TOKEN_REFUSED")
            signed = await browser.post("/sign-in", json={"token": made.secret})
            cookie = signed.headers["set-cookie"]
            assert signed.status_code == 204
            assert "HttpOnly" in cookie and "SameSite=strict" in cookie
            who = (await browser.post("/who")).json()
            assert (who["user"], who["role"], who["how"]) == ("carol", "reader", "token")
            listed = await connect(browser, "/assay.gateway.v1.JobService/ListJobs")
            assert "code" not in listed
            denied = await connect(
                browser,
                "/assay.gateway.v1.SessionService/CreateSession",
                sessions_pb.CreateSessionRequest(request_id=new_id()),
            )
            assert details(denied).reason == "ROLE_MISSING"
            await operator.tokens.RevokeToken(
                tokens_pb.RevokeTokenRequest(token_id=made.token.token_id)
            )
            gone = await connect(browser, "/assay.gateway.v1.JobService/ListJobs")
            assert details(gone).reason == "TOKEN_REFUSED"


async def test_a_watch_ends_soon_after_what_it_was_begun_by(web: Web, sales: Path) -> None:
    async with Caller(web.settings, "local") as operator:
        made = await operator.tokens.CreateToken(
            tokens_pb.CreateTokenRequest(user="erin", role=access_pb2.ROLE_ANALYST, label="watch")
        )
        endless = question("", sales)
        endless.analysis.statement = ENDLESS_SQL
        job = await operator.create(endless)
        async with (
            web.stranger(origin=web.url) as here,
            web.stranger(origin=web.url) as erins,
            open_channel(web.settings.address("gateway"), "local", token=made.secret) as channel,
        ):
            await here.get(web.start)
            await erins.post("/sign-in", json={"token": made.secret})
            begun = asyncio.Barrier(4)
            watching = asyncio.gather(
                ended_in_browser(here, job.job_id, begun),
                ended_in_browser(erins, job.job_id, begun),
                ended_in_program(channel, job.job_id, begun),
            )
            await begun.wait()
            await here.post("/sign-out")
            await operator.tokens.RevokeToken(
                tokens_pb.RevokeTokenRequest(token_id=made.token.token_id)
            )
            async with asyncio.timeout(allowing(2 * AGAIN_SECONDS)):
                ended = ("SIGN_IN_ENDED", "TOKEN_REFUSED", "TOKEN_REFUSED")
                assert tuple(await watching) == ended
        await operator.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job.job_id))


async def ended_in_browser(client: httpx2.AsyncClient, job_id: str, begun: asyncio.Barrier) -> str:
    """The reason for which a browser's watch of a job ends."""
    body = b""
    async with client.stream(
        "POST",
        "/assay.gateway.v1.JobService/WatchJob",
        content=enveloped(json.dumps({"jobId": job_id}).encode()),
        headers={"content-type": "application/connect+json"},
    ) as answer:
        async for piece in answer.aiter_bytes():
            if not body:
                await begun.wait()
            body += piece
    refused: str = details(json.loads(envelopes(body)[-1][1])["error"]).reason
    return refused


async def ended_in_program(channel: aio.Channel, job_id: str, begun: asyncio.Barrier) -> str:
    """The reason for which a program's watch of a job ends."""
    stub = job_service_pb2_grpc.JobServiceStub(channel)
    watch = stub.WatchJob(jobs_pb.WatchJobRequest(job_id=job_id))
    await anext(aiter(watch))
    await begun.wait()
    try:
        async for _ in watch:
            pass
    except aio.AioRpcError as error:
        return from_rpc_error(error).reason.code
    return "it ended"


async def test_a_caller_with_a_token_names_no_files_of_this_machine(web: Web, sales: Path) -> None:
    look = {"dataSources": [{"filePath": str(sales)}]}
    path = "/assay.gateway.v1.JobService/LookAtSources"
    assert "look" in (await web.browser.post(path, json=look)).json()
    async with Caller(web.settings, "local") as operator:
        made = await operator.tokens.CreateToken(
            tokens_pb.CreateTokenRequest(user="dave", role=access_pb2.ROLE_ANALYST, label="curl")
        )
    async with web.stranger(authorization=f"Bearer {made.secret}") as program:
        refused = (await program.post(path, json=look)).json()
    assert details(refused).reason == "FILE_PATH_REFUSED"


async def test_signing_out_everywhere_ends_every_browser(web: Web) -> None:
    async with web.stranger(origin=web.url) as one, web.stranger(origin=web.url) as other:
        for browser in (one, other):
            await browser.get(web.start)
            assert (await browser.post("/who")).status_code == 200
        assert (await one.post("/sign-out-everywhere")).json()["ended"] >= 2
        assert (await other.post("/who")).json()["reason"] == "SIGN_IN_ENDED"
    await web.browser.get(web.start)  # this one was signed out with them


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null"])
async def test_a_page_of_another_site_calls_nothing_with_the_cookie(web: Web, origin: str) -> None:
    answer = await web.browser.post(
        "/assay.gateway.v1.JobService/ListJobs", json={}, headers={"origin": origin}
    )
    assert details(answer.json()).reason == "ORIGIN_REFUSED"
    assert "access-control-allow-origin" not in answer.headers
    for path in ("/sign-in", "/sign-out", "/sign-out-everywhere", "/who"):
        refused = await web.browser.post(path, json={}, headers={"origin": origin})
        assert refused.json()["reason"] == "ORIGIN_REFUSED"


async def test_a_site_that_is_named_may_call_with_a_token_and_without_the_cookie(web: Web) -> None:
    asks = {
        "origin": ELSEWHERE,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
    }
    path = "/assay.gateway.v1.JobService/ListJobs"
    async with web.stranger() as page:
        allowed = await page.options(path, headers=asks)
        other = await page.options(path, headers={**asks, "origin": "https://evil.example"})
    assert allowed.headers["access-control-allow-origin"] == ELSEWHERE
    assert "access-control-allow-credentials" not in allowed.headers
    assert "access-control-allow-origin" not in other.headers


async def test_another_name_that_leads_here_is_not_answered(web: Web) -> None:
    answer = await web.browser.get("/", headers={"host": "rebound.example"})
    assert answer.status_code == 400


async def test_every_answer_carries_the_policy_and_pages_are_found_by_any_address(web: Web) -> None:
    for path in ("/", "/ask/0123", "/health", "/mark.svg"):
        answer = await web.browser.get(path)
        assert answer.status_code == 200, path
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await web.browser.get("/health")).json() == {"status": "serving"}
    assert (await web.browser.get("/assets/none.js")).status_code == 404
    assert (await web.browser.get("/../../service.py")).text.startswith("<!doctype html>")
