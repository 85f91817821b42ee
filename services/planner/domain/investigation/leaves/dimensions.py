"""By which columns leaves are split: all that hold no values and split them, or those asked for."""

from __future__ import annotations

from dataclasses import dataclass

from mesh.errors import NO_DIMENSIONS, AssayError
from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table
from services.planner.domain.investigation.dimensions import (
    MOST_DIMENSIONS,
    MOST_VALUES,
    is_mentioned,
)
from services.planner.domain.investigation.ground import LeafColumns
from services.planner.domain.investigation.leaves.columns import called_so, measures_of
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.semantics.kinds import is_time

_FEW_ROWS = 20
_TAKEN = frozenset(("bucket", "numerator", "denominator", "rows", "squares"))
"""What a cube has beside its dimensions."""

_OTHER, _ALIKE, _IDS = "values of another measure", "the same in all leaves", "ids of rows"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Dimensions with the columns that they are, how many values each has, those suspected, and
    what was left out and why. `complete` says that nothing was that tells leaves apart."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    cardinalities: tuple[int, ...]
    suspected: tuple[str, ...]
    notes: tuple[str, ...]
    complete: bool


def leaf_dimensions(table: Table, leaf: LeafColumns, request: InvestigationRequest) -> Chosen:
    """What leaves are split by, the suspected first. Raises AssayError(NO_DIMENSIONS)."""
    taken = set(leaf.named.values())
    stems = {
        stem(word)
        for word in words_of(f"{request.investigation_prompt} {request.business_context}")
    }
    left: dict[str, list[str]] = {}
    if request.dimensions:
        kept = [_asked_for(table, name, taken) for name in dict.fromkeys(request.dimensions)]
    else:
        values = {name for m in measures_of(table.stored) for name in (m.real, m.predicted)}
        kept = []
        for column in table.stored:
            why = "" if column.name in taken else _why_not(table, column, values)
            if why:
                left.setdefault(why, []).append(column.name)
            elif column.name not in taken:
                kept.append(column)
        kept.sort(key=lambda c: not is_mentioned(table, c, stems))
        if len(kept) > MOST_DIMENSIONS:
            beyond = f"there are at most {MOST_DIMENSIONS} dimensions"
            left[beyond] = [column.name for column in kept[MOST_DIMENSIONS:]]
            kept = kept[:MOST_DIMENSIONS]
    if not kept:
        text = "; ".join(f"{', '.join(names)}: {why}" for why, names in left.items())
        raise AssayError(
            NO_DIMENSIONS,
            f"{table.source_name} has no column beside its values that splits the leaves"
            + (f" ({text})" if text else ""),
            fields={"investigation.dimensions": "none found"},
        )
    return Chosen(
        tuple(_called(table, column) for column in kept),
        tuple(column.name for column in kept),
        tuple(column.distinct for column in kept),
        tuple(_called(table, column) for column in kept if is_mentioned(table, column, stems)),
        (*(f"not split by {', '.join(names)}: {why}" for why, names in left.items()), *_few(kept)),
        _is_complete(table, kept, taken),
    )


def _is_complete(table: Table, kept: list[Column], taken: set[str]) -> bool:
    """Whether all columns are dimensions or values, but those that are the same in all leaves, or
    count the rows."""
    measures = {name for m in measures_of(table.stored) for name in (m.real, m.predicted)}
    return all(
        _why_not(table, column, measures) in (_ALIKE, _OTHER, _IDS)
        for column in table.stored
        if column not in kept and column.name not in taken
    )


def _called(table: Table, column: Column) -> str:
    """What a dimension is called: by its table too where a cube has a column of that name."""
    return f"{table.name} {column.name}" if column.name in _TAKEN else column.name


def _few(kept: list[Column]) -> tuple[str, ...]:
    """That a single leaf says little by itself, where each value is one."""
    if len(kept) > 1:
        return ()
    text = (
        "there is one dimension, and each of its values is one leaf: one that is far off may be "
        "chance unless the others scatter little"
    )
    return (text,)


def _why_not(table: Table, column: Column, values: set[str]) -> str:
    """Why a column does not split leaves; empty where it does."""
    if column.name in values:
        return _OTHER
    if column.distinct + bool(column.nulls) < 2:
        return _ALIKE
    if is_time(column):
        return "times; leaves of all of them are added up"
    if column.distinct > MOST_VALUES:
        return f"more than {MOST_VALUES:,} values"
    if column.data_type is DataType.FLOAT:
        return "numbers with fractions"
    apart = column.distinct > table.rows / 2 and table.rows > _FEW_ROWS
    if column.data_type is DataType.INTEGER and apart:
        return "numbers that hardly two leaves share"
    if column.role is ColumnRole.ID and column.distinct == table.rows > _FEW_ROWS:
        return _IDS
    return ""


def _asked_for(table: Table, name: str, taken: set[str]) -> Column:
    found = called_so(table, name)
    column = table.column(found) if found else None
    if column is None or column.name in taken:
        there = ", ".join(c.name for c in table.stored if c.name not in taken)
        problem = "holds values" if column is not None else "is no column"
        raise AssayError(
            NO_DIMENSIONS,
            f"{name!r} {problem} of {table.source_name}: leaves cannot be split by it",
            hint=f"Name some of {there}." if there else "",
            fields={"investigation.dimensions": f"unknown: {name}"},
        )
    return column
