"""Recipes: a question that was answered, with its particulars taken out.

What varies between two askings of one question are values of columns, spans of time, numbers, the N
of a top N, and the columns themselves. A recipe keeps the understood intent with those marked, and
the types of its columns, without which it is not used again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from mesh.ids import derived_id
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.decision import Planning
from services.planner.domain.job import Job
from services.planner.domain.language.normalising.normalise import readable, tokenise
from services.planner.domain.language.phrases.times import time_spans
from services.planner.domain.particulars import (
    Path,
    columns_in,
    conditions_in,
    labels_naming,
    limits_of,
    plain,
    roles_of,
    spellings_of,
)
from services.planner.domain.recipe import Parameter, Recipe
from services.planner.domain.way_of_reading import READING

_RELATIVE = re.compile(
    r"\b(?:today|yesterday|tomorrow|now|current(?:ly)?|last|latest|past|previous|this|next|recent(?:ly)?"
    r"|ago|since|so far|to date|ytd|mtd)\b",
    re.IGNORECASE,
)


@dataclass
class _Particular:
    """A piece of the question and the places of the intent that came from it."""

    name: str
    kind: str
    text: str
    column: str = ""
    places: list[tuple[Path, str]] = field(default_factory=list)


def generalised(job: Job, planning: Planning, catalogue: Catalogue) -> Recipe | None:
    """The recipe that an answered job teaches; None when its intent was not recorded.

    A language model records none. Its plan serves the same question again as it is, unless the
    question's words mean another time on another day.
    """
    question = plain(job.request.intent)
    relative = planning.by_model and _RELATIVE.search(question) is not None
    if planning.draft is None or relative or not (planning.intent or planning.by_model):
        return None
    particulars = list(_particulars(planning.intent, question, job.request.timestamp.date()))
    particulars += _columns(planning.intent, question)
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
            "columns": _types(planning.intent, catalogue),
            "understood": planning.understood,
            "confidence": planning.confidence,
            "assumptions": list(planning.assumptions),
            "decided_by": planning.decided_by,
            "draft": planning.draft.model_dump(mode="json"),
            "limits": limits_of(job.request),
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


def _particulars(intent: Any, question: str, today: date) -> Iterator[_Particular]:
    names: dict[str, int] = {}

    def fresh(base: str) -> str:
        names[base] = names.get(base, 0) + 1
        return base if names[base] == 1 else f"{base}_{names[base]}"

    spans: dict[str, _Particular] = {}
    for path, condition in conditions_in(intent, ()):
        column = condition["field"]
        place = f"{column['table']}.{column['column']}"
        note = condition.get("note", "")
        found = time_spans(note, tokenise(note), today) if note else []
        whole = len(found) == 1 and found[0].last is None and not found[0].alternatives
        if whole and note.casefold() in question.casefold():
            roles = {str(value): role for role, value in roles_of(found[0]).items()}
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


def _occurs(text: str, question: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _types(intent: Any, catalogue: Catalogue) -> dict[str, str]:
    """The type of every column of the data that an intent names."""
    found = {}
    for _, place in columns_in(intent, ()):
        table = catalogue.table(place["table"])
        column = table.column(place["column"]) if table is not None else None
        if column is not None:
            found[f"{place['table']}.{place['column']}"] = column.data_type.value
    return found


def _columns(intent: Any, question: str) -> Iterator[_Particular]:
    """Columns of the answer that the question names once, in their own words.

    Not those of conditions, which go with their values, nor those that tell things apart, carry a
    grain of time or ranges, or were defined by the question: another would mean something else.
    """
    fixed = {_name(c["field"]) for _, c in conditions_in(intent, ())}
    for dimension in intent.get("dimensions", ()):
        if dimension.get("identity") or dimension.get("grain") or dimension.get("bins"):
            fixed |= {_name(place) for _, place in columns_in(dimension, ())}
    if intent.get("defined") or intent.get("joins") or intent.get("cohort"):
        return
    places: dict[tuple[str, str], list[Path]] = {}
    for path, place in columns_in(intent, ()):
        places.setdefault(_name(place), []).append(path)
    for number, (name, paths) in enumerate(sorted(places.items())):
        said = [text for text in spellings_of(name[1]) if _occurs(text, question)]
        if name in fixed or not said or _count(said[0], question) != 1:
            continue
        labels = labels_naming(intent, readable(name[1]), ())
        roles = [(path, "column") for path in paths] + [(path, "label") for path in labels]
        base = "column" if not number else f"column_{number + 1}"
        yield _Particular(base, "column", said[0], ".".join(name), roles)


def _name(place: Mapping[str, Any]) -> tuple[str, str]:
    return str(place["table"]), str(place["column"])


def _count(text: str, question: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE))
