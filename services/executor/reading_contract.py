"""Read options from their contract."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import ValidationError

from assay.common.v1 import data_pb2
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.domain.source import ColumnKind, DateOrder, ReaderOptions, Repair

_KINDS = {
    data_pb2.COLUMN_KIND_TEXT: ColumnKind.TEXT,
    data_pb2.COLUMN_KIND_INTEGER: ColumnKind.INTEGER,
    data_pb2.COLUMN_KIND_NUMBER: ColumnKind.NUMBER,
    data_pb2.COLUMN_KIND_BOOLEAN: ColumnKind.BOOLEAN,
    data_pb2.COLUMN_KIND_DATE: ColumnKind.DATE,
    data_pb2.COLUMN_KIND_DATETIME: ColumnKind.DATETIME,
}
_ORDERS = {
    data_pb2.DATE_ORDER_DAY_FIRST: DateOrder.DAY_FIRST,
    data_pb2.DATE_ORDER_MONTH_FIRST: DateOrder.MONTH_FIRST,
    data_pb2.DATE_ORDER_YEAR_FIRST: DateOrder.YEAR_FIRST,
}
_Optional = Literal[
    "delimiter",
    "quote",
    "escape",
    "comment",
    "encoding",
    "header",
    "units_row",
    "skip_lines",
    "skip_footer",
    "decimal",
]
_OPTIONAL: tuple[_Optional, ...] = get_args(_Optional)


def reader_options_from(message: data_pb2.ReadOptions) -> ReaderOptions:
    """The options as the domain knows them. Raises AssayError(INVALID_ARGUMENT)."""
    given: dict[str, Any] = {
        name: getattr(message, name) for name in _OPTIONAL if message.HasField(name)
    }
    if message.HasField("missing"):
        given["missing"] = tuple(message.missing.marks)
    try:
        return ReaderOptions(
            **given,
            date_order=_ORDERS.get(message.date_order) or _order_of(message),
            types={name: _KINDS[kind] for name, kind in message.types.items() if kind in _KINDS},
            pad_short_rows=message.pad_short_rows,
            sheets=tuple(message.sheets),
            one_table=message.one_table,
            repairs=tuple(
                Repair(kind=one.kind, column=one.column, value=one.value) for one in message.repairs
            ),
            raw=message.raw,
        )
    except ValidationError as error:
        faults = {
            f"read_options.{'.'.join(map(str, fault['loc']))}": fault["msg"]
            for fault in error.errors()
        }
        named = "; ".join(f"{name}: {why}" for name, why in faults.items())
        raise AssayError(
            INVALID_ARGUMENT, f"a read option is wrong: {named}", fields=faults
        ) from None


def _order_of(message: data_pb2.ReadOptions) -> DateOrder | None:
    """The order that a repair of the whole source gives; one of a column stays a repair, and so
    does one that is none, which is refused where repairs are made."""
    values = [r.value for r in message.repairs if r.kind == "date-order" and not r.column]
    return DateOrder(values[-1]) if values and values[-1] in set(DateOrder) else None
