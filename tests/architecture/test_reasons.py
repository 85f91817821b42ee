from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from mesh.errors import EXIT_CODES, REASONS, Kind
from mesh.transport.status import STATUS
from scripts.errors_doc import EXITS, KINDS, page
from tests.architecture.tree import ROOT, text, written

CODE = ("mesh", "services", "gateway", "clients")
TABLES = ("mesh/errors", "mesh/transport/status.py")
USERS = [
    path
    for path in written(".py")
    if path.parts[0] in CODE and not path.as_posix().startswith(TABLES)
]


def test_the_page_of_errors_is_what_the_table_says() -> None:
    assert (ROOT / "docs" / "errors.md").read_text(encoding="utf-8") == page()


def test_every_kind_of_error_has_a_status_an_exit_code_and_a_meaning() -> None:
    assert set(STATUS) == set(EXIT_CODES) == set(KINDS) == set(Kind)
    assert set(EXIT_CODES.values()) <= set(EXITS)


@pytest.mark.parametrize("code", REASONS)
def test_a_reason_says_what_it_means_and_what_to_do(code: str) -> None:
    reason = REASONS[code]

    assert reason.meaning.endswith(".")
    assert reason.remedy.endswith(".")
    assert f"`{code}`" in page()


@pytest.mark.parametrize("code", REASONS)
def test_a_reason_is_used(code: str) -> None:
    users = [path for path in USERS if code in names_in(path)]

    assert users, "nothing gives this reason: use it, or take it out of the table"


@cache
def names_in(path: Path) -> frozenset[str]:
    """Every name and text in the file's code; comments and imports do not count."""
    found = set()
    for node in ast.walk(ast.parse(text(path))):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return frozenset(found)
