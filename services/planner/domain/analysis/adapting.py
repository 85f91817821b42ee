"""A recipe's intent with the particulars of a new question, each checked against the data."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from services.planner.domain.analysis.deliver import TABLE_TASK, with_files
from services.planner.domain.analysis.fitting import readings
from services.planner.domain.analysis.particulars import (
    at,
    columns_in,
    conditions_in,
    limits_of,
    plain,
    roles_of,
    spellings_of,
)
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.analysis.recipe import Parameter, Recipe
from services.planner.domain.analysis.way_of_reading import READING
from services.planner.domain.catalogue import Catalogue, DataType, ValueHit, ValueLookup
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.lexicon.normalise import name_words, readable, tokenise
from services.planner.domain.lexicon.vocabulary import RATE_WORDS
from services.planner.domain.plan import PlanDraft
from services.planner.domain.proposals.considered import Considered
from services.planner.domain.question import AnalysisRequest, Deliverable
from services.planner.domain.reader.times.times import TimeSpan, time_spans

_EXACT = 0.99


@dataclass(frozen=True)
class Adapted:
    """A recipe's intent with a new question's particulars; or why it does not fit."""

    intent: dict[str, Any] | None
    changed: bool = False
    why_not: str = ""


async def adapted(
    recipe: Recipe, question: str, catalogue: Catalogue, lookup: ValueLookup, today: date
) -> Adapted:
    """Fill a recipe with the particulars of a question that fits its template.

    Each must be what its placeholder stands for: a value of the same column, a span of time of the
    same kind, a number, or a column of the same table, type and role. A remembered plan, which has
    no placeholders, takes its own question alone.
    """
    if recipe.plan_structure.get("reading") != READING:
        return Adapted(None, why_not="it comes from another way of reading questions")
    asked = plain(question)
    if recipe.exact_question:
        same = asked.casefold() == plain(recipe.exact_question).casefold()
        intent = copy.deepcopy(recipe.plan_structure["intent"]) if same else None
        return Adapted(intent, why_not="" if same else "the question is worded differently")
    known = {parameter.name: parameter for parameter in recipe.parameters}

    def may_be(name: str, text: str) -> bool:
        kind = known[name].type
        if kind == "number":
            return _number(text) is not None
        return kind != "time_range" or _span(text, today) is not None

    found = readings(recipe.intent_template, asked, may_be)
    texts = {t for r in found for name, t in r.items() if known[name].type == "value"}
    hits = await lookup(sorted(texts)) if texts else []
    tried = [_filled(recipe, reading, catalogue, hits, today) for reading in found]
    fitting = [one for one in tried if one.intent is not None]
    if any(one.intent != fitting[0].intent for one in fitting[1:]):
        return Adapted(None, why_not="the question can be taken apart in several ways")
    if fitting:
        return fitting[0]
    return tried[0] if tried else Adapted(None, why_not="the question is worded differently")


def _filled(
    recipe: Recipe,
    texts: Mapping[str, str],
    catalogue: Catalogue,
    hits: Sequence[ValueHit],
    today: date,
) -> Adapted:
    """A recipe's intent with one way of taking a question apart."""
    intent = copy.deepcopy(recipe.plan_structure["intent"])
    places = recipe.plan_structure["places"]
    changed = False
    for parameter in recipe.parameters:
        if parameter.name not in places:
            continue  # it goes with another: the end of a span of time
        text = texts[parameter.name]
        same = text.casefold() == parameter.example.casefold()
        if same and parameter.type != "time_range":
            continue
        if parameter.type == "column":
            values = _column_values(parameter, text, catalogue, intent)
        else:
            values = _values(parameter, text, hits, today)
        if values is None:
            return Adapted(None, why_not=_unfit(parameter, text))
        for path, role in places[parameter.name]:
            if role not in values:
                return Adapted(None, why_not=f"{text!r} is another kind of span")
            # The same words may mean another time by now: "last month".
            value = values[role]
            if role == "label":
                value = at(intent, path).removesuffix(values["old"]) + value
            changed = put(intent, path, value) or changed or not same
            update_words(intent, path, parameter.example, text)
    return Adapted(intent, changed=changed)


def as_learnt(recipe: Recipe, request: AnalysisRequest, intent: dict[str, Any]) -> Planning | None:
    """The very plan of a recipe in which nothing is to be changed; None where it was drawn up
    within other limits. Of a language model's plan the table's file is no part that it drew up.
    Raises ValueError for what is no plan."""
    kept = recipe.plan_structure
    if "draft" not in kept:
        return None
    draft = PlanDraft.model_validate(kept["draft"])
    if (before := kept.get("limits")) != (now := limits_of(request)):
        if intent or not isinstance(before, dict) or _drawn_up(before) != _drawn_up(now):
            return None
        drawn = tuple(task for task in draft.subtasks if task.task_id != TABLE_TASK)
        draft = with_files(draft.model_copy(update={"subtasks": drawn}), request.deliverables)
    return Planning(
        understood=str(kept["understood"]),
        confidence=kept["confidence"],
        seen=seen_of(recipe),
        intent=intent,
        draft=draft,
        assumptions=tuple(kept["assumptions"]),
        others=tuple(map(Considered.model_validate, kept.get("others", ()))),
    )


def seen_of(recipe: Recipe) -> Seen:
    """What its confidence rests on, but for findings: these are looked for again."""
    return Seen.model_validate(recipe.plan_structure.get("seen", {})).unchecked


def _drawn_up(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Limits as far as a language model hears of them: of files it hears of charts alone."""
    return {**limits, "deliverables": Deliverable.CHARTS in limits["deliverables"]}


def assumed(recipe: Recipe) -> tuple[str, ...]:
    """What a recipe's question took for granted, but for what it says of particulars."""
    examples = [parameter.example.casefold() for parameter in recipe.parameters]
    return tuple(
        str(value)
        for value in recipe.plan_structure.get("assumptions", ())
        if not any(example in str(value).casefold() for example in examples)
    )


def _unfit(parameter: Parameter, text: str) -> str:
    if parameter.type == "column":
        return f"{text!r} is no column that can take the place of {parameter.column}"
    return f"{text!r} is no {parameter.type} of {parameter.column}"


def _column_values(
    parameter: Parameter, text: str, catalogue: Catalogue, intent: Any
) -> Mapping[str, Any] | None:
    """The column that a text names instead; None where it is of another kind, or there already."""
    name, _, old = parameter.column.partition(".")
    table = catalogue.table(name)
    before = table.column(old) if table is not None else None
    if table is None or before is None:
        return None
    taken = {place["column"] for _, place in columns_in(intent, ())}
    fitting = [
        column
        for column in table.columns
        if text.casefold() in spellings_of(column.name)
        and (column.data_type, column.role) == (before.data_type, before.role)
        and bool(RATE_WORDS & set(name_words(column.name)))
        == bool(RATE_WORDS & set(name_words(old)))
        and column.name not in taken
    ]
    if len(fitting) != 1:
        return None
    return {"column": fitting[0].name, "label": readable(fitting[0].name), "old": readable(old)}


def restored(intent: dict[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """An intent as it was before JSON made texts of its dates."""
    intent = copy.deepcopy(intent)
    for _, condition in conditions_in(intent, ()):
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


def _values(
    parameter: Parameter, text: str, hits: Sequence[ValueHit], today: date
) -> Mapping[str, Any] | None:
    """What a new text means for each role; None when it means nothing there."""
    if parameter.type == "value":
        for hit in hits:
            here = f"{hit.table}.{hit.column}" == parameter.column
            if here and hit.phrase == text and hit.score >= _EXACT:
                return {"value": hit.value}
        return None
    if parameter.type == "number":
        value = _number(text)
        return None if value is None else {"number": value, "whole": int(value)}
    span = _span(text, today)
    return None if span is None else roles_of(span)


def _number(text: str) -> float | None:
    found = re.fullmatch(r"-?\d[\d,]*(\.\d+)?", text)
    return float(text.replace(",", "")) if found else None


def _span(text: str, today: date) -> TimeSpan | None:
    """The one span of time that all of a text says; of two moments, what lies between them was not
    asked for."""
    tokens = tokenise(text)
    spans = time_spans(text, tokens, today)
    plain_one = len(spans) == 1 and spans[0].last is None and not spans[0].alternatives
    return spans[0] if plain_one and all(token.used for token in tokens) else None


def put(intent: Any, path: list[str | int], value: Any) -> bool:
    """Set a value; whether it was another before."""
    node = at(intent, path[:-1])
    if isinstance(node[path[-1]], dict):
        node, path = node[path[-1]], ["column"]
    before, node[path[-1]] = node[path[-1]], value
    return bool(before != value)


def update_words(intent: Any, path: list[str | int], old: str, new: str) -> None:
    """Bring the words of the condition at `path` up to date too."""
    if "values" not in path:
        return
    node = intent
    for key in path[: path.index("values")]:
        node = node[key]
    if node.get("note"):
        node["note"] = re.sub(re.escape(old), lambda _: new, node["note"], flags=re.IGNORECASE)
