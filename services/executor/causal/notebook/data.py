"""The data that lies beside the notebook, and what in it counts as treated."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.causal.contrast import contrasted
from services.executor.causal.notebook.arguments import CausalNotebookArguments
from services.executor.causal.treated import one_of

IMPUTATION = "_imputation"


def data_of(arguments: CausalNotebookArguments, context: ToolContext) -> pa.Table:
    """The study's columns as numbers and text: what estimators read, and no more.

    Booleans are 0 and 1, dates are days since 1970. Raises ToolError for an absent frame or column.
    """
    if arguments.input not in context.inputs:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"There is no frame of a step {arguments.input!r}.",
            hint="Set input to the task id of a step this one depends on.",
            details={"field": "input", "candidates": sorted(context.inputs)},
        )
    table = context.inputs[arguments.input]
    beside = [name for names in arguments.designs.values() for name in names]
    named = [
        arguments.treatment,
        arguments.outcome,
        *arguments.adjustment,
        *arguments.modifiers,
        arguments.unit,
        *beside,
    ]
    names = list(dict.fromkeys(name for name in named if name is not None))
    for name in names:
        if name not in table.column_names:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f"The data has no column {name!r}.",
                details={"column": name, "candidates": table.column_names[:50]},
            )
    if IMPUTATION in table.column_names and names:
        names.append(IMPUTATION)
    if arguments.treatment is not None:
        table, _ = contrasted(table, arguments.treatment, arguments.treated, arguments.reference)
    return pa.table({name: _plain(table.column(name)) for name in names})


def is_labelled_by_values(table: pa.Table, names: Sequence[str]) -> bool:
    """Whether the notebook's columns have the labels of the study's groups: numbers and text keep
    their values, dates and yes and no are written as numbers."""
    kinds = [table.schema.field(name).type for name in names]
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds]
    return all(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_string(kind)
        for kind in kinds
    )


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type))
    if pa.types.is_boolean(kind):
        return column.cast(pa.int8())
    if pa.types.is_integer(kind):
        return column
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64(), safe=False)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        import pyarrow.compute as pc

        micros = column.cast(pa.timestamp("us")).cast(pa.int64()).cast(pa.float64(), safe=False)
        return pc.divide(micros, 86_400e6)
    return column.cast(pa.string())


def parquet(table: pa.Table) -> bytes:
    """The table as a Parquet file; equal tables give equal bytes."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(None), buffer, compression="zstd")
    return buffer.getvalue()


def counts_as_one(column: pa.ChunkedArray, asked: str | None) -> Any:
    """The value of two that counts as 1: the one that was asked for or says yes, else the rarer.

    None for a column of numbers that is taken as it is. Raises ToolError for text of more values,
    and for a value that does not occur.
    """
    counted = [(each["values"].as_py(), each["counts"].as_py()) for each in column.value_counts()]
    counted = [(value, rows) for value, rows in counted if value is not None and value == value]
    counted.sort(key=lambda pair: (-pair[1], str(pair[0])))
    values = [value for value, _ in counted]
    if asked is not None:
        found = next((value for value in values if _alike(value, asked)), None)
        if found is None:
            raise _refused(f"never has the value {asked!r}", values)
        return found
    if len(values) != 2:
        if values and not isinstance(values[0], str):
            return None
        raise _refused(f"has {len(values):,} values as text, where two are needed", values)
    named, _ = one_of({str(value): rows for value, rows in counted})
    return next(value for value in values if str(value) == named)


def _alike(value: object, asked: str) -> bool:
    if str(value).strip().lower() == asked.strip().lower():
        return True
    try:
        return float(str(value)) == float(asked)
    except ValueError:
        return False


def _refused(why: str, values: list[Any]) -> ToolError:
    return ToolError(
        ErrorCategory.TYPE_MISMATCH,
        f"The notebook cannot be made: the treatment or outcome {why}.",
        hint="Name a number, or text of two values.",
        details={"candidates": [str(value) for value in values[:20]]},
    )
