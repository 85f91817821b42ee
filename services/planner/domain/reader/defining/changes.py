"""Columns that a question changes before it asks of them: filled, logarithms, scaled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from services.planner.domain.catalogue import Table
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.defining.terms import (
    Computed,
    Constant,
    Overall,
    Reference,
    Term,
    WholeColumn,
)
from services.planner.domain.reader.defining.formula import spellings
from services.planner.domain.reader.defining.ranges import Run

NAME = r"(?:'[^']{1,40}'|\"[^\"]{1,40}\"|`[^`]{1,40}`|[^\W\d]\w{0,40})"
_FILL = (
    r"\b(?:fill(?:ing)?|imput(?:e|ing)|replac(?:e|ing))(?: in)?(?: the| any| all)*"
    r" (?:missing|null|nan|na|empty)(?: values?| entries)?(?: (?:in|of|for))?(?: the)?\s*"
    r"['\"`]?(?P<column>COLUMN)['\"`]?(?: (?:column|values?))?\s+(?:with|by|using)\s+"
    r"(?:the |its |their )?(?:column(?:'s)? )?(?P<how>mean|average|median|mode|most frequent value"
    rf"|\d+(?:\.\d+)?)(?: (?:\w+ )?value)?(?! (?:per|by)\b|(?: \w+)? (?:of|for|within|in) "
    r"(?:each|every|their|the (?:group|same)|its own)\b)"
    rf"(?: of (?:the |that |its )?(?:(?:COLUMN|{NAME}) )?(?:column|values))?"
)
_CHANGED = (
    r"\b(?:(?:apply|perform|use|do)(?:ing)? (?:an? |the )?)?"
    r"(?P<how>log\(\s*(?:x|1)\s*\+\s*(?:x|1)\s*\)(?:[- ]?transform\w*)?|log1p(?:[- ]?transform\w*)?"
    r"|(?:natural )?log(?:arithm(?:ic)?)?(?:[- ]?transform\w*)?"
    r"|min[- ]?max (?:normali[sz]\w*|scal\w*)|normali[sz]\w*|(?:re)?scal(?:e|ing)"
    r"|z[- ]?score (?:normali[sz]\w*|standardi[sz]\w*)|standardi[sz]\w*"
    r"|square[- ]root transform\w*)"
    r"(?: (?:to|on|of|for))?(?: the)?(?: values of(?: the)?)?\s+['\"`]?(?P<column>COLUMN)['\"`]?"
    r"(?: (?:column|values?|feature|variable))?"
    r"(?: (?:using|by|with|to|via)(?: (?:the|an?))? (?P<way>min[- ]?max|z[- ]?scores?|log\w*)"
    r"[\w -]*?(?=,|\.|;|\?| and |$))?"
)
_LEADING = re.compile(r"(?:^|[.;?!]|\b(?:take|taking|after|first))\s*(?:the\s*)?$", re.IGNORECASE)
_STATISTIC: Mapping[str, WholeColumn] = {
    "mean": "mean",
    "average": "mean",
    "median": "median",
    "mode": "mode",
    "most frequent value": "mode",
}


@dataclass(frozen=True)
class Found:
    """A definition in a question: what it defines, the characters it takes, and what stands for
    them in the question that is left."""

    name: str
    text: str
    term: Term
    start: int
    end: int
    stands: str = ""
    ranges: Run | None = None
    keeps: bool = False
    changes: str = ""


def filled(question: str, table: Table) -> Found | None:
    """A column whose missing values are filled: its own name stands for the filled one."""
    if not re.search(r"fill|imput|replac", question, re.IGNORECASE):
        return None
    for match in _over_columns(_FILL, table, question):
        column = _column(match.group("column"), table)
        if column is None:
            continue
        how = match.group("how").lower()
        of = Reference(table=table.name, column=column)
        other: Term = (
            Overall(statistic=_STATISTIC[how], of=of)
            if how in _STATISTIC
            else Constant(value=float(how))
        )
        term = Computed(function="filled", operands=(of, other))
        text = f"{readable(column)}, missing ones {how}"
        return Found(column, text, term, match.start(), match.end())
    return None


def changed(question: str, table: Table) -> Found | None:
    """A column as its logarithm or square root, scaled to 0 and 1, or as deviations."""
    if not re.search(r"log|min|normali|scal|standardi|root", question, re.IGNORECASE):
        return None
    for match in _over_columns(_CHANGED, table, question):
        column = _column(match.group("column"), table)
        if column is None:
            continue
        how = f"{match.group('how')} {match.group('way') or ''}".lower()
        if re.match(r"(?:re)?scal", how) and not match.group("way"):
            continue
        of = Reference(table=table.name, column=column)
        if "+" in how or "log1p" in how:
            name, made = "shifted log", Computed(function="ln1p", operands=(of,))
        elif "log" in how:
            name, made = "log", Computed(function="ln", operands=(of,))
        elif "root" in how:
            name, made = "square root of", Computed(function="root", operands=(of,))
        elif "min" in how or ("normal" in how and "z" not in how.replace("normaliz", "")):
            low, high = (Overall(statistic=s, of=of) for s in ("minimum", "maximum"))
            name, made = "normalised", _over(_less(of, low), _less(high, low))
        else:
            mean, spread = (Overall(statistic=s, of=of) for s in ("mean", "deviation"))
            name, made = "standardised", _over(_less(of, mean), spread)
        label = f"{name} {readable(column)}"
        inside = name == "log" and not re.match(r"apply|perform|use|do|log\w*[- ]?trans", how)
        stands = label if inside and not _leads(question, match.start()) else ""
        of_it = "" if stands else column
        return Found(label, label, made, match.start(), match.end(), stands, changes=of_it)
    return None


def _over_columns(form: str, table: Table, question: str) -> Iterator[re.Match[str]]:
    """The places where a form is met, with the table's columns of numbers for its column."""
    names = sorted((c.name for c in table.columns if numeric(c.data_type)), key=lambda n: -len(n))
    if not names:
        return iter(())
    named = rf"(?:{'|'.join(map(spellings, names))})(?!\w)"
    return re.finditer(form.replace("COLUMN", named), question, re.IGNORECASE)


def _leads(question: str, start: int) -> bool:
    """Whether what starts there tells what to do, not what with: "log-transform the fare"."""
    return _LEADING.search(question[:start].rstrip()) is not None


def _less(one: Term, other: Term) -> Computed:
    return Computed(function="-", operands=(one, other))


def _over(one: Term, other: Term) -> Computed:
    return Computed(function="/", operands=(one, other))


def _column(text: str, table: Table) -> str | None:
    """The column of numbers that a text begins with."""
    text = text.strip("'\"` ")
    fitting = [
        c.name
        for c in table.columns
        if numeric(c.data_type)
        and re.match(rf"['\"`]?{spellings(c.name)}(?!\w)", text, re.IGNORECASE)
    ]
    return max(fitting, key=len, default=None)
