"""A kept password is forgotten when nobody gave or used it for a month, and not before."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from mesh.credentials import with_reference
from mesh.errors import AssayError
from services.executor.databases.vault import Vault

ADDRESS = "postgresql://ann@db.example/shop"
SECRET = json.dumps({"password": "open sesame"})


def aged(folder: Path, days: float) -> None:
    """Everything there was touched last so many days ago."""
    for path in folder.iterdir():
        then = time.time() - days * 24 * 3600
        os.utime(path, (then, then))


def test_a_password_in_use_is_kept(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    address = with_reference(ADDRESS, vault.put("ann", ADDRESS, SECRET))
    for _ in range(3):  # three months
        aged(tmp_path, 29)
        assert vault.get("ann", address).secrets == {"password": "open sesame"}
        assert vault.sweep() == 0

    aged(tmp_path, 31)
    assert vault.sweep() == 1
    with pytest.raises(AssayError, match="not known here"):
        vault.get("ann", address)


def test_a_stranger_who_tries_it_keeps_nothing_alive(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    address = with_reference(ADDRESS, vault.put("ann", ADDRESS, SECRET))
    aged(tmp_path, 31)
    with pytest.raises(AssayError):
        vault.get("bob", address)
    assert vault.sweep() == 1
