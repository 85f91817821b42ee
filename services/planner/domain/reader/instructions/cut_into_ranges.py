"""Columns that tell which range a number lies in: listed ranges, halves, bins."""

from __future__ import annotations

import re

from services.planner.domain.query.defining.terms import (
    Branch,
    Choice,
    Constant,
    Term,
    WholeColumn,
)
from services.planner.domain.reader.defining.ranges import choice, listed_ranges
from services.planner.domain.reader.instructions.ground import (
    Ground,
    UnreadableError,
    compared,
    number,
)
from services.planner.domain.reader.instructions.sentences import Sentence

_C, _N = r"⟨c\d+⟩", r"⟨n\d+⟩"
_BINS = {"quartile": 4, "quintile": 5, "decile": 10, "tercile": 3, "tertile": 3}
_QUANTILES = re.compile(
    rf"\b(?P<kind>{'|'.join(_BINS)})s?\b|(?P<n>{_N}) (?:quantile|equal(?:ly)? siz\w*"
    r"|equal frequency|equally populated) ?(?:based )?(?:bins?|groups?|intervals?|buckets?)?"
)
_WIDTHS = re.compile(
    rf"(?P<n>{_N}) (?:equal width|equally wide|equal length|equal sized width) ?(?:bins?|groups?|"
    rf"intervals?|ranges?)|(?P<n2>{_N}) (?:bins?|intervals?|groups?) of (?:equal|the same) width"
)
_HALVES = re.compile(
    rf"(?:⟨n\d+⟩|two) groups? (?:at|by|based on|using|around) (?:the |its )?(?P<what>median|mean)"
    rf"(?: of (?:the )?(?P<c>{_C}))?"
)
_CUTTING = re.compile(
    r"\b(?:bin|divid|split|group|cut|categori|discreti|segment|bucket"
    r"|break)\w*"
)
_LABELS = re.compile(
    r"[\"'‘“]([\w ]{1,20})[\"'’”]\s+(?:for|if|when)\b[^.;]*?\b(above|below|over|"
    r"under|greater|less|higher|lower)",
    re.IGNORECASE,
)
_YEARS = re.compile(r" years?(?: old| of age)?\b", re.IGNORECASE)
_TERMS = ("lowest", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def ranges(sentence: Sentence, ground: Ground) -> bool:
    """Ranges that a sentence lists with their labels: "'Child' (0-12), 'Adult' (13 and over)"."""
    wording = _YEARS.sub(lambda m: " " * len(m.group()), sentence.wording)
    run = listed_ranges(wording)
    if run is None:
        return False
    numeric = [
        m for m in sentence.marks.values() if m.kind == "column" and ground.numeric(m.column)
    ]
    before = [m for m in numeric if m.start <= run.start] or numeric[:1]
    if not before or not all(r.label for r in run.ranges):
        return False
    column = max(before, key=lambda m: m.start).column
    labels = [r.label for r in run.ranges]
    name = f"{column} group"
    text = f"{name}: {', '.join(labels)}"
    ground.derive(name, choice(run.ranges, ground.reference(column)), text, labels)
    ground.grouped = name
    sentence.matched = True
    sentence.read |= {
        n for n, m in sentence.marks.items() if run.start <= m.start < run.end or m.column == column
    }
    sentence.text = "·"
    return True


def _column(sentence: Sentence, ground: Ground, named: str | None) -> str:
    if named:
        return ground.meaning(sentence.mark(named).column)
    inside = [m for n, m in sentence.marks.items() if m.kind == "column" and n in sentence.text]
    numeric = [m.column for m in inside if ground.numeric(m.column)]
    name = numeric[0] if numeric else ground.current
    if not name:
        raise UnreadableError(f'it is not said which column is meant in "{sentence.wording}".')
    return ground.meaning(name)


def halves(sentence: Sentence, ground: Ground) -> bool:
    """Two groups at the median or the mean of a column."""
    match = _HALVES.search(sentence.text)
    if match is None:
        return False
    column = _column(sentence, ground, match.group("c"))
    values = dict((way.lower(), label) for label, way in _LABELS.findall(sentence.wording))
    high = next((values[w] for w in ("above", "over", "greater", "higher") if w in values), "high")
    low = next((values[w] for w in ("below", "under", "less", "lower") if w in values), "low")
    what: WholeColumn = "median" if match.group("what") == "median" else "mean"
    middle = ground.overall(what, column)
    here = ground.reference(column)
    quoted = [m.text for m in sentence.marks.values() if m.kind == "quoted"]
    if low == "low" and len(quoted) == 2 and high in quoted:
        low = next(q for q in quoted if q != high)
    term = Choice(
        branches=(
            Branch(when=compared(here, ">", middle), then=Constant(value=high)),
            Branch(when=compared(here, "<=", middle), then=Constant(value=low)),
        )
    )
    name = f"{column} half"
    ground.derive(name, term, f"{name}: {high} above the {what}, else {low}", (low, high))
    ground.grouped = name
    sentence.read |= set(sentence.marks)
    sentence.matched, sentence.text = True, "·"
    return True


def bins(sentence: Sentence, ground: Ground) -> bool:
    """Quartiles and the like, and ranges of equal width."""
    if not _CUTTING.search(sentence.text):
        return False
    wide = _WIDTHS.search(sentence.text)
    match = wide or _QUANTILES.search(sentence.text)
    if match is None:
        return False
    text = match.group("n") or match.groupdict().get("n2")
    count = int(sentence.mark(text).number) if text else _BINS[match.group("kind")]
    if not 2 <= count <= 10:
        raise UnreadableError(f"values are cut into two to ten ranges, not {count}.")
    column = _column(sentence, ground, None)
    sentence.read |= {n for n, m in sentence.marks.items() if m.column == column}
    labels = _bin_labels(count)
    low, high = ground.overall("minimum", column), ground.overall("maximum", column)
    branches = []
    for place, label in enumerate(labels, start=1):
        end: Term = ground.overall("quantile", column, round(place / count, 12))
        if wide is not None:
            width = compared(compared(high, "-", low), "*", number(place / count))
            end = compared(low, "+", width)
        inside = compared(ground.reference(column), "<=", end if place < count else high)
        branches.append(Branch(when=inside, then=Constant(value=label)))
    kind = "equally wide ranges" if wide is not None else "groups of equal size"
    name = f"{column} group"
    ground.derive(name, Choice(branches=tuple(branches)), f"{column} in {count} {kind}", labels)
    ground.grouped = name
    sentence.cut(match)
    return True


def _bin_labels(count: int) -> tuple[str, ...]:
    if count in (2, 3):
        return ("low", "high") if count == 2 else ("low", "middle", "high")
    return (*_TERMS[: count - 1], "highest")
