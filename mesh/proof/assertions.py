"""What an answer's words state, as assertions over cells, and whether the cells bear it out. Pure.

Every piece of a text that is not plain words is recorded with its place: a number by its claim, the
name of a row by its cell, a quotation. Around them stand assertions: this row is the highest of
that column, this number fell from that cell to that one. Whoever has the frames checks all of it,
and that nothing else is said, whoever recorded it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mesh.proof.claims import ClaimRecord
from mesh.proof.quotation import Quotable

if TYPE_CHECKING:
    import pyarrow as pa

_ROUNDING = 1e-12
TEXT, TITLE = "text", "title"
NUMBER, NAME, COLUMN, QUOTED, SUGGESTED = "number", "name", "column", "quoted", "suggested"
PIECES = frozenset({NUMBER, NAME, COLUMN, QUOTED, SUGGESTED})
"""Kinds that say where a stretch of text is from; all others say what is stated there."""


def same_number(one: Any, other: Any) -> bool:
    """Whether two numbers are one, told apart at most by how floats were added up."""
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=0.0)
    return bool(one == other)


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of cells, wherever it is said.

    `rows` and `columns` name cells of the frame: pairs where there are several of both, else the
    one with each of the others. `by` is a column that says which rows count or in what order.
    `of_digest` and `of_column` are what the cell was worked out from.
    """

    kind: str
    frame_digest: str = ""
    rows: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    by: str = ""
    claim_id: int = 0
    of_digest: str = ""
    of_column: str = ""

    @property
    def cells(self) -> list[tuple[int, str]]:
        """The cells that are named."""
        rows = self.rows * len(self.columns) if len(self.rows) == 1 else self.rows
        columns = self.columns * len(self.rows) if len(self.columns) == 1 else self.columns
        return list(zip(rows, columns, strict=False))


@dataclass(frozen=True, slots=True)
class Assertion:
    """What is stated, and the characters of the text or the title that state it."""

    place: str
    start: int
    end: int
    stated: Stated

    @property
    def kind(self) -> str:
        """The kind of what is stated."""
        return self.stated.kind

    def holds(self, other: Assertion) -> bool:
        """Whether another's characters are all among this one's."""
        return self.start <= other.start and other.end <= self.end

    def as_object(self) -> dict[str, Any]:
        """The assertion as JSON."""
        stated = self.stated
        return {
            "kind": stated.kind,
            "place": self.place,
            "start": self.start,
            "end": self.end,
            "frame_digest": stated.frame_digest,
            "rows": list(stated.rows),
            "columns": list(stated.columns),
            "by": stated.by,
            "claim_id": stated.claim_id,
            "of_digest": stated.of_digest,
            "of_column": stated.of_column,
        }


def assertion_of(value: Mapping[str, Any]) -> Assertion:
    """An assertion as chains record it. Raises KeyError, TypeError, ValueError for what is none."""
    stated = Stated(
        kind=str(value["kind"]),
        frame_digest=str(value["frame_digest"]),
        rows=tuple(map(int, value["rows"])),
        columns=tuple(map(str, value["columns"])),
        by=str(value["by"]),
        claim_id=int(value["claim_id"]),
        of_digest=str(value["of_digest"]),
        of_column=str(value["of_column"]),
    )
    return Assertion(str(value["place"]), int(value["start"]), int(value["end"]), stated)


@dataclass(frozen=True)
class Known:
    """What a text is held against: claims, frames by digest, and what it may quote.

    `partial` lets pass what is stated of frames that are not there.
    """

    claims: Mapping[int, ClaimRecord]
    frames: Mapping[str, pa.Table]
    quotable: Quotable = field(default_factory=Quotable)
    partial: bool = False
    _columns: dict[tuple[str, str], list[Any]] = field(default_factory=dict)

    def column(self, digest: str, column: str) -> list[Any]:
        """A column's values. Raises KeyError for a frame or column that is not there."""
        if (digest, column) not in self._columns:
            rows = self.frames[digest]
            if rows.column_names.count(column) != 1:
                raise KeyError(column)
            self._columns[digest, column] = rows.column(column).to_pylist()
        return self._columns[digest, column]

    def cell(self, digest: str, row: int, column: str) -> Any:
        """A cell's value. Raises KeyError."""
        values = self.column(digest, column)
        if not 0 <= row < len(values):
            raise KeyError(f"row {row}")
        return values[row]


@dataclass(frozen=True)
class Span:
    """A stretch of text with the pieces in it, in order."""

    text: str
    start: int
    pieces: Sequence[tuple[Assertion, str]]

    def words_before(self, place: int) -> str:
        """The plain words between a piece, by its place among all, and the one before it."""
        begin = self.pieces[place - 1][0].end if place else self.start
        return self.text[begin - self.start : self.pieces[place][0].start - self.start]

    def words_behind(self, place: int) -> str:
        """The plain words between a piece and the one after it."""
        last = place + 1 == len(self.pieces)
        end = self.start + len(self.text) if last else self.pieces[place + 1][0].start
        return self.text[self.pieces[place][0].end - self.start : end - self.start]

    def of(self, *kinds: str) -> list[tuple[Assertion, str]]:
        """The pieces of some kinds."""
        return [item for item in self.pieces if item[0].kind in kinds]
