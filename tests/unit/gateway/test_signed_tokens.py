"""Signed tokens: the good one of each algorithm, and every wrong one."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.adapters.jwt_keys import LOOK_SECONDS, KeyFiles
from gateway.admission.roles import signed_tokens
from gateway.ports import Verifier
from gateway.settings import GatewaySettings
from mesh.clock import HeldClock
from mesh.config import load
from mesh.context import Established, Principal
from mesh.errors import INVALID_ARGUMENT, TOKEN_EXPIRED, TOKEN_REFUSED, AssayError, Reason
from mesh.roles import Role
from tests.thorough import times
from tests.unit.gateway.issuing import (
    AUDIENCE,
    ISSUER,
    NOON,
    claims,
    key_set,
    public_pem,
    signed,
    spelled,
    write_keys,
)

LEEWAY = 30
NOW = int(NOON.timestamp())
ANN = Principal("acme", "ann", Established.TOKEN, Role.ANALYST)


def verifier(keys: Path, clock: HeldClock, **changed: object) -> Verifier:
    values = {
        "gateway_jwt_keys": keys,
        "gateway_jwt_issuers": f"{ISSUER},https://other.example",
        "gateway_jwt_audiences": AUDIENCE,
        "gateway_jwt_leeway_seconds": LEEWAY,
        **changed,
    }
    return signed_tokens(load(GatewaySettings, **values), clock)


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(NOON)


@pytest.fixture
def tokens(tmp_path: Path, clock: HeldClock) -> Verifier:
    return verifier(write_keys(tmp_path / "keys"), clock)


async def reason(tokens: Verifier, token: str) -> Reason:
    """Why a token is refused; the message says nothing that depends on the token."""
    with pytest.raises(AssayError) as told:
        await tokens.verified(token)
    error = told.value
    assert error.message in ("the token is not believed", "the token's time is over")
    assert not error.fields and not error.metadata and not error.hint
    return error.reason


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
async def test_a_good_token_says_who_calls(tokens: Verifier, algorithm: str) -> None:
    found = await tokens.verified(signed(claims(), algorithm))
    assert found.principal == ANN
    assert found.until == NOW + 600 + LEEWAY
    several = await tokens.verified(signed(claims(aud=["x", AUDIENCE]), algorithm))
    assert several.principal == ANN


async def test_a_key_may_go_unnamed_where_there_is_one_of_its_algorithm(
    tokens: Verifier, tmp_path: Path, clock: HeldClock
) -> None:
    assert (await tokens.verified(signed(claims(), key_id=None))).principal == ANN
    two = tmp_path / "two"
    two.mkdir()
    for number in (0, 1):
        (two / f"{number}.pem").write_bytes(public_pem("RS256", number))
    assert await reason(verifier(two, clock), signed(claims(), key_id=None)) is TOKEN_REFUSED


WRONG_CLAIMS: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "issuers in a list": {"iss": [ISSUER]},
    "another audience": {"aud": "other"},
    "no audience": {"aud": None},
    "an empty audience": {"aud": []},
    "an audience that begins alike": {"aud": AUDIENCE + "2"},
    "no end": {"exp": None},
    "an end in words": {"exp": "tomorrow"},
    "an end that is true": {"exp": True},
    "an end beyond all numbers": {"exp": 10**400},
    "an endless end": {"exp": float("inf")},
    "an end that is no number": {"exp": float("nan")},
    "not yet valid": {"nbf": NOW + LEEWAY + 1},
    "a beginning in words": {"nbf": "now"},
    "issued in the future": {"iat": NOW + LEEWAY + 1},
    "no tenant": {"tenant": None},
    "an empty tenant": {"tenant": ""},
    "a tenant with a comma": {"tenant": ",strangers"},
    "several tenants": {"tenant": ["acme"]},
    "a number for a tenant": {"tenant": 7},
    "a long tenant": {"tenant": "x" * 101},
    "a tenant of two lines": {"tenant": "a\nb"},
    "no user": {"sub": None},
    "a user with a comma": {"sub": "a,b"},
}


@pytest.mark.parametrize("case", WRONG_CLAIMS)
async def test_a_token_that_claims_what_cannot_be_is_refused(tokens: Verifier, case: str) -> None:
    assert await reason(tokens, signed(claims(**WRONG_CLAIMS[case]))) is TOKEN_REFUSED


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unsigned(algorithm: str) -> str:
    return spelled({"alg": algorithm, "kid": "rs256"}, claims(), None)


def confused(key_id: str, secret: bytes) -> str:
    return spelled({"alg": "HS256", "typ": "JWT", "kid": key_id}, claims(), secret)


def tampered() -> str:
    head, _, code = signed(claims()).split(".")
    other = signed(claims(tenant="evil")).split(".")[1]
    return ".".join([head, other, code])


def with_header(**header: object) -> str:
    real = signed(claims()).split(".")
    return ".".join([spelled(header, {}, None).split(".")[0], *real[1:]])


WRONG: dict[str, Callable[[], str]] = {
    "alg none": lambda: unsigned("none"),
    "alg None": lambda: unsigned("None"),
    "alg NONE": lambda: unsigned("NONE"),
    "RS256 without a signature": lambda: unsigned("RS256"),
    "HS256 with the public RSA key": lambda: confused("rs256", public_pem("RS256")),
    "HS256 with the public RSA key, stripped": lambda: confused(
        "rs256", public_pem("RS256").strip()
    ),
    "HS256 with the public EC key": lambda: confused("es256", public_pem("ES256")),
    "HS256 with an empty secret": lambda: confused("rs256", b""),
    "ES256 that names the RSA key": lambda: signed(claims(), "ES256", key_id="rs256"),
    "another key under a known id": lambda: signed(claims(), number=1),
    "an id of no key": lambda: signed(claims(), key_id="gone"),
    "an id that is a path": lambda: signed(claims(), key_id="../rs256"),
    "a list for an id": lambda: with_header(alg="RS256", kid=["rs256"]),
    "no algorithm": lambda: with_header(kid="rs256"),
    "a number for an algorithm": lambda: with_header(alg=1, kid="rs256"),
    "a critical extension": lambda: with_header(alg="RS256", kid="rs256", crit=["x"], x=1),
    "other claims under the signature": tampered,
    "cut off": lambda: signed(claims())[:-5],
    "two parts": lambda: signed(claims()).rpartition(".")[0],
    "four parts": lambda: signed(claims()) + ".x",
    "claims that are a list": lambda: spelled({"alg": "RS256", "kid": "rs256"}, {}, b"").replace(
        "e30", "W10"
    ),
    "a header that goes deep": lambda: _part(b"[" * 6_000) + ".e30.AAAA",
    "a header that is a list": lambda: _part(b'["RS256"]') + ".e30.AAAA",
    "a header of no text": lambda: _part(b"\xff\xfe") + ".e30.AAAA",
    "letters of no alphabet": lambda: "\u00e5.\u00e5.\u00e5",
    "nothing": lambda: "",
    "dots": lambda: "..",
    "a megabyte": lambda: "x" * 1_000_000,
    "a megabyte of dots": lambda: "." * 1_000_000,
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_token_that_nobody_of_ours_signed_is_refused(tokens: Verifier, case: str) -> None:
    assert await reason(tokens, WRONG[case]()) is TOKEN_REFUSED


@given(st.data())
@settings(
    max_examples=times(25, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_token_that_was_changed_anywhere_is_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    import asyncio

    tokens = verifier(write_keys(tmp_path_factory.getbasetemp() / "kept"), HeldClock(NOON))
    token = signed(claims(), "EdDSA")
    # The last letter holds bits that belong to no byte.
    place = data.draw(st.integers(0, len(token) - 2))
    letter = data.draw(st.sampled_from("AQgw05-_.=+/ \n").filter(lambda each: each != token[place]))
    changed = token[:place] + letter + token[place + 1 :]
    assert asyncio.run(reason(tokens, changed)) is TOKEN_REFUSED


@pytest.mark.parametrize(
    ("late", "expected"), [(-1, None), (0, None), (LEEWAY - 1, None), (LEEWAY, TOKEN_EXPIRED)]
)
async def test_clocks_may_differ_by_the_leeway_and_no_more(
    tokens: Verifier, clock: HeldClock, late: int, expected: Reason | None
) -> None:
    token = signed(claims())
    clock.advance(600 + late)
    if expected is None:
        assert (await tokens.verified(token)).principal == ANN
    else:
        assert await reason(tokens, token) is expected


async def test_a_token_may_come_from_a_clock_that_is_ahead(tokens: Verifier) -> None:
    early = claims(nbf=NOW + LEEWAY, iat=NOW + LEEWAY)
    assert (await tokens.verified(signed(early))).principal == ANN


async def test_that_it_is_over_is_told_of_a_token_that_was_good_alone(
    tokens: Verifier, clock: HeldClock
) -> None:
    clock.advance(3600)
    wrongs: list[dict[str, Any]] = [{"iss": "https://evil.example"}, {"aud": "x"}, {"tenant": None}]
    for wrong in wrongs:
        assert await reason(tokens, signed(claims(**wrong))) is TOKEN_REFUSED
    assert await reason(tokens, signed(claims(), number=1)) is TOKEN_REFUSED
    assert await reason(tokens, signed(claims())) is TOKEN_EXPIRED


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        (["reader"], Role.READER),
        (["reader", "operator", "x"], Role.OPERATOR),
        ("openid analyst", Role.ANALYST),
        (["OPERATOR", "root", "admin", "none", ""], Role.NONE),
        ([], Role.NONE),
        (None, Role.NONE),
        ({"operator": True}, Role.NONE),
        (3, Role.NONE),
        ([["operator"], 3], Role.NONE),
    ],
)
async def test_roles_that_are_not_known_give_no_right(
    tokens: Verifier, roles: object, expected: Role
) -> None:
    found = await tokens.verified(signed(claims(roles=roles)))
    assert found.principal.role is expected


async def test_claims_are_found_where_the_settings_say(tmp_path: Path, clock: HeldClock) -> None:
    tokens = verifier(
        write_keys(tmp_path),
        clock,
        gateway_jwt_tenant_claim="https://assay.example/tenant",
        gateway_jwt_user_claim="email",
        gateway_jwt_roles_claim="realm_access.roles",
    )
    said = {
        **claims(sub=None, tenant=None, roles=None),
        "https://assay.example/tenant": "acme",
        "email": "ann@example.com",
        "realm_access": {"roles": ["offline_access", "operator"]},
    }
    found = (await tokens.verified(signed(said))).principal
    assert found == Principal("acme", "ann@example.com", Established.TOKEN, Role.OPERATOR)


async def test_algorithms_that_are_not_allowed_are_refused(
    tmp_path: Path, clock: HeldClock
) -> None:
    tokens = verifier(write_keys(tmp_path), clock, gateway_jwt_algorithms="EdDSA")
    assert (await tokens.verified(signed(claims(), "EdDSA"))).principal == ANN
    assert await reason(tokens, signed(claims(), "RS256")) is TOKEN_REFUSED


async def test_keys_are_brought_in_and_taken_away_while_it_runs(
    tmp_path: Path, clock: HeldClock
) -> None:
    path = tmp_path / "keys.json"
    path.write_text(key_set(("old", "RS256", 0)))
    tokens = verifier(path, clock)
    old, new = signed(claims(), key_id="old"), signed(claims(), number=1, key_id="new")
    assert (await tokens.verified(old)).principal == ANN
    assert await reason(tokens, new) is TOKEN_REFUSED

    path.write_text(key_set(("old", "RS256", 0), ("new", "RS256", 1)))
    clock.advance(1.1)  # a key that is not known is looked for soon
    assert (await tokens.verified(new)).principal == ANN
    assert (await tokens.verified(old)).principal == ANN

    path.write_text(key_set(("new", "RS256", 1)))
    clock.advance(LOOK_SECONDS)
    assert await reason(tokens, old) is TOKEN_REFUSED
    assert (await tokens.verified(new)).principal == ANN

    path.write_text("broken")
    os.utime(path, (1, 1))
    clock.advance(LOOK_SECONDS)
    assert (await tokens.verified(new)).principal == ANN, "keys stay where new ones cannot be read"
    path.unlink()
    clock.advance(LOOK_SECONDS)
    assert (await tokens.verified(new)).principal == ANN


def test_keys_that_are_of_no_use_are_left_out(tmp_path: Path) -> None:
    sound = json.loads(key_set(("sound", "ES256", 0)))["keys"]
    others = [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
        {**sound[0], "kid": "encrypts", "use": "enc"},
        {**sound[0], "kid": "other", "alg": "RS256"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "off the curve"},
        {"kty": "new", "kid": "unknown"},
    ]
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"keys": [*others, *sound]}))
    files = KeyFiles(path, frozenset({"RS256", "ES256", "EdDSA"}))
    assert [(key.key_id, key.algorithm) for key in files.keys] == [("sound", "ES256")]


@pytest.mark.parametrize(
    "content", ["", "{}", '{"keys": []}', '{"keys": 3}', "[]", '{"keys": [1]}', "\u00e5"]
)
def test_without_a_key_nothing_starts(tmp_path: Path, clock: HeldClock, content: str) -> None:
    path = tmp_path / "keys.json"
    path.write_text(content)
    with pytest.raises(AssayError, match="ASSAY_GATEWAY_JWT_KEYS") as told:
        verifier(path, clock)
    assert told.value.reason is INVALID_ARGUMENT


def test_a_short_key_and_a_folder_of_none_are_refused(tmp_path: Path, clock: HeldClock) -> None:
    short = rsa.generate_private_key(public_exponent=65537, key_size=1024).public_key()
    (tmp_path / "empty").mkdir()
    (tmp_path / "short").mkdir()
    (tmp_path / "short" / "a.pem").write_bytes(
        short.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    for place in ("empty", "short", "missing"):
        with pytest.raises(AssayError, match="ASSAY_GATEWAY_JWT_KEYS"):
            verifier(tmp_path / place, clock)


def test_settings_of_tokens_belong_together(tmp_path: Path) -> None:
    keys = write_keys(tmp_path)
    for half in (
        {"gateway_jwt_keys": keys},
        {"gateway_jwt_issuers": ISSUER},
        {"gateway_jwt_keys": keys, "gateway_jwt_issuers": ISSUER},
    ):
        with pytest.raises(AssayError, match="ASSAY_GATEWAY_JWT_AUDIENCES"):
            load(GatewaySettings, **half)
    for wrong in ({"gateway_jwt_algorithms": "HS256"}, {"gateway_jwt_algorithms": ""}):
        with pytest.raises(AssayError, match="ASSAY_GATEWAY_JWT_ALGORITHMS"):
            load(GatewaySettings, **wrong)
    with pytest.raises(AssayError, match="ASSAY_GATEWAY_AUTH"):
        load(GatewaySettings, gateway_auth="none")


async def test_without_issuers_no_signed_token_is_believed(clock: HeldClock) -> None:
    tokens = signed_tokens(load(GatewaySettings), clock)
    assert await reason(tokens, signed(claims())) is TOKEN_REFUSED
