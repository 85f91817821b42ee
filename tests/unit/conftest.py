"""Questions that the reader does not read yet stand as expected failures, by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent
_NOT_READ_YET = _FOLDER / "not_read_yet.txt"
_WHY = "the one reader does not read this yet"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks those whose name stands in the list. One that passes is told as such and fails nothing:
    how readings are chosen depends on which of them the data answers in time."""
    known = set(_NOT_READ_YET.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.path.is_relative_to(_FOLDER):
            name = item.nodeid.rpartition("tests/unit/")[2]
            if name in known:
                item.add_marker(pytest.mark.xfail(reason=_WHY, strict=False))
