"""A question in plainer words for the same: what some phrases come to in the data at hand."""

from __future__ import annotations

import re
from functools import lru_cache

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.filters import Product
from services.planner.domain.reader.links.schema import schema_of
from services.planner.domain.semantics.units import unit_called

QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|“[^”]*”|`[^`]*`")
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
_ENTITIES_SOLD = re.compile(
    r"\b(?P<many>how many)? ?(?:the )?(?:total )?(?:number of |count of )?(?P<noun>[a-z]{3,})"
    r"(?P<verb>(?: that)? (?:were|was|are|is|have been|has been|did we|do we))?"
    r"(?P<sold> sold| sell)\b",
    re.IGNORECASE,
)
_QUANTITIES = frozenset(("quantity", "qty", "units"))
_CARRIED_BY = frozenset((stem("shipper"), stem("carrier")))
_HAVING = (
    (
        re.compile(r"\b(?:looks after|takes care of|is (?:responsible for|in charge of))\b", re.I),
        "has",
    ),
    (
        re.compile(r"\b(?:look after|take care of|are (?:responsible for|in charge of))\b", re.I),
        "have",
    ),
    (
        re.compile(
            r"\b(?:looked after|took care of|w(?:as|ere) (?:responsible for|in charge of))\b", re.I
        ),
        "had",
    ),
)
"""Verbs of many words that say whose something is."""
_INCLUDED = re.compile(
    r"\s*,\s*(?:the )?(?P<kind>[a-z]+)(?: ones)?,? (?:included|or not)(?=\s*(?:[,.;:?!]|$))",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\s*\((?:(?:e\.?\s?g\.?|for example|for instance|such as|like)\b[^()]*|[^()]*\betc\.?)\)",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"\b(?:(?:from|between|in|during|for) )?(?:the years )?(?:19|20)?(?P<first>\d\d)"
    r" ?(?:to|and|through|until|till|-|–) ?(?:19|20)?(?P<last>\d\d)\b",
    re.IGNORECASE,
)
_IN_NAME = re.compile(r"\D(\d\d)[_-](\d\d)$")
_CARRIERS = re.compile(
    r"\b(?:shipping|freight|delivery) (?:compan(?P<many>ies)|company)\b", re.IGNORECASE
)
_COMMON = frozenset("i we you me us to in the our of a an do does if it this that my all".split())


def reword_question(question: str, catalogue: Catalogue) -> str:
    """The question with units, deeds and periods said as the data says them; else as it is."""
    question = _without_units(question, catalogue)
    if QUOTED.search(question):
        return question
    question = _without_discounts(_EXAMPLE.sub("", question), catalogue)
    question = _with_quantity(_without_sold(question, catalogue), catalogue)
    question = _with_years_of_names(_with_carriers(question, catalogue), catalogue)
    question = _without_included(question, catalogue)
    for pattern, plain in _HAVING:
        question = pattern.sub(plain, question)
    return question


def _without_units(question: str, catalogue: Catalogue) -> str:
    """ "litres of fuel" as "fuel", where fuel is told in litres."""

    def plain(match: re.Match[str]) -> str:
        unit, noun = unit_called(match["unit"].lower()), stem(match["noun"].lower())
        is_mentioned = unit is not None and any(
            place.measure is unit and noun in {stem(word) for word in place.words}
            for place in schema_of(catalogue).places
        )
        return match["noun"] if is_mentioned else match[0]

    return _UNIT_OF.sub(plain, question)


def _without_discounts(question: str, catalogue: Catalogue) -> str:
    """ "revenue after discounts" as "revenue", where discounts are taken off in working it out."""
    match, money = _DISCOUNTS.search(question), _MONEY.search(question)
    if match is None or money is None:
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
    if match is None or "sold" in words_called(catalogue):
        return question
    return question[: match.end("of")] + question[match.end() :]


def _with_quantity(question: str, catalogue: Catalogue) -> str:
    """ "Number of tracks sold" as "total quantity": the lines that sell tracks tell how many."""
    match = _ENTITIES_SOLD.search(question)
    counted = match is not None and (
        match["many"] or "number of" in match[0] or "count of" in match[0]
    )
    if match is None or not counted or "sold" in words_called(catalogue):
        return question
    if not _are_sold(stem(match["noun"].lower()), catalogue):
        return question
    return f"{question[: match.start()]} total quantity{question[match.end() :]}".strip()


def _are_sold(noun: str, catalogue: Catalogue) -> bool:
    """Whether rows that refer to things so called tell a quantity of them."""
    return any(
        noun in {stem(word) for word in words_of(link.to_table)}
        and any(
            place.number and _QUANTITIES & set(place.words)
            for place in schema_of(catalogue).of_table(link.from_table)
        )
        for link in catalogue.relationships
    )


def _without_included(question: str, catalogue: Catalogue) -> str:
    """Without ", discontinued ones included", which sets no condition on a yes or no."""
    flags = {stem(w) for p in schema_of(catalogue).places if p.flag for w in p.words}

    def plain(match: re.Match[str]) -> str:
        return "" if stem(match["kind"].lower()) in flags else match[0]

    return _INCLUDED.sub(plain, question)


def _with_carriers(question: str, catalogue: Catalogue) -> str:
    """ "Shipping companies" as "shippers", where a table holds these."""
    for table in catalogue.tables:
        called = words_of(table.name)[-1]
        if stem(called) in _CARRIED_BY:
            return _CARRIERS.sub(called, question)
    return question


def _with_years_of_names(question: str, catalogue: Catalogue) -> str:
    """ "Incidents between 1985 and 1999" as "incidents 85 99", where a column is called so."""
    texts = {
        match.groups()
        for table in catalogue.tables
        for column in table.columns
        if (match := _IN_NAME.search(column.name))
    }

    def named(match: re.Match[str]) -> str:
        years = (match["first"], match["last"])
        return " ".join(years) if years in texts else match[0]

    return _YEARS.sub(named, question) if texts else question


@lru_cache(maxsize=16)
def words_called(catalogue: Catalogue) -> frozenset[str]:
    """The words that something in the data is called by."""
    found: set[str] = set()
    for table in catalogue.tables:
        found.update(words_of(table.name))
        for column in table.columns:
            found.update(words_of(column.name))
            for text in (*column.samples, *column.synonyms):
                found.update(re.findall(r"\w+", text.lower()))
    return frozenset(found) - _COMMON
