"""Services believe one another by a seal, and the gateway alone believes what a caller says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.config import MeshSettings, load
from mesh.context import PRINCIPAL_KEY, REQUEST_KEY, TENANT_KEY, Established, Principal
from mesh.errors import (
    CLOCKS_DIFFER,
    CREDENTIALS_REFUSED,
    INVALID_ARGUMENT,
    PEER_REFUSED,
    SERVICE_UNAVAILABLE,
    TOKEN_REQUIRED,
    AssayError,
    Kind,
)
from mesh.keys import new_key, shared_key
from mesh.roles import Role
from mesh.transport.callers import ByName, host_of, is_of_this_machine
from mesh.transport.interceptors.credentials import Credentials, request_id
from mesh.transport.seal import LEEWAY_SECONDS, Seal, require_key, seal_of

ANN = Principal("ann", "ann", Established.NAMED)
KEY = "k" * 32
SOCKET, HERE = "unix:", "ipv4:127.0.0.1:5000"
METHOD = "/assay.planner.v1.PlannerService/GetJob"


def by_name() -> Credentials:
    credentials = Credentials()
    credentials.believe(ByName())
    return credentials


class Time:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def refused(*attempt: object) -> AssayError:
    call, *arguments = attempt
    with pytest.raises(AssayError) as told:
        call(*arguments)  # type: ignore[operator]
    return told.value


def test_a_sealed_principal_is_good_for_its_method_its_time_and_its_mesh() -> None:
    time = Time()
    seal = Seal([new_key()], time)
    sealed = seal.sealed(ANN, METHOD, 10)
    assert seal.opened(sealed, METHOD) == ANN
    assert refused(seal.opened, sealed, METHOD + "x").reason is PEER_REFUSED
    assert refused(Seal([new_key()], time).opened, sealed, METHOD).reason is PEER_REFUSED
    time.now += 10 + LEEWAY_SECONDS
    assert refused(seal.opened, sealed, METHOD).reason is CLOCKS_DIFFER


@pytest.mark.parametrize(
    ("ahead", "size"), [(7_200.0, "about 2.0 h"), (600.0, "about 10 min"), (90_000.0, "25.0 h")]
)
def test_a_clock_that_is_wrong_is_told_as_that_with_its_size(ahead: float, size: str) -> None:
    key, time = new_key(), Time()
    sealed = Seal([key], time).sealed(ANN, METHOD, 10)
    time.now += ahead
    told = refused(Seal([key], time).opened, sealed, METHOD)
    assert told.reason is CLOCKS_DIFFER and told.reason.kind is Kind.UNAVAILABLE
    assert size in told.message and "clocks" in told.message
    assert told.metadata["seconds"] == f"{ahead:.0f}"
    assert refused(Seal([new_key()], time).opened, sealed, METHOD).reason is PEER_REFUSED


@pytest.mark.parametrize("before", [["ann", "ann", "named"], ["ann", "ann", "named", 0]])
def test_a_seal_of_an_earlier_version_is_believed(before: list[object]) -> None:
    time = Time()
    said = base64.urlsafe_b64encode(json.dumps([*before, METHOD, time.now + 40]).encode())
    code = base64.urlsafe_b64encode(hmac.digest(KEY.encode(), said, hashlib.sha256))
    seal = Seal([KEY], time)
    assert seal.opened(f"{said.decode()}.{code.decode()}", METHOD) == ANN
    time.now += 3_640
    assert refused(seal.opened, f"{said.decode()}.{code.decode()}", METHOD).reason is CLOCKS_DIFFER


def test_a_new_key_is_brought_in_beside_the_old_one() -> None:
    old, new = new_key(), new_key()
    assert Seal([new, old]).opened(Seal([old]).sealed(ANN, METHOD, 10), METHOD) == ANN


@given(st.data())
def test_a_seal_that_was_changed_anywhere_is_refused(data: st.DataObject) -> None:
    seal = Seal(["k" * 32], Time())
    sealed = seal.sealed(ANN, METHOD, 10)
    place = data.draw(st.integers(0, len(sealed) - 1))
    letter = data.draw(st.characters(codec="ascii", min_codepoint=33))
    changed = sealed[:place] + letter + sealed[place + 1 :]
    if _bytes(changed) != _bytes(sealed):
        assert refused(seal.opened, changed, METHOD).reason is PEER_REFUSED


def _bytes(sealed: str) -> object:
    """What a seal says: its text and the bytes of its code, which base64 may spell in two ways."""
    said, dot, code = sealed.partition(".")
    try:
        return said, dot, base64.urlsafe_b64decode(code)
    except ValueError:
        return said, dot, code


@given(st.text(max_size=200))
def test_what_is_no_seal_is_refused(text: str) -> None:
    assert refused(Seal([new_key()]).opened, text, METHOD).reason is PEER_REFUSED


async def test_behind_the_gateway_a_name_alone_is_nobody() -> None:
    credentials = Credentials(Seal([new_key()]))
    metadata = [(TENANT_KEY, "ann")]
    for peer in (SOCKET, HERE):
        with pytest.raises(AssayError) as told:
            await credentials.principal("planner", METHOD, metadata, peer)
        assert told.value.reason is PEER_REFUSED


async def test_two_seals_are_none() -> None:
    seal = Seal([new_key()])
    sealed = (PRINCIPAL_KEY, seal.sealed(ANN, METHOD, 10))
    credentials = Credentials(seal)
    assert await credentials.principal("planner", METHOD, [sealed], HERE) == ANN
    with pytest.raises(AssayError) as told:
        await credentials.principal("planner", METHOD, [sealed, sealed], HERE)
    assert told.value.reason is PEER_REFUSED


@pytest.mark.parametrize(
    "names",
    [
        ["ann", "bob"],
        ["ann", "ann"],
        [""],
        [" ann"],
        ["ann,bob"],
        ["a\nb"],
        ["\u00e5"],
        ["x" * 101],
    ],
)
@pytest.mark.parametrize("peer", [SOCKET, HERE])
async def test_the_gateway_refuses_names_that_are_doubled_or_none(
    names: list[str], peer: str
) -> None:
    metadata = [(TENANT_KEY, name) for name in names]
    with pytest.raises(AssayError) as told:
        await by_name().principal("gateway", "/x", metadata, peer)
    assert told.value.reason is CREDENTIALS_REFUSED


async def test_who_names_nobody_is_the_owner_of_the_socket_or_refused() -> None:
    credentials = by_name()
    owner = await credentials.principal("gateway", "/x", [], SOCKET)
    assert owner == Principal("local", "local", Established.SOCKET, Role.OPERATOR)
    with pytest.raises(AssayError) as told:
        await credentials.principal("gateway", "/x", [], HERE)
    assert told.value.reason is CREDENTIALS_REFUSED
    named = await credentials.principal("gateway", "/x", [(TENANT_KEY, "Ann A.")], HERE)
    assert named == Principal("Ann A.", "Ann A.", Established.NAMED, Role.ANALYST)


@pytest.mark.parametrize(
    ("peer", "host", "here"),
    [
        ("unix:", "unix", True),
        ("ipv4:127.0.0.1:5000", "127.0.0.1", True),
        ("ipv4:127.8.8.8:5000", "127.8.8.8", True),
        ("ipv6:%5B::1%5D:5000", "::1", True),
        ("ipv6:[::ffff:127.0.0.1]:5000", "::ffff:127.0.0.1", True),
        ("ipv4:10.0.0.7:5000", "10.0.0.7", False),
        ("ipv4:0.0.0.0:5000", "0.0.0.0", False),
        ("ipv6:%5B2001:db8::1%5D:5000", "2001:db8::1", False),
        ("", "", False),
        ("unknown", "unknown", False),
    ],
)
async def test_names_are_believed_of_callers_on_this_machine_alone(
    peer: str, host: str, here: bool
) -> None:
    assert (host_of(peer), is_of_this_machine(peer)) == (host, here)
    called = by_name().principal("gateway", "/x", [(TENANT_KEY, "ann")], peer)
    if here:
        assert (await called).tenant == "ann"
    else:
        with pytest.raises(AssayError) as told:
            await called
        assert told.value.reason is TOKEN_REQUIRED


async def test_before_the_gateway_says_whom_it_believes_it_believes_nobody() -> None:
    with pytest.raises(AssayError) as told:
        await Credentials().principal("gateway", "/x", [], SOCKET)
    assert told.value.reason is SERVICE_UNAVAILABLE


def test_a_seal_tells_the_role_and_one_of_before_there_were_roles_is_read() -> None:
    seal = Seal([KEY], Time())
    operator = ANN._replace(role=Role.OPERATOR)
    assert seal.opened(seal.sealed(operator, METHOD, 10), METHOD) == operator
    said = base64.urlsafe_b64encode(
        json.dumps(["ann", "ann", "named", METHOD, 1_010.0]).encode()
    ).decode()
    code = hmac.digest(KEY.encode(), said.encode(), hashlib.sha256)
    old = f"{said}.{base64.urlsafe_b64encode(code).decode()}"
    assert seal.opened(old, METHOD) == ANN


@pytest.mark.parametrize("ids", [["a" * 32, "b" * 32], [""], ["order-1"], ["a" * 31], ["../x"]])
def test_a_request_is_named_once_and_by_an_id(ids: list[str]) -> None:
    with pytest.raises(AssayError) as told:
        request_id([(REQUEST_KEY, each) for each in ids])
    assert told.value.reason is INVALID_ARGUMENT and REQUEST_KEY in told.value.fields


def test_a_request_is_known_by_one_spelling_of_its_id() -> None:
    said = "550E8400-e29b-41d4-a716-446655440000"
    assert request_id([(REQUEST_KEY, said)]) == said.replace("-", "").lower()


def test_processes_of_one_home_share_a_key_that_its_owner_alone_can_read(tmp_path: Path) -> None:
    settings = load(MeshSettings, home=tmp_path)
    assert seal_of(settings).opened(seal_of(settings).sealed(ANN, METHOD, 5), METHOD) == ANN
    assert (tmp_path / "mesh.key").stat().st_mode & 0o077 == 0
    assert len(shared_key(tmp_path / "mesh.key")) >= 32


@pytest.mark.parametrize(
    ("listen", "peer", "may"),
    [
        ("127.0.0.1:7401", "localhost:7402", True),
        ("unix:/x", "[::1]:7402", True),
        ("0.0.0.0:7401", "127.0.0.1:7402", False),
        ("", "executor:7402", False),
        ("127.0.0.1:1", "dns:///executor:7402", False),
    ],
)
def test_beyond_this_machine_nothing_starts_without_a_key(
    listen: str, peer: str, may: bool, tmp_path: Path
) -> None:
    settings = load(MeshSettings, home=tmp_path, executor_address=peer)
    if may:
        require_key(settings, listen)
    else:
        assert "ASSAY_MESH_KEY" in refused(require_key, settings, listen).message
    require_key(load(MeshSettings, executor_address=peer, mesh_key="k" * 32), listen)


def test_short_keys_and_half_of_tls_are_refused_by_their_settings() -> None:
    with pytest.raises(AssayError, match="ASSAY_MESH_KEY: has fewer than 32"):
        load(MeshSettings, mesh_key="short")
    with pytest.raises(AssayError, match="ASSAY_TLS_KEY"):
        load(MeshSettings, tls_certificate="/x")
