"""Words that say which rows are meant by what they hold: a winner came first, a pole is grid 1.

Each line: the words (with hyphens where several say one thing), the words of columns that may hold
it (all of an alternative, told apart by "|"), the comparison and the value. "empty" is told by rows
that hold nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.links.schema import Place, Schema

_LINES = """
won win wins winner winners winning victory victories triumph: position|place|rank|finish = 1
champion champions: position|place|rank = 1
podium podiums: position|place|rank|finish <= 3
pole poles: grid|start position|qualifying = 1
dnf dnfs retired retirement retirements unclassified: position|place|rank|finish empty
finishers finisher finished: position|place|rank|finish present
out-of-stock sold-out: stock|units in stock|inventory = 0
in-stock: stock|units in stock|inventory >= 1
free gratis: fee|shipping|delivery price|postage|price|cost = 0
cancelled canceled cancellation cancellations: departure time empty
undelivered unshipped: delivery date|delivered|shipped date|shipped empty
unpaid outstanding: paid date|paid|payment date empty
unrated: rating|satisfaction|score|stars empty
lefty lefties southpaw southpaws: bats|hand|handed|throws = L
righty righties: bats|hand|handed|throws = R
freshman freshmen: grade level|grade|class = 9
sophomore sophomores: grade level|grade|class = 10
junior juniors: grade level|grade|class = 11
senior seniors: grade level|grade|class = 12
"""
_LONGEST = 3  # words of one saying
_OPERATORS = {
    "=": Operator.EQUAL,
    "<=": Operator.AT_MOST,
    ">=": Operator.AT_LEAST,
    "empty": Operator.IS_NULL,
    "present": Operator.NOT_NULL,
}


@dataclass(frozen=True, slots=True)
class ValueWord:
    """What a word says of a column."""

    columns: tuple[frozenset[str], ...]
    operator: Operator
    value: str


def _line(text: str) -> Iterator[tuple[str, ValueWord]]:
    sentence, _, rest = text.partition(":")
    *columns, operator, value = (
        rest.split() if rest.split()[-2] in _OPERATORS else [*rest.split(), ""]
    )
    wanted = tuple(
        frozenset(stem(word) for word in one.split()) for one in " ".join(columns).split("|")
    )
    for word in sentence.split():
        yield word, ValueWord(wanted, _OPERATORS[operator], value)


_VALUE_WORDS = dict(pair for line in _LINES.strip().splitlines() for pair in _line(line))


def find_value_words(
    tokens: Sequence[Token], schema: Schema
) -> Iterator[tuple[Token, Place, Operator, str]]:
    """Each word with each column that may hold what it says; the likeliest kind of column alone."""
    for token in tokens:
        longer = (_phrase(tokens, token.index, count) for count in range(_LONGEST, 0, -1))
        value_word = next((_VALUE_WORDS[text] for text in longer if text in _VALUE_WORDS), None)
        if value_word is None:
            continue
        for wanted in value_word.columns:
            found = [p for p in schema.places if _fits(p, wanted, value_word)]
            yield from ((token, place, value_word.operator, value_word.value) for place in found)
            if found:
                break


def _phrase(tokens: Sequence[Token], first: int, count: int) -> str:
    """So many words from one on, written together by hyphens."""
    return "-".join(token.lower for token in tokens[first : first + count])


def _fits(place: Place, wanted: frozenset[str], value_word: ValueWord) -> bool:
    if not wanted <= {stem(word) for word in place.words} or place.key:
        return False
    if value_word.operator in (Operator.IS_NULL, Operator.NOT_NULL):
        return place.column.nulls > 0
    if not value_word.value.isdigit():
        return place.text and (value_word.value in place.column.samples)
    if not place.number:
        return False
    low, high = place.column.minimum, place.column.maximum
    return low is None or high is None or float(low) <= float(value_word.value) <= float(high)
