"""What is called more or less than another is so; a bound condition holds and is the one said."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.compared import compared_ends, compared_pair, numbers_of
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.rules.numbers import is_exact, is_fraction
from mesh.prose.words import States, Word, hedge_before, is_negated, states_of
from mesh.text.spelling import shown as as_shown

_COMPARING = (States.MORE, States.LESS)
_THAN_ALL = re.compile(
    r"[^,;.]{0,40}?\bthan\b(?:\s+\w+){0,2}?\s+(?:any|all|every|the rest|the others)\b"
)
_HALF = r"0?\.[5-9]\d*"
_ABOVE_HALF = re.compile(rf">=?\s*(?:{_HALF}|[^<>=]+(?:/\s*2|\*\s*0?\.5))\s*$")
_HALF_BELOW = re.compile(rf"^\s*(?:{_HALF}|[^<>=]+(?:/\s*2|\*\s*0?\.5))\s*<=?")
_P = re.compile(r"^(?:p|p[_ ]?value)$", re.IGNORECASE)


def find_wrong_comparisons(clause: Clause) -> Iterator[Failure]:
    """Comparisons that the bound cells do not bear out, or that nothing bears."""
    for one in clause.values:
        yield from _condition(clause, one)
    for word in clause.words:
        span = (clause.start + word.start, clause.start + word.end)
        if word.states in _COMPARING and not is_against_all(clause, word):
            yield from _compared(clause, word, span)
        elif word.states is States.MAJORITY:
            yield from _majority(clause, word, span)


def is_against_all(clause: Clause, word: Word) -> bool:
    """Whether a comparison is with every other: "than any other", "no year was … than"."""
    behind = clause.prose[word.end :]
    than = _THAN_ALL.match(behind)
    none = re.search(
        r"\bno\s+(?:other\s+)?\w+\s+(?:\w+\s+){0,2}$", clause.prose[: word.start], re.I
    )
    return than is not None or none is not None


def _condition(clause: Clause, one: BoundValue) -> Iterator[Failure]:
    """A bound condition: it holds, and its sign is that of the word."""
    value = one.value
    if not isinstance(value.value, bool):
        return
    span = (one.bound.start, one.bound.end)
    if not value.value:
        found = f"{one.bound.reference} does not hold"
        yield _failure(FailureCode.WORD_WRONG, one.bound.shown, found, "say what holds", span)
        return
    states = _states(clause, one)
    if states is States.MAJORITY and not _is_of_half(one.bound.reference):
        found = f"{one.bound.reference} is no share of more than half"
        mend = f"write {{{one.bound.shown}|SHARE > 0.5}}, or say what holds"
        yield _failure(FailureCode.WORD_WRONG, one.bound.shown, found, mend, span)
        return
    opposite = {States.MORE: "<", States.LESS: ">"}
    if (
        states in opposite
        and value.sign.startswith(opposite[states])
        and not is_negated(f"{clause.before(one.bound.start)} {one.bound.shown}")
    ):
        found = f"{one.bound.reference} says the opposite"
        yield _failure(FailureCode.WORD_WRONG, one.bound.shown, found, "turn the word", span)


def _states(clause: Clause, one: BoundValue) -> States | None:
    """What a bound word states; "most" is a majority where "of" follows the binding."""
    behind = re.match(r"\s+of\b", clause.behind(one.bound.end))
    return states_of(f"{one.bound.shown} of" if behind else one.bound.shown)


def _is_of_half(reference: str) -> bool:
    """Whether a condition sets something against a half of a whole, or against more of it."""
    return _ABOVE_HALF.search(reference) is not None or _HALF_BELOW.search(reference) is not None


def _compared(clause: Clause, word: Word, span: tuple[int, int]) -> Iterator[Failure]:
    if _holds_somewhere(clause) or re.match(r"\s*(?:than\s*)?[$€£¥]?\d", clause.behind(span[1])):
        return
    hedged = _hedged(clause, span)
    if hedged is not None and (not is_exact(hedged) or compared_pair(clause, span) is None):
        return
    pair = compared_ends(clause, span)
    if pair is None:
        if any(_P.match(cell.column) for one in clause.values for cell in one.value.picked):
            return
        mend = f"write {{{word.text}|FRAME.COLUMN[ONE] {_sign(word)} FRAME.COLUMN[OTHER]}}"
        found = "no two cells beside it say so"
        yield _failure(FailureCode.WORD_UNBOUND, word.text, found, mend, span)
        return
    one, other = pair
    holds = one > other if word.states is States.MORE else one < other
    if holds == word.negated:
        found = f"{as_shown(one)} is {'more' if one > other else 'no more'} than {as_shown(other)}"
        yield _failure(FailureCode.WORD_WRONG, word.text, found, "turn the comparison", span)


def _hedged(clause: Clause, span: tuple[int, int]) -> BoundValue | None:
    """The number right behind the word, which it may hedge: "more than 70,000"."""
    behind = [one for one in numbers_of(clause) if one.bound.start >= span[1]]
    if not behind or not hedge_before(clause.before(behind[0].bound.start)):
        return None
    between = clause.prose[span[1] - clause.start : behind[0].bound.start - clause.start]
    return behind[0] if between.strip() in ("", "than") else None


def _majority(clause: Clause, word: Word, span: tuple[int, int]) -> Iterator[Failure]:
    shares = [one for one in numbers_of(clause) if is_fraction(one.value) or "%" in one.bound.shown]
    if _holds_somewhere(clause):
        return
    if not shares:
        mend = f"write {{{word.text}|SHARE > 0.5}}"
        found = "no share beside it says so"
        yield _failure(FailureCode.WORD_UNBOUND, word.text, found, mend, span)
        return
    half = 0.5 if is_fraction(shares[0].value) else 50
    if (shares[0].value.value > half) == word.negated:
        found = f"the share is {shares[0].bound.shown}"
        yield _failure(FailureCode.WORD_WRONG, word.text, found, "say the share alone", span)


def _holds_somewhere(clause: Clause) -> bool:
    return any(isinstance(one.value.value, bool) for one in clause.values)


def _sign(word: Word) -> str:
    return ">" if word.states is States.MORE else "<"


def _failure(
    code: FailureCode, claimed: str, found: str, mend: str, span: tuple[int, int]
) -> Failure:
    return Failure(code, claimed, found, mend, *span)
