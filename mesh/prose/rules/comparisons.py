"""What is called more or less than another is so; a bound condition holds and is the one said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.compared import are_turned, compared_ends, compared_pair, numbers_of
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.rules.bare import find_wrong_bare
from mesh.prose.rules.numbers import is_exact, is_fraction
from mesh.prose.times import time_of
from mesh.prose.vocabulary import States
from mesh.prose.words import Word, hedge_before, is_negated, states_of
from mesh.text.spelling import shown as as_shown

_COMPARING = (States.MORE, States.LESS)
_THAN_ALL = re.compile(
    r"[^,;.]{0,40}?\bthan(?:\s+\w+){0,2}?\s+"
    r"(?:any|all|every|ever|the rest|the others|any(?:one|body|thing|where)|the other \w+)\b"
)
_NONE = re.compile(
    r"\b(?:(?:no|never has an?|at no)\s+(?:other\s+)?\w+|nobody|no one|none|nothing|nowhere)\s+"
    r"(?:(?:of|in|else)\s+)?(?:[\w']+\s+){0,3}$",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:each|every)\b[^.;]*?\bthan (?:the )?"
    r"(?:last|previous|one before|before|its predecessor)\b",
    re.IGNORECASE,
)
_HALF = r"0?\.[5-9]\d*"
_ABOVE_HALF = re.compile(rf">=?\s*(?:{_HALF}|[^<>=]+(?:/\s*2|\*\s*0?\.5))\s*$")
_HALF_BELOW = re.compile(rf"^\s*(?:{_HALF}|[^<>=]+(?:/\s*2|\*\s*0?\.5))\s*<=?")
_FEW = re.compile(
    r"(?:a |the )?(?:small |tiny )?minority|few\b|hardly any|none|nobody|no one|a handful|all\b"
    r"|every|nearly all|almost all|less than half|fewer than half|under half",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly\s+(?:the\s+)?[\w' -]{1,40}$", re.IGNORECASE)
_LITTLE = re.compile(r"\b(?:only|just|merely|mere|but)\s*$", re.IGNORECASE)
_P = re.compile(r"^(?:p|p[_ ]?value)$", re.IGNORECASE)


def find_wrong_comparisons(clause: Clause) -> Iterator[Failure]:
    """Comparisons that the bound cells do not bear out, or that nothing bears."""
    for one in clause.values:
        yield from _condition(clause, one)
    yield from find_wrong_bare(clause)
    for word in clause.words:
        span = (clause.start + word.start, clause.start + word.end)
        word = _not_as(clause, word)
        if word.states in _COMPARING and not (
            is_against_all(clause, word) or is_of_only(clause, word)
        ):
            yield from _compared(clause, word, span)
        elif word.states in (States.MAJORITY, States.MINORITY):
            yield from _majority(clause, word, span)


def is_against_all(clause: Clause, word: Word) -> bool:
    """Whether a comparison is with every other: "than any other", "no year was … than"."""
    behind = clause.prose[word.end :]
    than = _THAN_ALL.match(behind)
    return than is not None or is_of_none(clause, word)


def is_of_none(clause: Clause, word: Word) -> bool:
    """Whether nothing is said to be so: "no year was", "nobody has"."""
    return _NONE.search(clause.prose[max(word.start - 200, 0) : word.start]) is not None


def is_of_only(clause: Clause, word: Word) -> bool:
    """Whether it says who alone is past a number: "only the North has more than the East"."""
    cells = [one for one in clause.values if one.value.cell is not None]
    return (
        len(cells) == 1
        and _ONLY.search(clause.prose[max(word.start - 200, 0) : word.start]) is not None
    )


def _not_as(clause: Clause, word: Word) -> Word:
    """ "Not as many as" says less."""
    if word.states is not States.AS or not word.negated or is_of_none(clause, word):
        return word
    return replace(word, states=States.LESS, negated=False)


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
    if _FEW.match(one.bound.shown) and _ABOVE_HALF.search(one.bound.reference):
        found = f"{one.bound.reference} says that most are"
        yield _failure(FailureCode.WORD_WRONG, one.bound.shown, found, "turn the word", span)
        return
    if is_negated(f"{clause.before(one.bound.start)} {one.bound.shown}"):
        return
    if states is not None and (found := _against(clause, one, states)):
        yield _failure(FailureCode.WORD_WRONG, one.bound.shown, found, "turn the word", span)


def _against(clause: Clause, one: BoundValue, states: States) -> str:
    """What a bound condition says instead of its word, or of the rows named about it."""
    value, opposite = one.value, f"{one.bound.reference} says the opposite"
    for end, other in (("max(", States.LOWEST), ("min(", States.HIGHEST)):
        if end in one.bound.reference and value.sign in ("=", ">=", "<=") and states is other:
            return opposite
    more = value.sign[:1] == ">"
    if value.sign[:1] not in ("<", ">") or not value.sign:
        return ""
    if states in _COMPARING:
        if more != (states is States.MORE):
            return opposite
        if len(value.picked) == 2 and are_turned(clause, one):
            return f"{one.bound.reference} says it of the other"
    if states in (States.UP, States.DOWN) and len(value.picked) == 2:
        left, right = (time_of(cell) for cell in value.picked)
        if left and right and left.months and right.months and left.months != right.months:
            rose = more == (left.months > right.months)
            return opposite if rose != (states is States.UP) else ""
    return ""


def _states(clause: Clause, one: BoundValue) -> States | None:
    """What a bound word states; "most" is a majority where "of" follows the binding."""
    behind = re.match(r"\s+of\b", clause.behind(one.bound.end))
    return states_of(f"{one.bound.shown} of" if behind else one.bound.shown)


def _is_of_half(reference: str) -> bool:
    """Whether a condition sets something against a half of a whole, or against more of it."""
    return _ABOVE_HALF.search(reference) is not None or _HALF_BELOW.search(reference) is not None


def _compared(clause: Clause, word: Word, span: tuple[int, int]) -> Iterator[Failure]:
    if _holds_somewhere(clause) or re.match(
        r"\s*(?:than\s*)?[$€£¥]?(?!(?:1[5-9]|2[01])\d\d\b)\d", clause.behind(span[1])
    ):
        return
    if _EACH.search(f"{clause.before(span[0])}{word.text}{clause.behind(span[1])}"):
        yield from _one_by_one(clause, word, span)
        return
    hedged = _hedged(clause, span)
    if hedged is not None and (not is_exact(hedged) or compared_pair(clause, span) is None):
        return
    pair = compared_ends(clause, span)
    if pair is None:
        if word.soft or any(
            _P.match(cell.column) for one in clause.values for cell in one.value.picked
        ):
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


def _one_by_one(clause: Clause, word: Word, span: tuple[int, int]) -> Iterator[Failure]:
    """ "Each higher than the last" of all numbers of the clause, in their order."""
    values = [float(one.value.value) for one in numbers_of(clause)]
    more = word.states is States.MORE
    broken = [pair for pair in pairwise(values) if (pair[1] > pair[0]) != more]
    if broken:
        one, other = map(as_shown, broken[0])
        found = f"{other} comes after {one}"
        yield _failure(FailureCode.WORD_WRONG, word.text, found, "turn the comparison", span)


def _hedged(clause: Clause, span: tuple[int, int]) -> BoundValue | None:
    """The number right behind the word, which it may hedge: "more than 70,000"."""
    behind = [one for one in numbers_of(clause) if one.bound.start >= span[1]]
    if not behind or not hedge_before(clause.before(behind[0].bound.start)):
        return None
    between = clause.prose[span[1] - clause.start : behind[0].bound.start - clause.start]
    return behind[0] if between.strip() in ("", "than") else None


def _majority(clause: Clause, word: Word, span: tuple[int, int]) -> Iterator[Failure]:
    """More than a half is said of the nearest share, or less of it."""
    shares = [one for one in numbers_of(clause) if is_fraction(one.value) or "%" in one.bound.shown]
    if _holds_somewhere(clause) or (word.soft and not shares):
        return
    if not shares:
        mend = f"write {{{word.text}|SHARE > 0.5}}"
        found = "no share beside it says so"
        yield _failure(FailureCode.WORD_UNBOUND, word.text, found, mend, span)
        return
    near = min(shares, key=lambda one: max(one.bound.start - span[1], span[0] - one.bound.end))
    if _LITTLE.search(clause.before(near.bound.start)) and word.states is States.MAJORITY:
        return  # "only 41 % are members, the majority are guests": the share of the others
    half = 0.5 if is_fraction(near.value) else 50
    if (near.value.value > half) == (word.negated != (word.states is States.MINORITY)):
        found = f"the share is {near.bound.shown}"
        yield _failure(FailureCode.WORD_WRONG, word.text, found, "say the share alone", span)


def _holds_somewhere(clause: Clause) -> bool:
    return any(isinstance(one.value.value, bool) for one in clause.values)


def _sign(word: Word) -> str:
    return ">" if word.states is States.MORE else "<"


def _failure(
    code: FailureCode, claimed: str, found: str, mend: str, span: tuple[int, int]
) -> Failure:
    return Failure(code, claimed, found, mend, *span)
