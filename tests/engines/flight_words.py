"""The few messages of Flight SQL that the tests' server reads and writes, by the numbers of their
fields in Apache Arrow's `FlightSql.proto`.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any as Packed

PACKAGE = "arrow.flight.protocol.sql"
_TEXT, _BYTES, _NUMBER = (
    descriptor_pb2.FieldDescriptorProto.TYPE_STRING,
    descriptor_pb2.FieldDescriptorProto.TYPE_BYTES,
    descriptor_pb2.FieldDescriptorProto.TYPE_UINT32,
)
_ONE, _MANY = (
    descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
    descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED,
)
_FIELDS: dict[str, tuple[tuple[str, int, int, int], ...]] = {
    "CommandGetSqlInfo": (("info", 1, _NUMBER, _MANY),),
    "CommandStatementQuery": (("query", 1, _TEXT, _ONE), ("transaction_id", 2, _BYTES, _ONE)),
    "TicketStatementQuery": (("statement_handle", 1, _BYTES, _ONE),),
    "ActionBeginTransactionRequest": (),
    "ActionBeginTransactionResult": (("transaction_id", 1, _BYTES, _ONE),),
    "ActionEndTransactionRequest": (
        ("transaction_id", 1, _BYTES, _ONE),
        ("action", 2, _NUMBER, _ONE),
    ),
}


def _messages() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="assay/tests/flight_sql.proto", package=PACKAGE, syntax="proto3"
    )
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, kind, label in fields:
            message.field.add(name=field, number=number, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
        for name in _FIELDS
    }


MESSAGES = _messages()


def read(content: bytes) -> tuple[str, Any]:
    """The name of a packed message, and the message."""
    packed = Packed.FromString(content)
    name = packed.type_url.rpartition(".")[2]
    return name, MESSAGES[name].FromString(packed.value)


def written(name: str, **fields: Any) -> bytes:
    """A message, packed."""
    packed = Packed(type_url=f"type.googleapis.com/{PACKAGE}.{name}")
    packed.value = MESSAGES[name](**fields).SerializeToString()
    return packed.SerializeToString()


_VALUES = pa.dense_union(
    [
        pa.field("string_value", pa.string()),
        pa.field("bool_value", pa.bool_()),
        pa.field("bigint_value", pa.int64()),
        pa.field("int32_bitmask", pa.int32()),
        pa.field("string_list", pa.list_(pa.string())),
        pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
    ]
)
INFO = pa.schema(
    [pa.field("info_name", pa.uint32(), nullable=False), pa.field("value", _VALUES, nullable=False)]
)


def told(texts: dict[int, str], numbers: dict[int, int]) -> pa.Table:
    """What a server says of itself, by the numbers of `SqlInfo`."""
    kinds = [0] * len(texts) + [3] * len(numbers)
    places = [*range(len(texts)), *range(len(numbers))]
    children = [
        pa.array(list(texts.values()), pa.string()),
        pa.array([], pa.bool_()),
        pa.array([], pa.int64()),
        pa.array(list(numbers.values()), pa.int32()),
        pa.array([], pa.list_(pa.string())),
        pa.array([], pa.map_(pa.int32(), pa.list_(pa.int32()))),
    ]
    values = pa.UnionArray.from_dense(
        pa.array(kinds, pa.int8()),
        pa.array(places, pa.int32()),
        children,
        [field.name for field in _VALUES],
    )
    names = pa.array([*texts, *numbers], pa.uint32())
    return pa.Table.from_arrays([names, values.cast(_VALUES)], schema=INFO)
