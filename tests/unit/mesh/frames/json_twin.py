"""What a golden Arrow stream holds according to its JSON twin, and what a table holds.

Both become plain values that can be compared, column by column: numbers, dates, times and
decimals as the integers that are stored, binary as hexadecimal digits, a union's value with its
type code. The JSON side knows nothing of pyarrow.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mesh.frames.logical import column_array

Values = list[Any]


def twin_columns(path: Path) -> list[tuple[str, Values]]:
    """Names and values of all columns of a .json.gz file."""
    content = json.loads(gzip.decompress(path.read_bytes()))
    twin = _Twin(content)
    columns: list[tuple[str, Values]] = [(field["name"], []) for field in twin.fields]
    for batch in content["batches"]:
        for (_, values), field, column in zip(columns, twin.fields, batch["columns"], strict=True):
            values += twin.values(field, column)
    return columns


def twin_metadata(path: Path) -> dict[bytes, bytes]:
    """Metadata of the schema."""
    content = json.loads(gzip.decompress(path.read_bytes()))
    pairs = content["schema"].get("metadata") or []
    return {pair["key"].encode(): pair["value"].encode() for pair in pairs}


class _Twin:
    def __init__(self, content: dict[str, Any]) -> None:
        self.fields = content["schema"]["fields"]
        self._dictionaries = {item["id"]: item["data"] for item in content.get("dictionaries", [])}

    def values(self, field: dict[str, Any], column: dict[str, Any]) -> Values:
        dictionary = field.get("dictionary")
        if dictionary is None:
            found = self._stored(field, column)
        else:
            whole = self._dictionaries[dictionary["id"]]["columns"][0]
            plain = {key: value for key, value in field.items() if key != "dictionary"}
            meanings = self.values(plain, whole)
            # What stands under a null need not be an index.
            valid = column.get("VALIDITY", [1] * column["count"])
            found = [
                meanings[int(index)] if there else None
                for index, there in zip(column["DATA"], valid, strict=True)
            ]
        if field["type"]["name"] in ("union", "null"):
            return found
        valid = column.get("VALIDITY", [1] * column["count"])
        return [value if there else None for value, there in zip(found, valid, strict=True)]

    def _stored(self, field: dict[str, Any], column: dict[str, Any]) -> Values:
        kind, rows = field["type"]["name"], column["count"]
        children = [
            self.values(child, inner)
            for child, inner in zip(
                field.get("children", []), column.get("children", []), strict=True
            )
        ]
        if kind == "null":
            return [None] * rows
        if kind in ("list", "largelist", "map"):
            bounds = [int(place) for place in column["OFFSET"]]
            return [children[0][bounds[row] : bounds[row + 1]] for row in range(rows)]
        if kind in ("listview", "largelistview"):
            spans = zip(map(int, column["OFFSET"]), map(int, column["SIZE"]), strict=True)
            return [children[0][start : start + size] for start, size in spans]
        if kind == "fixedsizelist":
            size = field["type"]["listSize"]
            return [children[0][row * size : (row + 1) * size] for row in range(rows)]
        if kind == "struct":
            return [[child[row] for child in children] for row in range(rows)]
        if kind == "union":
            return self._union(field, column, children)
        if kind == "runendencoded":
            return _repeated(*children)
        if kind in ("binaryview", "utf8view"):
            return [
                _viewed(view, column["VARIADIC_DATA_BUFFERS"], kind) for view in column["VIEWS"]
            ]
        return [_scalar(field["type"], value) for value in column["DATA"]]

    def _union(
        self, field: dict[str, Any], column: dict[str, Any], children: list[Values]
    ) -> Values:
        codes = column["TYPE_ID"]
        places = column["OFFSET"] if field["type"]["mode"] == "DENSE" else range(len(codes))
        members = {code: children[n] for n, code in enumerate(field["type"]["typeIds"])}
        return [(code, members[code][place]) for code, place in zip(codes, places, strict=True)]


def _repeated(ends: Values, values: Values) -> Values:
    whole: Values = []
    for end, value in zip(ends, values, strict=True):
        whole += [value] * (end - len(whole))
    return whole


def _viewed(view: dict[str, Any], buffers: Sequence[str], kind: str) -> str:
    if "INLINED" in view:
        return str(view["INLINED"])
    start = 2 * view["OFFSET"]
    content = buffers[view["BUFFER_INDEX"]][start : start + 2 * view["SIZE"]]
    return bytes.fromhex(content).decode() if kind == "utf8view" else content


def _scalar(kind: dict[str, Any], value: Any) -> Any:
    name = kind["name"]
    if name == "floatingpoint":
        width = {"HALF": "f2", "SINGLE": "f4", "DOUBLE": "f8"}[kind["precision"]]
        return float(np.asarray(value, width))
    if name == "interval":
        return [int(part) for part in value.values()] if isinstance(value, dict) else int(value)
    if name == "bool":
        return bool(value)
    if name in ("int", "date", "time", "timestamp", "duration", "decimal"):
        return int(Decimal(str(value)))
    return value


def table_columns(table: pa.Table) -> list[tuple[str, Values]]:
    """Names and values of all columns of a table."""
    columns: list[tuple[str, Values]] = [(name, []) for name in table.schema.names]
    for batch in table.to_batches():
        for position, (_, values) in enumerate(columns):
            kind = batch.schema.field(position).type
            array = column_array(batch, position)
            if kind.id == pa.lib.Type_INTERVAL_DAY_TIME:
                parts = [
                    value and np.frombuffer(value, "<i4").tolist() for value in array.to_pylist()
                ]
                values += parts
            else:
                values += array_values(array)
    return columns


def array_values(array: pa.Array) -> Values:
    """The values of an array, as described above."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return array_values(array.storage)
    if pa.types.is_union(kind):
        return _union_values(array)
    if pa.types.is_run_end_encoded(kind):
        return array_values(pc.run_end_decode(array))
    valid = array.is_valid().to_pylist()
    if pa.types.is_dictionary(kind):
        meanings = array_values(array.dictionary)
        found: Values = [
            None if index is None else meanings[index] for index in array.indices.to_pylist()
        ]
    else:
        found = _stored_values(array)
    return [value if there else None for value, there in zip(found, valid, strict=True)]


def _stored_values(array: pa.Array) -> Values:
    kind, rows = array.type, len(array)
    if pa.types.is_null(kind):
        return [None] * rows
    if pa.types.is_struct(kind):
        members = [array_values(array.field(n)) for n in range(kind.num_fields)]
        return [[member[row] for member in members] for row in range(rows)]
    if pa.types.is_map(kind):
        pairs = zip(array_values(array.keys), array_values(array.items), strict=True)
        entries = [list(pair) for pair in pairs]
        bounds = array.offsets.to_pylist()
        return [entries[bounds[row] : bounds[row + 1]] for row in range(rows)]
    if pa.types.is_fixed_size_list(kind):
        items, size, first = array_values(array.values), kind.list_size, array.offset
        return [items[(first + row) * size : (first + row + 1) * size] for row in range(rows)]
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        items = array_values(array.values)
        spans = zip(array.offsets.to_pylist(), array.sizes.to_pylist(), strict=True)
        return [items[start : start + size] for start, size in spans]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        items, bounds = array_values(array.values), array.offsets.to_pylist()
        return [items[bounds[row] : bounds[row + 1]] for row in range(rows)]
    if pa.types.is_decimal(kind):
        return _decimal_values(array)
    if pa.types.is_temporal(kind):
        if kind.id == pa.lib.Type_INTERVAL_MONTH_DAY_NANO:
            return [value and list(value) for value in array.to_pylist()]
        wide = array.type.bit_width == 64
        return list(array.view(pa.int64() if wide else pa.int32()).to_pylist())
    return [
        value.hex().upper() if isinstance(value, bytes) else value for value in array.to_pylist()
    ]


def _decimal_values(array: pa.Array) -> Values:
    width = array.type.byte_width
    content = memoryview(array.buffers()[1] or b"")
    starts = range(array.offset * width, (array.offset + len(array)) * width, width)
    return [int.from_bytes(content[at : at + width], "little", signed=True) for at in starts]


def _union_values(array: pa.Array) -> Values:
    # Read from the buffers: pyarrow's own `offsets` of an empty union is not to be touched.
    buffers = array.buffers()
    members = {code: array_values(array.field(n)) for n, code in enumerate(array.type.type_codes)}
    rows = slice(array.offset, array.offset + len(array))
    codes = np.frombuffer(buffers[1] or b"", "<i1")[rows].tolist()
    places: Sequence[int] = range(len(codes))
    if array.type.mode == "dense":
        places = np.frombuffer(buffers[2] or b"", "<i4")[rows].tolist()
    return [(code, members[code][place]) for code, place in zip(codes, places, strict=True)]
