"""Words that state something of cells: the one way in which sentences are allowed to say them.

What is stated is recorded with the characters that state it, checked by whoever verifies an answer,
and by us before it is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mesh.proof.assertions import Known, Stated
from mesh.proof.claims import claim_record
from mesh.proof.quotation import quotable
from mesh.proof.texts import text_fault
from services.planner.domain.answer import Claim
from services.planner.domain.reporting.cells import Cell
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Closed, Opened, Piece, Prose, Quoted
from services.planner.domain.reporting.spans import assertions_of


class UnstatedError(ValueError):
    """A sentence was about to state what its cells do not bear out."""


def stating(stated: Stated, *parts: Prose | Piece | str) -> Prose:
    """The parts, as the words that state it."""
    return Prose.of(Opened(stated), *parts, Closed())


def of_rows(
    kind: str, table: EvidenceTable, rows: Sequence[int], column: str, by: str = "", way: str = ""
) -> Stated:
    """Something about rows by their value in a column."""
    return Stated(kind, table.digest, tuple(rows), (column,), by=by, of_column=way)


def of_cells(kind: str, *cells: Cell, by: str = "", of: Cell | None = None) -> Stated:
    """Something about cells of one frame; `of` is any cell of the column behind them."""
    table = cells[0].table
    rows = tuple(cell.row for cell in cells)
    rows = rows[:1] if len(set(rows)) == 1 else rows
    columns = tuple(cell.column for cell in cells)
    behind = (of.table.digest, of.column) if of is not None else ("", "")
    return Stated(kind, table.digest, rows, columns, by, 0, *behind)


def extreme(
    table: EvidenceTable, tied: Sequence[int], column: str, by: str, *, high: bool, named: bool
) -> Stated:
    """Which rows are highest or lowest; not `named`, only that several are."""
    kind = "highest" if high else "lowest"
    if not named and len(tied) > 1:
        return of_rows(f"{kind}_shared", table, tied[:1], column, by)
    return of_rows(kind, table, tied, column, by)


def check_stated(
    prose: Prose, place: str, claims: Sequence[Claim], tables: Mapping[str, EvidenceTable]
) -> None:
    """Hold a text against its cells as a verifier will. Raises UnstatedError.

    What it quotes is checked where it is printed (`Ledger`), and of frames too large to be read
    here a verifier alone can tell.
    """
    known = Known(
        {claim.claim_id: claim_record(claim.model_dump()) for claim in claims},
        {table.digest: table.rows for table in tables.values()},
        quotable(piece.text for piece in prose.pieces if isinstance(piece, Quoted)),
        partial=True,
    )
    fault = text_fault(prose.plain, place, assertions_of(prose, place), known)
    if fault is not None:
        raise UnstatedError(fault)
