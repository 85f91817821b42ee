"""Recipes: a question that was answered, with its particulars taken out.

What varies between two askings of one question are values of columns, spans of time, numbers, the N
of a top N, and the columns themselves. A recipe keeps the understood intent with those marked, and
the types of its columns, without which it is not used again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from mesh.ids import derived_id
from services.planner.domain.analysis.particulars import (
    Path,
    at,
    columns_in,
    conditions_in,
    labels_naming,
    limits_of,
    plain,
    roles_in,
    spans_in,
    spellings_of,
    stands_elsewhere,
)
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.analysis.recipe import Parameter, Recipe
from services.planner.domain.analysis.templating import (
    Particular,
    Templates,
    drawn_up,
    templates_of,
)
from services.planner.domain.analysis.way_of_reading import READING
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reader.times.times import TimeSpan

_RELATIVE = re.compile(
    r"\b(?:today|yesterday|tomorrow|now|current(?:ly)?|last|latest|past|previous|this|next|recent(?:ly)?"
    r"|ago|since|so far|to date|ytd|mtd)\b",
    re.IGNORECASE,
)


_KINDS = {"start": "date", "end": "date", "last": "date", "day": "date", "words": "text"}


def generalised(
    job_id: str, request: AnalysisRequest, planning: Planning, catalogue: Catalogue, now: datetime
) -> Recipe | None:
    """The recipe that an answered job teaches; None where there is nothing to be learnt.

    Where nothing can be generalised, as in the plan of a language model whose statement no intent
    says, it is a remembered plan: it serves the same question again as it is, unless the question's
    words mean another time on another day. What a statement's intent teaches is drawn up of it as
    the rules draw up theirs; the very question gets the statement.
    """
    goes_on = len(planning.said) > 1 and not request.corrections
    if request.follows_job_id or goes_on:
        return None  # its words mean something only after those of another job
    question = plain(request.intent)
    if planning.draft is None or not (planning.intent or planning.by_model):
        return None
    found_in = [
        p
        for p in _particulars(planning.intent, question, request.timestamp.date())
        if not _stands_elsewhere(planning.intent, p)
    ]
    kept = _distinct([*found_in, *_columns(planning.intent, question)])
    settled = planning.settled
    if settled.corrections and _is_another_question(question, planning.assumptions):
        return None
    # What a person said is about these very words: others may mean something else.
    template = "" if settled.is_by_person else _template(question, kept)
    words = " ".join((question, *settled.corrections))
    passing = _RELATIVE.search(words) is not None
    found, steps = None, planning.draft
    # Nothing says which words a statement's time came from: last month is another one by then.
    if template and not (passing and planning.by_model):
        if planning.by_model:
            steps = drawn_up(planning.intent, catalogue, request)
        found = templates_of(steps, planning.intent, kept, request, catalogue)
    steps = planning.draft if found is None else steps
    # "This year" that is no particular of the recipe stands in its plan as the year that it was.
    timed = any(particular.kind == "time_range" for particular in kept)
    relative = passing and (found is None or not timed)
    if relative and not settled.is_by_person:
        return None  # as it is, the plan would go by the calendar of its own day
    structure: dict[str, Any] = {
        "reading": READING,
        "intent": planning.intent,
        "columns": _types(planning.intent, catalogue),
        "understood": planning.understood,
        "confidence": planning.confidence,
        "seen": planning.seen.model_dump(mode="json"),
        "assumptions": list(planning.assumptions),
        "others": [one.untried.model_dump(mode="json") for one in planning.others if one.of_rules],
        "decided_by": planning.decided_by,
        "draft": planning.draft.model_dump(mode="json"),
        "limits": limits_of(request),
        "assumed": request.assume,
        "settled": settled.model_dump(mode="json"),
        "read_again": relative,
        "places": {},
        "subtasks": [task.model_dump(mode="json") for task in steps.subtasks],
    }
    recipe = Recipe(
        recipe_id=derived_id(job_id, "recipe"),
        schema_fingerprint=catalogue.fingerprint,
        exact_question=question,
        plan_structure=structure,
        tool_argument_templates=[dict(task.arguments) for task in steps.subtasks],
        created_at=now,
        last_used_at=now,
    )
    return recipe if found is None else _with_templates(recipe, template, kept, found)


def _is_another_question(question: str, texts: Sequence[str]) -> bool:
    """Whether a correction put a value in the place of one that the question names: "no, only 1996"
    of "sales in 1997" is another question, and the first means what it says."""
    for text in texts:
        _, instead, was = text.partition(" instead of ")
        value = re.split(r" (?:is|in|on|from) ", was)[-1]
        of_value = " is " in was or any(letter.isdigit() for letter in was)
        if instead and text.startswith("corrected: ") and of_value and _names(question, value):
            return True
    return False


def _names(question: str, value: str) -> bool:
    """Whether a question has a value in it, as a word."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", question, re.IGNORECASE) is not None


def _with_templates(
    recipe: Recipe, template: str, kept: Sequence[Particular], found: Templates
) -> Recipe:
    """The recipe that a remembered plan is, once its particulars can be other ones."""
    parameters = [
        Parameter(name=p.name, type=p.kind, column=p.column, example=p.text) for p in kept
    ]
    own = {parameter.name for parameter in parameters}
    columns = {p.name: p.column for p in kept}
    for name, example in found.examples.items():
        if name not in own:
            base, _, role = name.rpartition("_")
            kind = _KINDS.get(role, "number")
            parameters.append(
                Parameter(name=name, type=kind, column=columns[base], example=str(example))
            )
    subtasks = [
        {**task, **step}
        for task, step in zip(recipe.plan_structure["subtasks"], found.steps, strict=True)
    ]
    places = {p.name: [[list(path), role] for path, role in p.places] for p in kept}
    structure = {**recipe.plan_structure, "places": places, "subtasks": subtasks}
    return recipe.model_copy(
        update={
            "intent_template": template,
            "exact_question": "",
            "plan_structure": structure,
            "tool_argument_templates": [step["arguments"] for step in found.steps],
            "parameters": tuple(parameters),
        }
    )


def _stands_elsewhere(intent: Any, item: Particular) -> bool:
    """Whether more than the places of a value or of a time would have to change with it."""
    if item.kind not in ("value", "time_range"):
        return False
    places = [path for path, _ in item.places]
    return stands_elsewhere(intent, item.text, {at(intent, path) for path in places}, places)


def _distinct(particulars: Sequence[Particular]) -> list[Particular]:
    """Particulars said in the same words are one; none of those that are of different kinds."""
    by_text: dict[str, list[Particular]] = {}
    for item in particulars:
        by_text.setdefault(item.text.casefold(), []).append(item)
    kept = []
    for alike in by_text.values():
        first = alike[0]
        if all(
            (p.kind, p.column) == (first.kind, first.column) or p.kind == first.kind == "number"
            for p in alike
        ):
            kept.append(replace(first, places=[place for p in alike for place in p.places]))
    return kept


def _template(question: str, particulars: Sequence[Particular]) -> str:
    """The question with a placeholder wherever a particular stands; empty where there is none, or
    where one stands inside another."""
    template = question.replace("{", "{{").replace("}", "}}")
    for item in sorted(particulars, key=lambda p: len(p.text), reverse=True):
        replaced = _replaced(template, item.text, item.name)
        if replaced == template:
            return ""
        template = replaced
    return template if particulars else ""


def _particulars(intent: Any, question: str, today: date) -> Iterator[Particular]:
    names: dict[str, int] = {}

    def fresh(base: str) -> str:
        names[base] = names.get(base, 0) + 1
        return base if names[base] == 1 else f"{base}_{names[base]}"

    times = list(_times(intent, question, today))
    yield from times
    timed = {path[:-2] for item in times for path, _ in item.places}
    for path, condition in conditions_in(intent, ()):
        if path in timed:
            continue
        column = condition["field"]
        place = f"{column['table']}.{column['column']}"
        for i, value in enumerate(condition["values"]):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            if isinstance(value, bool) or not _occurs(text, question):
                continue
            numeric = isinstance(value, int | float)
            slug = re.sub(r"[^a-z0-9]+", "_", _snake(column["column"])).strip("_")
            name = fresh("number" if numeric else slug if slug[:1].isalpha() else "value")
            role = "number" if numeric else "value"
            yield Particular(name, role, text, place, [((*path, "values", i), role)])
    for number, having in enumerate(intent.get("having", ())):
        for i, value in enumerate(having["values"]):
            text = f"{value:g}"
            if _occurs(text, question):
                where: Path = ("having", number, "values", i)
                yield Particular(fresh("number"), "number", text, "", [(where, "number")])
    limits: tuple[Path, ...] = (("limit",), ("limit_per_series",), ("top_of_each", "most"))
    for path in limits:
        limit = (intent.get(path[0]) or {}).get(path[1]) if path[1:] else intent.get(path[0])
        if isinstance(limit, int) and _occurs(str(limit), question):
            yield Particular(fresh("limit"), "number", str(limit), "", [(path, "whole")])


def _times(intent: Any, question: str, today: date) -> Iterator[Particular]:
    """The spans of time of a question that conditions hold, each with all that it gives them."""
    spans = spans_in(question, today)
    found: dict[int, Particular] = {}
    for path, condition in conditions_in(intent, ()):
        own = [(n, roles) for n, span in enumerate(spans) if (roles := roles_in(condition, span))]
        if len(own) != 1:
            continue
        (number, roles), column = own[0], condition["field"]
        place = f"{column['table']}.{column['column']}"
        name = "time_range" if not found else f"time_range_{len(found) + 1}"
        item = Particular(name, "time_range", spans[number].text, place)
        item = found.setdefault(number, item)
        item.places += [((*path, "values", i), role) for i, role in enumerate(roles)]
    for number, item in found.items():
        if _is_whole(spans[number], {role for _, role in item.places}):
            yield item


def _is_whole(span: TimeSpan, roles: set[str]) -> bool:
    """Whether conditions hold all of a span: both its ends where it has two."""
    ends = [
        span.start is not None and "start" not in roles,
        span.end is not None and roles.isdisjoint(("end", "last")),
    ]
    return "day" in roles or any(role.startswith("year") for role in roles) or not any(ends)


def _replaced(text: str, particular: str, name: str) -> str:
    """The text with a placeholder wherever a particular stands."""
    pattern = rf"(?<![\w{{]){re.escape(particular)}(?![\w}}])"
    return re.sub(pattern, f"{{{name}}}", text, flags=re.IGNORECASE)


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


def _columns(intent: Any, question: str) -> Iterator[Particular]:
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
        texts = [text for text in spellings_of(name[1]) if _occurs(text, question)]
        if name in fixed or not texts or _count(texts[0], question) != 1:
            continue
        labels = labels_naming(intent, readable(name[1]), ())
        roles = [(path, "column") for path in paths] + [(path, "label") for path in labels]
        base = "column" if not number else f"column_{number + 1}"
        yield Particular(base, "column", texts[0], ".".join(name), roles)


def _name(place: Mapping[str, Any]) -> tuple[str, str]:
    return str(place["table"]), str(place["column"])


def _count(text: str, question: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE))
