"""Who may spend time in tests is named where docs/testing.md says, and says why."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.tree import ROOT
from tests.spending import costly

TESTS = ROOT / "tests"
_STARTS_A_PROCESS = re.compile(
    r"\b(subprocess\.(run|Popen)|create_subprocess_exec|start_process|mesh_up|supervised)\("
)

_TEST = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)


def names(file: str) -> list[str]:
    return [line for line in (TESTS / file).read_text(encoding="utf-8").splitlines() if line]


@pytest.mark.parametrize("name", sorted({*names("first.txt"), *names("rest.txt"), *costly()}))
def test_a_test_that_is_named_is_there(name: str) -> None:
    path, _, function = name.partition("::")
    beginning = TESTS / path
    found = [*beginning.parent.glob(f"{beginning.name}*")]
    assert found, f"tests/{path} is not there"
    if function:
        assert f"def {function.partition('[')[0]}" in beginning.read_text(encoding="utf-8")


@pytest.mark.parametrize("list_", ["long.txt", "whole.txt"])
def test_a_test_that_is_left_out_is_there(list_: str) -> None:
    written = {
        f"{path.relative_to(TESTS)}::{test}"
        for path in TESTS.rglob("test_*.py")
        for test in _TEST.findall(path.read_text(encoding="utf-8"))
    }
    gone = [name for name in names(list_) if name not in written]
    assert gone == [], f"tests/{list_} names what is no more: take the lines out"


def test_what_is_named_as_costly_has_a_reason() -> None:
    assert [name for name, reason in costly().items() if len(reason.split()) < 3] == []


def test_a_test_that_starts_a_process_says_why() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in sorted(TESTS.rglob("test_*.py"))
        if _STARTS_A_PROCESS.search(text := path.read_text(encoding="utf-8"))
        and not ast.get_docstring(ast.parse(text))
    ]
    assert silent == [], "a docstring of the file says what a process is started for"
