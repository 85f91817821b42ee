"""Whether frames of one row a statistic bear out what is stated of them: tests and profiles. Pure.

Such a frame says in columns what each number is (`statistic`) and what it is of (`about` of a test,
`column` of a profile), so words around a number are held against its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesh.proof.assertions import COLUMN, NAME, NUMBER, Assertion, Known, Span, Stated
from mesh.proof.wording import tokens

_USUAL_CONFIDENCE = 0.95
_UNCLEAR = ("not clearly", "no clear", "may well be")
# What is said just before or just behind a number of a profile.
_BEFORE = {"min": "from", "max": "to", "mean": "mean", "p50": "median", "nulls": "("}
_BEHIND = {"rows": "row", "columns": "column", "duplicate_rows": "repeat"}
_OF_ALL = (
    ("missing in all columns", "rows with a missing value", "rows"),
    ("missing in all columns",),
    ("missing", "rows"),
)


def statistic(stated: Stated, span: Span, known: Known) -> str | None:
    """Each number follows the name of what it is, and all are of the thing that is named."""
    about, kinds = (known.column(stated.frame_digest, name) for name in ("about", "statistic"))
    current: int | None = None
    for piece, _ in span.pieces:
        row, column = _cell(piece, known)
        if piece.kind == NUMBER or column == "text":
            if current is None or row not in stated.rows:
                return "a number of it has no name"
            ends = {kinds[current], f"{kinds[current]} low", f"{kinds[current]} high"}
            same = kinds[row] in ends and about[row] == about[current]
            if not same and kinds[row] != "confidence":
                return f"{kinds[row]!r} of {about[row]!r} is told as {kinds[current]!r}"
        elif column == "statistic":
            current = row
        elif column == "about" and current is not None and about[row] != about[current]:
            return f"{kinds[current]!r} is of {about[current]!r}"
        elif column == "about" and any(
            about[r] != about[row] for r in stated.rows if kinds[r] != "confidence"
        ):
            return "its numbers are of several things"
    return None


def conclusion(stated: Stated, span: Span, known: Known) -> str | None:
    """What a test concludes is its own words, and its probability is on the side they say.

    The second row is that of the p-value, where there is one for the whole test. The level is one
    less the confidence that the test was made with.
    """
    digest, row = stated.frame_digest, stated.rows[0]
    names = [(p.stated.rows[0], p.stated.columns[0]) for p, _ in span.of(NAME)]
    if (row, "text") not in names or known.cell(digest, row, "statistic") != "conclusion":
        return "it is not what the test concludes"
    if len(stated.rows) < 2:
        return None
    kinds, values = (known.column(digest, name) for name in ("statistic", "value"))
    sure = [value for kind, value in zip(kinds, values, strict=True) if kind == "confidence"]
    likely = stated.rows[1]
    if kinds[likely] != "p-value" or values[likely] is None:
        return "it names no probability"
    if not verdict_fits(str(known.cell(digest, row, "text")), values[likely], sure):
        return f"its p-value is {values[likely]:.3g}"
    return None


def verdict_fits(text: str, probability: float, confidence: Sequence[float | None]) -> bool:
    """Whether a test says that there is something exactly where its p-value is below its level."""
    level = 1 - ((confidence[0] if confidence else None) or _USUAL_CONFIDENCE)
    return (probability < level) != any(words in text for words in _UNCLEAR)


def farthest(stated: Stated, span: Span, known: Known) -> str | None:
    """The first of the named outliers, each with its own number."""
    digest = stated.frame_digest
    about, kinds = (known.column(digest, name) for name in ("about", "statistic"))
    named = [row for row, kind in enumerate(kinds) if kind == "outlier" and about[row]]
    numbers = [_cell(piece, known)[0] for piece, _ in span.of(NAME)]
    if numbers != named[: len(numbers)] or tuple(numbers) != stated.rows:
        return "others are farther"
    if [_cell(piece, known)[0] for piece, _ in span.of(NUMBER)] != numbers:
        return "its numbers are those of others"
    return "there are others" if ("others" in span.text) != (len(named) > len(numbers)) else None


def count_missing(stated: Stated, span: Span, known: Known) -> str | None:
    """How many values are missing: in all, in how many rows, and of which columns most."""
    digest = stated.frame_digest
    kinds, values = (known.column(digest, name) for name in ("statistic", "value"))
    numbers = [_cell(piece, known)[0] for piece, _ in span.of(NUMBER)]
    contents = tuple(kinds[row] for row in numbers)
    start = next((len(form) for form in _OF_ALL if contents[: len(form)] == form), 0)
    columns = [row for row in numbers[start:] if kinds[row] == "missing"]
    if not start or len(columns) != len(numbers) - start or tuple(numbers) != stated.rows:
        return "its numbers are not those of missing values"
    if contents[:2] == ("missing", "rows"):
        columns = numbers[:1]
    if [_cell(piece, known)[0] for piece, _ in span.of(NAME)] != columns:
        return "its numbers are those of other columns"
    rest = [
        values[row] or 0
        for row, kind in enumerate(kinds)
        if kind == "missing" and row not in columns
    ]
    if "fewer" in span.text and not 0 < max(rest, default=0) <= min(values[r] for r in columns):
        return "there are not fewer elsewhere"
    return None


def missing_most(stated: Stated, span: Span, known: Known) -> str | None:
    """The columns of a profile that lack most values, the first before the others."""
    kinds, values = (known.column(stated.frame_digest, n) for n in ("statistic", "value"))
    lack = {row: values[row] for row, k in enumerate(kinds) if k == "nulls" and values[row]}
    contents = [lack.get(row, 0) for row in stated.rows]
    rest = [value for row, value in lack.items() if row not in stated.rows]
    if contents != sorted(contents, reverse=True) or max(rest, default=0) > contents[-1]:
        return "other columns lack more values"
    return profile(stated, span, known)


def profile(stated: Stated, span: Span, known: Known) -> str | None:
    """Every number of a profile is what is said beside it, and of the column that is named."""
    digest = stated.frame_digest
    names, kinds = (known.column(digest, name) for name in ("column", "statistic"))
    named = ""
    rows = []
    for place, (piece, text) in enumerate(span.pieces):
        if piece.kind == COLUMN:
            named = text
        if piece.kind != NUMBER:
            continue
        row, _ = _cell(piece, known)
        rows.append(row)
        kind = kinds[row]
        behind, before = span.words_behind(place), span.words_before(place)
        if kind in _BEHIND and _BEHIND[kind] not in behind:
            return f"{text} is the number of {kind}"
        if kind in _BEFORE and not before.rstrip().endswith(_BEFORE[kind]):
            return f"{text} is the {kind} of {names[row]}"
        if kind not in _BEHIND and not tokens(named.rstrip("…")) <= tokens(str(names[row])):
            return f"{text} is of column {names[row]!r}"
    return None if tuple(rows) == stated.rows else "its numbers are other cells"


def _cell(piece: Assertion, known: Known) -> tuple[int, Any]:
    """The row and column that a piece is from; of a quotation, none that a frame has."""
    if piece.kind == NUMBER:
        claim = known.claims[piece.stated.claim_id]
        return claim.row, claim.column
    if piece.kind == NAME:
        return piece.stated.rows[0], piece.stated.columns[0]
    return -1, ""
