"""What a model may be shown of an earlier answer: its statement, unless this request hides it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from mesh.policy import Disclosure
from services.planner.adapters.llm.describing import visible
from services.planner.adapters.llm.rehearsal import rehearse
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.statements.parsing import statement


def hidden(query: str, catalogue: Catalogue, request: AnalysisRequest, level: Disclosure) -> bool:
    """Whether a statement holds something that a model may not know of: a column that policy hides,
    or where no values are told, one that nobody said."""
    if not query:
        return False
    _, why_not = rehearse(query, (), visible(catalogue, request.policy))
    if why_not or request.policy.match(query) is not None:
        return True
    text = request.intent.casefold()
    return not level.allows(Disclosure.VALUES) and any(
        value.casefold() not in text for value in _names_in(query)
    )


def _names_in(query: str) -> Iterator[str]:
    """Texts that a statement compares with, and that are words."""
    tree = statement(query)
    for literal in tree.find_all(exp.Literal) if tree is not None else ():
        if literal.is_string and any(map(str.isalpha, literal.name)) and "%" not in literal.name:
            yield literal.name
