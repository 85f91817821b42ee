"""A session's folder that is none is told as that, and not waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clients.python.cli.verifying_sessions import checked_session
from clients.python.session_export import CONTENTS


@pytest.mark.parametrize("made", ["pipe", "folder", "link", "nested"])
def test_a_list_that_is_no_file_or_no_list_is_off(tmp_path: Path, made: str) -> None:
    path = tmp_path / CONTENTS
    if made == "pipe":
        os.mkfifo(path)
    elif made == "folder":
        path.mkdir()
    elif made == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.write_text("[" * 100_000)
    (found,) = checked_session(tmp_path)
    assert not found.ok and CONTENTS in found.detail
