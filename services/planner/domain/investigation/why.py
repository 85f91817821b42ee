"""Questions why a metric moved, such as "why did revenue drop in March?": which metric, and when.

A question is one of these only if all of its words have a place in it: the metric, that it moved,
and when. What says no time, or more than that, is none: it stays an analysis, which tells what it
cannot read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from services.planner.domain.investigation.request import (
    asks_why,
)
from services.planner.domain.investigation.why_times import Times, times_in

_MOVED = (
    r"(?:drop(?:s|ped|ping)?|fell|fall(?:s|en|ing)?|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|"
    r"sink|sank|sunk|sinking|shrink|shrank|shrunk|shrinking|slump(?:ed|ing)?|plung(?:e[sd]?|ing)|"
    r"plummet(?:ed|ing)?|dip(?:ped|ping)?|collaps(?:e[sd]?|ing)|crash(?:ed|ing)?|"
    r"ris(?:e[sn]?|ing)|rose|increas(?:e[sd]?|ing)|grow(?:s|n|ing)?|grew|jump(?:ed|ing)?|"
    r"spik(?:e[sd]?|ing)|surg(?:e[sd]?|ing)|soar(?:ed|ing)?|climb(?:ed|ing)?|improv(?:e[sd]?|ing)|"
    r"worsen(?:ed|ing)?|chang(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|"
    r"(?:go|goes|went|gone|going|come|came|coming) (?:up|down)|"
    r"(?:so )?(?:much )?(?:up|down|lower|higher))"
)
_MOVEMENT = (
    r"(?:drop|fall|decline|decrease|slump|plunge|dip|collapse|crash|shrinkage|loss|rise|increase|growth|"
    r"jump|spike|surge|climb|improvement|change|movement|downturn|upturn|uptick)s?"
)
_AUXILIARY = r"(?:did|does|do|has|have|had|is|are|was|were)"
_LEAD = (
    r"(?:(?:and|but|so|please|then|tell me|show me|(?:can|could) you (?:tell me|explain)|explain)"
    r"[ ,]+)*"
)
_BEEN = r"(?:is |are |was |were |has |have )?"
_CAUSED = (
    r"(?:explain(?:s|ed)?|caus(?:es|ed|ing)|dr(?:ove|ives|iven)|driving|behind|triggered|led to|"
    r"accounts for|is responsible for|was responsible for)"
)
_THE = r"(?:the |this |that |our |a )?"
_HOW = r"(?:(?:sudden|sharp|big|large|strong|recent|huge|significant|steep|slight|unexpected) )*"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_LEAD}(?:why|how come) {_AUXILIARY} (?P<metric>.+?) (?:been |be |being )?{_MOVED}\b"
        r"(?P<rest>.*)",
        rf"{_LEAD}(?:why|how come) (?:(?:is|are|was|were) there|"
        rf"{_AUXILIARY} (?:we|they) (?:have|get|see|had)) "
        r"(?:so )?(?:much |many )?(?:fewer|less|more)(?P<counted>) (?P<metric>.+?)(?P<rest>)",
        rf"{_LEAD}(?:why|how come) (?P<metric>(?!{_AUXILIARY}\b).+?) {_MOVED}\b(?P<rest>.*)",
        rf"{_LEAD}what (?:is |has )?(?:caus(?:es|ed|ing)|triggered|led) {_THE}(?P<metric>.+?) to "
        rf"{_MOVED}\b(?P<rest>.*)",
        rf"{_LEAD}what {_BEEN}{_CAUSED} {_THE}{_HOW}{_MOVEMENT} (?:in|of) "
        r"(?P<metric>.+?)(?P<rest>)",
        rf"{_LEAD}what {_BEEN}{_CAUSED} {_THE}{_HOW}(?P<metric>.+?)(?:['’]s)? "
        rf"{_HOW}{_MOVEMENT}(?P<rest>.*)",
        rf"{_LEAD}what (?:made|drove|pushed|brought|let) (?P<metric>.+?) (?:to )?{_MOVED}\b"
        r"(?P<rest>.*)",
        rf"{_LEAD}(?:what (?:is|are|was|were) )?{_THE}(?:main |root )?"
        rf"(?:reasons?|causes?|explanation|drivers?) (?:for|of|behind) {_THE}{_HOW}{_MOVEMENT} "
        r"(?:in|of) (?P<metric>.+?)(?P<rest>)",
        rf"{_LEAD}{_THE}{_HOW}{_MOVEMENT} (?:in|of) (?P<metric>.+?)(?P<rest>)",
    )
)
_DOWN = re.compile(
    r"\b(?:drop|fell|fall|declin|decreas|sink|sank|sunk|shrink|shrank|shrunk|slump|plung|plummet|"
    r"dip|collaps|crash|loss|down|lower|fewer|less)",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:ris|rose|increas|grow|grew|jump|spik|surg|soar|climb|up|higher|more\b)", re.IGNORECASE
)
_EXPLAIN = re.compile(r"\s*(?:please )?explain\b", re.IGNORECASE)
_SIZE = re.compile(
    r"\bby (?:about |almost |more than )?[\d.,]+ ?(?:%|per ?cent|percent|points?)?|"
    r"\b(?:so (?:much|sharply|strongly|suddenly|fast)|this much|that much|a lot|sharply|suddenly|"
    r"significantly|slightly|strongly|dramatically|again|actually|really)\b",
    re.IGNORECASE,
)
# Words of time that no period was made of: what they would leave out must not go unsaid.
_TIMELY = re.compile(
    r"\b(?:today|yesterday|tomorrow|now|lately|recently|early|late|mid|middle|beginning|end|start|half|"
    r"weeks?|weekends?|weekdays?|days?|months?|quarters?|years?|decades?|mornings?|evenings?|nights?|"
    r"\w+days?|holidays?|christmas|easter|seasons?|summer|winter|spring|autumn|ago|earlier|before|after|"
    r"since|until|\d{4})\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"(?:in|for|of|from|at|among|on|with|within|across|where)\b", re.IGNORECASE
)
_NO_METRIC = frozenset("it this that they them these those he she we you i there so things".split())


@dataclass(frozen=True, slots=True)
class Why:
    """A question why a metric moved: the words of the metric, the times that it says, and which way
    it takes it to have moved: -1 down, 1 up, 0 where it does not say."""

    metric: str
    times: Times
    way: int = 0


def why_moved(question: str, today: date) -> Why | None:
    """The metric and the times of a question why it moved; None for any other question."""
    if not asks_why(question):
        return None
    text = " ".join(question.split()).rstrip(" ?.!")
    if '"' in text:
        return None  # quoted words are values to the reader of questions
    found = times_in(text, today)
    if found is None:
        return None
    times, left = found
    left = " ".join(_SIZE.sub(" ", left).replace(" ,", " ").split()).strip(" ,?.!")
    for number, form in enumerate(_FORMS):
        match = form.fullmatch(left)
        if match is None or (number == len(_FORMS) - 1 and not _EXPLAIN.match(left)):
            continue
        metric = _metric(match)
        around = left[: match.start("metric")] + left[match.end("metric") :]
        return Why(metric, times, _way(around)) if metric else None
    return None


def _way(words: str) -> int:
    """Which way the words around a metric say that it moved."""
    down, up = _DOWN.search(words), _UP.search(words)
    return bool(up) - bool(down)


def _metric(match: re.Match[str]) -> str:
    """The words of the metric, with the conditions that were said after the verb."""
    metric, rest = match["metric"].strip(" ,"), match["rest"].strip(" ,")
    metric = re.sub(r"^(?:the|our|my|their|your)\s+", "", metric, flags=re.IGNORECASE)
    if rest and not _PREPOSITION.match(rest):
        return ""
    words = f"{metric} {rest}".strip()
    if not metric or _TIMELY.search(words) or metric.casefold().split()[0] in _NO_METRIC:
        return ""
    if "counted" in match.groupdict() and match["counted"] is not None:
        return f"number of {words}"
    return words
