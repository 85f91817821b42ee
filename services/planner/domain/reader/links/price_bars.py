"""Prices of a day, told as four: open, high, low and close."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, Table

_BAR = frozenset(("open", "high", "low", "close"))
_CALLED = ("price", "closing price")


def named_in_bar(column: Column, table: Table) -> tuple[str, ...]:
    """What the last of the four is called besides, where no column says that it is a price:
    whoever asks for the price of a share means its close."""
    if column.name.casefold() != "close" or column.synonyms:
        return ()
    names = {other.name.casefold() for other in table.columns}
    return _CALLED if names >= _BAR and not any("price" in name for name in names) else ()
