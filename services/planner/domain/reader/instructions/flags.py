"""Conditions on columns with two values: "who survived", "remote and non-remote", "survivors"."""

from __future__ import annotations

import re

from services.planner.domain.reader.instructions.condition import Condition
from services.planner.domain.reader.instructions.ground import Ground, compared
from services.planner.domain.reader.instructions.sentences import Sentence

_COUNTING = re.compile(r"\b(?:how many|number of|percent\w*|shares?|proportions?|fraction|rate)\b")


def flagged(match: re.Match[str], sentence: Sentence, ground: Ground) -> list[Condition] | None:
    """Those who did, or did not: "who survived"."""
    name = sentence.marks[match.group("c")].column
    holds = match.group("no") is None
    term = ground.flag(name, holds=holds)
    if term is None:
        return None
    text = f"{name} {'holds' if holds else 'does not hold'}"
    value = ground.flag_value(name, holds=holds)
    return [Condition(term, name, text, match.start(), value, flag=True)]


def read_flag(match: re.Match[str], sentence: Sentence, ground: Ground) -> list[Condition] | None:
    """A flag with its value: "irrigated = yes"."""
    name = sentence.marks[match.group("c")].column
    holds = match.group("truth") in ("yes", "true")
    term = ground.flag(name, holds=holds)
    if term is None:
        return None
    value = ground.flag_value(name, holds=holds)
    return [Condition(term, name, f"{name} is {match.group('truth')}", match.start(), value)]


def plain_flag(match: re.Match[str], sentence: Sentence, ground: Ground) -> list[Condition] | None:
    """A flag that is said as such where rows are counted: "what share survived", "survivors"."""
    mark = sentence.marks[match.group("c")]
    wording = sentence.wording[mark.start : mark.end].lower()
    if not (_COUNTING.search(sentence.text) or wording.endswith(("ors", "ers"))):
        return None
    term = ground.flag(mark.column, holds=True)
    if term is None:
        return None
    value = ground.flag_value(mark.column, holds=True)
    text = f"{mark.column} holds"
    return [Condition(term, mark.column, text, match.start(), value, flag=True)]


def flag_groups(match: re.Match[str], sentence: Sentence, ground: Ground) -> list[Condition] | None:
    """Both values of a flag: "remote and non-remote"."""
    name = sentence.marks[match.group("c")].column
    samples = ground.column(name).samples
    if sentence.marks[match.group("c2")].column != name or len(samples) != 2:
        return None
    yes = sorted(samples, key=lambda s: s.strip().lower() not in ("1", "yes", "true", "y", "t"))
    return [
        Condition(
            compared(ground.reference(name), "==", ground.constant(name, v)),
            name,
            f"{name} is {v}",
            match.start() + place,
            v,
        )
        for place, v in enumerate(yes)
    ]
