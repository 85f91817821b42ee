"""Ways of saying things about columns, put into the words that the other stages know.

Only names of columns of the data start a change, so that nothing else is touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.language.defining.formula import spellings
from services.planner.domain.language.dimensions.recency import recency_said
from services.planner.domain.language.linking.mention import numeric
from services.planner.domain.language.normalising.everyday import plainly
from services.planner.domain.language.normalising.normalise import name_words, stem
from services.planner.domain.language.phrases.moments import MOMENT

_QUOTED = re.compile(
    r"(?<!\w)(?:'([^']{1,80})'|\"([^\"]{1,80})\"|`([^`]{1,80})`|\u201c([^\u201d]{1,80})\u201d)(?!\w)"
)
_SAYS_VALUE = re.compile(
    r"(?:=|\b(?:is|are|was|were|equals?|equal to|like|contain(?:s|ing)?|with|starts? with"
    r"|ends? with|named|called|not))\s*$",
    re.IGNORECASE,
)
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


def rephrased(question: str, catalogue: Catalogue) -> str:
    """The question as the other stages read it best."""
    plain = recency_said(_unquoted(_ends_of_times(question), catalogue), catalogue)
    said = _flags_as_averages(_missing(plain, catalogue), catalogue)
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
        valued = _SAYS_VALUE.search(question[: match.start()])
        return match.group() if text.casefold() not in names or valued else text

    return _QUOTED.sub(plain, question)


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
