"""Conditions on a column by a number of its own: "above its median", "z-score over 3"."""

from __future__ import annotations

import re

from services.planner.domain.query.defining.terms import Computed, Function, Term
from services.planner.domain.reader.instructions.condition import Condition
from services.planner.domain.reader.instructions.ground import (
    Ground,
    compared,
    deviations,
    number,
)
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.instructions.signs import sign_of

_C, _N = r"⟨c\d+⟩", r"⟨n\d+⟩"
_OWN_NUMBER = re.compile(
    rf"(?P<what>(?P<n>{_N}) ?(?:th|%)? ?percentile|median|mean"
    rf"|average)(?: of)?(?: the)? (?P<c>{_C})"
)


def against(match: re.Match[str], sentence: Sentence, ground: Ground) -> list[Condition] | None:
    """A column against a statistic of its own: "above the median", "above the 95th percentile"."""
    wording = match.group("c")
    name = ground.meaning(sentence.marks[wording].column) if wording else ground.current
    if not name or not ground.numeric(name):
        return None
    what, part = match.group("what"), match.group("n")
    if part:
        limit = ground.overall("quantile", name, sentence.marks[part].number / 100)
    else:
        limit = ground.overall("median" if what == "median" else "mean", name)
    sign = sign_of(match.group("sign"))
    of = f"{sentence.marks[part].number:g}th percentile" if part else what
    text = f"{name} {sign} its {of}"
    return [Condition(compared(ground.reference(name), sign, limit), name, text, match.start())]


def against_it(match: re.Match[str], sentence: Sentence, ground: Ground) -> list[Condition] | None:
    """A column against the number of its own that the sentence has just asked for."""
    before = list(_OWN_NUMBER.finditer(sentence.text[: match.start()]))
    if not before:
        return None
    name = ground.meaning(sentence.marks[before[-1].group("c")].column)
    if not ground.numeric(name):
        return None
    part, what = before[-1].group("n"), before[-1].group("what")
    limit = ground.overall("median" if what == "median" else "mean", name)
    if part:
        limit = ground.overall("quantile", name, sentence.marks[part].number / 100)
    sign: Function = ">" if match.group("way") in ("above", "over") else "<"
    if match.group("at"):
        sign = ">=" if sign == ">" else "<="
    text = f"{name} {sign} that {'percentile' if part else what}"
    term = compared(ground.reference(name), sign, limit)
    return [Condition(term, name, text, match.start(), counted=True)]


def deviating(match: re.Match[str], sentence: Sentence, ground: Ground) -> list[Condition] | None:
    """How far a column's values lie from its mean, in deviations: "z-score above 3"."""
    wording = match.group("c") or match.group("c2")
    name = sentence.marks[wording].column if wording else ground.current
    name = next((old for old, new in ground.resolved.items() if new == name), name)
    if not name or not ground.numeric(name):
        return None
    sign, limit = sign_of(match.group("sign")), sentence.marks[match.group("n")].number
    away: Term = deviations(ground, name)
    absolute = re.search(r"\babsolute\b", sentence.text) is not None
    if absolute:
        away = Computed(function="absolute", operands=(away,))
    text = f"{'absolute ' if absolute else ''}z-score of {name} {sign} {limit:g}"
    return [Condition(compared(away, sign, number(limit)), name, text, match.start())]
