"""Things that are said in a longer way than the data calls them, put into the data's names.

"Managers that have ids between 1 and 9" are told by the manager id, and "a job in the past" is a
row of the job history, where there are a column and a table of those names. The books that each
"wrote" are those that each has.
"""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import (
    name_words,
    readable,
    readable_table,
    stem,
)

_WITH_IDS = re.compile(
    r"\b(?P<thing>[^\W\d_]{3,})\s+(?:(?:that|who|which)\s+(?:have|has|had)|with|whose)\s+"
    r"(?:an?\s+)?ids?(?:\s+(?:is|are))?(?=\s+(?:in|between|above|over|below|under|equal|less|more"
    r"|greater|larger|smaller|from|[<>=\d])\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?P<thing>[^\W\d_]{3,})\s+(?:in the past|in former times|previously|before now)\b",
    re.IGNORECASE,
)
_EACH_DOES = re.compile(
    r"\b(?P<said>(?:how many|the number of) [\w ]{2,40}?) (?:(?:do|does|did|has|have|had) )?"
    r"each(?: of them| one)? (?P<verb>[^\W\d_]{3,})(?: part)?(?: in| for| on| at)?"
    r"(?=\s*(?:[?.,;]|$|\b(?:in|with|by|using|as)\b))",
    re.IGNORECASE,
)
# What is done with things of one's own, so that it says no more than having them.
_OWNING = frozenset(
    """write wrote written make made play played appear appeared act acted star starred hold held
    host hosted run ran teach taught attend attended take took own owned publish published produce
    produced direct directed contain contained include included release released record recorded
    sing sang perform performed participate participated compete competed join joined offer offered
    supply supplied manage managed""".split()
)
_PAST = frozenset((stem("history"), stem("past"), stem("previous"), stem("former")))


def by_known_names(question: str, catalogue: Catalogue) -> str:
    """The question with the names that the data has for what is said."""
    tables = {name_words(table.name): table.name for table in catalogue.tables}
    columns = {
        name_words(column.name): column.name for t in catalogue.tables for column in t.columns
    }

    def key(match: re.Match[str]) -> str:
        thing = stem(match["thing"].lower())
        name = columns.get((thing, "id"))
        return readable(name) if name is not None and (thing,) not in tables else match.group()

    def history(match: re.Match[str]) -> str:
        thing = stem(match["thing"].lower())
        name = next(
            (n for words, n in tables.items() if thing in words and set(words) - {thing} <= _PAST
             and len(words) > 1), None,
        )  # fmt: skip
        return readable_table(name) if name is not None else match.group()

    known = {word for words in (*tables, *columns) for word in words}

    def having(match: re.Match[str]) -> str:
        verb = match["verb"].lower()
        if verb not in _OWNING or stem(verb) in known:
            return match.group()
        return f"{match['said']} each has"

    return _EACH_DOES.sub(having, _BEFORE.sub(history, _WITH_IDS.sub(key, question)))
