"""Statements that cannot be parsed: mended marks, other dialects, misspelt keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import sqlglot
from rapidfuzz.distance import OSA
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.statements.parsing import (
    DIALECT,
    rendered,
    same_statement,
    statement,
)

_SMART = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " "})
_FENCE = re.compile(r"^\s*```[a-z]*\s*\n?(.*?)\n?\s*```\s*$", re.IGNORECASE | re.DOTALL)
_LEAD = re.compile(r"^\s*(sql|query|duckdb)\s*:\s*", re.IGNORECASE)
_DIALECTS = ("mysql", "tsql", "postgres", "sqlite")
_KEYWORDS = ("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN", "DISTINCT")
_WORD = re.compile(r"\b[A-Za-z]{4,9}\b")


def repair_syntax(given: RepairInput) -> Repair | None:
    """The call with a statement that parses; None when no mending gives one."""
    query = given.call.arguments.get("query")
    if not isinstance(query, str):
        return None
    if isinstance(column := given.observation.error_details.get("column"), str):
        return _grouped(given, query, column)
    for reason, text in _mended(query, given.catalogue):
        if statement(text) is not None and not same_statement(text, query):
            return Repair(arguments={**given.call.arguments, "query": text}, reason=reason)
    return None


def _grouped(given: RepairInput, query: str, column: str) -> Repair | None:
    """A column that is neither grouped nor aggregated is grouped by."""
    tree = statement(query)
    if not isinstance(tree, exp.Select):
        return None
    place = next(
        (c for c in tree.find_all(exp.Column) if c.name.casefold() == column.casefold()), None
    )
    if place is None:
        return None
    changed = tree.group_by(place.copy())
    return Repair(
        arguments={**given.call.arguments, "query": rendered(changed)},
        reason=f'grouped by "{column}" too',
    )


def _mended(query: str, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Mendings, the gentlest first: each alone and after those before it, then other dialects."""
    text = query
    reasons: list[str] = []
    for reason, mend in _MENDS:
        changed = mend(text)
        if changed != text:
            text = changed
            reasons.append(reason)
            yield ", ".join(reasons), text
    for dialect in _DIALECTS:
        for source in dict.fromkeys((query, text)):
            translated = _translated(source, dialect)
            if translated and not _names_became_texts(source, translated, catalogue):
                yield f"translated from {dialect} to {DIALECT}", translated
    spelled = _keywords(text, catalogue)
    if spelled != text:
        yield ", ".join([*reasons, "misspelt keywords"]), spelled


def _translated(text: str, dialect: str) -> str | None:
    try:
        found = sqlglot.transpile(text, read=dialect, write=DIALECT)
    except (SqlglotError, RecursionError, ValueError):
        return None
    return found[0] if len(found) == 1 and found[0] else None


def _names_became_texts(source: str, translated: str, catalogue: Catalogue) -> bool:
    """Whether a dialect took quoted names of the data for texts: "Total" for 'Total'."""
    tree = statement(translated)
    texts = [t.name for t in tree.find_all(exp.Literal) if t.is_string] if tree else []
    names = _names(catalogue)
    return any(text.casefold() in names and f'"{text}"' in source for text in texts)


def _names(catalogue: Catalogue) -> set[str]:
    names = {table.name.casefold() for table in catalogue.tables}
    return names | {
        column.name.casefold() for table in catalogue.tables for column in table.columns
    }


def _unfenced(text: str) -> str:
    inner = _FENCE.sub(r"\1", text)
    return _LEAD.sub("", inner)


def _straight(text: str) -> str:
    return text.translate(_SMART)


def _without_semicolon(text: str) -> str:
    return re.sub(r"[;\s]+$", "", text)


def _without_backticks(text: str) -> str:
    return text.replace("`", '"')


def _without_stray_commas(text: str) -> str:
    before = re.sub(
        r",(\s*)(?=\b(?:FROM|WHERE|GROUP|ORDER|HAVING|LIMIT)\b|\)|$)",
        r"\1",
        text,
        flags=re.IGNORECASE,
    )
    return re.sub(r"(\bSELECT\s+(?:DISTINCT\s+)?),\s*", r"\1", before, flags=re.IGNORECASE)


def _balanced(text: str) -> str:
    """Closes what is open at the end, drops a final bracket that closes nothing."""
    depth = 0
    quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
    stripped = text.rstrip()
    if quote:
        return stripped + quote + ")" * max(0, depth)
    if depth > 0:
        return stripped + ")" * depth
    while depth < 0 and stripped.endswith(")"):
        stripped, depth = stripped[:-1].rstrip(), depth + 1
    return stripped if stripped != text.rstrip() else text


def _keywords(text: str, catalogue: Catalogue) -> str:
    """Words one slip away from a keyword, unless the data has such a name."""
    names = _names(catalogue)

    def corrected(found: re.Match[str]) -> str:
        word = found.group()
        if word.casefold() in names or word.upper() in _KEYWORDS:
            return word
        near = [k for k in _KEYWORDS if OSA.distance(word.upper(), k) == 1]
        return near[0] if len(near) == 1 else word

    return _WORD.sub(corrected, text)


_MENDS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("took the statement out of its wrapping", _unfenced),
    ("curly quotes → straight", _straight),
    ("removed the semicolon", _without_semicolon),
    ("removed stray commas", _without_stray_commas),
    ("backticks → double quotes", _without_backticks),
    ("balanced brackets and quotes", _balanced),
)
