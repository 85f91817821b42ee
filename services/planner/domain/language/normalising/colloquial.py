"""Names that people give to columns, kinds and rates, in the words that the data has for them.

A change is made only where a column of the data bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue, Column, DataType
from services.planner.domain.language.linking.mention import yes_of
from services.planner.domain.lexicon.normalise import name_words, readable, stem
from services.planner.domain.query.columns import holds_numbers, numeric

_PLACES = {
    word: place
    for place, words in enumerate(
        ("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th"), start=1
    )
    for word in words.split()
}
_KIND = re.compile(rf"\b(?P<place>{'|'.join(_PLACES)})[ -](?P<name>[^\W\d_]{{4,}})\b", re.I)
_PAY = frozenset(stem(word) for word in ("salary", "income", "wage", "pay", "earnings"))
_BEST_PAID = re.compile(
    r"\b(?P<end>highest|best|most|top|lowest|worst|least)[ -](?:paid|paying|earning)\s+"
    r"(?P<who>[\w ]+?)(?=\s*(?:[,.?]|$|\b(?:in|by|per|for|of)\b))",
    re.IGNORECASE,
)
_LOW = frozenset(["lowest", "worst", "least"])
_RANKED = re.compile(
    r"^\s*rank (?!of\b|correlation\b)(?:all |the |our )*(?P<thing>[^\W\d][\w ]*?)s? by "
    r"(?:their |the )?(?P<number>[\w ]+?)[?.]*$",
    re.IGNORECASE,
)
_RATE = re.compile(r"\b(?P<word>[^\W\d]{4,})[ -]rates?\b", re.IGNORECASE)
_MARGIN = re.compile(r"\b(?:the )?(?:average |overall |total )?profit margins?\b", re.IGNORECASE)
_SALES = frozenset(stem(word) for word in ("sales", "revenue", "turnover"))
_TIME_OF_DAY = re.compile(r"\btimes? of (?:the )?day\b", re.IGNORECASE)
_BANDS = re.compile(r"\bages? (?:group|band|bracket|range|bucket)s?\b(?!\s*[(:\[])", re.I)
_IN_PERCENT = re.compile(
    r"as (?:an? |the )?(?:percentage|percent|share|fraction|proportion) of", re.IGNORECASE
)
_UNITS = "seconds|minutes|hours|dollars|euros|pounds|usd|eur|kg|kilograms|km|kilometres|miles"
_CALENDAR = "days|weeks|months|years"


def in_words_of_data(question: str, catalogue: Catalogue) -> str:
    """The question with the columns and kinds that it speaks of called as the data calls them."""
    columns = [column for table in catalogue.tables for column in table.columns]
    question = _without_hyphens(question, columns)
    question = _RANKED.sub(r"\g<number> for each \g<thing> in descending order", question)
    question = _KIND.sub(lambda match: _kind(match, columns), question)
    question = _best_paid(question, columns)
    question = _RATE.sub(lambda match: _rate(match, columns), question)
    question = _margin(question, catalogue)
    if any(readable(c.name) == "time" and c.data_type is DataType.STRING for c in columns):
        question = _TIME_OF_DAY.sub("time", question)
    if sum("age" in readable(c.name).split() and numeric(c.data_type) for c in columns) == 1:
        question = _BANDS.sub("age in bins of 10", question)
    return _without_units(_in_percent_of(question, columns), columns)


def _without_hyphens(question: str, columns: list[Column]) -> str:
    """ "Sub-category" as "sub category", where that is a column's whole name."""
    for words in {readable(c.name) for c in columns if "-" in question}:
        if " " in words:
            said = "-".join(re.escape(word) for word in words.split())
            question = re.sub(rf"\b{said}\b", words, question, flags=re.IGNORECASE)
    return question


def _kind(match: re.Match[str], columns: list[Column]) -> str:
    """ "Third class" as "pclass 3", where the classes are numbered from 1."""
    named = match.group("name").lower()
    numbered = [
        c for c in columns
        if c.data_type is DataType.INTEGER and c.minimum == "1" and len(c.maximum or "") == 1
        and readable(c.name).endswith(named)
    ]  # fmt: skip
    if len(numbered) != 1:
        return match.group()
    return f"{readable(numbered[0].name)} {_PLACES[match.group('place').lower()]}"


def _best_paid(question: str, columns: list[Column]) -> str:
    """ "The highest paid role" is the role with the highest salary, where one column tells that."""
    paid = [c for c in columns if numeric(c.data_type) and set(name_words(c.name)) & _PAY]
    if len(paid) != 1:
        return question

    def said(match: re.Match[str]) -> str:
        end = "lowest" if match.group("end").lower() in _LOW else "highest"
        return f"{match.group('who')} with the {end} average {readable(paid[0].name)}"

    return _BEST_PAID.sub(said, question)


def _rate(match: re.Match[str], columns: list[Column]) -> str:
    """The "churn rate" is the share of those with churn, where that is told by yes and no."""
    word = stem(match.group("word").lower())
    named = [c for c in columns if word in name_words(c.name)]
    flags = [c for c in named if _says_yes(c)]
    if len(named) != 1 or not flags:
        return match.group()
    return f"share of rows with {readable(flags[0].name)}"


def _says_yes(column: Column) -> bool:
    two = column.distinct == 2 or column.data_type is DataType.BOOLEAN
    return two and yes_of(column) is not None and not holds_numbers(column)


def _margin(question: str, catalogue: Catalogue) -> str:
    """The profit margin as profit over sales, where one table has one of each."""
    for table in catalogue.tables:
        profits = [c.name for c in _numbers(table.columns) if name_words(c.name) == ("profit",)]
        sales = [c.name for c in _numbers(table.columns) if set(name_words(c.name)) & _SALES]
        margins = [c for c in table.columns if "margin" in name_words(c.name)]
        if len(profits) == 1 and len(sales) == 1 and not margins:
            over = f"ratio of total {readable(profits[0])} to total {readable(sales[0])}"
            return _MARGIN.sub(over, question)
    return question


def _numbers(columns: tuple[Column, ...]) -> Iterator[Column]:
    return (column for column in columns if numeric(column.data_type))


def _in_percent_of(question: str, columns: list[Column]) -> str:
    """ "Tip as a percentage of total bill" is the one sum over the other."""
    if not _IN_PERCENT.search(question):
        return question
    named = sorted({readable(c.name) for c in columns if numeric(c.data_type)}, key=len)
    names = "|".join(re.escape(name) for name in reversed(named)) or "(?!)"
    said = rf"\b(?:total )?({names}) {_IN_PERCENT.pattern} (?:the )?({names})\b"
    return re.sub(said, r"ratio of sum of \1 to sum of \2", question, flags=re.IGNORECASE)


def _without_units(question: str, columns: list[Column]) -> str:
    """ "Tenure in months" without the unit, which no date could be meant by."""
    dated = any(c.data_type in (DataType.DATE, DataType.DATETIME) for c in columns)
    units = _UNITS if dated else f"{_UNITS}|{_CALENDAR}"
    for column in columns:
        name = readable(column.name)
        if numeric(column.data_type) and name in question.lower():
            question = re.sub(
                rf"\b({re.escape(name)}) in (?:{units})\b", r"\1", question, flags=re.IGNORECASE
            )
    return question
