"""When commands share a mesh, and by what they know one that is theirs."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from clients.python.background import choosing
from clients.python.background.choosing import idle_minutes, in_background
from clients.python.background.fingerprint import fingerprint
from clients.python.background.using import USERS, Users
from clients.python.owning import Owner, answering, elsewhere, lock_file, read_owner, write_owner
from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, AssayError

_NOBODY = 65534


@pytest.mark.parametrize(
    ("surroundings", "wanted"),
    [
        ({}, True),
        ({"ASSAY_BACKGROUND": "0"}, False),
        ({"ASSAY_BACKGROUND": "no"}, False),
        ({"CI": "true"}, False),
        ({"CI": "false"}, True),
        ({"CI": "true", "ASSAY_BACKGROUND": "1"}, True),
        ({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, False),
        ({"container": "podman"}, False),
    ],
)
def test_it_serves_people_at_their_machines(
    monkeypatch: pytest.MonkeyPatch, surroundings: dict[str, str], wanted: bool
) -> None:
    monkeypatch.setattr(choosing, "_MARKS_OF_CONTAINERS", ())
    assert in_background(surroundings) is wanted


def test_not_in_a_container(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(choosing, "_MARKS_OF_CONTAINERS", (tmp_path,))
    assert not in_background({})
    assert in_background({"ASSAY_BACKGROUND": "yes"})


@pytest.mark.parametrize("said", ["soon", "0", "-1", "inf", "nan"])
def test_minutes_are_a_number_above_nothing(said: str) -> None:
    with pytest.raises(AssayError) as caught:
        idle_minutes({"ASSAY_IDLE_MINUTES": said})
    assert caught.value.reason is INVALID_ARGUMENT
    assert idle_minutes({}) == 15.0


def test_settings_that_a_mesh_goes_by_tell_it_from_others() -> None:
    plain = fingerprint({})
    assert plain == fingerprint({"EDITOR": "vi", "PATH": "/bin"})
    others = (
        {"ASSAY_LLM": "openai"},
        {"PGPASSWORD": "secret"},
        {"OPENAI_API_KEY": "secret"},
        {"https_proxy": "http://proxy"},
        {"TZ": "UTC"},
    )
    assert len({plain, *map(fingerprint, others)}) == len(others) + 1
    assert "secret" not in fingerprint({"PGPASSWORD": "secret"})


@pytest.mark.parametrize("name", ["ASSAY_HOME", "ASSAY_TOKEN", "ASSAY_BACKGROUND"])
def test_who_asks_and_where_makes_no_other_mesh(name: str) -> None:
    assert fingerprint({name: "x"}) == fingerprint({})


def test_nobody_is_left_alone_with_a_mesh_that_ends(tmp_path: Path) -> None:
    with lock_file(tmp_path, USERS) as one, lock_file(tmp_path, USERS) as two:
        command, mesh = Users(one), Users(two)
        assert command.join() and not mesh.alone()
        command.leave()
        assert mesh.alone() and not command.join()
        mesh.leave()
        assert command.join() and command.seconds_since() < 60


def test_an_owner_on_another_machine_is_told_by_its_name(tmp_path: Path) -> None:
    write_owner(tmp_path, Owner(1, "background", "unix:/nowhere", host="other"))
    owner = read_owner(tmp_path)
    assert owner is not None
    there = elsewhere(owner, tmp_path)
    assert there is not None and there.reason is HOME_BUSY and "other" in there.message
    assert elsewhere(Owner(1, "up", host=socket.gethostname()), tmp_path) is None


def test_who_does_not_speak_http2_serves_no_home(tmp_path: Path) -> None:
    place = tmp_path / "mesh.sock"
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(place))
        deaf.listen()
        assert answering(f"unix:{place}") == 0
    assert answering("127.0.0.1:1") == 0


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"pid": "x", "kind": "up"}', "null"])
def test_a_record_that_is_none_names_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / "mesh.json").write_text(text)
    assert read_owner(tmp_path) is None


def test_a_record_of_a_later_version_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "mesh.json").write_text('{"pid": 7, "kind": "up", "later": 1}')
    assert read_owner(tmp_path) == Owner(7, "up")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_refused_in_words(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with lock_file(home):
        pass
    ours, theirs = os.pipe()
    if os.fork() == 0:  # a process of its own: who gave up being root cannot go back
        os.setuid(_NOBODY)
        said = ""
        try:
            with lock_file(home):
                said = "let in"
        except AssayError as error:
            said = error.message
        except BaseException as error:
            said = repr(error)
        os.write(theirs, said.encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as told:
        assert "cannot be used: permission denied" in told.read().lower()
    os.wait()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_may_only_be_read_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(AssayError, match="permission denied"), lock_file(tmp_path):
        pass
