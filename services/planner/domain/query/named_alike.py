"""Tables that are called like the amount they hold: the column `sales` of a file `sales.csv`.

Their word means the amount, added up or averaged, and not the rows; the rows are meant where a
number of them is asked for and the amount itself counts nothing: "how many sales" of money.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from services.planner.domain.catalogue import Column, DataType, Table
from services.planner.domain.lexicon.amounts import is_amount
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.wording import is_plural
from services.planner.domain.query.columns import is_measure

_BESIDE = frozenset(
    "data table all daily weekly monthly quarterly yearly annual hourly total amount value sum net "
    "gross raw clean final report export log usd eur gbp chf mm cm m km kg g t l ml kwh mwh".split()
)
_ASKING_NUMBER = (("number", "of"), ("how", "many"), ("count", "of"))


def amount_called_so(table: Table) -> Column | None:
    """The one measure that has the table's own name, but for units and words like "daily"; or, of
    amounts, its singular: the balance of balances, and not the number of a flight."""
    called = _content(table.name)
    found = [
        column
        for column in table.columns
        if is_measure(column.role, column.data_type)
        and (_content(column.name) == called or called == _amounts(column.name))
    ]
    return found[0] if len(found) == 1 else None


def is_word_for_rows(table: Table, before: Sequence[str]) -> bool:
    """Whether the table's word means its rows, after the words `before` it in lower case."""
    amount = amount_called_so(table)
    if amount is None:
        return True
    asked = tuple(word for word in before[-3:] if word != "the")[-2:] in _ASKING_NUMBER
    whole = amount.data_type is DataType.INTEGER and is_plural(_content(amount.name))
    return asked and not whole


def _amounts(name: str) -> str:
    """The plural of a name that is an amount's; empty for any other."""
    content = _content(name)
    return f"{content}s" if is_amount(content) else ""


@lru_cache(maxsize=20_000)
def _content(name: str) -> str:
    words = [word for word in readable(name).split() if not word.isdigit()]
    kept = [word for word in words if word not in _BESIDE]
    return " ".join(kept or words)
