from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from mesh.tool import Tool, ToolArguments
from tests.architecture.tree import ROOT

FOLDER = ROOT / "services" / "executor" / "tools"
FILES = sorted(path for path in FOLDER.glob("*.py") if path.name != "__init__.py")


def tools_in(path: Path) -> list[Tool]:
    module = importlib.import_module(f"services.executor.tools.{path.stem}")
    return [value for value in vars(module).values() if isinstance(value, Tool)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_tool_file_declares_exactly_one_tool_named_like_the_file(path: Path) -> None:
    assert [tool.name.replace(".", "_") for tool in tools_in(path)] == [path.stem]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_tool_says_what_it_does_and_what_types_its_arguments_have(path: Path) -> None:
    (tool,) = tools_in(path)
    fields = tool.arguments.model_fields

    assert len(re.findall(r"\w+", tool.description)) >= 5
    assert issubclass(tool.arguments, ToolArguments)
    assert [name for name, field in fields.items() if field.annotation in (None, Any)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_tool_that_may_differ_from_run_to_run_says_why(path: Path) -> None:
    (tool,) = tools_in(path)

    assert tool.deterministic or tool.why_not


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_tool_is_a_plain_function_with_typed_arguments(path: Path) -> None:
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(d, ast.Call) and "tool" in ast.unparse(d) for d in node.decorator_list)
    ]

    assert len(functions) == 1
    assert all(argument.annotation for argument in functions[0].args.args)
