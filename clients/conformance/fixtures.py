"""The files that the script uploads, written into a folder."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

ORDERS = """\
order_id,order_date,region,quantity,price,note
1,2025-01-14,North,3,19.90,
2,2025-01-20,South,1,250.00,gift
3,2025-02-02,North,2,99.95,
4,2025-02-11,East,5,4.20,
5,2025-02-28,South,4,19.90,late
6,2025-03-03,East,1,250.00,
7,2025-03-09,North,7,4.20,
8,2025-03-30,South,2,99.95,gift
"""
TAKINGS = "region,net_amount,gross_amount\nNorth,10.5,12.6\nSouth,20,24\nNorth,7,9\n"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def typed() -> pa.Table:
    """Every type that answers have, with a missing value of each."""
    columns = {
        "number": (pa.int64(), [1, None, -3]),
        "small": (pa.int32(), [None, 2, 3]),
        "day": (pa.date32(), [date(2025, 1, 31), None, date(1969, 12, 31)]),
        "amount": (pa.decimal128(12, 2), [Decimal("19.90"), Decimal("-0.05"), None]),
        "part": (pa.float64(), [0.1, None, -2.5]),
        "word": (pa.string(), ["Zürich", "", None]),
        "yes": (pa.bool_(), [True, None, False]),
        "moment": (pa.timestamp("us"), [datetime(2025, 3, 1, 12, 30), None, datetime(1969, 7, 20)]),
    }
    arrays = [pa.array(values, kind) for kind, values in columns.values()]
    return pa.table(dict(zip(columns, arrays, strict=True)))


def write_fixtures(folder: Path) -> None:
    """Write all of them. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "orders.csv").write_text(ORDERS, encoding="utf-8")
    (folder / "takings.csv").write_text(TAKINGS, encoding="utf-8")
    (folder / "picture.csv").write_bytes(PICTURE)
    table = typed()
    with (
        pa.OSFile(str(folder / "typed.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
