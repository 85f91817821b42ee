"""The particulars of a question in its intent's JSON: conditions, spans of time, columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reader.times.times import TimeSpan

Path = tuple[str | int, ...]


def roles_of(span: TimeSpan) -> dict[str, Any]:
    """What a span of time gives to the conditions made of it: its years, or its ends."""
    roles: dict[str, Any] = {f"year{i}": year for i, year in enumerate(span.years)}
    if span.start is not None:
        roles["start"] = span.start.isoformat()
    if span.end is not None:
        roles["end"] = span.end.isoformat()
    return roles


def conditions_in(node: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every condition in an intent's JSON, with its place."""
    if isinstance(node, dict):
        if node.get("kind") == "condition":
            yield path, node
        for key, value in node.items():
            yield from conditions_in(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from conditions_in(value, (*path, index))


def plain(question: str) -> str:
    """A question without what does not matter to its meaning."""
    return " ".join(question.split()).rstrip(" ?.!")


def columns_in(node: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every column in an intent's JSON, with its place."""
    if isinstance(node, dict):
        if node.get("kind") == "field":
            yield path, node
        for key, value in node.items():
            yield from columns_in(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from columns_in(value, (*path, index))


def labels_naming(node: Any, name: str, path: Path) -> Iterator[Path]:
    """The places of labels that are, or end with, a column's name as people write it."""
    if isinstance(node, dict):
        label = node.get("label")
        if isinstance(label, str) and (label == name or label.endswith(f" {name}")):
            yield (*path, "label")
        for key, value in node.items():
            yield from labels_naming(value, name, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from labels_naming(value, name, (*path, index))


def spellings_of(column: str) -> tuple[str, ...]:
    """How a question may name a column: as it stands, or in words."""
    return tuple(dict.fromkeys((column.casefold(), readable(column))))


def limits_of(request: AnalysisRequest) -> dict[str, Any]:
    """What of a request its plan depends on, besides the question and the data."""
    return {
        "deliverables": sorted(request.deliverables),
        "row_limit": request.constraints.row_limit,
        "timeout_seconds": request.constraints.timeout_seconds,
    }


def at(node: Any, path: Path | list[str | int]) -> Any:
    """What stands at a place. Raises KeyError or IndexError."""
    for key in path:
        node = node[key]
    return node
