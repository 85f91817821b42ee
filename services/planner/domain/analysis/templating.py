"""The steps of a plan with placeholders for a question's particulars, wherever these come to stand.

Text is not searched for what looks like a particular: 10 may be a limit here and a price there.
The plan is drawn up once more from the same intent with marks in place of its particulars, and
where a mark comes out, its placeholder goes. Filled with the first particulars, the steps must be
the plan's own, or there is no template.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from services.planner.domain.analysis.adapting import put, restored, update_words
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.particulars import Path, at
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.plan import PlanDraft
from services.planner.domain.query.intent import Condition, Intent, Understood
from services.planner.domain.query.planning.span_text import describe_span
from services.planner.domain.query.planning.summary import render_number
from services.planner.domain.question import AnalysisRequest

_FIRST_NUMBER = 917_301
_FIRST_YEAR, _YEARS_APART, _LEAP_YEAR = 4_000, 400, 2_000  # leap years stay leap years
_WHOLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_SHOWN = ("description", "arguments", "invariants")


@dataclass
class Particular:
    """A piece of the question and the places of the intent that came from it."""

    name: str
    kind: str
    text: str
    column: str = ""
    places: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Templates:
    """Steps with placeholders. `examples` is what each placeholder stood for at first; those beyond
    the question's own (the ends of a span of time) come from it, named after it."""

    steps: tuple[dict[str, Any], ...]
    examples: Mapping[str, Any]


def templates_of(
    draft: PlanDraft,
    intent: dict[str, Any],
    particulars: Sequence[Particular],
    request: AnalysisRequest,
    catalogue: Catalogue,
) -> Templates | None:
    """The steps of a draft with placeholders; None where they do not come out everywhere."""
    marks = _Marks(intent, catalogue)
    try:
        for number, particular in enumerate(particulars):
            marks.put(particular, number)
        again = drawn_up(marks.intent, marks.catalogue, request)
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    steps = tuple(marks.replaced(_shown(step)) for step in again.subtasks)
    found = Templates(steps, marks.examples)
    own = [_shown(step) for step in draft.subtasks]
    same = [filled(step, found.examples) for step in steps] == own
    return found if same and marks.examples else None


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A template with values in place of its placeholders. Raises KeyError for one without."""
    if isinstance(template, str):
        alone = _WHOLE.fullmatch(template)
        return values[alone.group(1)] if alone else template.format(**_texts(values))
    if isinstance(template, dict):
        return {filled(key, _texts(values)): filled(item, values) for key, item in template.items()}
    if isinstance(template, list | tuple):
        return [filled(item, values) for item in template]
    return template


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: render_number(value) for name, value in values.items()}


def _shown(step: Any) -> dict[str, Any]:
    value = step.model_dump(mode="json")
    return {"task_id": value["task_id"], **{name: value[name] for name in _SHOWN}}


def drawn_up(intent: dict[str, Any], catalogue: Catalogue, request: AnalysisRequest) -> PlanDraft:
    """The plan that an intent, as JSON, is drawn up as."""
    understood = Understood(
        intent=Intent.model_validate(restored(intent, catalogue)), summary="", confidence=1.0
    )
    limits = request.constraints
    draft = draft_plan(
        understood,
        catalogue,
        deliverables=request.deliverables,
        row_limit=limits.row_limit,
        timeout_seconds=limits.timeout_seconds,
    )
    return with_files(draft, request.deliverables)


class _Marks:
    """An intent with a mark in each place, and what each mark stands for."""

    def __init__(self, intent: dict[str, Any], catalogue: Catalogue) -> None:
        self.intent = copy.deepcopy(intent)
        self.catalogue = catalogue
        self.examples: dict[str, Any] = {}
        self._names: dict[str, str] = {}  # mark as text -> placeholder

    def put(self, particular: Particular, number: int) -> None:
        """Mark all that came from one particular, with marks of its own number."""
        text = f"\ue000{number}\ue001"
        bare = all(role != "end" for _, role in particular.places)
        ends = {"last": "end"} if bare else {}
        spans = [path[:-2] for path, _ in particular.places if particular.kind == "time_range"]
        before = [_span_of(self.intent, path) for path in spans]
        for path, role in particular.places:
            old = at(self.intent, path)
            if role == "label":
                self._label(particular, path, old)
                continue
            if role == "column":
                self._column(particular, path)
                continue
            name = particular.name
            if particular.kind == "time_range":
                name = f"{name}_{ends.get(role, role)}"
            mark = _mark(role, old, number, text)
            self._names[str(mark)] = name
            if isinstance(mark, int):  # what a step promises is told with thousands
                self._names[f"{mark:,}"] = name
            self.examples[name] = old
            put(self.intent, list(path), mark)
            update_words(self.intent, list(path), particular.text, text)
        for own, path in zip(before, spans, strict=True):
            if own and own.casefold() != particular.text.casefold():
                name = f"{particular.name}_words"
                self._names[_span_of(self.intent, path)], self.examples[name] = name, own
            elif own:
                self._names[_span_of(self.intent, path)] = particular.name
        if particular.kind in ("time_range", "value"):
            self._names.setdefault(text, particular.name)
            self.examples.setdefault(particular.name, particular.text)

    def replaced(self, content: Any) -> Any:
        """What was drawn up, with placeholders in place of marks."""
        if isinstance(content, dict):
            return {self.replaced(key): self.replaced(value) for key, value in content.items()}
        if isinstance(content, list | tuple):
            return [self.replaced(item) for item in content]
        if isinstance(content, int | float) and not isinstance(content, bool):
            name = self._names.get(render_number(content)) or self._names.get(str(content))
            return f"{{{name}}}" if name else content
        if not isinstance(content, str):
            return content
        content = content.replace("{", "{{").replace("}", "}}")
        for mark in sorted(self._names, key=len, reverse=True):
            content = re.sub(
                re.escape(mark), f"{{{self._names[mark]}}}", content, flags=re.IGNORECASE
            )
        return content

    def _column(self, particular: Particular, path: Path) -> None:
        table, _, name = particular.column.rpartition(".")
        mark = f"zq{_letters(particular.name)}zq"
        self._names[mark], self.examples[particular.name] = particular.name, name
        tables = tuple(
            t.model_copy(
                update={
                    "columns": tuple(
                        c.model_copy(update={"name": mark}) if c.name == name else c
                        for c in t.columns
                    )
                }
            )
            if t.name == table
            else t
            for t in self.catalogue.tables
        )
        self.catalogue = self.catalogue.model_copy(update={"tables": tables})
        put(self.intent, list(path), mark)

    def _label(self, particular: Particular, path: Path, old: str) -> None:
        text = readable(particular.column.rpartition(".")[2])
        name = f"{particular.name}_words"
        mark = f"wq{_letters(particular.name)}wq"
        self._names[mark], self.examples[name] = name, text
        put(self.intent, list(path), old.removesuffix(text) + mark)


def _letters(name: str) -> str:
    return "".join(chr(ord("a") + int(c)) if c.isdigit() else c for c in name if c.isalnum())


def _span_of(intent: dict[str, Any], path: Path) -> str:
    """How a condition's span of time is told; empty for every other."""
    return describe_span(Condition.model_validate(at(intent, path)))


def _mark(role: str, old: Any, number: int, text: str) -> Any:
    """Another value of its kind that stands nowhere else: a time of other years, in which what was
    a month, a quarter or a year is one still."""
    years = _FIRST_YEAR + _YEARS_APART * number - _LEAP_YEAR
    if role in ("start", "end", "last", "day"):
        day = date.fromisoformat(old)
        return day.replace(year=day.year + years).isoformat()
    if role.startswith("year"):
        return old + years
    if role in ("number", "whole"):
        return type(old)(_FIRST_NUMBER + number)
    return text
