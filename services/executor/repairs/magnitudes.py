"""Numbers with K, M or B behind them as what they stand for."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, text_column_of
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import quoted

_LETTERS = {"K": 1_000, "M": 1_000_000, "B": 1_000_000_000}


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    text = f"upper(trim({quoted(column.name)}))"
    number = f"try_cast(regexp_replace({text}, '[^-0-9.]', '', 'g') AS DECIMAL(18, 6))"
    many = " ".join(f"WHEN '{letter}' THEN {value}" for letter, value in _LETTERS.items())
    return Mended(
        f"column {column.name} has numbers with K, M or B in {{}}, read as thousands, millions "
        "and billions",
        {column.name: f"({number} * CASE right({text}, 1) {many} ELSE 1 END)::DOUBLE"},
    )


MAGNITUDES = Kind(
    "magnitudes",
    "Texts such as 350K and 1.5M are read as numbers: K, M and B are thousands, millions and "
    "billions.",
    "nothing",
    "magnitudes.followers=",
    of_column=True,
    mend=_mend,
)
