"""Where a question defines columns, and the question that is left when they are defined.

"Create a new column FamilySize = SibSp + Parch + 1 and compute its mean" defines a column, and
asks to "compute the mean of FamilySize".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from services.planner.domain.catalogue import Table
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.defining.terms import (
    Reference,
    Term,
    references,
)
from services.planner.domain.reader.defining.changes import NAME, Found, changed, filled
from services.planner.domain.reader.defining.exclusions import next_exclusion
from services.planner.domain.reader.defining.formula import formula, spellings
from services.planner.domain.reader.defining.ranges import choice, listed_ranges

_VERBS = (
    r"(?:creat|add|mak|defin|construct|deriv|generat|engineer|introduc|comput|calculat|build"
    r"|let|set|form)\w*"
)
_COLUMN_NOUN = r"(?:column|feature|variable|field|attribute|metric|flag|indicator)"
_CONNECTED = (
    r"(?:\s*(?::=|=(?!=)|:)|,?\s*(?:(?:which|that)\s+)?(?:is\s+)?(?:defined|calculated|computed"
    r"|given|obtained|formed|derived|equal|set)?\s*\b(?:as|by|to|equals|is|representing|indicates"
    r"|indicating|using|from|for|represents|indicate|contains|containing)\b)\s*"
)
_DEFINED = re.compile(
    rf"\b{_VERBS}\s+(?:an?\s+|the\s+)?(?:(?:new|additional|derived|binary|numeric|categorical|"
    rf"calculated)\s+)*{_COLUMN_NOUN}s?,?\s*(?:(?:called|named|labell?ed|titled|for)\s+)?"
    rf"(?P<name>(?!(?:by|as|that|which|from|using|for)\b){NAME})?{_CONNECTED}"
    rf"|\b(?:defin|creat|let|deriv|comput|calculat)\w*\s+(?:an?\s+|the\s+)?"
    rf"(?P<made>{NAME}(?: [^\W\d]\w*){{0,5}}?)"
    r"\s+(?:as|be|to be)\s+"
    rf"|(?:\b{_VERBS}\s+(?:an?\s+|the\s+)?)?(?P<let>{NAME})\s*(?::=|=(?!=))\s*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.;?!](?=\s|$)|$")
_CUT = re.compile(r",?\s+(?:and|then|to|for|in|by|where|with|across)\b|,|$", re.IGNORECASE)
_RANGING = re.compile(
    r"\b(?:bin|group|categori[sz]|classif|divid|split|bucket|segment|discreti[sz]|band|cut|"
    r"creat|defin|mak|break)\w*\b",
    re.IGNORECASE,
)
_RANGED = (
    r"[\s_]*(?:groups?|bins?|ranges?|categor(?:y|ies)|brackets?|bands?|buckets?|levels?|classes)"
)
Known = Mapping[str, Term]


def next_definition(question: str, tables: Sequence[Table], earlier: Known) -> Found | None:
    """The first definition of a column in a question over one of these tables."""
    named = [
        match.span()
        for name in earlier
        for match in re.finditer(spellings(name), question, re.IGNORECASE)
    ]
    for table in tables:
        found = [
            f
            for f in _every(question, table, earlier)
            if f is not None and not any(a <= f.start < b for a, b in named)
        ]
        if found:
            return min(found, key=lambda f: f.start)
    return None


def _every(question: str, table: Table, earlier: Known) -> Iterator[Found | None]:
    yield _by_formula(question, table, earlier)
    yield _by_ranges(question, table)
    yield filled(question, table)
    yield changed(question, table)
    left_out = next_exclusion(question, table)
    if left_out is not None:
        of = next(references(left_out.term)).column
        yield Found(of, left_out.text, left_out.term, left_out.start, left_out.end, keeps=True)


def _by_formula(question: str, table: Table, earlier: Known) -> Found | None:
    for match in _DEFINED.finditer(question):
        short = match.group("let") or match.group("made") or ""
        name = (match.group("name") or short).strip("'\"`")
        if short and table.column(name) is not None:
            continue
        sentence = _SENTENCE_END.search(question, match.end())
        last = sentence.start() if sentence else len(question)
        for cut in sorted(_cuts(question, match.end(), last), reverse=True):
            text = question[match.end() : cut]
            term = formula(text, table, earlier)
            if term is not None:
                wording = re.sub(r"\s+", " ", text).strip(" ,")
                return Found(name or wording, wording, term, match.start(), cut)
    return None


def _cuts(question: str, start: int, last: int) -> set[int]:
    return {m.start() for m in _CUT.finditer(question, start, last)} | {last}


def _by_ranges(question: str, table: Table) -> Found | None:
    for start, last in _sentences(question):
        run = listed_ranges(question[start:last])
        if run is None:
            continue
        before = question[start : start + run.start]
        column = _last_column(before, table)
        if column is None:
            continue
        name, place, end = column
        term = choice(run.ranges, Reference(table=table.name, column=name))
        text = ", ".join(r.label for r in run.ranges)
        last_character = start + run.end
        opening = re.search(r"\s*[(:]?\s*$", before)
        ranged = re.match(_RANGED, before[end:], re.IGNORECASE)
        verbs = list(_RANGING.finditer(before[: place + 1]))
        own = re.search(
            rf"(?:called|named|{_COLUMN_NOUN})\s+(?P<name>'[^']{{1,40}}'|\"[^\"]{{1,40}}\"|[A-Z]\w+)",
            before,
        )
        label = own.group("name").strip("'\"") if own else f"{readable(name)} group"
        if verbs:
            begin = start + verbs[0].start()
            return Found(label, text, term, begin, last_character, ranges=run)
        if ranged is not None:
            begin = start + place
            return Found(label, text, term, begin, last_character, stands=label, ranges=run)
        if re.search(r"\bby\s*$", before[:place]) and opening is not None:
            begin = start + place
            return Found(label, text, term, begin, last_character, stands=label, ranges=run)
    return None


def _sentences(question: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE_END.finditer(question):
        if end.start() > start:
            yield start, end.start()
        start = end.end()


def _last_column(text: str, table: Table) -> tuple[str, int, int] | None:
    """The number named last in a text, with its place; else that which "AgeGroup" begins with."""
    whole = _last_spelled(text, table, r"s?(?!\w)")
    return whole or _last_spelled(text, table, rf"(?={_RANGED}(?!\w))")


def _last_spelled(text: str, table: Table, ending: str) -> tuple[str, int, int] | None:
    found = [
        (match.start(), len(column.name), column.name, match.end())
        for column in table.columns
        if numeric(column.data_type)
        for match in re.finditer(rf"(?<!\w){spellings(column.name)}{ending}", text, re.IGNORECASE)
    ]
    if not found:
        return None
    start, _, name, end = max(found)
    return name, start, end
