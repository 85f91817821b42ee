"""Corrections that deny a join: "not joined by harbour"; and which joins are guesses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue, Unrelated
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.intent import Intent, Relation
from services.planner.domain.query.joining.references import Reference, references_of

_DENIED = re.compile(
    r"^\W*(?:no\b|nope\b|sorry\b)?\W*(?:(?:it|that|they|these|those|rows|(?:the )?tables)\b\s*)?"
    r"(?:is|are|was|were|do|does|should|must)?\s*(?:not|never|n't|don['’]?t|aren['’]?t|isn['’]?t)\s+"
    r"(?:be\s+)?(?:join|link|connect|match|relate|tie)(?:e?d)?"
    r"(?:\s+(?:it|them|(?:the )?tables))?"
    r"\s+(?:by|on|through|via|over|with|using|to|at)\s+(?P<what>.+?)\W*$",
    re.IGNORECASE,
)
_IDLE = frozenset("the a an its their column columns and with id ids by on of to".split())
_SURE = 0.85


def denied_join(words: str) -> str:
    """What a correction says that tables are not joined by; empty for any other correction."""
    found = _DENIED.match(words)
    return found["what"] if found is not None else ""


def without_join(what: str, catalogue: Catalogue) -> tuple[Catalogue, str] | str:
    """The catalogue without the joins that are meant, and how that is told; or why there are none.

    Meant are those whose columns are called so, or by "table.column"; names of both tables may
    stand beside.
    """
    known = references_of(catalogue).all
    intended = [one for one in known if _is_joined(one, what)]
    if not intended:
        joins = ", ".join(dict.fromkeys(_text(r) for r in known)) or "none"
        return f"No tables are joined by “{what}”. The joins that there are: {joins}."
    pairs = [
        Unrelated(
            table=one.child.table,
            column=one.child.column,
            other_table=one.parent.table,
            other_column=one.parent.column,
        )
        for one in intended
    ]
    text = "not joined by " + " nor ".join(dict.fromkeys(_text(r) for r in intended))
    return catalogue.denying(pairs), f"{text}, as you said"


def guessed_joins(intent: Intent, catalogue: Catalogue) -> tuple[str, ...]:
    """The joins of a reading that names alone suggest, or that values hardly bear out."""
    return tuple(
        f"joined on a guess: {_pair(r)} (say “not joined by {r.left.column}” if it is wrong)"
        for r in _guessed(intent, catalogue)
    )


def _guessed(intent: Intent, catalogue: Catalogue) -> Iterator[Relation]:
    real = {copy.name: copy.table for copy in intent.copies}
    for relation in intent.joins:
        ends = {(real.get(f.table, f.table), f.column) for f in (relation.left, relation.right)}
        known = any(
            ends == {(r.from_table, r.from_column), (r.to_table, r.to_column)}
            and (r.declared or r.by_model or r.confidence >= _SURE)
            for r in catalogue.relationships
        )
        if not known:
            yield relation


def _is_joined(one: Reference, what: str) -> bool:
    text = what.casefold().strip("\"'“”` ")
    for field in (one.child, one.parent):
        if text in (field.column.casefold(), f"{field.table}.{field.column}".casefold()):
            return True
    words = {stem(w) for w in words_of(what)} - {stem(w) for w in _IDLE}
    columns = _stems(one.child.column) | _stems(one.parent.column)
    tables = _stems(one.child.table) | _stems(one.parent.table)
    return bool(words & columns) and words <= columns | tables


def _stems(name: str) -> set[str]:
    return {stem(word) for word in words_of(name)} - {"id"}


def _text(one: Reference) -> str:
    child, parent = one.child, one.parent
    return f"{child.table}.{child.column} = {parent.table}.{parent.column}"


def _pair(one: Relation) -> str:
    return f"{one.left.table}.{one.left.column} = {one.right.table}.{one.right.column}"
