"""The catalogue with the columns that a question defines, and how they are told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Table,
)
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.defining.terms import (
    Choice,
    Constant,
    Definition,
)
from services.planner.domain.query.intent import Intent

_CATALOGUES = 64


def with_columns(catalogue: Catalogue, definitions: Sequence[Definition]) -> Catalogue:
    """The catalogue with defined columns in their tables."""
    return _with_columns(catalogue, tuple(definitions)) if definitions else catalogue


@lru_cache(maxsize=_CATALOGUES)
def _with_columns(catalogue: Catalogue, definitions: tuple[Definition, ...]) -> Catalogue:
    """Kept, since many readings of one question define the same columns."""
    defined = {d.table for d in definitions}
    tables = []
    for table in catalogue.tables:
        if table.name not in defined:
            tables.append(table)
            continue
        own = {
            d.column: _described(d, table)
            for d in definitions
            if d.table == table.name and not d.keeps
        }
        kept = [own.pop(column.name, column) for column in table.columns]
        tables.append(table.model_copy(update={"columns": (*kept, *own.values())}))
    return catalogue.model_copy(update={"tables": tuple(tables)})


def _described(definition: Definition, table: Table) -> Column:
    term = definition.term
    if isinstance(term, Choice):
        values = [branch.then for branch in term.branches]
        values += [term.otherwise] if term.otherwise is not None else []
        texts = [str(v.value) for v in values if isinstance(v, Constant)]
        text = any(isinstance(v, Constant) and isinstance(v.value, str) for v in values)
        return Column(
            name=definition.column,
            data_type=DataType.STRING if text else DataType.FLOAT,
            role=ColumnRole.DIMENSION if len(texts) == len(values) else ColumnRole.MEASURE,
            nullable=True,
            distinct=len(set(texts)),
            samples=tuple(dict.fromkeys(texts)),
            comment=definition.text,
        )
    old = table.column(definition.column)
    if old is not None:
        return old
    return Column(
        name=definition.column,
        data_type=DataType.FLOAT,
        role=ColumnRole.MEASURE,
        nullable=True,
        distinct=max(table.rows, 1),
        comment=definition.text,
    )


def describe_definitions(definitions: Sequence[Definition]) -> list[str]:
    """How the columns were read, for people: "age group: <18, 18-60, >60"."""
    return [
        d.text
        if d.keeps or d.text.startswith(f"{readable(d.column)}, ")
        else f"{readable(d.column)} = {d.text}"
        if not isinstance(d.term, Choice)
        else f"{readable(d.column)}: {d.text}"
        for d in definitions
        if readable(d.column) != d.text
    ]


def leaves_out_defined(intent: Intent, definitions: Sequence[Definition]) -> bool:
    """Whether nothing of a reading is of a column that the question defines."""
    columns = [d.column for d in definitions if not d.keeps]
    rest = intent.model_copy(update={"defined": ()}).model_dump_json() if columns else ""
    return bool(columns) and not any(f'"{name}"' in rest for name in columns)
