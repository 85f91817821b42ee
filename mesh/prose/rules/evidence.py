"""Significance is borne by a test, and cause by a study; nothing else bears them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mesh.prose.clauses import BoundValue, Clause, bound_word
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Frame
from mesh.prose.references import Value
from mesh.prose.vocabulary import States
from mesh.prose.words import Word, is_negated

_P = re.compile(r"^(?:p|p[_ ]?value|adjusted[_ ]p|p[_ ]adjusted)$", re.IGNORECASE)
_LEVEL = 0.05
_TESTED = ("about", "statistic", "value", "text")
_A_TEST = "a test whose assumptions hold, as in {significant|t1}"
_A_STUDY = "a causal study, as in {because of the rain|c1}"


def find_unfounded_evidence(clause: Clause) -> Iterator[Failure]:
    """Words of significance and of cause without a test or a study that says so."""
    for one in clause.values:
        if one.value.frame is not None and one.value.frame.effect is not None:
            yield from _study(clause, one)
        elif (word := bound_word(clause, one.bound)) is None:
            continue
        elif word.states is States.SIGNIFICANT:
            yield from _test(word, [one.value], one.bound.start, one.bound.end)
        elif word.states is States.CAUSE:
            yield _unbound(word, _A_STUDY, one.bound.start, one.bound.end)
    for word in clause.words:
        start, end = clause.start + word.start, clause.start + word.end
        if word.states is States.SIGNIFICANT:
            yield from _test(word, [one.value for one in clause.values], start, end)
        elif word.states is States.CAUSE:
            yield _unbound(word, _A_STUDY, start, end)


def _is_tested(frame: Frame) -> bool:
    """Whether a frame is what a statistical test gives: a row for each of its numbers."""
    return set(_TESTED) <= set(frame.columns)


def _finds(frame: Frame, row: int | None) -> bool | None:
    """Whether a test finds something, by its own level; None where it has no p-value, or where its
    data denies what it takes for granted. `row` chooses what a p-value of several is of."""
    kinds, values = frame.values["statistic"], frame.values["value"]
    if "not met" in kinds:
        return None
    abouts = frame.values["about"]
    about = abouts[row] if row is not None else ""
    for wanted in (about, ""):
        found = [
            p
            for kind, of, p in zip(kinds, abouts, values, strict=True)
            if kind == "p-value" and (of or "") == (wanted or "") and isinstance(p, int | float)
        ]
        if found:
            sure = [v for k, v in zip(kinds, values, strict=True) if k == "confidence"]
            return bool(found[0] < (1 - sure[0] if sure and sure[0] else _LEVEL))
    return None


def _study(clause: Clause, one: BoundValue) -> Iterator[Failure]:
    """Words that are bound to a study as a whole say that it finds an effect, or none."""
    frame = one.value.frame
    if frame is None or one.value.value is not None or one.value.picked:
        return
    negated = is_negated(f"{clause.before(one.bound.start)} {one.bound.shown}", 6)
    if bool(frame.effect) == negated:
        found = "the study concludes an effect" if frame.effect else "the study concludes none"
        span = (one.bound.start, one.bound.end)
        mend = "say what the study found"
        yield Failure(FailureCode.WORD_WRONG, one.bound.shown, found, mend, *span)


def _test(word: Word, values: list[Value], start: int, end: int) -> Iterator[Failure]:
    found = _significant(values)
    if found is None:
        yield _unbound(word, _A_TEST, start, end)
    elif found == word.negated:
        text = f"the test finds {'it' if found else 'none'}"
        mend = "say what the test found"
        yield Failure(FailureCode.WORD_WRONG, word.text, text, mend, start, end)


def _unbound(word: Word, wanted: str, start: int, end: int) -> Failure:
    mend = f"bind it to {wanted}, or leave the word out"
    return Failure(FailureCode.WORD_UNBOUND, word.text, "nothing bound says so", mend, start, end)


def _significant(values: list[Value]) -> bool | None:
    for value in values:
        tested = [cell for cell in value.cells if _is_tested(cell.frame)]
        if tested:
            return _finds(tested[0].frame, tested[0].row)
        if value.frame is not None and _is_tested(value.frame):
            return _finds(value.frame, None)
        cells = [cell for cell in value.cells if _P.match(cell.column)]
        if cells and isinstance(cells[0].value, int | float):
            return bool(cells[0].value < _LEVEL)
        frame = value.frame
        if frame is not None and frame.rows == 1:
            names = [name for name in frame.columns if _P.match(name)]
            if names and isinstance(p := frame.values[names[0]][0], int | float):
                return bool(p < _LEVEL)
    return None
