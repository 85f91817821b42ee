"""Who is let in: keys, tokens and names; roles; and the record of who was not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from gateway.admission.allowances import Allowances
from gateway.admission.app import BELIEVED_SECONDS, LONGEST_TOKEN, MOST_BELIEVED, Admission
from gateway.admission.refusals import Refusals
from gateway.admission.roles import signed_tokens
from gateway.domain.allowance import CallLimits
from gateway.domain.api_key import ApiKey, secret_hash, token_of
from gateway.domain.refusal import MOST_RECORDED, Refusal
from gateway.settings import GatewaySettings
from gateway.tokens.app import ApiKeys
from mesh import context as calls
from mesh.clock import HeldClock
from mesh.config import load
from mesh.context import STRANGERS_TENANT, Established, Principal
from mesh.errors import (
    CREDENTIALS_REFUSED,
    ROLE_MISSING,
    TOKEN_EXPIRED,
    TOKEN_REFUSED,
    TOKEN_REQUIRED,
    AssayError,
    Reason,
)
from mesh.roles import Role
from tests.unit.gateway.issuing import AUDIENCE, ISSUER, NOON, claims, signed, write_keys

SOCKET, HERE, ELSEWHERE = "unix:", "ipv4:127.0.0.1:4000", "ipv4:10.0.0.7:4000"
READ, ASK, MANAGE, NOBODYS = "/g/Read", "/g/Ask", "/g/Manage", "/g/New"
NEEDED = {READ: Role.READER, ASK: Role.ANALYST, MANAGE: Role.OPERATOR, NOBODYS: Role.NONE}
HOUR = 3600


@dataclass
class Store:
    """Keys in a dictionary; counts how often one is looked for."""

    keys: dict[str, ApiKey] = field(default_factory=dict)
    found: int = 0
    noted: int = 0

    async def add(self, key: ApiKey) -> None:
        self.keys[key.key_id] = key

    async def find(self, key_id: str) -> ApiKey | None:
        self.found += 1
        return self.keys.get(key_id)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[ApiKey], str]:
        return [key for key in self.keys.values() if key.tenant == tenant], ""

    async def revoke(self, tenant: str, key_id: str, now: datetime) -> ApiKey | None:
        key = self.keys.get(key_id)
        if key is None or key.tenant != tenant:
            return None
        self.keys[key_id] = replace(key, revoked_at=key.revoked_at or now)
        return self.keys[key_id]

    async def used(self, key_id: str, now: datetime) -> None:
        self.noted += 1
        self.keys[key_id] = replace(self.keys[key_id], last_used_at=now)


@dataclass
class Log:
    """What was recorded, and under which tenant."""

    refusals: list[Refusal] = field(default_factory=list)
    tenants: list[str] = field(default_factory=list)
    keys: list[tuple[str, str, str]] = field(default_factory=list)

    async def record_refusal(self, refusal: Refusal, hour: int) -> None:
        self.refusals.append(refusal)
        self.tenants.append(calls.current().tenant)

    async def record_key(self, rule: str, key: ApiKey, by: str) -> None:
        self.keys.append((rule, key.key_id, by))


@dataclass
class Door:
    """A gateway's door."""

    store: Store
    log: Log
    clock: HeldClock
    refusals: Refusals
    keys: ApiKeys
    admission: Admission

    async def enters(
        self,
        token: str | None = None,
        *,
        peer: str = ELSEWHERE,
        method: str = READ,
        name: str | None = None,
    ) -> Principal:
        metadata = [("x-assay-user", name)] if name is not None else []
        if token is not None:
            metadata.append(("authorization", f"Bearer {token}"))
        return await self.admission.admitted(method, metadata, peer)

    async def refused(self, token: str | None = None, **how: str) -> Reason:
        with pytest.raises(AssayError) as told:
            await self.enters(token, **how)
        return told.value.reason

    async def makes(self, role: Role = Role.READER, tenant: str = "acme") -> tuple[ApiKey, str]:
        with calls.entered(calls.CallContext(tenant=tenant, user="boss")):
            return await self.keys.create("ann", role, "", None)


def door(keys: Path, *, by_name: bool, store: Store | None = None) -> Door:
    store, log, clock = store or Store(), Log(), HeldClock(NOON)
    refusals = Refusals(log, clock)
    api_keys = ApiKeys(store, log, clock)
    settings = load(
        GatewaySettings,
        gateway_jwt_keys=keys,
        gateway_jwt_issuers=ISSUER,
        gateway_jwt_audiences=AUDIENCE,
    )
    signed_by = signed_tokens(settings, clock)
    free = Allowances(CallLimits(), clock)
    admission = Admission(api_keys, signed_by, NEEDED, refusals, clock, free, by_name=by_name)
    api_keys.revoked = admission.forget
    return Door(store, log, clock, refusals, api_keys, admission)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_keys(tmp_path_factory.mktemp("keys"))


@pytest_asyncio.fixture
async def strict(keys: Path) -> AsyncIterator[Door]:
    made = door(keys, by_name=False)
    yield made
    await made.refusals.settled()


@pytest_asyncio.fixture
async def lenient(keys: Path) -> AsyncIterator[Door]:
    made = door(keys, by_name=True)
    yield made
    await made.refusals.settled()


async def test_a_key_says_who_calls_and_what_they_may(strict: Door) -> None:
    _, token = await strict.makes(Role.ANALYST)
    who = Principal("acme", "ann", Established.KEY, Role.ANALYST)
    assert await strict.enters(token) == who
    assert await strict.enters(token, method=ASK) == who
    assert await strict.refused(token, method=MANAGE) is ROLE_MISSING


@pytest.mark.parametrize("peer", [SOCKET, HERE, ELSEWHERE])
async def test_the_token_wins_over_the_name(lenient: Door, peer: str) -> None:
    _, token = await lenient.makes()
    assert (await lenient.enters(token, peer=peer, name="bob")).tenant == "acme"
    found = await lenient.enters(signed(claims()), peer=peer, name="bob")
    assert (found.tenant, found.user) == ("acme", "ann")
    assert await lenient.refused("wrong", peer=peer, name="bob") is TOKEN_REFUSED


async def test_where_tokens_are_required_a_name_is_nobody_but_on_the_socket(strict: Door) -> None:
    for peer in (HERE, ELSEWHERE):
        assert await strict.refused(peer=peer, name="ann") is TOKEN_REQUIRED
        assert await strict.refused(peer=peer) is TOKEN_REQUIRED
    assert (await strict.enters(peer=SOCKET, name="ann", method=MANAGE)).tenant == "ann"


async def test_by_name_callers_of_this_machine_do_all_but_manage(lenient: Door) -> None:
    assert (await lenient.enters(peer=HERE, name="ann", method=ASK)).tenant == "ann"
    assert await lenient.refused(peer=HERE, name="ann", method=MANAGE) is ROLE_MISSING
    assert await lenient.refused(peer=HERE) is CREDENTIALS_REFUSED
    assert await lenient.refused(peer=ELSEWHERE, name="ann") is TOKEN_REQUIRED


@pytest.mark.parametrize(
    "headers",
    [
        ["Bearer a", "Bearer b"],
        [""],
        ["Bearer"],
        ["Bearer "],
        ["Basic YW5uOng="],
        ["Bearer " + "x" * (LONGEST_TOKEN + 1)],
        ["Bearer assay_"],
        ["Bearer assay_" + "0" * 16 + "_" + "A" * 43],
        ["Bearer assay_../../etc_" + "A" * 43],
    ],
)
async def test_what_is_no_token_is_refused(strict: Door, headers: list[str]) -> None:
    metadata = [("authorization", header) for header in headers]
    with pytest.raises(AssayError) as told:
        await strict.admission.admitted(READ, metadata, ELSEWHERE)
    assert told.value.reason is TOKEN_REFUSED


async def test_what_is_wrong_with_a_key_is_not_told(strict: Door) -> None:
    key, token = await strict.makes()
    other, _ = await strict.makes()
    with calls.entered(calls.CallContext(tenant="acme")):
        await strict.keys.revoke(other.key_id)
    secret = token.rpartition("_")[2] if token.count("_") == 2 else token[23:]
    wrong = [
        token_of(key.key_id, "A" * 43),
        token_of("0" * 16, secret),
        token_of(other.key_id, secret),
        token[:-1],
        token + "A",
    ]
    told = set()
    for attempt in wrong:
        with pytest.raises(AssayError) as error:
            await strict.enters(attempt)
        told.add((error.value.reason, error.value.message, str(error.value.metadata)))
    assert len(told) == 1


async def test_a_revoked_key_ends_here_at_once_and_elsewhere_within_seconds(keys: Path) -> None:
    here = door(keys, by_name=False)
    there = door(keys, by_name=False, store=here.store)
    key, token = await here.makes()
    for gateway in (here, there):
        await gateway.enters(token)
    with calls.entered(calls.CallContext(tenant="acme", user="boss")):
        await here.keys.revoke(key.key_id)
    assert await here.refused(token) is TOKEN_REFUSED
    await there.enters(token)
    there.clock.advance(BELIEVED_SECONDS)
    assert await there.refused(token) is TOKEN_REFUSED
    assert here.log.keys == [
        ("TOKEN_CREATED", key.key_id, "boss"),
        ("TOKEN_REVOKED", key.key_id, "boss"),
    ]
    for gateway in (here, there):
        await gateway.refusals.settled()


async def test_what_is_over_ends_though_it_was_believed_a_moment_before(strict: Door) -> None:
    _, token = await strict.makes()
    strict.clock.advance(90 * 24 * HOUR - 1)
    await strict.enters(token)
    strict.clock.advance(1)
    assert await strict.refused(token) is TOKEN_EXPIRED
    brief = signed(claims(strict.clock.now(), exp=int(strict.clock.now().timestamp()) + 1))
    await strict.enters(brief)
    strict.clock.advance(1 + 30)
    assert await strict.refused(brief) is TOKEN_EXPIRED


async def test_a_token_is_verified_again_only_after_seconds(strict: Door) -> None:
    _, token = await strict.makes()
    for _ in range(20):
        await strict.enters(token)
    assert strict.store.found == 1
    strict.clock.advance(BELIEVED_SECONDS)
    await strict.enters(token)
    assert strict.store.found == 2


async def test_that_a_key_is_used_is_noted_once_an_hour(strict: Door) -> None:
    _, token = await strict.makes()
    for _ in range(10):
        await strict.enters(token)
        strict.clock.advance(HOUR / 5)
    assert strict.store.noted == 2


async def test_no_more_is_believed_than_there_is_room_for(strict: Door) -> None:
    made = [await strict.makes() for _ in range(3)]
    await strict.enters(made[0][1])
    believed = strict.admission._believed
    believed.update(
        {number.to_bytes(8): next(iter(believed.values())) for number in range(MOST_BELIEVED)}
    )
    for _, token in made[1:]:
        await strict.enters(token)
    assert len(believed) == MOST_BELIEVED
    for _ in range(MOST_BELIEVED):
        assert await strict.refused(token_of("0" * 16, "A" * 43)) is TOKEN_REFUSED
    assert len(believed) == MOST_BELIEVED, "what is refused takes no room"


async def test_a_method_without_a_role_is_nobodys(lenient: Door) -> None:
    for method in (NOBODYS, "/g/Unheard"):
        assert await lenient.refused(peer=SOCKET, method=method) is ROLE_MISSING
        assert await lenient.refused(peer=HERE, name="ann", method=method) is ROLE_MISSING


async def test_a_token_of_no_known_role_is_somebody_who_may_nothing(strict: Door) -> None:
    assert await strict.refused(signed(claims(roles=["root"]))) is ROLE_MISSING
    await strict.refusals.settled()
    assert strict.log.tenants == ["acme"]


async def test_a_secret_is_kept_nowhere(strict: Door) -> None:
    key, token = await strict.makes()
    secret = token[len("assay_") + 17 :]
    assert key.secret_hash == secret_hash(secret)
    assert secret not in repr((strict.store.keys, strict.log, strict.admission.__dict__))
    assert len(secret) == 43


async def test_keys_of_another_tenant_cannot_be_revoked(strict: Door) -> None:
    key, token = await strict.makes(tenant="acme")
    with (
        calls.entered(calls.CallContext(tenant="evil", user="eve")),
        pytest.raises(AssayError, match="NOT_FOUND"),
    ):
        await strict.keys.revoke(key.key_id)
    await strict.enters(token)


@pytest.mark.parametrize(
    ("wrong", "field_name"),
    [
        ({"user": ""}, "user"),
        ({"user": "a,b"}, "user"),
        ({"role": Role.NONE}, "role"),
        ({"label": "x" * 201}, "label"),
        ({"label": "a\nb"}, "label"),
        ({"lifetime": timedelta(0)}, "lifetime"),
        ({"lifetime": timedelta(days=-1)}, "lifetime"),
        ({"lifetime": timedelta(days=367)}, "lifetime"),
    ],
)
async def test_keys_that_cannot_be_are_not_made(
    strict: Door, wrong: dict[str, object], field_name: str
) -> None:
    asked: dict[str, object] = {
        "user": "ann",
        "role": Role.READER,
        "label": "",
        "lifetime": None,
        **wrong,
    }
    with pytest.raises(AssayError) as told:
        await strict.keys.create(**asked)  # type: ignore[arg-type]
    assert set(told.value.fields) == {field_name}
    assert not strict.store.keys and not strict.log.keys


# The record


async def test_every_refusal_is_on_record_once_an_hour(strict: Door) -> None:
    _, token = await strict.makes()
    for _ in range(5):
        await strict.refused()
        await strict.refused("wrong")
        await strict.refused(token, method=ASK)
        await strict.refusals.settled()
    seen = {(refusal.tenant, refusal.rule, refusal.method) for refusal in strict.log.refusals}
    assert seen == {
        (STRANGERS_TENANT, "TOKEN_REQUIRED", ""),
        (STRANGERS_TENANT, "TOKEN_REFUSED", ""),
        ("acme", "ROLE_MISSING", ASK),
    }
    assert len(strict.log.refusals) == 3
    assert {refusal.host for refusal in strict.log.refusals} == {"10.0.0.7"}
    assert strict.log.tenants == [refusal.tenant for refusal in strict.log.refusals]
    strict.clock.advance(HOUR)
    await strict.refused()
    await strict.refusals.settled()
    assert len(strict.log.refusals) == 4


async def test_a_flood_of_strangers_leaves_a_hundred_records_and_one(strict: Door) -> None:
    for number in range(1_000):
        peer = f"ipv4:10.{number // 250}.1.{number % 250}:4000"
        await strict.refused("wrong", peer=peer)
        await strict.refused(peer=peer)
        if number % 20 == 0:
            await strict.refusals.settled()
    await strict.refusals.settled()
    assert len(strict.log.refusals) == MOST_RECORDED + 1
    assert "more than 100" in strict.log.refusals[-1].reason
    _, token = await strict.makes()
    await strict.refused(token, method=ASK)
    await strict.refusals.settled()
    assert strict.log.refusals[-1].tenant == "acme", "strangers take no room of a tenant's"


async def test_nothing_that_a_stranger_wrote_is_recorded(strict: Door) -> None:
    await strict.refused("evil-token", name="evil-name", method=ASK)
    await strict.refused(token_of("f" * 16, "A" * 43))
    await strict.refusals.settled()
    told = repr(strict.log.refusals)
    assert "evil" not in told and "f" * 16 not in told
