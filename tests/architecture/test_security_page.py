"""What docs/security.md says is held by tests names tests that there are."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.tree import ROOT, text

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
RISKS = ("LLM01", "LLM02", "LLM05", "LLM06", "LLM08", "LLM10")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def functions_of(path: str) -> set[str]:
    """Names of the tests of a file, also those in classes."""
    place = ROOT / path
    if not place.is_file():
        return set()
    return {
        node.name
        for node in ast.walk(ast.parse(text(place.relative_to(ROOT))))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.mark.parametrize("risk", RISKS)
def test_each_risk_of_language_models_names_its_tests(risk: str) -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {risk} ")]
    assert len(NAMED.findall(line)) >= 3


def test_every_test_that_is_named_is_there() -> None:
    named = NAMED.findall(PAGE)
    assert named
    assert [f"{path}::{name}" for path, name in named if name not in functions_of(path)] == []
