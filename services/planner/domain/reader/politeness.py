"""A question without what says nothing of the data."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.reader.grammar.fillers import POLITENESS
from services.planner.domain.reader.rewording import QUOTED, reword_question, words_called

_EDGES = re.compile(r"^[\s,;:.!-]+|[\s,;:-]+$")
_NUMBERED = re.compile(r"^\s*(?:\(?\d{1,3}[.)]|[Qq]\d{1,3}[.:)])\s+(?=[A-Za-z])")
_COMMAS = re.compile(r"\s*,(?:\s*,)+")
_BEFORE_MARK = re.compile(r"\s+([,;?!])")
_SPACES = re.compile(r"\s{2,}")
_PATTERNS = tuple(
    re.compile(rf"(?<![\w'-])(?:{rule.pattern})(?![\w'-])", re.IGNORECASE) for rule in POLITENESS
)


def without_number(question: str) -> str:
    """The question without its number in a list: "3. What is the average rainfall?"."""
    return _NUMBERED.sub("", question)


def without_politeness(question: str, catalogue: Catalogue) -> str:
    """The question without politeness and the like; as it is where nothing would be left.

    Quoted texts stay, and so does what a column, a table or a value is called.
    """
    question = reword_question(without_number(question), catalogue)
    kept = [match.span() for match in QUOTED.finditer(question)]
    names = words_called(catalogue)
    spans: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(question):
            first, last = match.span()
            quoted = any(a < last and first < b for a, b in kept)
            named = match[0].isupper() and not question.isupper()  # stores in HI
            if not (quoted or named) and not names & set(match[0].lower().split()):
                spans.append((first, last))
    if not spans:
        return question
    text = list(question)
    for first, last in spans:
        text[first:last] = " " * (last - first)
    left = _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", "".join(text)))
    left = _EDGES.sub("", _COMMAS.sub(",", left))
    return left if re.search(r"\w{2}", left) else question
