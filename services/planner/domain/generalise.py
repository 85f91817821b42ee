"""Recipes: a question that was answered, with its particulars taken out; and put in again.

What varies between two askings of one question are values of columns, spans of time, numbers and
the N of a top N. A recipe keeps the understood intent with those marked; a new question that fits
the template gets the intent with its own particulars, each checked against the data first.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from mesh.ids import derived_id
from services.planner.domain.catalogue import Catalogue, DataType, ValueLookup
from services.planner.domain.decision import Planning
from services.planner.domain.job import Job
from services.planner.domain.language.normalise import tokenise
from services.planner.domain.language.times import TimeSpan, time_spans
from services.planner.domain.recipe import Parameter, Recipe

Path = tuple[str | int, ...]
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_EXACT = 0.99

READING = 2
"""How questions are read; a recipe of another reading is not used. Raise it when the meaning of an
intent, or the reading of a common question, changes."""


@dataclass
class _Particular:
    """A piece of the question and the places of the intent that came from it."""

    name: str
    kind: str
    text: str
    column: str = ""
    places: list[tuple[Path, str]] = field(default_factory=list)


def generalised(job: Job, planning: Planning, catalogue: Catalogue) -> Recipe | None:
    """The recipe that an answered job teaches; None when its intent was not recorded."""
    if planning.draft is None or not planning.intent:
        return None
    question = _plain(job.request.intent)
    particulars = list(_particulars(planning.intent, question, job.request.timestamp.date()))
    template = question.replace("{", "{{").replace("}", "}}")
    kept: list[_Particular] = []
    for item in sorted(particulars, key=lambda p: len(p.text), reverse=True):
        replaced = _replaced(template, item.text, item.name)
        if replaced != template:
            template = replaced
            kept.append(item)
    examples = {item.text: item.name for item in kept}
    now = job.updated_at
    return Recipe(
        recipe_id=derived_id(job.job_id, "recipe"),
        schema_fingerprint=catalogue.fingerprint,
        intent_template=template,
        plan_structure={
            "reading": READING,
            "intent": planning.intent,
            "places": {p.name: [[list(path), role] for path, role in p.places] for p in kept},
            "subtasks": [
                task.model_dump(mode="json", exclude={"arguments"})
                for task in planning.draft.subtasks
            ],
        },
        tool_argument_templates=[
            _with_placeholders(task.arguments, examples) for task in planning.draft.subtasks
        ],
        parameters=tuple(
            Parameter(name=p.name, type=p.kind, column=p.column, example=p.text) for p in kept
        ),
        created_at=now,
        last_used_at=now,
    )


@dataclass(frozen=True)
class Adapted:
    """A recipe's intent with a new question's particulars; or why it does not fit."""

    intent: dict[str, Any] | None
    changed: bool = False
    why_not: str = ""


async def adapted(recipe: Recipe, question: str, lookup: ValueLookup, today: date) -> Adapted:
    """Fill a recipe with the particulars of a question that fits its template."""
    if recipe.plan_structure.get("reading") != READING:
        return Adapted(None, why_not="it comes from another way of reading questions")
    match = _pattern(recipe.intent_template).fullmatch(_plain(question))
    if match is None:
        return Adapted(None, why_not="the question is worded differently")
    intent = copy.deepcopy(recipe.plan_structure["intent"])
    places = recipe.plan_structure["places"]
    changed = False
    for parameter in recipe.parameters:
        text = match.group(parameter.name).strip()
        same = text.casefold() == parameter.example.casefold()
        if same and parameter.type != "time_range":
            continue
        values = await _values(parameter, text, lookup, today)
        if values is None:
            return Adapted(None, why_not=f"{text!r} is no {parameter.type} of {parameter.column}")
        for path, role in places[parameter.name]:
            if role not in values:
                return Adapted(None, why_not=f"{text!r} is another kind of span")
            # The same words may mean another time by now: "last month".
            changed = _put(intent, path, values[role]) or changed or not same
            _say(intent, path, parameter.example, text)
    return Adapted(intent, changed=changed)


def restored(intent: dict[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """An intent as it was before JSON made texts of its dates."""
    intent = copy.deepcopy(intent)
    for _, condition in _conditions(intent, ()):
        table = catalogue.table(condition["field"]["table"])
        column = table.column(condition["field"]["column"]) if table else None
        if column is not None and column.data_type in (DataType.DATE, DataType.DATETIME):
            condition["values"] = [_date(value) for value in condition["values"]]
    return intent


def _date(value: Any) -> Any:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


async def _values(
    parameter: Parameter, text: str, lookup: ValueLookup, today: date
) -> Mapping[str, Any] | None:
    """What a new text means for each role; None when it means nothing there."""
    if parameter.type == "value":
        hits = await lookup([text])
        for hit in hits:
            if hit.score >= _EXACT and f"{hit.table}.{hit.column}" == parameter.column:
                return {"value": hit.value}
        return None
    if parameter.type == "number":
        number = re.fullmatch(r"-?\d[\d,]*(\.\d+)?", text)
        if number is None:
            return None
        value = float(text.replace(",", ""))
        return {"number": value, "whole": int(value)}
    spans = time_spans(text, tokenise(text), today)
    return _roles(spans[0]) if len(spans) == 1 and spans[0].last is None else None


def _roles(span: TimeSpan) -> dict[str, Any]:
    roles: dict[str, Any] = {f"year{i}": year for i, year in enumerate(span.years)}
    if span.start is not None:
        roles["start"] = span.start.isoformat()
    if span.end is not None:
        roles["end"] = span.end.isoformat()
    return roles


def _particulars(intent: Any, question: str, today: date) -> Iterator[_Particular]:
    names: dict[str, int] = {}

    def fresh(base: str) -> str:
        names[base] = names.get(base, 0) + 1
        return base if names[base] == 1 else f"{base}_{names[base]}"

    spans: dict[str, _Particular] = {}
    for path, condition in _conditions(intent, ()):
        column = condition["field"]
        place = f"{column['table']}.{column['column']}"
        note = condition.get("note", "")
        found = time_spans(note, tokenise(note), today) if note else []
        if len(found) == 1 and found[0].last is None and note.casefold() in question.casefold():
            roles = {str(value): role for role, value in _roles(found[0]).items()}
            item = spans.get(note) or _Particular(fresh("time_range"), "time_range", note, place)
            used = [
                ((*path, "values", i), roles[str(value)])
                for i, value in enumerate(condition["values"])
                if str(value) in roles
            ]
            if len(used) == len(condition["values"]):
                item.places += used
                spans[note] = item
            continue
        for i, value in enumerate(condition["values"]):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            if isinstance(value, bool) or not _occurs(text, question):
                continue
            numeric = isinstance(value, int | float)
            slug = re.sub(r"\W+", "_", _snake(column["column"])).strip("_") or "value"
            name = fresh("number" if numeric else slug if slug[0].isalpha() else "value")
            role = "number" if numeric else "value"
            yield _Particular(name, role, text, place, [((*path, "values", i), role)])
    yield from spans.values()
    limit = intent.get("limit")
    if isinstance(limit, int) and _occurs(str(limit), question):
        yield _Particular(fresh("limit"), "number", str(limit), "", [(("limit",), "whole")])


def _conditions(node: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every condition in an intent's JSON, with its place."""
    if isinstance(node, dict):
        if node.get("kind") == "condition":
            yield path, node
        for key, value in node.items():
            yield from _conditions(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _conditions(value, (*path, index))


def _pattern(template: str) -> re.Pattern[str]:
    """A regular expression that a question of this template matches in full."""
    parts, end = [], 0
    for placeholder in _PLACEHOLDER.finditer(template):
        parts.append(_literal(template[end : placeholder.start()]))
        parts.append(f"(?P<{placeholder.group(1)}>.+?)")
        end = placeholder.end()
    parts.append(_literal(template[end:]))
    return re.compile("".join(parts), re.IGNORECASE)


def _literal(text: str) -> str:
    return re.escape(text.replace("{{", "{").replace("}}", "}"))


def _put(intent: Any, path: list[str | int], value: Any) -> bool:
    """Set a value; whether it was another before."""
    node = intent
    for key in path[:-1]:
        node = node[key]
    before, node[path[-1]] = node[path[-1]], value
    return bool(before != value)


def _say(intent: Any, path: list[str | int], old: str, new: str) -> None:
    """Bring the words of the condition at `path` up to date too."""
    if "values" not in path:
        return
    node = intent
    for key in path[: path.index("values")]:
        node = node[key]
    if node.get("note"):
        node["note"] = re.sub(re.escape(old), lambda _: new, node["note"], flags=re.IGNORECASE)


def _with_placeholders(arguments: Any, examples: Mapping[str, str]) -> Any:
    """Arguments with the particulars replaced by their placeholders, for people to read."""
    if isinstance(arguments, str):
        for text, name in examples.items():
            arguments = _replaced(arguments, text, name)
        return arguments
    if isinstance(arguments, dict):
        return {key: _with_placeholders(value, examples) for key, value in arguments.items()}
    if isinstance(arguments, list | tuple):
        return [_with_placeholders(value, examples) for value in arguments]
    return arguments


def _replaced(text: str, particular: str, name: str) -> str:
    """The text with the first standing of a particular replaced by its placeholder."""
    found = re.search(rf"(?<![\w{{]){re.escape(particular)}(?![\w}}])", text, re.IGNORECASE)
    return text if found is None else f"{text[: found.start()]}{{{name}}}{text[found.end() :]}"


def _plain(question: str) -> str:
    return " ".join(question.split()).rstrip(" ?.!")


def _occurs(text: str, question: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
