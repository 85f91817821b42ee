"""Questions of the reader's tests: those that it does not read yet, and how many are asked."""

from __future__ import annotations

import inspect
from collections import defaultdict
from pathlib import Path

import pytest

from tests.thorough import some

_FOLDER = Path(__file__).parent
_NOT_READ_YET = _FOLDER / "not_read_yet.txt"
_WHY = "the one reader does not read this yet"
_ASKING = ("reader", "language")
_MOST_ASKED = 4
"""Questions of one test: to read one takes half a second, and there are thousands."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks those whose name stands in the list, and leaves out all but a few questions of a test
    unless all is to be run. One that passes is told as such and fails nothing: how readings are
    chosen depends on which of them the data answers in time."""
    known = set(_NOT_READ_YET.read_text(encoding="utf-8").splitlines())
    asked: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not item.path.is_relative_to(_FOLDER):
            continue
        if item.nodeid.rpartition("tests/unit/")[2] in known:
            item.add_marker(pytest.mark.xfail(reason=_WHY, strict=False))
        if item.path.parent.name in _ASKING and _asks(item):
            asked[item.nodeid.partition("[")[0]].append(item)
    _leave_out(config, items, [one for every in asked.values() for one in _others(every)])


def _asks(item: pytest.Item) -> bool:
    """Whether it reads questions, which is awaited; what is not takes next to nothing."""
    return inspect.iscoroutinefunction(getattr(item, "function", None))


def _others(every: list[pytest.Item]) -> list[pytest.Item]:
    """All but a few, the same ones in every run; none where all are run."""
    kept = set(some(range(len(every)), _MOST_ASKED))
    return [one for at, one in enumerate(every) if at not in kept]


def _leave_out(config: pytest.Config, items: list[pytest.Item], others: list[pytest.Item]) -> None:
    names = {one.nodeid for one in others}
    if not names or _are_named(config):
        return
    config.hook.pytest_deselected(items=others)
    items[:] = [one for one in items if one.nodeid not in names]


def _are_named(config: pytest.Config) -> bool:
    """Whether single tests, or one file, are asked for: then all of them are meant."""
    return all("::" in one or one.endswith(".py") for one in config.args)
