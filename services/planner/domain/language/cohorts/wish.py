"""Words that ask to follow things from their first event on: cohorts, retention, coming back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.planner.domain.lexicon.normalise import Token, take
from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS
from services.planner.domain.query.intent import CohortView
from services.planner.domain.reader.times.times import names_two_moments

_COUNT = r"(?P<count>\d+|an?|one|n|some|" + "|".join(NUMBER_WORDS) + ")"
_UNIT = r"(?P<unit>day|week|month|quarter|year)s?"
_VERSUS = r"(?:vs\.?|versus|and|or|against|compared (?:to|with))"
_OLD = r"(?:returning|repeat(?:ing)?|existing|old|recurring)"
_APART = re.compile(rf"\bnew {_VERSUS} {_OLD}\b|\b{_OLD} {_VERSUS} new\b", re.I)
_COHORT = re.compile(
    r"\b(?:retention|cohorts?)"
    r"(?: (?:rates?|analys[ei]s|tables?|matrix|curves?|triangle|heat ?map))*\b|\bretained\b",
    re.I,
)
# "Return" by itself also asks for a list: only what things do after "that" or "who" is meant.
_BACK = re.compile(
    r"\b(?:came|come|comes|coming) back\b"
    r"|\b(?:(?:did|do|does|have|has)(?: not|n['\u2019]t) |never )?"
    r"(?:order|buy|bought|purchase|book|rent|visit|shop)(?:ed|d|s)? again\b|\bagain\b"
    r"|(?:(?<=\bthat )|(?<=\bwho )|(?<=\bwhich ))return(?:ed|s)?\b"
    r"|\breturn(?:ed|s)?\b(?= (?:after|within)\b)",
    re.I,
)
_REPEAT = re.compile(
    r"\brepeat(?:ed)? (?:purchas\w+|orders?|ordering|buyers?|buying|business|custom\w*"
    r"|clients?|users?)(?: rates?| ratio)?\b",
    re.I,
)
# "Returning the number of …" asks for an answer: only known things return.
_RETURNING = re.compile(r"\breturning\b(?= (?P<thing>\w+))", re.I)
_BY_TIME = re.compile(
    r"\b(?:by|per|each|every|over) (?:the )?(?P<each>day|week|month|quarter|year|time)\b"
    r"|\b(?:dai|week|month|quarter|year)ly\b",
    re.I,
)
_COUNTED = re.compile(r"\b(?:how many|number of|share|percentage|percent|proportion)\b", re.I)
_EITHER_TIME = re.compile(
    r"\b(?:did(?: not|n['\u2019]t)|never) \w+(?= (?:\w+ )?(?:in|during)\b)|\bin (?:both|either)\b"
    r"|\balso\b",
    re.I,
)
_STATES = (
    (re.compile(r"\bactive\b(?= (?P<thing>\w+))", re.I), CohortView.ACTIVE),
    (re.compile(r"\b(?P<thing>\w+) (?:were |are )?active\b", re.I), CohortView.ACTIVE),
    (re.compile(r"\b(?:new|first[- ]time)\b(?= (?P<thing>\w+))", re.I), CohortView.NEW),
    (
        re.compile(r"\b(?P<thing>\w+) (?:were |was )?(?:newly )?(?:acquired|gained|won)\b", re.I),
        CohortView.NEW,
    ),
)
_NOT = re.compile(r"\b(?:not|never|n['\u2019]t|churn\w*|lost)\b", re.I)
_FIRST = re.compile(r"\bfirst\b|\binitial(?:ly)?\b|\bnew\b", re.I)
_WITHIN = re.compile(rf"\bwithin (?:the (?:first|next) )?{_COUNT} {_UNIT}\b", re.I)
_AFTER = re.compile(rf"\bafter (?:the (?:first|next) )?(?:{_COUNT} )?{_UNIT}\b", re.I)
_HENCE = re.compile(rf"\b{_COUNT} {_UNIT} (?:later|after)\b", re.I)
_NEXT = re.compile(rf"\b(?:in|during) the (?:following|next|subsequent) {_UNIT}\b", re.I)
_LATER = re.compile(r"\b(?:since|after|from|of) (?:the|their|its|his|her)? ?first\b", re.I)
_FILLERS = re.compile(
    r"\b(?:(?:share|percentage|percent|fraction|proportion)(?= of)|first|initial(?:ly)?|since|their"
    r"|over time|analy[sz]e|analysis|rates?|grouped|purchas\w+|bought|signed up|joined"
    r"|also|back)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class CohortWish:
    """What is asked of things that are followed.

    `age` is a number of units of time since the first event, `within` an upper limit of such, and
    `unit` their name. With `first` a span of time is about the first event. With `asked_of` nouns
    ("repeat purchases") a span narrows the events themselves. What is `weak` may mean something
    else where the data has nothing to follow.
    """

    view: CohortView
    age: int | None = None
    within: int | None = None
    unit: str = ""
    first: bool = False
    absent: bool = False
    of_events: bool = False
    weak: bool = False


def cohort_wish(
    question: str, tokens: Sequence[Token], followed: Callable[[str], bool]
) -> CohortWish | None:
    """What is asked; its words are marked as used. None when nothing is.

    `followed` says whether things so called have events: "new customers" do, "new cars" may not.
    """
    found = _found(question, followed)
    if found is None:
        return None
    wish, said = found
    if any(t.quoted for t in tokens if said.start() <= t.start < said.end()):
        return None
    start = said.end("thing") if _named_before(said) else said.start()
    take(tokens, start, said.end(), "cohort")
    for pattern in (_WITHIN, _AFTER, _HENCE, _NEXT, _FILLERS):
        for match in pattern.finditer(question):
            take(tokens, match.start(), match.end(), "cohort")
    return wish


def _found(
    question: str, followed: Callable[[str], bool]
) -> tuple[CohortWish, re.Match[str]] | None:
    if match := _APART.search(question):
        return CohortWish(CohortView.NEW_OR_RETURNING), match
    age, within, unit = _distance(question)
    timed = age is not None or bool(unit and within is None)
    if match := _COHORT.search(question):
        curve = "curve" in match.group().lower()
        apart = "cohort" in question.lower() or re.search(r"\bby\b", question, re.I)
        along = curve or (_LATER.search(question) and not apart)
        view = CohortView.CURVE if timed or along else CohortView.RETENTION
        return CohortWish(view, age=age, unit=unit, first=True), match
    returning = _RETURNING.search(question)
    if returning and not followed(returning.group("thing").lower()):
        returning = None
    if returning and _BY_TIME.search(question):
        return CohortWish(CohortView.NEW_OR_RETURNING), returning
    if match := _REPEAT.search(question) or returning:
        return CohortWish(CohortView.RETURNED, within=within, unit=unit, of_events=True), match
    if match := _BACK.search(question):
        each = _BY_TIME.search(question)
        if each and timed and each.group("each") not in (unit, None):
            return None  # cohorts are begun and followed in one unit of time
        view = CohortView.CURVE if timed else CohortView.RETURNED
        view = CohortView.RETENTION if each and within is None else view
        first = _FIRST.search(question) is not None
        absent = _NOT.search(question) is not None
        return CohortWish(view, age, within, unit, first, absent, weak=True), match
    counted = _COUNTED.search(question) and names_two_moments(question)
    if counted and (match := _EITHER_TIME.search(question)):
        absent = _NOT.search(question) is not None
        return CohortWish(CohortView.RETURNED, absent=absent, weak=True), match
    for pattern, view in _STATES:
        match = pattern.search(question)
        timed = view is CohortView.NEW or _BY_TIME.search(question) is not None
        if match and timed and followed(match.group("thing").lower()):
            return CohortWish(view, first=view is CohortView.NEW, weak=True), match
    return None


def _named_before(said: re.Match[str]) -> bool:
    """Whether the words begin with the things themselves: "users active"."""
    return said.groupdict().get("thing") is not None and said.start("thing") == said.start()


def _distance(question: str) -> tuple[int | None, int | None, str]:
    """So many units after, at most so many, and which unit; "after n months" names only that."""
    if match := _WITHIN.search(question):
        return None, _number(match.group("count")) or 1, match.group("unit").lower()
    if match := _NEXT.search(question):
        return 1, None, match.group("unit").lower()
    if match := _AFTER.search(question) or _HENCE.search(question):
        return _number(match.group("count")), None, match.group("unit").lower()
    return None, None, ""


def _number(text: str | None) -> int | None:
    if not text or text.lower() in ("n", "some"):
        return None
    if text.isdigit():
        return int(text)
    return 1 if text.lower() in ("a", "an", "one") else int(NUMBER_WORDS[text.lower()])
