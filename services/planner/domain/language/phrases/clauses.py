"""Takes out of the question what is said about the chart and about sorting.

Both are said in set phrases; once they are out of the way, what is left speaks of the data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.lexicon.normalise import Token, take
from services.planner.domain.query.intent import ChartType

_LEAD = (
    r"(?:(?:by|with|in|using|as|through|via|on|into|for)\s+)?(?:a|an|the|one)?\s*(?:form of a\s+)?"
)
_TAIL = r"(?:\s+(?:chart|graph|plot|diagram|figure|graphs|charts|plots))"
_CHARTS: tuple[tuple[str, ChartType, bool], ...] = (
    (rf"stack(?:ed)?[ -](?:bars?|columns?){_TAIL}?", ChartType.STACKED_BAR, True),
    (r"(?<=, )stacked(?=[.?!]?\s*$)", ChartType.STACKED_BAR, True),
    (rf"group(?:ed|ing)?[ -]bars?{_TAIL}?", ChartType.GROUPED_BAR, True),
    (rf"group(?:ed|ing)?[ -](?:scatter|point){_TAIL}?", ChartType.SCATTER, True),
    (rf"(?:group(?:ed|ing)?|multi(?:-series|ple)?)[ -]lines?{_TAIL}?", ChartType.MULTI_LINE, True),
    (rf"(?:bars?|columns?|horizontal bars?){_TAIL}|barplot|bargraph", ChartType.BAR, True),
    (rf"pies?{_TAIL}?|do(?:ugh)?nut{_TAIL}?", ChartType.PIE, True),
    (rf"scatter(?:ed|s)?{_TAIL}?s?|scatterplot", ChartType.SCATTER, True),
    (rf"lines?{_TAIL}|(?<=return a )line\b|(?<=with a )line\b", ChartType.LINE, True),
    (rf"area{_TAIL}", ChartType.AREA, True),
    (rf"box[ -]?(?:and[ -]whiskers?[ -]?)?plots?|box{_TAIL}", ChartType.BOX, True),
    (r"heat[ -]?maps?", ChartType.HEATMAP, True),
    (r"histograms?", ChartType.HISTOGRAM, True),
    (r"(?:draw|show|return|display|plot) (?:a )?bars?\b", ChartType.BAR, True),
    (r"(?:the )?proportions?(?: of)?|percentage breakdown(?: of)?", ChartType.PIE, False),
    (
        r"(?:the )?(?:correlation|relationship|relation)s?(?: between| of)?",
        ChartType.SCATTER,
        False,
    ),
    (r"(?:the )?distributions?(?: of)?", ChartType.HISTOGRAM, False),
    (r"(?:the )?trends?(?: of| about)?|over time", ChartType.LINE, False),
)
_ANY_CHART = re.compile(
    rf"{_LEAD}\b(?:charts?|graphs?|plots?|graphic|visuali[sz]ation|diagram)\b", re.IGNORECASE
)
_AXIS = re.compile(r"\b(?:the )?([xy])[ -]?(?:axis|axes)?\b(?: is| shows?|:|=)?", re.IGNORECASE)

_WAY = (
    r"(?P<way>asc(?:ending(?:ly)?)?|desc(?:ending(?:ly)?)?|increasing|decreasing|"
    r"low(?:est)? to high(?:est)?|high(?:est)? to low(?:est)?|"
    r"small(?:est)? to (?:large|big)(?:st|gest)?|(?:large|big)(?:st|gest)? to small(?:est)?|"
    r"reverse alphabetical(?:ly)?|alphabetical(?:ly)?|a to z|z to a|chronological(?:ly)?|"
    r"lexicographical(?:ly)?)\b"
)
_DIRECTION = (
    rf"(?:(?:in|from|by|with|into)\s+)?(?:the\s+|an?\s+)?{_WAY}(?:\s+(?:order(?:ing)?|manner))?"
)
_SORT = r"\b(?:sort|order|rank|arrang)(?:e?d|ing)?\b"
_VERB = r"\b(?:rank|sort|order|list|show|display|arrang|put)(?:e?d|ing|s|e)?\b"
_PRONOUN = r"(?:\s+(?:them|it|this|the results?|the data|the bars?|results?))?"
_BEFORE = (
    r"(?:,?\s*(?:and\s+)?(?:then\s+)?"
    r"(?:i want to|could you|please|i would like to|can you)\s+|,\s*(?:and\s+)?|\band\s+)?"
    r"(?:please\s+)?"
)
_TARGET = (
    r"(?P<target>(?:(?!\b(?:using|visuali[sz]e|plot|draw|and show|with a|in a|by a|show|please|"
    r"and count|for each|in each|each|per|where|whose)\b)[^,.?;]){1,60}?)"
)
_STOP = (
    r"(?=\s*(?:[,.?;]|$|\b(?:please|using|visuali[sz]e|plot|draw|with an?|in an?|by an?|show|and|"
    r"for each|in each|where|as)\b))"
)
_BY = r"\s+(?:by|on|according to)\s+"
_OF = r"\s+(?:by|of|for|on|according to|with)\s+"
# From the most telling form to the least: "rank by Y in asc", "order descending by Y", …
_ORDERS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BEFORE}{_VERB}{_PRONOUN}{_BY}(?:the\s+)?{_TARGET}\s+{_DIRECTION}",
        rf"{_BEFORE}{_VERB}{_PRONOUN}\s+{_DIRECTION}{_OF}{_TARGET}{_STOP}",
        rf"{_SORT}\s+by\s+{_WAY}\s+{_TARGET}{_STOP}",
        rf"(?P<strict>){_BEFORE}{_VERB}\s+(?:the\s+)?{_TARGET}\s+{_DIRECTION}",
        rf"with\s+the\s+{_TARGET}\s+{_DIRECTION}",
        rf"{_BEFORE}(?:{_VERB}{_PRONOUN}\s+)?{_DIRECTION}{_OF}{_TARGET}{_STOP}",
        rf"{_BEFORE}{_SORT}{_PRONOUN}{_BY}{_TARGET}{_STOP}",
        rf"{_BEFORE}(?:{_VERB}{_PRONOUN}\s+)?{_DIRECTION}",
    )
)
_DESCENDING = re.compile(r"desc|decreas|^high|^large|^big|reverse|^z", re.IGNORECASE)
_X_TARGET = re.compile(
    r"^(?:the\s+)?(?:x|x[ -]?ax[ie]s|bars?|names?|-axis|labels?|alphabet\w*)$", re.IGNORECASE
)
_Y_TARGET = re.compile(
    r"^(?:the\s+)?(?:y|y[ -]?ax[ie]s|total(?: number)?|total counts?|counts?|the total number|"
    r"numbers?|(?:the\s+)?(?:number of|how many|count of).*)$",
    re.IGNORECASE,
)
# "products that were never ordered by customers" are not to be sorted.
_PASSIVE = re.compile(r"\b(?:never|not|was|were|been|be)\s*$", re.IGNORECASE)
_ORDERED = re.compile(r"^\s*ordered by\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ChartWish:
    """What was said about a chart; not `certain` when the words only hint at the type."""

    chart: ChartType | None
    wanted: bool
    certain: bool


@dataclass(frozen=True, slots=True)
class OrderWish:
    """What was said about sorting. `target` is "x", "y", "" (not said) or words to be linked."""

    target: str
    descending: bool
    alphabetical: bool = False


def chart_wish(question: str, tokens: Sequence[Token]) -> ChartWish:
    """The chart that was asked for; its words are marked as used."""
    found: ChartType | None = None
    certain = False
    for pattern, chart, named in _CHARTS:
        for match in re.finditer(rf"{_LEAD if named else ''}\b(?:{pattern})", question, re.I):
            if any(t.used or t.quoted for t in tokens if match.start() <= t.start < match.end()):
                continue
            if found is None or (named and not certain):
                found, certain = chart, named
            take(tokens, match.start(), match.end(), "chart")
    wanted = found is not None
    for match in _ANY_CHART.finditer(question):
        wanted = True
        take(tokens, match.start(), match.end(), "chart")
    return ChartWish(found, wanted, certain)


def order_wish(question: str, tokens: Sequence[Token]) -> OrderWish | None:
    """How to sort; its words are marked as used. None when nothing was said."""
    for pattern in _ORDERS:
        for match in pattern.finditer(question):
            if not _plausible(match, question, tokens):
                continue
            groups = match.groupdict()
            way = groups.get("way") or ""
            target = (groups.get("target") or "").strip()
            start = match.start()
            if "strict" not in groups and _starts_sentence(question, match):
                start = max(start, _after_verb(match, question))
            take(tokens, start, match.end(), "order")
            alphabetical = "alphabet" in way.lower() or way.lower() in ("a to z", "z to a")
            return OrderWish(
                "x" if alphabetical and not target else _axis(target),
                bool(_DESCENDING.search(way)),
                alphabetical,
            )
    return None


def _axis(target: str) -> str:
    if _X_TARGET.match(target):
        return "x"
    return "y" if _Y_TARGET.match(target) else target


def _plausible(match: re.Match[str], question: str, tokens: Sequence[Token]) -> bool:
    if any(t.quoted for t in tokens if match.start() <= t.start < match.end()):
        return False
    if _PASSIVE.search(question[: match.start()]) and _ORDERED.search(match.group()):
        return False
    if "strict" not in match.groupdict():
        return True
    words = match.group("target").split()
    return len(words) <= 6 and not _starts_sentence(question, match)


def _starts_sentence(question: str, match: re.Match[str]) -> bool:
    if not re.match(_VERB, match.group(), re.IGNORECASE):
        return False
    before = question[: match.start()].rstrip()
    return not before or before[-1] in ".?!"


def _after_verb(match: re.Match[str], question: str) -> int:
    verb = re.compile(_VERB, re.IGNORECASE).match(question, match.start())
    return verb.end() if verb else match.start()


def axes(question: str, tokens: Sequence[Token]) -> list[tuple[str, int, int]]:
    """Where "x" or "y" is named as an axis: which one, and the characters that say so."""
    found: list[tuple[str, int, int]] = []
    for match in _AXIS.finditer(question):
        words = match.group().lower()
        covered = [t for t in tokens if match.start() <= t.start < match.end()]
        if any(t.used or t.quoted for t in covered):
            continue
        if "ax" in words or re.match(r"(?:the )?[xy]\b", words):
            found.append((match.group(1).lower(), match.start(), match.end()))
            take(tokens, match.start(), match.end(), "axis")
    return found
