"""Rows of a frame: the first, and all that are cited, each cited cell with its id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from clients.python.publishing.resolving import Citations, cell_anchor, column_anchor
from clients.python.publishing.values import column_texts
from mesh.text.harmless import harmless_line

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 200
_MOST_COLUMNS = 50


def render_rows(name: str, table: pa.Table, citations: Citations, present: set[int]) -> str:
    """The table of a frame: its first rows and columns, and whatever is cited beyond them."""
    cells = citations.cells.get(name, set())
    whole = citations.columns.get(name, set())
    rows = _kept(table.num_rows, MOST_ROWS, {row for row, _ in cells})
    columns = _kept(table.num_columns, _MOST_COLUMNS, whole | {column for _, column in cells})
    marks = _Marks(name, citations, present)
    head = "".join(marks.heading(column, str(table.schema.names[column])) for column in columns)
    body = list(_body(table, rows, columns, cells, marks))
    told = _told(table.num_rows, len(rows), table.num_columns, len(columns))
    return (
        f'<p class="soft">{told}</p>\n<div class="wide"><table><thead><tr><th></th>{head}</tr>'
        "</thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody></table></div>"
    )


def _kept(count: int, most: int, cited: set[int]) -> list[int]:
    """Places from 0 of the first ones and of those that are cited."""
    return [*range(min(count, most)), *sorted(one for one in cited if one >= most)]


def _told(rows: int, shown: int, columns: int, shown_columns: int) -> str:
    of_columns = f", {shown_columns:,} of {columns:,} columns" if shown_columns < columns else ""
    if shown == rows:
        return f"{rows:,} {'row' if rows == 1 else 'rows'}{of_columns}"
    return f"{shown:,} of {rows:,} rows: the first, and all that are cited{of_columns}"


def _body(
    table: pa.Table,
    rows: Sequence[int],
    columns: Sequence[int],
    cells: set[tuple[int, int]],
    marks: _Marks,
) -> Iterator[str]:
    kept = table.take(list(rows))
    texts = [
        column_texts(str(table.schema.names[column]), kept.column(column).to_pylist())
        for column in columns
    ]
    before = -1
    for at, row in enumerate(rows):
        if row != before + 1:
            yield f'<tr><td colspan="{len(columns) + 1}">…</td></tr>'
        before = row
        drawn = (
            marks.cell(row, column, texts[place][at], cited=(row, column) in cells)
            for place, column in enumerate(columns)
        )
        yield f'<tr><th scope="row">{row + 1:,}</th>{"".join(drawn)}</tr>'


class _Marks:
    """Ids of what is cited of a frame, and links back to where it is."""

    def __init__(self, name: str, citations: Citations, present: set[int]) -> None:
        self._name = name
        self._back: dict[str, str] = {}
        for one in citations.bindings:
            if one.number in present:
                for target in one.targets:
                    self._back.setdefault(target.anchor, one.anchor)

    def heading(self, column: int, text: str) -> str:
        """A column's heading."""
        anchor = column_anchor(self._name, column)
        return f'<th scope="col" id="{escape(anchor)}">{self._linked(anchor, text)}</th>'

    def cell(self, row: int, column: int, text: str, *, cited: bool) -> str:
        """A cell; one that is cited can be linked to, and leads back."""
        if not cited:
            return f"<td>{escape(text)}</td>"
        anchor = cell_anchor(self._name, row, column)
        return f'<td class="cited" id="{escape(anchor)}">{self._linked(anchor, text)}</td>'

    def _linked(self, anchor: str, text: str) -> str:
        shown = escape(harmless_line(text))
        back = self._back.get(anchor)
        return f'<a class="cited" href="#{back}">{shown}</a>' if back else shown
