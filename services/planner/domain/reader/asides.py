"""A question without what says nothing of the data."""

from __future__ import annotations

import re
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.filters import Product
from services.planner.domain.language.measures.formulas import revenue_formulas
from services.planner.domain.reader.grammar.fillers import SAID_ASIDE
from services.planner.domain.reader.links.names import words_of
from services.planner.domain.reader.links.schema import schema_of
from services.planner.domain.reader.links.units import unit_called
from services.planner.domain.reader.words.tokens import stem

_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|“[^”]*”|`[^`]*`")
_UNIT_OF = re.compile(
    r"(?<![\w.])(?:(?:number|amount|quantity) of )?"
    r"(?P<unit>[a-z]{2,}) of (?:the )?(?P<noun>[a-z]+)",
    re.IGNORECASE,
)
_MONEY = re.compile(r"\b(?:revenues?|sales|turnover|takings|income)\b", re.IGNORECASE)
_DISCOUNTS = re.compile(  # bare "with discounts" may ask for the rows that have one
    r"(?:\s*,)?\s+(?:(?:after|net of|less|minus) (?:all |the |any )?discounts?"
    r"(?: (?:taken off|applied|included|deducted|subtracted))?|"
    r"(?:with )?(?:all |the )?discounts? (?:taken off|applied|included|deducted|subtracted))"
    r"(?! than)\b",
    re.IGNORECASE,
)
_HOW_MANY_SOLD = re.compile(
    r"\b(?P<of>(?:quantity|quantities|units|copies|pieces)(?: of(?: \w+){1,2})?) sold\b",
    re.IGNORECASE,
)
_EDGES = re.compile(r"^[\s,;:.!-]+|[\s,;:-]+$")
_COMMAS = re.compile(r"\s*,(?:\s*,)+")
_BEFORE_MARK = re.compile(r"\s+([,;?!])")
_SPACES = re.compile(r"\s{2,}")
_COMMON = frozenset("i we you me us to in the our of a an do does if it this that my all".split())
_PATTERNS = tuple(
    re.compile(rf"(?<![\w'-])(?:{rule.pattern})(?![\w'-])", re.IGNORECASE) for rule in SAID_ASIDE
)


def without_asides(question: str, catalogue: Catalogue) -> str:
    """The question without politeness and the like; as it is where nothing would be left.

    Quoted texts stay, and so does what a column, a table or a value is called.
    """
    question = _without_discounts(_without_units(question, catalogue), catalogue)
    question = _without_sold(question, catalogue)
    kept = [match.span() for match in _QUOTED.finditer(question)]
    names = _words(catalogue)
    spans: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(question):
            first, last = match.span()
            quoted = any(a < last and first < b for a, b in kept)
            if not quoted and not names & set(match[0].lower().split()):
                spans.append((first, last))
    if not spans:
        return question
    text = list(question)
    for first, last in spans:
        text[first:last] = " " * (last - first)
    left = _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", "".join(text)))
    left = _EDGES.sub("", _COMMAS.sub(",", left))
    return left if re.search(r"\w{2}", left) else question


def _without_units(question: str, catalogue: Catalogue) -> str:
    """ "litres of fuel" as "fuel", where fuel is told in litres."""

    def plain(match: re.Match[str]) -> str:
        unit, noun = unit_called(match["unit"].lower()), stem(match["noun"].lower())
        told = unit is not None and any(
            place.measure is unit and noun in {stem(word) for word in place.words}
            for place in schema_of(catalogue).places
        )
        return match["noun"] if told else match[0]

    return _UNIT_OF.sub(plain, question)


def _without_discounts(question: str, catalogue: Catalogue) -> str:
    """ "revenue after discounts" as "revenue", where discounts are taken off in working it out."""
    match, money = _DISCOUNTS.search(question), _MONEY.search(question)
    if match is None or money is None or _QUOTED.search(question):
        return question
    if any(stem(money[0].lower()) in map(stem, p.words) for p in schema_of(catalogue).places):
        return question  # a column of its own, which may be with discounts or without
    worked_out = [one for one in revenue_formulas(catalogue) if isinstance(one, Product)]
    if not worked_out or not all(one.discounts for one in worked_out):
        return question
    return question[: match.start()] + question[match.end() :]


def _without_sold(question: str, catalogue: Catalogue) -> str:
    """ "quantity of tracks sold" as "quantity of tracks": it is no revenue."""
    match = _HOW_MANY_SOLD.search(question)
    if match is None or "sold" in _words(catalogue) or _QUOTED.search(question):
        return question
    return question[: match.end("of")] + question[match.end() :]


@lru_cache(maxsize=16)
def _words(catalogue: Catalogue) -> frozenset[str]:
    """The words that something in the data is called by."""
    found: set[str] = set()
    for table in catalogue.tables:
        found.update(words_of(table.name))
        for column in table.columns:
            found.update(words_of(column.name))
            for text in (*column.samples, *column.synonyms):
                found.update(re.findall(r"\w+", text.lower()))
    return frozenset(found) - _COMMON
