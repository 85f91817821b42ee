"""A semantic model read from YAML, each mistake told with its line and column.

Only mappings, lists and plain values are read: no tags, no anchors, one document, each key once.
Values are taken as they are written ("NO" is Norway, not false); the model's own types decide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from services.planner.domain.semantic_model.model import (
    ColumnModel,
    JoinModel,
    MetricModel,
    SemanticModel,
    TableModel,
)
from services.planner.domain.semantic_model.places import Mistakes, Path, Place, Places, unlisted
from services.planner.domain.semantics.kinds import Kind

MOST_BYTES = 256 * 1024
_DEEPEST = 12
_TEXTS = 16
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PARTS: tuple[tuple[int, str, type[BaseModel]], ...] = (
    (2, "", TableModel),
    (4, "columns", ColumnModel),
    (4, "metrics", MetricModel),
    (4, "joins", JoinModel),
)
"""Which model is read at a path: how long that is, and what the key before the last one says."""


@lru_cache(maxsize=_TEXTS)
def read_model(name: str, text: str) -> tuple[SemanticModel, Places]:
    """The model in a text that people call `name`, and where everything stands in it.

    Raises AssayError(SEMANTIC_MODEL_INVALID).
    """
    mistakes = Mistakes(name)
    if len(text.encode()) > MOST_BYTES:
        mistakes.add(Place(1, 1), f"it is larger than {MOST_BYTES // 1024} KiB")
        mistakes.raise_any()
    root = _composed(text, mistakes)
    mistakes.raise_any()
    reader = _Reader(mistakes)
    data = reader.value(root, ()) if root is not None else {}
    mistakes.raise_any()
    places = Places(reader.keys, reader.values)
    try:
        return SemanticModel.model_validate(data or {}), places
    except ValidationError as error:
        for problem in error.errors():
            path = _path(problem["loc"])
            of_key = problem["type"] == "extra_forbidden" or "[key]" in problem["loc"][-1:]
            place = places.of_key(path) if of_key else places.of_value(path)
            mistakes.add(place, _describe_problem(problem, path))
    mistakes.raise_any()
    raise AssertionError  # a validation error has at least one problem


def _composed(text: str, mistakes: Mistakes) -> yaml.Node | None:
    """The text as a tree, once nothing in it can grow or call anything."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                mistakes.add(_place(event.start_mark), "anchors and aliases are not read")
            elif getattr(event, "tag", None):
                mistakes.add(_place(event.start_mark), f"tags such as {event.tag} are not read")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                mistakes.add(_place(event.start_mark), "this is nested too deeply")
                return None
        return yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        sentence = ", ".join(part for part in (error.context, error.problem) if part)
        mistakes.add(_place(mark) if mark else Place(1, 1), f"this is no YAML: {sentence}")
    except (yaml.YAMLError, ValueError) as error:
        mistakes.add(Place(1, 1), f"this is no YAML: {error}")
    return None


class _Reader:
    """Turns nodes into plain values, and notes where they stand."""

    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self.keys: dict[Path, Place] = {}
        self.values: dict[Path, Place] = {}

    def value(self, node: yaml.Node, path: Path) -> Any:
        """Mappings, lists and texts; None where nothing is written."""
        self.values[path] = _place(node.start_mark)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, at)) for at, item in enumerate(node.value)]
        plain = not node.style
        return None if plain and node.value in ("", "~", "null") else str(node.value)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            place = _place(key_node.start_mark)
            if not isinstance(key_node, yaml.ScalarNode):
                self._mistakes.add(place, "a key must be a word")
                continue
            key = str(key_node.value)
            inside = (*path, key)
            if key in found:
                first = self.keys[inside].line
                self._mistakes.add(place, f'"{key}" is written twice: in line {first} already')
                continue
            self.keys[inside] = place
            value = self.value(value_node, inside)
            if value is not None or _is_name(inside):  # "orders:" alone says nothing, and may
                found[key] = {} if value is None else value
        return found


def _is_name(path: Path) -> bool:
    """Whether a key is a name of the data, after which nothing need be said."""
    return len(path) == 2 or (len(path) == 4 and path[2] == "columns")


def _place(mark: Any) -> Place:
    return Place(mark.line + 1, mark.column + 1)


def _path(location: tuple[str | int, ...]) -> Path:
    """Where a problem is; pydantic names the keys of a mapping twice."""
    return tuple(part for part in location if part != "[key]")


def _describe_problem(problem: Any, path: Path) -> str:
    """A problem in plain words."""
    kind, given = problem["type"], problem["input"]
    if kind == "extra_forbidden":
        part, called = _part_at(path[:-1])
        return unlisted(f'{called} has no key "{path[-1]}"', path[-1], part.model_fields)
    if kind == "missing":
        return f'{_part_at(path[:-1])[1]} needs the key "{path[-1]}"'
    if kind == "enum":
        return unlisted(f'there is no kind "{given}"', given, [str(item) for item in Kind])
    return _WORDS.get(kind, lambda p: str(p["msg"]).lower())(problem)


def _too_long(problem: Any) -> str:
    return f"at most {problem['ctx']['max_length']} are read here"


_WORDS: dict[str, Callable[[Any], str]] = {
    "bool_parsing": lambda p: f'"{p["input"]}" is neither true nor false',
    "bool_type": lambda _: "true or false is wanted here",
    "tuple_type": lambda _: "a list is wanted here, such as [one, two]",
    "dict_type": lambda _: "names with what is said of them are wanted here",
    "model_type": lambda _: "names with what is said of them are wanted here",
    "model_attributes_type": lambda _: "names with what is said of them are wanted here",
    "string_type": lambda _: "a word or a text is wanted here",
    "string_too_short": lambda _: "this must not be empty",
    "string_too_long": lambda p: f"this is longer than {p['ctx']['max_length']:,} characters",
    "too_long": _too_long,
    "too_short": lambda _: "this must not be empty",
}


def _part_at(path: Path) -> tuple[type[BaseModel], str]:
    """The model that is read at a path, and what people call it."""
    for length, before, part in _PARTS:
        if len(path) == length and (not before or path[-2] == before):
            return part, f"a {part.__name__.removesuffix('Model').lower()}"
    return SemanticModel, "a semantic model"
