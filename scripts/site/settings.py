"""The reference of settings, made of the classes that read them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from gateway.settings import GatewaySettings
from mesh.config import MeshSettings
from scripts.site.markdown import code, plain, table
from services.audit.settings import AuditSettings
from services.executor.settings import ExecutorSettings
from services.memory.settings import MemorySettings
from services.planner.settings import LanguageModelSettings, PlannerSettings

CLASSES: dict[str, type[MeshSettings]] = {
    "Every service": MeshSettings,
    "Gateway": GatewaySettings,
    "Planner": PlannerSettings,
    "A language model": LanguageModelSettings,
    "Executor": ExecutorSettings,
    "Memory": MemorySettings,
    "Audit": AuditSettings,
}

INTRODUCTION = """\
# Settings

Every setting as the services read it, once, at their start. A bad value stops the process and is
named. Which belong together, and when to change one, is told in
[Operations](../operations.md#settings)."""


def page() -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION]
    for title, kind in CLASSES.items():
        meanings = _meanings(kind)
        rows = [
            (code(f"ASSAY_{name.upper()}"), _values(field), _default(field), plain(meaning))
            for name, field in kind.model_fields.items()
            if (meaning := meanings.get(name)) is not None
        ]
        parts += [f"## {title}", table(("variable", "is", "default", "means"), rows)]
    return "\n\n".join(parts) + "\n"


def _meanings(kind: type[Any]) -> dict[str, str]:
    """The settings that a class adds to those of its parents, with what is written under each."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for here, after in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(here, ast.AnnAssign) and isinstance(here.target, ast.Name):
            is_mentioned = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            found[here.target.id] = str(after.value.value) if is_mentioned else ""  # type: ignore[union-attr]
    return found


def _values(field: FieldInfo) -> str:
    """What may be given: the kind of value, and its bounds."""
    bounds = []
    for rule in field.metadata:
        for name, sign in (("gt", ">"), ("ge", "≥"), ("lt", "<"), ("le", "≤")):
            if getattr(rule, name, None) is not None:
                bounds.append(f"{sign} {getattr(rule, name):,}")
    return " ".join([_kind(field.annotation), *bounds])


def _kind(annotation: Any) -> str:
    names = {bool: "true or false", int: "whole number", float: "number", str: "text"}
    names |= {Path: "path", SecretStr: "secret text", type(None): "nothing"}
    if annotation in names:
        return names[annotation]
    inner = [part for part in get_args(annotation) if part is not type(None)]
    if inner and all(isinstance(part, str) for part in inner):
        return ", ".join(map(code, inner))
    if get_origin(annotation) in (list, set, frozenset, tuple, dict):
        return "JSON"
    if inner:
        return " or ".join(_kind(part) for part in inner)
    return "JSON"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if value is PydanticUndefined or value is None or value in ("", Path()):
        return "none"
    if isinstance(value, frozenset | set | tuple | list | dict) and not value:
        return "none"
    if isinstance(value, bool):
        return code(str(value).lower())
    if isinstance(value, int | float):
        return f"{value:,.10g}"
    return code(str(value))
