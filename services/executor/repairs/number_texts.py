"""Numbers that a file holds as texts: 12,50 and 1,200.00."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, refused, text_column_of
from services.executor.repairs.units import STYLES
from services.executor.sources.delimited import numbers
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

_BARE = r"[-+−(]*[\d.,' \x{a0}\x{202f}\x{2009}]*\d[\d.,]*(?:[eE][-+]?\d+)?[-−)]?"
"""A number without a currency or a percent sign, which are repairs of their own."""


def fits(sql: str, style: numbers.Style) -> str:
    """SQL: whether a text is a bare number in the style."""
    return f"(regexp_full_match({sql}, {literal(_BARE)}) AND {numbers.fits(sql, style)})"


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    if repair.value not in STYLES:
        raise refused(repair, f"it takes {' or '.join(STYLES)}")
    style, text = STYLES[repair.value], f"trim({quoted(column.name)})"
    cell = f"CASE WHEN {fits(text, style)} THEN {numbers.number(text, style)} END"
    sentence = f"column {column.name} has numbers as texts in {{}}, read as numbers"
    return Mended(sentence, {column.name: cell}, retypes=True)


NUMBER = Kind(
    "number",
    "Texts of a column such as 12,50 or 1,200.00 are read as numbers; what is none is read as no "
    "value.",
    "what parts decimals, `point` or `comma`",
    "number.price=comma",
    of_column=True,
    mend=_mend,
)
