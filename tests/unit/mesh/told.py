"""Sentences in small: pieces that say which cell they are from, and what is stated around them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from mesh.proof.assertions import COLUMN, NAME, NUMBER, QUOTED, TEXT, Assertion, Known, Span, Stated
from mesh.proof.claims import ClaimRecord, cell_text
from mesh.proof.quotation import quotable
from mesh.proof.statements import statement_fault
from mesh.text.spelling import label_text, shown

HERE = "here"
SALES = pa.table(
    {
        "country": ["USA", "Germany", "Chile", "Austria", ""],
        "revenue": [30.0, 20.0, None, 10.0, 99.0],
        "orders": [3, 3, 3, 3, 3],
    }
)


@dataclass(frozen=True)
class Piece:
    """A stretch of a text and where it is from. `said` is what stands there, else the cell."""

    kind: str
    row: int = 0
    column: str = ""
    frame: str = "here"
    said: str = ""


def number(row: int, column: str = "revenue", frame: str = "here", said: str = "") -> Piece:
    """A number that is cited from a cell."""
    return Piece(NUMBER, row, column, frame, said)


def name(row: int, column: str = "country", frame: str = "here", said: str = "") -> Piece:
    """A row, called by one of its cells."""
    return Piece(NAME, row, column, frame, said)


def named(column: str) -> Piece:
    """A column's own name."""
    return Piece(COLUMN, said=column)


def quoted(words: str) -> Piece:
    """Words that are the question's."""
    return Piece(QUOTED, said=words)


@dataclass(frozen=True)
class Sentence:
    """A text with its pieces, over frames whose digests are their names."""

    frames: dict[str, pa.Table]
    text: str
    pieces: list[tuple[Assertion, str]]
    claims: dict[int, ClaimRecord]

    @property
    def known(self) -> Known:
        """What it is held against."""
        return Known(self.claims, self.frames, quotable(["revenue orders country, top 3"]))

    @property
    def span(self) -> Span:
        """All of it."""
        return Span(self.text, 0, self.pieces)

    def stating(self, stated: Stated, start: int = 0, end: int | None = None) -> list[Assertion]:
        """Its pieces, and one assertion over all of it or a part."""
        whole = Assertion(TEXT, start, len(self.text) if end is None else end, stated)
        return [*(piece for piece, _ in self.pieces), whole]


def sentence(*parts: str | Piece, **frames: pa.Table) -> Sentence:
    """Put words and pieces together, with a claim for each number."""
    text = ""
    pieces: list[tuple[Assertion, str]] = []
    claims: dict[int, ClaimRecord] = {}
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        stated = Stated(part.kind)
        said = part.said
        if part.kind in (NUMBER, NAME):
            value: Any = frames[part.frame].column(part.column)[part.row].as_py()
            stated = Stated(part.kind, part.frame, (part.row,), (part.column,))
            if part.kind == NAME:
                said = said or label_text(value)
            else:
                said = said or shown(value)
                claim = len(claims) + 1
                claims[claim] = ClaimRecord(
                    claim, cell_text(value), said, part.frame, part.row, part.column, "call"
                )
                stated = replace(Stated(NUMBER), claim_id=claim)
        pieces.append((Assertion(TEXT, len(text), len(text) + len(said), stated), said))
        text += said
    return Sentence(frames, text, pieces, claims)


def fault(stated: Stated, *parts: str | Piece, **frames: pa.Table) -> str | None:
    """What is found of a sentence, over SALES unless another frame is `here`."""
    told = sentence(*parts, **{HERE: SALES, **frames})
    return statement_fault(stated, told.span, told.known)


def of(kind: str, rows: tuple[int, ...] = (), *columns: str, **more: Any) -> Stated:
    """What is stated of rows and columns of the frame that is `here`."""
    return Stated(kind, HERE, rows, columns or ("revenue",), **more)
