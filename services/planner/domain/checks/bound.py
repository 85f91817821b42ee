"""Words of a question that a proposal has tied to what its statement does: they are read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from services.planner.domain.checks.asked import tokens
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.statements.proposal import Binding, bare_text

_MOST_WORDS = 4
"""Words of which one part says all: who ties more to it has said nothing of any."""
_DOES = re.compile(
    r"[<>=(]|\b(?:in|i?like|between|is|not|case|having|limit|order|group|partition|distinct|over)\b",
    re.IGNORECASE,
)
"""A condition or something computed: a bare name of a column leaves nothing out."""


def bound_words(bindings: Sequence[Binding], text: str) -> frozenset[str]:
    """The words, in lower case, that are tied to a condition or computation which stands in the
    statement, by a binding that says something of them."""
    written = bare_text(text)
    tied: dict[str, set[str]] = defaultdict(set)
    for one in bindings:
        fragment = bare_text(one.fragment)
        if fragment and fragment in written and _DOES.search(one.fragment):
            texts = {token.lower for token in tokens(one.words) if not token.mark}
            tied[fragment] |= texts - STOP_WORDS if texts - STOP_WORDS else texts
    every = (words for fragment, words in tied.items() if fragment != written)
    return frozenset().union(*(words for words in every if len(words) <= _MOST_WORDS))
