"""Rows that a question leaves out before it asks: "after removing outliers from Fare by IQR"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Column, Table
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.defining.terms import (
    Computed,
    Constant,
    Overall,
    Reference,
    Term,
)
from services.planner.domain.reader.defining.formula import spellings

_LEAD = (
    r"(?:(?:after|when|once|by|first|having)\s+)?"
    r"(?:remov(?:e|ing|ed)|exclud(?:e|ing|ed)|dropp?(?:ing|ed)?|filter(?:ing|ed)?(?: out)?"
    r"|eliminat(?:e|ing|ed)|delet(?:e|ing|ed)|discard(?:ing|ed)?|ignor(?:e|ing|ed)|without"
    r"|leav(?:e|ing) out)"
    r"\s+(?:any\s+|all\s+|the\s+)*"
)
_METHOD = (
    r"(?:\s*,?\s*(?:using|by|with|based on|according to|defined (?:as|by)|identified by)\s+"
    r"(?:the\s+|an?\s+)?(?:(?P<times>\d+(?:\.\d+)?)\s*(?:times|x|×|\*)?\s*(?:the\s+)?)?"
    r"(?P<how>iqr|inter-?quartile range|z-?\s?scores?|standard deviations?)"
    r"(?:[ -](?:method|rule|approach))?"
    r"(?:\s*,?\s*\(?(?:with|at|using|and)?\s*(?:an?\s+|the\s+)?"
    r"(?:threshold|cut-?off|factor|multiplier)?"
    r"\s*(?:of|above|over|greater than|more than|>|=|is)?\s*(?P<limit>\d+(?:\.\d+)?)\)?)?)?"
)
_OUTLIERS = (
    rf"\b{_LEAD}outliers?\s+(?:from|in|of|for)\s+(?:the\s+)?(?P<column>COLUMN)"
    rf"(?:\s+(?:column|values?|feature|variable))?{_METHOD}",
    rf"\b{_LEAD}(?P<column>COLUMN)\s+outliers?{_METHOD}",
)
_INCOMPLETE = (
    rf"\b{_LEAD}(?:(?:rows|records|entries|observations)\s+(?:with|where|that have|having|in which)"
    r"\s+(?:any\s+|an?\s+)?)?(?:missing|null|nan)\s+(?:values?|entries|data)"
    r"(?:\s+(?:in|from|of|for)\s+(?:the\s+)?(?P<column>COLUMN)(?:\s+columns?)?)?"
)


@dataclass(frozen=True)
class Exclusion:
    """What rows must meet to be kept, in words and as a term, and the characters that say so."""

    text: str
    term: Term
    start: int
    end: int


def next_exclusion(question: str, table: Table) -> Exclusion | None:
    """The first phrase of a question that leaves out outliers, or rows with missing values.

    Outliers go by quartile ranges with a factor of 1.5 where no method is said, by 3 deviations
    for z-scores.
    """
    lower = question.lower()
    if "outlier" in lower:
        numbers = [c for c in table.columns if numeric(c.data_type)]
        for form in _OUTLIERS:
            found = _match(form, question, numbers)
            if found is not None and (name := _named(found, numbers)):
                return _without_outliers(found, Reference(table=table.name, column=name))
    if "missing" in lower or "null" in lower or "nan" in lower:
        found = _match(_INCOMPLETE, question, table.columns)
        if found is not None:
            named = _named(found, table.columns)
            names = [named] if named else [c.name for c in table.columns if c.nulls]
            return _complete(found, [Reference(table=table.name, column=n) for n in names])
    return None


def _match(form: str, question: str, columns: Sequence[Column]) -> re.Match[str] | None:
    names = "|".join(spellings(c.name) for c in sorted(columns, key=lambda c: -len(c.name)))
    return re.search(form.replace("COLUMN", names), question, re.IGNORECASE) if names else None


def _named(found: re.Match[str], columns: Sequence[Column]) -> str:
    text = found.group("column") or ""
    names = (c.name for c in columns if re.fullmatch(spellings(c.name), text, re.IGNORECASE))
    return next(names, "")


def _without_outliers(found: re.Match[str], column: Reference) -> Exclusion:
    given = found.group("limit") or found.group("times")
    low: Term
    high: Term
    spread: Term
    if (found.group("how") or "iqr").lower().startswith(("z", "standard")):
        limit = float(given or 3)
        low = high = Overall(statistic="mean", of=column)
        spread = Overall(statistic="deviation", of=column)
        sentence = f"more than {limit:g} standard deviations (n - 1) from the mean"
    else:
        limit = float(given or 1.5)
        low = Overall(statistic="lower quartile", of=column)
        high = Overall(statistic="upper quartile", of=column)
        spread = Computed(function="-", operands=(high, low))
        sentence = f"more than {limit:g} quartile ranges from the quartiles"
    reach = Computed(function="*", operands=(Constant(value=limit), spread))
    bottom = Computed(function="-", operands=(low, reach))
    top = Computed(function="+", operands=(high, reach))
    inside = (
        Computed(function=">=", operands=(column, bottom)),
        Computed(function="<=", operands=(column, top)),
    )
    text = f"without rows whose {readable(column.column)} lies {sentence}"
    return Exclusion(text, Computed(function="and", operands=inside), found.start(), found.end())


def _complete(found: re.Match[str], columns: list[Reference]) -> Exclusion | None:
    """Rows that have all of these values; None where no value is missing anyway."""
    held: list[Term] = [Computed(function="present", operands=(column,)) for column in columns]
    if not held:
        return None
    text = " or ".join(readable(column.column) for column in columns)
    term = held[0] if len(held) == 1 else Computed(function="and", operands=tuple(held))
    return Exclusion(f"without rows that miss {text}", term, found.start(), found.end())
