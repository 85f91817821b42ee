"""Takes the definitions of columns out of a question, and puts the columns into the catalogue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import (
    Catalogue,
    Table,
    ValueHit,
    ValueLookup,
)
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.defining.columns import with_columns
from services.planner.domain.query.defining.terms import (
    Choice,
    Definition,
    Term,
    references,
)
from services.planner.domain.reader.defining.changes import Found
from services.planner.domain.reader.defining.formula import spellings
from services.planner.domain.reader.defining.ranges import Range
from services.planner.domain.reader.defining.sentences import next_definition

_MOST = 8
_NUMBERS = (
    r"(?:mean|average|median|mode|standard deviation|std|variance|minimum|maximum|min|max|sum|total"
    r"|range|skewness|kurtosis|distribution|percentiles?|quartiles?|outliers?)"
)
_ITS = re.compile(
    rf"\b(?:its|their)\s+((?:{_NUMBERS})(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:{_NUMBERS}))*)\b",
    re.IGNORECASE,
)
_THE_NEW = re.compile(
    r"\b(?:the|this|that)\s+(?:(?:new|newly|created|resulting|derived|engineered|transformed|filled"
    r"|normali[sz]ed|standardi[sz]ed)\s+)*(?:column|feature|variable|field|attribute|data|values)\b"
    r"(?!\s+['\"\w]+\s*=)|\b(?:of|for|on|over) it\b"
    r"|(?<=\bbetween )it(?= and\b)|(?<= and )it(?=\W*$)",
    re.IGNORECASE,
)
_LOOSE_END = re.compile(
    r"[,\s]*(?:\b(?:and|then|after|by|first|please|when|if you)\b[,\s]*)*$", re.IGNORECASE
)
_LOOSE_START = re.compile(
    r"^[)\]\s]*[,.;:\s]*(?:(?:and|then|to|next|finally)\b[,\s]*)*", re.IGNORECASE
)
_GROUPS = r"(?:groups?|categor(?:y|ies)|bins?|ranges?|brackets?|buckets?|bands?|classes|segments?)"
_EACH = re.compile(
    r"\b(each|every|per|across(?: the)?|by|between(?: the)?|among(?: the)?|of the|these|the)\s+"
    rf"(?:(?:age|new|such|of these)\s+)?{_GROUPS}\b",
    re.IGNORECASE,
)
_DONE = (
    r"\b(?:(?:log[- ]?)?transformed|(?:re)?scaled|normali[sz]ed|standardi[sz]ed|imputed|filled)\s+"
)


@dataclass
class Defined:
    """A question without its definitions, the catalogue with their columns, and the columns."""

    question: str
    catalogue: Catalogue
    definitions: tuple[Definition, ...] = ()
    labels: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def lookup(self, values: ValueLookup) -> ValueLookup:
        """A look-up that finds the labels of defined ranges too."""
        labels = self.labels

        async def both(phrases: Sequence[str]) -> Sequence[ValueHit]:
            own = [
                ValueHit(phrase=p, table=t, column=c, value=v, score=1.0)
                for p in phrases
                if p.casefold() in labels
                for t, c, v in [labels[p.casefold()]]
            ]
            return [*own, *await values(phrases)]

        return both if labels else values


def defined(question: str, catalogue: Catalogue) -> Defined:
    """The question as it reads once the columns that it defines are there."""
    made = Defined(question, catalogue)
    known: dict[str, Term] = {}
    while len(made.definitions) < _MOST:
        found = next_definition(made.question, made.catalogue.tables, known)
        if found is None:
            break
        table = next(references(found.term)).table
        name = _fresh(found, catalogue.table(table))
        definition = Definition(
            table=table, column=name, text=found.text, term=found.term, keeps=found.keeps
        )
        if not found.keeps:
            known[name] = found.term
        made.question = _without(made.question, found, name, catalogue)
        made.definitions = (*made.definitions, definition)
        made.catalogue = with_columns(catalogue, made.definitions)
        made.labels |= {r.label.casefold(): (table, name, r.label) for r in _ranges(found)}
    return made


def _ranges(found: Found) -> Sequence[Range]:
    return found.ranges.ranges if found.ranges is not None else ()


def _fresh(found: Found, table: Table | None) -> str:
    taken = table is not None and table.column(found.name) is not None
    return f"{found.name} defined" if taken and isinstance(found.term, Choice) else found.name


def _without(question: str, found: Found, name: str, catalogue: Catalogue) -> str:
    """The question with the definition's words gone, and what pointed at the column named."""
    before, after = question[: found.start], question[found.end :]
    name = readable(name) if re.search(r"[^\w\s]", name) else name
    if not found.stands:
        before = re.sub(
            r"[,\s]*(?:\b(?:and|then|after|by|first|please|when|if you)\b[,\s]*)*$",
            "",
            before,
            flags=re.I,
        )
        after = re.sub(
            r"^[)\]\s]*[,.;:\s]*(?:(?:and|then|to|next|finally)\b[,\s]*)*", "", after, flags=re.I
        )
        joint = "" if not before else " " if before.endswith((".", "?", "!", ";")) else ", "
        left = f"{before}{joint}{after}" if after else before
    else:
        left = f"{before}{found.stands}{after}"
    left = _ITS.sub(rf"the \1 of {name}", left)
    left = re.sub(
        r"\b(?:its|the) (\w+ )?correlation with\b", rf"the \1correlation of {name} with", left
    )
    left = _THE_NEW.sub(lambda m: f"of {name}" if m.group().lower().endswith(" it") else name, left)
    left = _as_changed(left, found, name)
    left = re.sub(rf"['\"`]{re.escape(name)}['\"`]", name, left, flags=re.IGNORECASE)
    if found.ranges is not None:
        of = next(references(found.term)).column
        left = re.sub(rf"\b{spellings(of)}[ _]?{_GROUPS}\b", name, left, flags=re.IGNORECASE)
        left = _EACH.sub(lambda m: f"{m.group(1)} {name}", left)
    return _asked_of(left, found, name, catalogue).strip()


def _as_changed(left: str, found: Found, name: str) -> str:
    """What is said of a column after it was changed is said of the changed one."""
    if found.stands or found.keeps or isinstance(found.term, Choice):
        return left
    of = next(references(found.term)).column
    left = re.sub(rf"{_DONE}(?={spellings(of)})", "", left, flags=re.IGNORECASE)
    left = re.sub(r"\bregression (?=on\b)", f"regression of {name} ", left, flags=re.IGNORECASE)
    left = re.sub(r"\bhow many values\b(?! of)", f"how many rows have {name}", left, flags=re.I)
    if not found.changes or re.search(rf"(?<!\w){spellings(name)}", left, re.IGNORECASE):
        return left
    return re.sub(rf"(?<!\w){spellings(of)}s?(?!\w)", name, left, flags=re.IGNORECASE)


def _asked_of(left: str, found: Found, name: str, catalogue: Catalogue) -> str:
    """Ties a question that names no column, or nothing to be split by, to the defined one."""
    if re.search(spellings(name), left, re.IGNORECASE):
        return left
    end = left.rstrip(" .?!")
    if not end:
        return f"show {name}"
    if found.keeps:
        return left
    if found.ranges is not None:
        return f"{end} by {name}"
    named = any(
        re.search(rf"(?<!\w){spellings(c.name)}(?!\w)", left, re.IGNORECASE)
        for t in catalogue.tables
        for c in t.columns
    )
    return left if named else f"{end} of {name}"
