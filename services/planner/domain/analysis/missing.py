"""Words of a question for which nothing was found: what people ask for and the data does not have.

They are kept with a job that was not answered, or not for sure, so that whoever runs a mesh sees
which words are missing most and can say what they mean (a definition, a semantic model).
"""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence.plainly import is_idle, parts_asked_for
from services.planner.domain.lexicon.moments import is_month
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem, tokenise
from services.planner.domain.proposals.unbound import unbound
from services.planner.domain.query.intent import unread_in
from services.planner.domain.statements.proposal import Proposal
from services.planner.domain.tongues import ENGLISH, language_of

MOST_WORDS = 12
"""How many are kept of a question: one of which more is missing is about something else."""
LONGEST_WORD = 60
_FEWEST_LETTERS = 2


def missing_words(question: str, planning: Planning, catalogue: Catalogue) -> tuple[str, ...]:
    """The words in lower case, each once; none of a decision that is sure, nor of a question in
    another language, whose words the data would have under other names."""
    if not question or language_of(question) != ENGLISH:
        return ()
    if planning.draft is None:
        found = tuple(_unknown(question, catalogue))
    elif planning.confidence == "high":
        return ()
    elif planning.by_model and planning.proposal is not None:
        found = unbound(question, Proposal.model_validate(planning.proposal))
    else:
        found = unread_in(planning.assumptions)
    said = (word.casefold().strip() for word in found)
    kept = dict.fromkeys(word for word in said if _FEWEST_LETTERS <= len(word) <= LONGEST_WORD)
    return tuple(kept)[:MOST_WORDS]


def _unknown(question: str, catalogue: Catalogue) -> Iterator[str]:
    """Words that say something and are no name, and no frequent value, of the data."""
    known = {form for word in _names(catalogue) for form in (word, stem(word))}
    for token in tokenise(question):
        said = token.mark or token.digits or token.lower in known or token.stem in known
        if said or is_idle(token) or parts_asked_for(token) or is_month(token.lower):
            continue
        yield token.lower


def _names(catalogue: Catalogue) -> Iterator[str]:
    for table in catalogue.tables:
        for name in (table.name, *table.synonyms):
            yield from words_of(name)
        for column in table.columns:
            if column.guess:
                continue  # it is not in the data: a word of business was taken for it
            said = (alias.said for alias in column.aliases)
            for name in (column.name, *column.synonyms, *said, *column.samples):
                yield from words_of(name)
