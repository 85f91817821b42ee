"""Parts of a question that its answer does not show: of each, who, how much, which rate."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import Token, name_words, stem
from services.planner.domain.query.intent import Aggregate, Field, Intent
from services.planner.domain.query.tables import measure_tables

_EXTREMES = (Aggregate.MAXIMUM, Aggregate.MINIMUM)
_RATES = frozenset(["rate", "rates"])
_PARTS = frozenset("percentage percent share proportion fraction margin".split())
_SHARES = frozenset(stem(w) for w in (*_PARTS, "pct", "perc", "rate", "ratio"))
_DONE = frozenset(
    "left stayed quit resigned lost loses lose losing won died retained remained".split()
)
_CHANGED = frozenset("fell rose grew shrank doubled halved declined increased decreased".split())
_ANYBODY = frozenset("one ones thing things row rows record records people person".split())
_FEW = 2
_EACH = frozenset(["each", "every"])
_OF_ALL = re.compile(
    r"^\s*(?:do|does|did|are|were|is|was|have|has|had)\s+(?:all|every|everyone|everybody)\b", re.I
)
_HOW_MUCH = re.compile(r"^\s*how much\b", re.IGNORECASE)
_BOTH_TIMES = re.compile(r"\bboth (?:in )?(?=(?:19|20)\d{2} and)", re.IGNORECASE)


def why_part_lost(question: str, scene: Scene, intent: Intent, unknown: Sequence[Token]) -> str:
    """The first part that is missing from the answer, as one sentence."""
    if intent.statistic is not None or intent.cohort is not None:
        return ""
    return (
        _of_all(question, intent)
        or _in_both(question, intent)
        or _of_each(scene, intent)
        or _who_of_each(scene, intent)
        or _how_much(question, intent)
        or _rate(intent, unknown)
        or _somebody(question, unknown)
        or _in_percent(scene, intent)
        or _what_they_did(scene, intent)
        or _which(scene, unknown)
        or _only_listed(intent, unknown)
    )


def _of_all(question: str, intent: Intent) -> str:
    """ "Have all orders been shipped", answered by those that were."""
    if not _OF_ALL.search(question) or intent.derived:
        return ""
    return "This cannot be answered by yes or no: ask how many there are, or what share of all."


def _in_both(question: str, intent: Intent) -> str:
    """ "Customers who ordered in both 2023 and 2024", read as in either."""
    if intent.grouped or not _BOTH_TIMES.search(question):
        return ""
    return "What is true of both times cannot be told yet: ask for one of them."


def _of_each(scene: Scene, intent: Intent) -> str:
    """ "How many did each carrier deliver", told by the days of delivery alone."""
    fields = [d.expression for d in intent.dimensions if isinstance(d.expression, Field)]
    dated = [field for field in fields if _is_date(scene, field)]
    if not intent.grouped or not dated or len(dated) < len(intent.dimensions):
        return ""
    for mention in scene.mentions:
        said = set(scene.words(mention.first - 1, mention.first)) & _EACH
        if said and mention.chosen.kind == "table" and mention.chosen.table != intent.base:
            return f'The answer could not be split by "{said.pop()} {mention.phrase}".'
    return ""


def _is_date(scene: Scene, field: Field) -> bool:
    table = scene.catalogue.table(field.table)
    column = table.column(field.column) if table is not None else None
    return column is not None and column.data_type in (DataType.DATE, DataType.DATETIME)


def _who_of_each(scene: Scene, intent: Intent) -> str:
    """ "Who has the highest salary in each department", answered by salaries alone."""
    measures = intent.measures
    extreme = bool(measures) and all(m.aggregate in _EXTREMES for m in measures)
    if scene.words(0, 1) != ["who"] or not extreme:
        return ""
    owners = {table for measure in measures for table in measure_tables(measure)}
    if owners & {d.identity.table for d in intent.dimensions if d.identity is not None}:
        return ""
    return f'Who it is cannot be told for each; ask for the "{measures[0].label}" instead.'


def _how_much(question: str, intent: Intent) -> str:
    if not _HOW_MUCH.search(question) or intent.measures:
        return ""
    return '"How much" of which number could not be told.'


def _rate(intent: Intent, unknown: Sequence[Token]) -> str:
    """A rate of which only the rows were found: "no-show rate"."""
    if intent.derived or not all(m.aggregate is Aggregate.COUNT for m in intent.measures):
        return ""
    for token in unknown:
        if token.lower in _RATES and not token.used:
            return f'The "{token.text}" could not be read: ask for the share of which rows.'
    return ""


def _in_percent(scene: Scene, intent: Intent) -> str:
    """ "The average tip percentage", answered by the average tip."""
    if intent.derived or any(m.where is not None for m in intent.measures):
        return ""
    named = [m for m in scene.mentions if m.chosen.kind == "column"]
    beside = {
        word
        for m in named
        for word in _PARTS & set(m.phrase.lower().split())
        if stem(word) not in name_words(m.chosen.column)
        and not _SHARES & set(name_words(m.chosen.column))
    }
    for word in (*sorted(beside), *(t.lower for _, t in scene.loose() if t.lower in _PARTS)):
        return f'The "{word}" could not be read: say what is to be divided by what.'
    return ""


def _what_they_did(scene: Scene, intent: Intent) -> str:
    """ "Employees who left", "countries whose population fell", of which nothing was read."""
    timed = any(d.grain is not None or d.periods for d in intent.dimensions)
    for _, token in scene.loose():
        if token.lower in _DONE or (token.lower in _CHANGED and not timed):
            return f'What "{token.text}" means could not be told.'
    return ""


def _which(scene: Scene, unknown: Sequence[Token]) -> str:
    """ "Which airport has the most departures", where nothing is called airport."""
    asked = scene.words(0, 1) in (["which"], ["what"]) and len(scene.tokens) > 1
    subject = scene.tokens[1] if asked else None
    if subject is None or subject.lower in _ANYBODY or subject not in unknown:
        return ""
    return f'Nothing in the data is called "{subject.text}".'


def _only_listed(intent: Intent, unknown: Sequence[Token]) -> str:
    """ "The gender pay gap", answered by everybody's gender."""
    narrowed = intent.grouped or intent.filters or intent.limit
    if narrowed or intent.measures or not unknown or len(unknown) > _FEW:
        return ""
    said = ", ".join(f'"{token.text}"' for token in unknown)
    return f"What {said} means could not be told."


def _somebody(question: str, unknown: Sequence[Token]) -> str:
    """A name that nothing in the data has, in a question that writes other words small."""
    names = [t for t in unknown if t.text[:1].isupper() and not t.text.isupper()]
    names = [t for t in names if question[: t.start].rstrip()[-1:] not in ("", ".", "?", "!", ":")]
    written = [word for word in question.split()[1:] if word[:1].isupper()]
    if len(names) != 1 or len(written) != 1:
        return ""
    return f'Nothing in the data is called "{names[0].text}".'
