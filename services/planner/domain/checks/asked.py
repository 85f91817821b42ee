"""The words of a question, as far as checks hold a statement to them."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise

from services.planner.domain.catalogue import Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, stem, tokenise

MEAN = frozenset("average averages avg mean means averaged typical typically".split())
TOTAL = frozenset("total totals sum summed overall altogether".split())
SHARE = frozenset("share shares percent percentage percentages pct proportion fraction".split())
RATE = frozenset("per rate rates ratio ratios expected usual usually normal".split())
"""With these a number may be a mean without being called one: "points per game"."""
DISTINCT = frozenset("different distinct unique".split())
DOWN = frozenset(
    "most highest largest greatest biggest top maximum max longest heaviest latest newest tallest "
    "richest descending desc busiest furthest farthest deepest strongest loudest hottest warmest "
    "wettest costliest priciest dearest wealthiest widest thickest leading commonest steepest "
    "fullest favourite favorite".split()
)
"""Of these the largest comes first."""
UP = frozenset(
    "least lowest smallest fewest minimum min shortest earliest cheapest ascending asc lightest "
    "poorest coldest coolest driest weakest thinnest narrowest nearest closest quietest shallowest "
    "rarest emptiest".split()
)
"""Of these the smallest comes first."""
BY_VALUE = {"best": True, "worst": False, "fastest": True, "slowest": False, "quickest": True}
"""Whether the best comes first; which end that is hangs on what rows are ordered by."""
EACH = frozenset("each every per".split())
NEGATED = frozenset(
    "not without never no nobody none neither nor except excluding n't cannot other".split()
)
CHANGED = frozenset("fell rose dropped grew shrank declined increased decreased improved".split())
COMPARED = (
    "more than",
    "less than",
    "fewer than",
    "greater than",
    "larger than",
    "smaller than",
    "older than",
    "younger than",
    "higher than",
    "lower than",
    "longer than",
    "shorter than",
    "at least",
    "at most",
    "no more than",
    "no less than",
    "above",
    "below",
    "exceeds",
    "exceeding",
)


@lru_cache(maxsize=256)
def tokens(question: str) -> tuple[Token, ...]:
    """The question's words, numbers and quoted texts."""
    return tokenise(question)


def lower_words(question: str) -> list[str]:
    """Its words in lower case, in order."""
    return [token.lower for token in tokens(question) if not token.mark]


def has(question: str, words: frozenset[str]) -> list[str]:
    """Which of these words a question has."""
    return [word for word in lower_words(question) if word in words]


def find_phrase(question: str, phrases: tuple[str, ...]) -> str:
    """The first of these phrases that a question has; empty without one."""
    text = f" {' '.join(lower_words(question))} "
    return next((phrase for phrase in phrases if f" {phrase} " in text), "")


def find_counted_entity(question: str) -> frozenset[str]:
    """Stems of what the question asks the number of: "movie directors" of "how many movie directors
    are there"; of no more than three words."""
    words = lower_words(question)
    for (one, other), place in zip(pairwise(words), range(len(words)), strict=False):
        if (one, other) in (("how", "many"), ("number", "of")):
            entities: list[str] = []
            for word in words[place + 2 : place + 5]:
                if word in STOP_WORDS - {"different", "all", "the"}:
                    break
                entities.append(stem(word))
            return frozenset(entities[-1:] if entities else ())
    return frozenset()


def words_left(question: str, used: Collection[str]) -> frozenset[str]:
    """Stems of the question's words that are in none of these names."""
    taken = {stem(word) for name in used for word in words_of(name)}
    return frozenset(stem(word) for word in lower_words(question)) - taken


def names(left: Collection[str], table: Table, but: Collection[str] = ()) -> bool:
    """Whether words that nothing else accounts for are of a table's name or one of its columns,
    `but` these."""
    spoken = [table.name, *(c.name for c in table.columns if c.name.casefold() not in but)]
    return any(stem(word) in left for name in spoken for word in words_of(name))
