"""Short names that are the initials of what is said: "home runs" for HR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.reader.grammar import aggregation, ordering
from services.planner.domain.reader.grammar.rules import Words

_LONGEST, _IN_ORDER, _TURNED, _ONE_LETTER = 4, 0.85, 0.75, 0.62
_VOWELS = frozenset("aeiouy")
_SMALL = frozenset(("at", "in"))


def initials(tokens: Sequence[Token], name: str) -> Iterator[tuple[int, int, float]]:
    """Where a name's letters begin words said together, in order or turned, and how surely.

    Superlatives may stand between them: "stole most bases" for SB. One letter is the initial of
    a word that says nothing else: "hits" for H. In lower case a name may be a word ("age"): two
    letters without a vowel are none, and more are borne out by as many words in their order.
    """
    if not (name.isalpha() and len(name) <= _LONGEST and (name.isupper() or _is_no_word(name))):
        return
    letters = list(name.lower())
    for first, token in enumerate(tokens):
        if token.mark or token.number is not None or token.lower[:1] not in letters:
            continue
        if len(letters) == 1:
            if _plain(token, tokens):
                yield first, first, _ONE_LETTER
            continue
        known_tokens = _following(tokens, first, len(letters))
        begun = [t.lower[0] for t in known_tokens]
        if begun == letters:
            yield first, known_tokens[-1].index, _IN_ORDER
        elif name.isupper() and sorted(begun) == sorted(letters) and len(letters) == 2:
            yield first, known_tokens[-1].index, _TURNED


def _is_no_word(name: str) -> bool:
    return name.islower() and (len(name) > 2 or (len(name) == 2 and not set(name) & _VOWELS))


def _plain(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether it is a word of some length, and of no rule."""
    common = token.lower in STOP_WORDS or len(token.lower) < 3
    return not common and token.index not in _grammatical(tokens)


def _grammatical(tokens: Sequence[Token]) -> set[int]:
    words = Words(tokens)
    cues = [*words.find(aggregation.RULES), *words.find(ordering.DIRECTIONS)]
    return {at for cue in cues for at in range(cue.first, cue.last + 1)}


def _following(tokens: Sequence[Token], first: int, count: int) -> list[Token]:
    """So many words from one on, superlatives and articles between them left out."""
    skipped = _grammatical(tokens)
    found = [tokens[first]]
    for token in tokens[first + 1 :]:
        if len(found) == count or token.mark or token.number is not None:
            break
        if token.index in skipped or (token.lower in STOP_WORDS and token.lower not in _SMALL):
            continue
        found.append(token)
    return found if found[-1].index - first <= count + 1 else found[:1]
