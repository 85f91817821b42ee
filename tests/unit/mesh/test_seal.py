"""Services believe one another by a seal, and the gateway alone believes what a caller says."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.config import MeshSettings, load
from mesh.context import PRINCIPAL_KEY, REQUEST_KEY, TENANT_KEY, Established, Principal
from mesh.errors import CREDENTIALS_REFUSED, INVALID_ARGUMENT, PEER_REFUSED, AssayError
from mesh.interceptors.credentials import Credentials, request_id
from mesh.keys import new_key, shared_key
from mesh.seal import LEEWAY_SECONDS, Seal, require_key, seal_of

ANN = Principal("ann", "ann", Established.NAMED)
METHOD = "/assay.planner.v1.PlannerService/GetJob"


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
    assert refused(seal.opened, sealed, METHOD).reason is PEER_REFUSED


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


def test_behind_the_gateway_a_name_alone_is_nobody() -> None:
    credentials = Credentials(Seal([new_key()]))
    metadata = [(TENANT_KEY, "ann")]
    for local in (True, False):
        with pytest.raises(AssayError) as told:
            credentials.principal("planner", METHOD, metadata, local=local)
        assert told.value.reason is PEER_REFUSED


def test_two_seals_are_none() -> None:
    seal = Seal([new_key()])
    sealed = (PRINCIPAL_KEY, seal.sealed(ANN, METHOD, 10))
    credentials = Credentials(seal)
    assert credentials.principal("planner", METHOD, [sealed], local=False) == ANN
    with pytest.raises(AssayError) as told:
        credentials.principal("planner", METHOD, [sealed, sealed], local=False)
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
@pytest.mark.parametrize("local", [True, False])
def test_the_gateway_refuses_names_that_are_doubled_or_none(names: list[str], local: bool) -> None:
    metadata = [(TENANT_KEY, name) for name in names]
    with pytest.raises(AssayError) as told:
        Credentials().principal("gateway", "/x", metadata, local=local)
    assert told.value.reason is CREDENTIALS_REFUSED


def test_who_names_nobody_is_the_owner_of_the_socket_or_refused() -> None:
    credentials = Credentials()
    owner = credentials.principal("gateway", "/x", [], local=True)
    assert owner == Principal("local", "local", Established.SOCKET)
    with pytest.raises(AssayError) as told:
        credentials.principal("gateway", "/x", [], local=False)
    assert told.value.reason is CREDENTIALS_REFUSED
    named = credentials.principal("gateway", "/x", [(TENANT_KEY, "Ann A.")], local=False)
    assert named == Principal("Ann A.", "Ann A.", Established.NAMED)


@pytest.mark.parametrize("ids", [["a", "b"], [""], ["a b"], ["x" * 101], ["../x"]])
def test_a_request_is_named_once_and_by_an_id(ids: list[str]) -> None:
    with pytest.raises(AssayError) as told:
        request_id([(REQUEST_KEY, each) for each in ids])
    assert told.value.reason is INVALID_ARGUMENT


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
