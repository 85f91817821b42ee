"""Ways of saying things about columns, put into the words that the other stages know.

Only names of columns of the data start a change, so that nothing else is touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole
from services.planner.domain.language.dimensions.recency import recency_said
from services.planner.domain.language.normalising.flag_words import flags_in_words
from services.planner.domain.language.normalising.instructions import without_instructions
from services.planner.domain.language.normalising.plain_speech import plainly
from services.planner.domain.lexicon.moments import MOMENT
from services.planner.domain.lexicon.normalise import name_words, readable, stem
from services.planner.domain.query.columns import numeric
from services.planner.domain.reader.defining.formula import spellings

_QUOTED = re.compile(
    r"(?<!\w)(?:'([^']{1,80})'|\"([^\"]{1,80})\"|`([^`]{1,80})`|\u201c([^\u201d]{1,80})\u201d)(?!\w)"
)
_SAYS_VALUE = re.compile(
    r"(?:=|\b(?:is|are|was|were|equals?|equal to|like|contain(?:s|ing)?|with|starts? with"
    r"|ends? with|named|called|not))\s*$",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:^|[.?!;])\s*(?:is|are|was|were)\s*$", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"\b(?:remov|exclud|drop|filter|eliminat|without|ignor|leav|delet|discard)\w*\b", re.IGNORECASE
)
_OF_MOMENT = rf"(?: of)?(?= (?:{MOMENT})\b)"
_ENDS = (
    (re.compile(rf"\b(?:before|until|by|till) the end{_OF_MOMENT}", re.IGNORECASE), "until"),
    (re.compile(rf"\b(?:after|since) the end{_OF_MOMENT}", re.IGNORECASE), "after"),
    (
        re.compile(rf"\b(since|from|before) the (?:beginning|start){_OF_MOMENT}", re.IGNORECASE),
        r"\1",
    ),
)
_RATE = re.compile(r"\b(?P<word>[^\W\d]{4,})[ -](?:rates?|percentages?)\b", re.IGNORECASE)
_ROOT = 5
_SHARE = re.compile(
    r"\b(?:percentage|percent|proportion|share|fraction) of (?P<who>[^,.?;]{1,60}?)"
    r"(?: (?:who|that|which))?(?: (?:have|has|had|are|is|were|was))? (?P<word>[^\W\d]{4,})"
    r"(?=\s*(?:[,.?;]|$|\b(?:by|per|for|in|among|at|where|when|across)\b))",
    re.IGNORECASE,
)
_ON_DAYS = re.compile(
    r"(?P<lead>\b(?:mean|average|median|minimum|maximum|standard deviation|correlation)\b"
    r"[^.?;]{1,60}?)"
    r"(?: (?:on|for|of|during) (?:the |those |all )?(?:days|rows|records) "
    r"(?:when|where|with|that have|that had|in which|on which)(?: an?)?|(?<!rows) where) ",
    re.IGNORECASE,
)
_IS_THAN = re.compile(
    r"(?<= where) (?P<name>(?:(?!is\b|are\b|was\b)[\w()/%]+ ){1,4}?)"
    r"(?=(?:greater|more|less|higher|lower|larger|smaller|above|below|over|under)\b)",
    re.IGNORECASE,
)
_BY_THEM = re.compile(
    r" (?:paid|[^\W\d]{3,}ed) by (?:the|all)(?: the)? (?P<who>[^\W\d]{3,}s)(?=[.,;?]|$)",
    re.IGNORECASE,
)


def rephrased(question: str, catalogue: Catalogue) -> str:
    """The question as the other stages read it best."""
    asked = _ends_of_times(without_instructions(question))
    unmarked = _without_marks(_unquoted(asked, catalogue), catalogue)
    plain = _conditions_of_days(recency_said(flags_in_words(unmarked, catalogue), catalogue))
    plain = _numbers_in_brackets(plain, catalogue)
    summed = _most_in_total(_by_them_all(plain, catalogue), catalogue)
    said = _flags_as_averages(_missing(summed, catalogue), catalogue)
    return plainly(said, catalogue)


def _ends_of_times(question: str) -> str:
    """ "Before the end of May 2023" is until May 2023, "since the start of 2024" since 2024."""
    for said, plain in _ENDS:
        question = said.sub(plain, question)
    return question


def _unquoted(question: str, catalogue: Catalogue) -> str:
    """ "The 'Fare' column": without quotes, unless it is said as a value."""
    names = {column.name.casefold() for column in _columns(catalogue)}
    names |= {table.name.casefold() for table in catalogue.tables}

    def plain(match: re.Match[str]) -> str:
        text = next(group for group in match.groups() if group is not None).strip()
        before = question[: match.start()]
        valued = _SAYS_VALUE.search(before) and not _ASKS.search(before)
        return match.group() if text.casefold() not in names or valued else text

    return _QUOTED.sub(plain, question)


def _conditions_of_days(question: str) -> str:
    """The average "on days when" something holds is over these rows, not split by day."""
    plain = _ON_DAYS.sub(r"\g<lead> for rows where ", question)
    return plain if plain == question else _IS_THAN.sub(r" \g<name>is ", plain)


def _numbers_in_brackets(question: str, catalogue: Catalogue) -> str:
    """ "More than 2 siblings (SibSp)" is about the column that the brackets name."""
    for column in _columns(catalogue):
        if numeric(column.data_type) and f"({column.name.casefold()})" in question.casefold():
            said = rf"(?P<number>\b\d+(?:\.\d+)?) (?:[^\W\d]+ ){{1,3}}\({re.escape(column.name)}\)"
            question = re.sub(said, rf"\g<number> {column.name}", question, flags=re.IGNORECASE)
    return question


def _by_them_all(question: str, catalogue: Catalogue) -> str:
    """The fare "paid by the passengers", of whom every row is one, is that of all rows."""
    if len(catalogue.tables) != 1:
        return question
    [table] = catalogue.tables
    keys = [c for c in table.columns if c.role is ColumnRole.ID and c.distinct == table.rows]
    words = {word for column in keys for word in name_words(column.name)}

    def dropped(match: re.Match[str]) -> str:
        return "" if stem(match.group("who").lower()) in words else match.group()

    return _BY_THEM.sub(dropped, question)


def _most_in_total(question: str, catalogue: Catalogue) -> str:
    """The "most votes in total" are the highest sum of them."""
    if "in total" not in question.lower():
        return question
    named = [c.name for c in _columns(catalogue) if numeric(c.data_type)]
    for name in sorted(named, key=len, reverse=True):
        said = rf"\b(?:the )?most (?P<name>{spellings(name)}) in total\b"
        question = re.sub(said, r"the highest total \g<name>", question, flags=re.IGNORECASE)
    return question


def _without_marks(question: str, catalogue: Catalogue) -> str:
    """Names with marks in them as words: "Wind Speed (km/h)" is one name, not three."""
    for name in sorted(_names(catalogue), key=len, reverse=True):
        if re.search(r"[^\w\s]", name) and name.casefold() in question.casefold():
            plain = readable(name)
            question = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", plain, question, flags=re.I)
    return question


def _missing(question: str, catalogue: Catalogue) -> str:
    """ "Rows with a missing Age" are those "where Age is missing"."""
    if "missing" not in question.lower() and "null" not in question.lower():
        return question
    names = "|".join(spellings(name) for name in sorted(_names(catalogue), key=len, reverse=True))
    named = rf"(?:missing|null)\s+(?P<name>{names})(?!\w)(?:\s+(?:values?|entries))?"
    held = rf"\b(?:with|have|has|having|had)\s+(?:an?\s+)?{named}"
    if not _LEFT_OUT.search(question):
        question = re.sub(held, r"where \g<name> is missing", question, flags=re.IGNORECASE)
    return re.sub(rf"\b{named}", r"missing values in \g<name>", question, flags=re.IGNORECASE)


def _flags_as_averages(question: str, catalogue: Catalogue) -> str:
    """The "survival rate" and the "share of passengers who survived" are the average of a column
    that is 1 for those who did and 0 for the others."""
    flags = {
        word: column.name
        for column in _columns(catalogue)
        if _is_flag(column)
        for word in name_words(column.name)
    }
    others = {word for column in _columns(catalogue) for word in name_words(column.name)}

    def average(match: re.Match[str]) -> str:
        word = stem(match.group("word").lower())
        akin = [] if word in others else [flag for flag in flags if _one_root(flag, word)]
        name = flags.get(word) or (flags[akin[0]] if len(akin) == 1 else None)
        if name is None:
            return match.group()
        who = match.groupdict().get("who")
        return f"average {name} of {who}" if who else f"average {name}"

    return _SHARE.sub(average, _RATE.sub(average, question)) if flags else question


def _one_root(one: str, other: str) -> bool:
    """Whether a verb and its noun begin alike: "converted" and "conversion"."""
    size = max(_ROOT, min(len(one), len(other)) - 1)
    return len(one) >= size and one[:size] == other[:size]


def _is_flag(column: Column) -> bool:
    ends = (column.minimum, column.maximum)
    return (
        numeric(column.data_type) and column.distinct == 2 and ends in (("0", "1"), ("0.0", "1.0"))
    )


def _columns(catalogue: Catalogue) -> Iterator[Column]:
    return (column for table in catalogue.tables for column in table.columns)


def _names(catalogue: Catalogue) -> list[str]:
    return list(dict.fromkeys(column.name for column in _columns(catalogue)))
