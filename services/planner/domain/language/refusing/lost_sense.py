"""Words whose sense a reading has lost, although each was tied to something or seems small.

They are looked for in every way to an answer: numbers, statistics and things that are followed.
"""

from __future__ import annotations

import re

from services.planner.domain.language.conditions.conditions import Conditions
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Condition,
    Filter,
    Group,
    Intent,
    Membership,
    Operator,
)

_NOBODY = frozenset("nobody noone none nothing nowhere neither nor non".split())
_FAILING = frozenset("missed skipped failed lacked avoided ignored forgot refused".split())
_HEADS = frozenset("head capita".split())
_COMPARING = frozenset("than least most exceeding above below over under".split())
_DENYING = frozenset("never not without except excluding unless cannot nor neither".split())
_AVERAGES = (Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.PERCENTILE)
_ON_AVERAGE = re.compile(r"\bon average\b", re.IGNORECASE)
_OR_YES = re.compile(r"^\s*(?:do|does|did|are|were|is|was|have|has)\b.*\bor\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more|fewer|less)\b", re.IGNORECASE)
_EACH_OF = re.compile(
    r"\b(?:who|that|which)\b[^,.?]*\b(?:in|to|at|for|from|of|on|with)?\s*(?:every|all)\b",
    re.IGNORECASE,
)
_WHAT_DID = re.compile(r"^\s*what (?:did|does|do|has|have)\b", re.IGNORECASE)
_COUNTING = re.compile(r"\b(?:how many|number of|count|per|by)\b", re.IGNORECASE)
_REACH = 2


def why_sense_lost(question: str, scene: Scene, intent: Intent) -> str:
    """The first of these that the question has and the reading has not, as one sentence."""
    return (
        _nobody(scene, intent)
        or _per_head(scene)
        or _contradiction(intent)
        or _of_every(question, intent)
        or _unaveraged(question, intent)
        or _either_or(question, intent)
        or _lost_alternative(scene)
        or _average_of_some(scene, intent)
        or _what_was_done(question, scene, intent)
    )


def why_loose(scene: Scene, intent: Intent) -> str:
    """A comparison or a negation that nothing has taken, where no other check looks for it."""
    denied = any(_negative(wanted) for wanted in intent.filters)
    not_tested = intent.statistic is not None and intent.statistic.test == "correlation"
    for place, token in scene.loose():
        after = scene.tokens[place + 1 : place + 2]
        number = bool(after) and after[0].number is not None
        lost = token.lower in _DENYING and (token.lower == "never" or not denied)
        if lost or (not_tested and token.lower == "than") or (number and token.lower in _COMPARING):
            said = " ".join(scene.words(place - _REACH, place + _REACH + 1))
            return f'"{token.text}" in "{said}" could not be read.'
    return ""


def why_uncompared(scene: Scene, conditions: Conditions) -> str:
    """A comparison that found nothing to compare, or one of groups where there are none."""
    for compared in (*conditions.unplaced, *conditions.grouped):
        said = " ".join(scene.words(compared.first, compared.last))
        return f'What is to be compared in "{said}" could not be told.'
    return ""


def _nobody(scene: Scene, intent: Intent) -> str:
    """ "Departments with nobody in them", "clubs with no members": of what the data calls else."""
    denied = any(_negative(wanted) for wanted in intent.filters) or bool(intent.having)
    for place, token in scene.loose():
        word = token.lower
        after = scene.tokens[place + 1 : place + 2]
        unknown = bool(after) and after[0].stem and scene.starting(place + 1) is None
        none = word == "no" and unknown and not after[0].used
        if word in _FAILING or ((word in _NOBODY or none) and not denied):
            said = f"{token.text} {after[0].text}" if none else token.text
            return f'"{said}" could not be read.'
    return ""


def _per_head(scene: Scene) -> str:
    """ "Per head", of heads that the data does not name."""
    for place, token in scene.loose():
        if token.lower in _HEADS and scene.words(place - 1, place) == ["per"]:
            return f'Whose "{token.text}" is not said: name the things, as in "per customer".'
    return ""


def _contradiction(intent: Intent) -> str:
    """One column of a row that is to be a value and not to be another: two rows are meant."""
    plain = [wanted for wanted in intent.filters if isinstance(wanted, Condition)]
    for one in plain:
        for other in plain:
            operators = (one.operator, other.operator)
            if one.field == other.field and operators == (Operator.EQUAL, Operator.NOT_EQUAL):
                return (
                    f'What is "{one.values[0]}" is never "{other.values[0]}": ask for those that '
                    "have one, or for those that have none of the other."
                )
    return ""


def _of_every(question: str, intent: Intent) -> str:
    """ "Students who are in every club", read as the students of each club."""
    match = _EACH_OF.search(question)
    before = question[: match.start()] if match is not None else ""
    if match is None or _COUNTING.search(before) or not intent.dimensions or not intent.grouped:
        return ""
    every = match.group().split()[-1].lower()
    after = question[match.end() :].split()[:1]
    if every == "all" and after and after[0].lower() in ("the", "of", "our", "their"):
        return ""
    said = " ".join([every, *after]).rstrip("?.")
    return f'Which things have "{said}" cannot be told yet.'


def _unaveraged(question: str, intent: Intent) -> str:
    """ "Spent on average", answered by a sum."""
    if not _ON_AVERAGE.search(question) or intent.statistic is not None or not intent.grouped:
        return ""
    averaged = any(m.aggregate in _AVERAGES for m in intent.measures)
    divided = any(d.calculation is Calculation.RATIO for d in intent.derived)
    shared = any(m.per is not None or "average" in m.label for m in intent.measures)
    if averaged or divided or shared:
        return ""
    return 'What is to be averaged could not be told: say, for instance, "average order value".'


def _either_or(question: str, intent: Intent) -> str:
    """ "Do more people pay by card or by cash", answered by the rows of both."""
    asked = _OR_YES.search(question) is not None and not intent.grouped
    if not asked or not (intent.filters or _MORE.search(question)):
        return ""
    return "This cannot be answered by rows; ask for the number of each that is to be compared."


def _lost_alternative(scene: Scene) -> str:
    """ "Out of stock or discontinued": the second, of which nothing was made."""
    for index, mention in enumerate(scene.mentions):
        role = scene.roles.get(index)
        said = scene.words(mention.first - 1, mention.first) == ["or"]
        column = scene.column(mention)
        state = column is not None and mention.phrase.lower().endswith("ed")
        if said and state and mention.chosen.kind == "column" and role == "target":
            return f'"or {mention.phrase}" could not be read.'
    return ""


def _average_of_some(scene: Scene, intent: Intent) -> str:
    """ "Cheaper than the average tea", where the average that is compared with is that of all."""
    if not any(isinstance(wanted, Condition) and wanted.than_average for wanted in intent.filters):
        return ""
    for mention in scene.mentions:
        before = scene.words(mention.first - 1, mention.first)
        if mention.chosen.kind == "value" and set(before) & {"average", "mean"}:
            said = " ".join([*before, mention.phrase])
            return f'The "{said}" cannot be compared with yet, only the average of all.'
    return ""


def _what_was_done(question: str, scene: Scene, intent: Intent) -> str:
    """ "What did Ann buy", of which only Ann was found."""
    if not _WHAT_DID.search(question) or intent.grouped or intent.statistic is not None:
        return ""
    words = [(token, place) for place, token in scene.loose() if token.stem]
    for token, place in words:
        if place + 1 >= len(scene.tokens) or scene.tokens[place + 1].mark:
            return f'What "{token.text}" means could not be told.'
    return ""


def _negative(wanted: Filter) -> bool:
    if isinstance(wanted, Group):
        return any(map(_negative, wanted.members))
    if isinstance(wanted, Membership):
        return wanted.absent
    return isinstance(wanted, Condition) and wanted.operator in (
        Operator.NOT_EQUAL, Operator.NOT_IN, Operator.IS_NULL, Operator.AT_MOST,
    )  # fmt: skip
