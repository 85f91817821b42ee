"""The particulars of a question in its intent's JSON: conditions, spans of time, columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from services.planner.domain.lexicon.normalise import readable, tokenise
from services.planner.domain.query.kinds import Operator
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reader.times.times import TimeSpan, time_spans

Path = tuple[str | int, ...]


_ROLES = {
    Operator.BETWEEN: ("start", "last"),
    Operator.AT_LEAST: ("start",),
    Operator.LESS: ("end",),
    Operator.AT_MOST: ("last",),
    Operator.EQUAL: ("day",),
}
_OF_YEARS = (Operator.EQUAL, Operator.IN, Operator.BETWEEN)


def roles_of(span: TimeSpan) -> dict[str, Any]:
    """What a span of time gives to the conditions made of it: its years, or its ends. `last` is the
    day before its end, `day` the only one that it has."""
    roles: dict[str, Any] = {f"year{i}": year for i, year in enumerate(span.years)}
    if span.start is not None:
        roles["start"] = span.start.isoformat()
    if span.end is not None:
        roles["end"] = span.end.isoformat()
        roles["last"] = (span.end - timedelta(days=1)).isoformat()
        if roles["last"] == roles.get("start"):
            roles["day"] = roles["last"]
    return roles


def spans_in(question: str, today: date) -> list[TimeSpan]:
    """The spans of time in a question that are told in words of its own and whose days are known;
    of two moments, what lies between them was not asked for."""
    text = question.casefold()
    return [
        span
        for span in time_spans(question, tokenise(question), today)
        if span.last is None and not span.alternatives and span.text.casefold() in text
    ]


def roles_in(condition: Mapping[str, Any], span: TimeSpan) -> list[str]:
    """What each value of a condition is of a span of time; empty where they are not its own."""
    roles, values = roles_of(span), condition["values"]
    operator = Operator(condition["operator"])
    years = {year: f"year{i}" for i, year in enumerate(span.years)}
    if values and operator in _OF_YEARS and all(value in years for value in values):
        return [years[value] for value in values]
    ends = _ROLES.get(operator, ())
    return list(ends) if ends and [roles.get(role) for role in ends] == values else []


def stands_elsewhere(
    intent: Any, text: str, values: Collection[Any], places: Collection[Path]
) -> bool:
    """Whether a particular has to do with more of an intent than its places: with a period beside a
    condition, or a label that names it. Notes are brought up to date with their conditions."""
    word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)
    return any(
        path not in places
        and path[-1:] != ("note",)
        and (leaf in values or (isinstance(leaf, str) and word.search(leaf) is not None))
        for path, leaf in _leaves(intent, ())
    )


def _leaves(node: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every text and number in an intent's JSON, with its place."""
    if isinstance(node, dict | list):
        inner = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in inner:
            yield from _leaves(value, (*path, key))
    elif isinstance(node, str | int | float) and not isinstance(node, bool):
        yield path, node


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
