"""Which column is said to have caused what is in sight."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.intent import Field, Intent

_CAUSE = re.compile(
    r"^(?:(?:and|but|so|ok|now|then|please)[ ,]+)*(?:did|does|do|was|were|is|could|can|has|have) "
    r"(?P<before>.+?) (?:caus(?:e|ed|ing)|affect(?:ed)?|driv(?:e|en|ing)|explain(?:ed)?|lead to|"
    r"led to|"
    r"behind|responsible for|due to|because of)\b(?: by)?(?: the)? ?(?P<after>.*)$",
    re.IGNORECASE,
)
_LEAST = 4
"""Letters from which the beginning of a word stands for it."""
_IT = frozenset("it this that these those they them".split())


def cause_in(words: str) -> str:
    """The words of what is said to be the cause: of "is it due to the discount?" those behind."""
    found = _CAUSE.match(" ".join(words.split()).rstrip(" ?.!"))
    if found is None:
        return ""
    before = found["before"].removeprefix("the ").strip()
    if before.casefold() in _IT or before.casefold().startswith(("this ", "that ")):
        return found["after"].strip()
    return before


def table_of_number(intent: Intent) -> tuple[str, str] | None:
    """The table and column of the one number that a reading shows, where it is of one column."""
    shown = [measure for measure in intent.measures if measure.shown]
    if len(shown) != 1 or not isinstance(shown[0].expression, Field):
        return None
    return shown[0].expression.table, shown[0].expression.column


def column_called(words: str, catalogue: Catalogue, table_name: str) -> str:
    """The one column of a table that words name, all of them; empty where none or several are."""
    table = catalogue.table(table_name)
    texts = {stem(word) for word in words_of(words)} - {stem("the")}
    if table is None or not texts:
        return ""
    exact = [c.name for c in table.columns if _stems(c.name) == texts]
    within = [c.name for c in table.columns if texts <= _stems(c.name)]
    shortened = [c.name for c in table.columns if _shortened(texts, _stems(c.name))]
    found = exact or within or shortened
    return found[0] if len(found) == 1 else ""


def _shortened(texts: set[str], named: set[str]) -> bool:
    """Whether a name says each word in short, or a word the name: promo and promotion."""
    return all(
        any(min(len(a), len(b)) >= _LEAST and (a.startswith(b) or b.startswith(a)) for b in named)
        for a in texts
    )


def names_in(table: Table | None) -> str:
    """The columns of a table, for people."""
    return ", ".join(column.name for column in table.columns[:20]) if table is not None else ""


def _stems(name: str) -> set[str]:
    return {stem(word) for word in words_of(name)}
