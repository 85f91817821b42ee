"""One value of a treatment against another: the rows that have either, where there are more."""

from __future__ import annotations

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError


def contrasted(
    table: pa.Table, treatment: str, treated: str | None, reference: str | None
) -> tuple[pa.Table, list[str]]:
    """The rows whose treatment is `treated` or `reference`, and how many are not looked at; all of
    them where no reference is named.

    Raises ToolError for a value that does not occur, and for a reference against nothing.
    """
    import pyarrow.compute as pc

    if reference is None:
        return table, []
    if treated is None or treated == reference:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{reference!r} of {treatment} is to be held against no other value.",
            hint="Name another value: treated.",
        )
    if treatment not in table.column_names:
        return table, []  # which is refused by whoever reads it
    column = table.column(treatment)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    texts = column.cast(pa.string())
    there = set(pc.unique(texts).to_pylist())
    for value in (treated, reference):
        if value not in there:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"{treatment} never has the value {value!r}.",
                details={"candidates": sorted(v for v in there if v is not None)[:20]},
            )
    kept = pc.fill_null(pc.is_in(texts, pa.array([treated, reference])), False)
    few = table.filter(kept)
    others = table.num_rows - few.num_rows
    if not others:
        return few, []
    return few, [f"{others:,} rows of other values of {treatment} are not looked at here."]
