"""Where the words of a name stand close together in a question, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.lexicon.names import likeness
from services.planner.domain.lexicon.tokens import Token

_LEAST_WORD, _LEAST_START, _LEAST_COVERAGE = 0.3, 0.34, 0.3
_WIDEST, _WIDEST_GAP = 7, 2
_BRIDGES = frozenset("of the in for all a s each".split())


@dataclass(frozen=True, slots=True)
class Run:
    """Tokens `first` to `last` with `words` words of a name: how much of it, how like them."""

    first: int
    last: int
    coverage: float
    quality: float
    words: int

    def within(self, other: Run) -> bool:
        """Whether all its tokens are the other's."""
        return other.first <= self.first and other.last >= self.last

    def beaten_by(self, other: Run) -> bool:
        """Whether the other, around it, tells more of the name, or, inside it, no less."""
        if other is self:
            return False
        if self.within(other) and other.coverage > self.coverage + 1e-9:
            return True
        shorter = other.last - other.first < self.last - self.first
        return other.within(self) and shorter and other.coverage >= self.coverage


def runs(tokens: Sequence[Token], words: tuple[str, ...], weights: tuple[float, ...]) -> list[Run]:
    """The best runs of tokens that a name of these words, weighted so, may be meant by."""
    like = [
        [0.0] * len(words)
        if token.quoted or token.mark or token.whole
        else [likeness(token.lower, w) for w in words]
        for token in tokens
    ]
    found: list[Run] = []
    for first, scores in enumerate(like):
        if max(scores) < _LEAST_START:
            continue
        run = _run(tokens, like, first, weights)
        if run.coverage >= _LEAST_COVERAGE:
            found.append(run)
    return [run for run in found if not any(run.beaten_by(other) for other in found)]


def _run(
    tokens: Sequence[Token], like: list[list[float]], first: int, weights: tuple[float, ...]
) -> Run:
    used: dict[int, float] = {}
    last, gap, count = first, 0, 0
    for place in range(first, min(len(tokens), first + _WIDEST)):
        scores = [(s, k) for k, s in enumerate(like[place]) if k not in used and s > _LEAST_WORD]
        if scores:
            score, word = max(scores)
            used[word], last, gap, count = score, place, 0, count + 1
        elif tokens[place].lower in _BRIDGES and place > first and gap < _WIDEST_GAP:
            gap += 1
        else:
            break
        if len(used) == len(weights):
            break
    coverage = sum(weights[word] * score for word, score in used.items()) / sum(weights)
    return Run(first, last, coverage, sum(used.values()) / len(used), count)
