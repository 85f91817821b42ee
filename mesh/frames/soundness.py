"""Whether Arrow data can be used without harm: every offset, index and text is what it should be.

Arrow's own full validation also refuses values that are merely unusual: dates with a time of day,
decimals with more digits than their type allows. Other programs write them, and they must travel.
Whoever computes with them may need that validation all the same: DuckDB reads such a decimal as 0.
"""

from __future__ import annotations

import pyarrow as pa

from mesh.frames.logical import column_array, column_type


def check_schema(schema: pa.Schema) -> None:
    """Raises ArrowException for names that are no text and types that no digest is defined for."""
    try:
        for field in schema:
            column_type(field.type)
            str(field.name)
    except UnicodeDecodeError as error:
        raise pa.ArrowInvalid("a name in its schema is not UTF-8 text") from error
    except TypeError as error:
        raise pa.ArrowNotImplementedError(str(error)) from error


def check(batch: pa.RecordBatch) -> None:
    """Raises ArrowInvalid for a batch that could make its reader crash or read garbage."""
    batch.validate()
    for position in range(batch.num_columns):
        check_column(batch, position)


def check_column(batch: pa.RecordBatch, position: int) -> None:
    """Like `check`, for one column of a batch that passed its own quick `validate`."""
    array = column_array(batch, position)
    bare = _bare(array.type)
    (array if bare == array.type else array.view(bare)).validate(full=True)


def check_table(table: pa.Table) -> None:
    """Like `check` and `check_schema`, for all of a table."""
    check_schema(table.schema)
    for batch in table.to_batches():
        check(batch)


def _bare(kind: pa.DataType) -> pa.DataType:
    """A type with the same layout whose values are not looked at where anything is harmless."""
    if pa.types.is_decimal(kind):
        return pa.binary(kind.byte_width)
    if pa.types.is_date64(kind) or pa.types.is_time64(kind):
        return pa.int64()
    if pa.types.is_time32(kind):
        return pa.int32()
    if pa.types.is_dictionary(kind):
        value = _bare(kind.value_type)
        return pa.dictionary(kind.index_type, value, kind.ordered)
    if pa.types.is_struct(kind):
        return pa.struct([_bare_field(kind.field(i)) for i in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(_bare_field(kind.key_field), _bare_field(kind.item_field))
    for test, make in (
        (pa.types.is_list, pa.list_),
        (pa.types.is_large_list, pa.large_list),
        (pa.types.is_list_view, pa.list_view),
        (pa.types.is_large_list_view, pa.large_list_view),
    ):
        if test(kind):
            return make(_bare_field(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_bare_field(kind.value_field), kind.list_size)
    return kind


def _bare_field(field: pa.Field) -> pa.Field:
    return field.with_type(_bare(field.type))
