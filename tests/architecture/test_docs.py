from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from gateway.settings import GatewaySettings
from mesh.config import MeshSettings
from mesh.secret_files import is_secret
from mesh.telemetry.spans import ATTRIBUTES, SPANS, declared
from services.audit.settings import AuditSettings
from services.executor.settings import ExecutorSettings
from services.memory.settings import MemorySettings
from services.planner.domain.request import JobKind
from services.planner.settings import PlannerSettings
from tests.architecture.tree import ROOT, text, written

SETTINGS = (
    MeshSettings,
    GatewaySettings,
    PlannerSettings,
    ExecutorSettings,
    MemorySettings,
    AuditSettings,
)
BEGINNERS = {"start_as_current_span", "start_span"}
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", SETTINGS, ids=lambda kind: kind.__name__)
def test_every_setting_is_documented(kind: type[MeshSettings]) -> None:
    operations = page("operations.md")

    assert [name for name in kind.model_fields if f"`ASSAY_{name.upper()}`" not in operations] == []


def test_no_setting_is_documented_that_does_not_exist() -> None:
    there = {f"ASSAY_{name.upper()}" for kind in SETTINGS for name in kind.model_fields}
    there |= {
        f"ASSAY_{name.upper()}_FILE"
        for kind in SETTINGS
        for name, field in kind.model_fields.items()
        if is_secret(field)
    }
    read = re.compile(r"\bASSAY_[A-Z_]+\b")
    code = {name for path in written(".py", ".sh") for name in read.findall(text(path))}

    assert set(read.findall(page("operations.md"))) - there - code == set()


def test_every_span_that_is_begun_is_declared() -> None:
    begun = {name: path for path in written(".py") for name in spans_of(path)}

    assert {name: str(path) for name, path in begun.items() if declared(name) is None} == {}
    jobs = {kind.value for kind in JobKind}  # the names of what begins a job's span
    assert {each.name for each in SPANS} == jobs | set(begun)


def test_the_page_of_spans_tells_what_is_declared() -> None:
    rows = [cells(line) for line in section(page("telemetry.md"), "Spans")]
    told = {
        name.partition("<")[0]: row[1].split(", ")
        for row in rows[2:]
        for name in re.findall(r"`([^`]+)`", row[0])
    }
    assert told == {each.name: list(each.services) for each in SPANS}


def test_the_page_of_attributes_tells_what_is_declared() -> None:
    text = "\n".join(section(page("telemetry.md"), "Attributes", prose=True))
    told = {name for name in re.findall(r"`([a-z_.]+)`", text) if "." in name}
    assert told - {"mesh.telemetry.tracing.span"} == set(ATTRIBUTES)


def section(text: str, heading: str, *, prose: bool = False) -> list[str]:
    """The lines of a page's section: of its table, or all."""
    lines = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].splitlines()
    return [line for line in lines if prose or line.startswith("|")]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_spans_are_begun_where_it_is_seen_to_that_they_hold_no_data() -> None:
    begun = {
        str(path)
        for path in written(".py")
        if path.parts[0] in ("mesh", "services", "gateway", "clients")
        and any(f".{name}(" in text(path) for name in BEGINNERS)
    }

    calls = {f"mesh/transport/interceptors/{name}.py" for name in ("calling", "incoming")}
    assert begun == {"mesh/telemetry/tracing.py", "mesh/frames/flight_spans.py", *calls}


def spans_of(path: Path) -> list[str]:
    """Names of the spans begun in a file; of a name that is put together, its fixed beginning."""
    if path.parts[0] not in ("mesh", "services", "gateway", "clients"):
        return []
    names = []
    for node in ast.walk(ast.parse(text(path))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "span"
        ):
            name = node.args[0]
            first = name.values[0] if isinstance(name, ast.JoinedStr) else name
            if isinstance(first, ast.Constant):  # else it is named for the method that is called
                names.append(str(first.value))
    return names


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{path}: {target}"
        for path in written(".md")
        for target in LINK.findall(text(path))
        if not (ROOT / path).parent.joinpath(target).exists()
    ]

    assert broken == []


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = sorted(int(path.name[:4]) for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))

    assert numbers == list(range(1, len(numbers) + 1))
