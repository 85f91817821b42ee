"""Puts pseudonyms in the place of cells that policy blocks, and shows them in what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mesh.policy import Policy
from mesh.pseudonym import HIDDEN, key_of, presented, pseudonym, spelled
from mesh.recognising.columns import digits_of
from mesh.tool import ToolError, ToolResult
from services.executor.sources.prepared import PreparedSource

_KEPT = 200_000

_Cell = str | tuple[tuple[str, ...], str]
"""A text that was judged by itself, or in a column whose digits are of some kinds."""


class Masking:
    """The cells of one set of sources under one policy; safe to share by threads.

    Equal texts have equal pseudonyms in all tables of the sources. Every text is judged once, as
    long as no more than 200,000 of them were.
    """

    def __init__(self, sources: Sequence[PreparedSource], policy: Policy) -> None:
        self._policy = policy
        self._key = key_of([source.salt for source in sources])
        self._known: dict[_Cell, str] = {}

    def suspected(self, text: str) -> str:
        """What stands in the place of a text that `Policy.suspect` matches."""
        known = self._known.get(text)
        if known is None:
            kind = self._policy.kind(text)
            known = self._keep(text, text if kind is None else pseudonym(text, kind, self._key))
        return known

    def blocked(self, text: str) -> str:
        """What stands in the place of a text that an expression of the caller's matches."""
        kind = self._policy.kind(text)
        return pseudonym(text, kind or "blocked", self._key)

    def digits(self, kinds: tuple[str, ...], text: str) -> str:
        """What stands in the place of a cell in a column whose plain digits are of these kinds."""
        known = self._known.get((kinds, text))
        if known is None:
            found = ((kind, digits_of(kind, text.strip())) for kind in kinds)
            known = next((pseudonym(d, kind, self._key) for kind, d in found if d), None)
            known = self._keep((kinds, text), known or self.suspected(text))
        return known

    def _keep(self, cell: _Cell, stands: str) -> str:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[cell] = stands
        return stands

    def suspected_column(self, column: pa.ChunkedArray) -> pa.Array:
        """`suspected`, once for each distinct text."""
        return _each(self.suspected, column)

    def blocked_column(self, column: pa.ChunkedArray) -> pa.Array:
        """`blocked`, once for each distinct text."""
        return _each(self.blocked, column)

    def digits_column(self, kinds: tuple[str, ...], column: pa.ChunkedArray) -> pa.Array:
        """`digits`, once for each distinct text."""
        return _each(partial(self.digits, kinds), column)


def _each(change: Any, column: pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    coded = column.dictionary_encode()
    changed = [None if text is None else change(text) for text in coded.dictionary.to_pylist()]
    return pa.array(changed, pa.string()).take(coded.indices)


def shown(table: pa.Table) -> tuple[pa.Table, int]:
    """The table with every pseudonym as people see it, and how many cells hold some."""
    cells = 0
    for position, field in enumerate(table.schema):
        if field.type != pa.string():
            continue
        column = table.column(position)
        hits = pc.sum(pc.match_substring_regex(column, HIDDEN)).as_py() or 0
        if hits:
            cells += hits
            table = table.set_column(position, field, _each(presented, column))
    return table.rename_columns([presented(name) for name in table.column_names]), cells


def hidden(table: pa.Table) -> pa.Table:
    """The table with every pseudonym that people see spelled as inside a query."""
    for position, field in enumerate(table.schema):
        if field.type == pa.string():
            column = table.column(position)
            if pc.any(pc.match_substring(column, "[")).as_py():
                table = table.set_column(position, field, _each(spelled, column))
    return table.rename_columns([spelled(name) for name in table.column_names])


def shown_result(result: ToolResult) -> ToolResult:
    """What a tool gave, with every pseudonym as people see it."""
    frame = shown(result.frame)[0] if result.frame is not None else None
    notes = tuple(presented(note) for note in result.notes)
    return replace(result, frame=frame, summary=presented(result.summary), notes=notes)


def spelled_all(arguments: Any) -> Any:
    """Arguments of a tool with the pseudonyms they name spelled as inside a query."""
    if isinstance(arguments, str):
        return spelled(arguments)
    if isinstance(arguments, Mapping):
        return {spelled(name): spelled_all(value) for name, value in arguments.items()}
    if isinstance(arguments, (list, tuple)):
        return [spelled_all(value) for value in arguments]
    return arguments


def presentable_error(error: ToolError) -> ToolError:
    """The failure, told with pseudonyms as people see them."""
    return ToolError(
        error.category,
        presented(error.message),
        hint=presented(error.hint),
        details={
            name: presented(value) if isinstance(value, str) else value
            for name, value in error.details.items()
        },
    )
