"""Who may call what: by tokens, over a network, at every rpc of the gateway."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
import pytest_asyncio
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import access_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import session_service_pb2_grpc
from assay.gateway.v1 import token_service_pb2 as tokens_pb
from gateway.service import GatewayService
from mesh.config import MeshSettings
from mesh.context import STRANGERS_TENANT
from mesh.ids import new_id
from mesh.roles import Role
from mesh.transport.dial import open_channel
from mesh.transport.status import from_rpc_error
from tests.mesh import shared
from tests.mesh.cases import CASES
from tests.mesh.every_rpc import called, every_rpc, service_of
from tests.mesh.owned import Owned, own_something
from tests.mesh.support import Caller, refusal
from tests.unit.gateway.issuing import AUDIENCE, ISSUER, claims, signed, write_keys

RPCS = every_rpc()
PUBLIC = {name: method for name, method in RPCS.items() if service_of(name) == "gateway"}


def needed(name: str) -> Role:
    return Role(PUBLIC[name].GetOptions().Extensions[access_pb2.role])


@pytest.mark.parametrize("name", RPCS)
def test_every_rpc_of_the_gateway_and_no_other_says_who_may_call_it(name: str) -> None:
    says = Role(RPCS[name].GetOptions().Extensions[access_pb2.role])
    assert (says is not Role.NONE) == (name in PUBLIC)


def test_the_gateway_serves_every_contract_of_its_package() -> None:
    assert set(GatewayService.contracts) == {name.split("/")[1] for name in PUBLIC}


def test_the_roles_of_the_contract_are_those_of_the_code() -> None:
    contract = {name.removeprefix("ROLE_"): number for name, number in access_pb2.Role.items()}
    assert {"NONE" if name == "UNSPECIFIED" else name: n for name, n in contract.items()} == {
        role.name: role.value for role in Role
    }


@dataclass
class World:
    """A mesh that lets strangers in by tokens alone."""

    settings: MeshSettings
    address: str

    def token(self, **changed: object) -> str:
        return signed(claims(datetime.now(UTC), **changed), "EdDSA")

    def channel(self, token: str | None, name: str = "ann") -> aio.Channel:
        return open_channel(self.address, name, token=token)


@asynccontextmanager
async def a_world(folder: Path) -> AsyncIterator[World]:
    values = {
        "ASSAY_GATEWAY_AUTH": "tokens",
        "ASSAY_GATEWAY_JWT_KEYS": str(write_keys(folder / "keys")),
        "ASSAY_GATEWAY_JWT_ISSUERS": ISSUER,
        "ASSAY_GATEWAY_JWT_AUDIENCES": AUDIENCE,
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        public = f"127.0.0.1:{free.getsockname()[1]}"
    async with shared.settled_mesh(values, public=public) as settings:
        yield World(settings, public)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """One that tests share."""
    async with a_world(tmp_path_factory.mktemp("keys")) as made:
        yield made


async def got(channel: aio.Channel, name: str, owned: Owned) -> str:
    """ "" where a call is let in, whatever it is answered, else why it is not."""
    request = CASES[name][0].make(owned)
    try:
        await called(channel, name, RPCS[name], request)
    except grpc.RpcError as error:
        reason = from_rpc_error(error).reason.code
        return reason if reason.startswith(("TOKEN_", "ROLE_", "CREDENTIALS_")) else ""
    return ""


@shared.ON_ONE_LOOP
async def test_each_rpc_lets_in_whose_role_may_call_it_and_nobody_else(
    world: World, sales: Path
) -> None:
    async with Caller(world.settings, "ann") as ann:
        owned = await own_something(ann, sales)
    callers = {
        role: world.channel(world.token(tenant="bob", sub="bob", roles=[role.word]))
        for role in Role
    }
    nobody, liar = world.channel(None), world.channel(world.token(aud="other"))
    for name in PUBLIC:
        assert await got(nobody, name, owned) == "TOKEN_REQUIRED", name
        assert await got(liar, name, owned) == "TOKEN_REFUSED", name
        for role, channel in callers.items():
            expected = "" if role >= needed(name) else "ROLE_MISSING"
            assert await got(channel, name, owned) == expected, (name, role)
    for channel in (*callers.values(), nobody, liar):
        await channel.close()


@shared.ON_ONE_LOOP
async def test_a_token_is_its_tenants_whatever_name_comes_with_it(world: World) -> None:
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    async with (
        world.channel(world.token(), "bob") as anns,
        world.channel(world.token(tenant="bob"), "acme") as bobs,
    ):
        made = await session_service_pb2_grpc.SessionServiceStub(anns).CreateSession(create)
        wanted = sessions_pb.GetSessionRequest(session_id=made.session.session_id)
        for channel, found in ((anns, True), (bobs, False)):
            call = session_service_pb2_grpc.SessionServiceStub(channel).GetSession(wanted)
            if found:
                assert (await call).session.session_id == made.session.session_id
            else:
                assert (await refusal(call)).reason.code == "NOT_FOUND"


@shared.ON_ONE_LOOP
async def test_a_key_is_made_used_and_revoked_and_all_of_it_is_recorded(tmp_path: Path) -> None:
    """On a mesh of its own: what is refused once more within an hour is not told again."""
    async with a_world(tmp_path) as world:
        await made_used_and_revoked(world)


async def made_used_and_revoked(world: World) -> None:
    async with Caller(world.settings, "acme") as owner:  # over the socket
        made = await owner.tokens.CreateToken(
            tokens_pb.CreateTokenRequest(user="nightly", role=access_pb2.ROLE_READER)
        )
        listed = (await owner.tokens.ListTokens(tokens_pb.ListTokensRequest())).tokens
        assert [key.token_id for key in listed] == [made.token.token_id]
        assert made.secret not in str(listed)
        async with world.channel(made.secret) as channel:
            list_jobs = "/assay.gateway.v1.JobService/ListJobs"
            wanted = [jobs_pb.ListJobsRequest()]
            await called(channel, list_jobs, RPCS[list_jobs], wanted)
            cancel = "/assay.gateway.v1.JobService/CancelJob"
            stop = jobs_pb.CancelJobRequest(job_id=new_id())
            error = await refusal(called(channel, cancel, RPCS[cancel], [stop]))
            assert (error.reason.code, error.metadata["needed"]) == ("ROLE_MISSING", "analyst")
            await owner.tokens.RevokeToken(
                tokens_pb.RevokeTokenRequest(token_id=made.token.token_id)
            )
            error = await refusal(called(channel, list_jobs, RPCS[list_jobs], wanted))
            assert error.reason.code == "TOKEN_REFUSED"
        rules = {"TOKEN_CREATED", "TOKEN_REVOKED", "ROLE_MISSING"}
        assert {told["rule"] for told in await recorded(owner, rules)} == rules
    async with Caller(world.settings, STRANGERS_TENANT) as log:
        (told,) = await recorded(log, {"TOKEN_REFUSED"})
        assert told["from"] == "127.0.0.1"
        assert made.secret not in str(told)


async def recorded(caller: Caller, rules: set[str]) -> list[dict[str, str]]:
    """What the log holds of a tenant; waits until all of `rules` are there."""
    found: list[dict[str, str]] = []
    async with asyncio.timeout(20):
        async for told in caller.audit.Watch(audit_pb.WatchRequest()):
            found.append(json.loads(told.entry.event_data_json))
            if {data.get("rule", "") for data in found} >= rules:
                break
    return found


@shared.ON_ONE_LOOP
async def test_nobody_makes_keys_over_a_network_without_the_role(world: World) -> None:
    create = "/assay.gateway.v1.TokenService/CreateToken"
    wanted = tokens_pb.CreateTokenRequest(user="eve", role=access_pb2.ROLE_OPERATOR)
    async with world.channel(world.token(), "local") as channel:
        error = await refusal(called(channel, create, RPCS[create], [wanted]))
    assert error.reason.code == "ROLE_MISSING"
    async with world.channel(world.token(roles=["operator"]), "local") as channel:
        (made,) = await called(channel, create, RPCS[create], [wanted])
    assert made.token.tenant == "acme", "keys are of the tenant of whoever makes them"
