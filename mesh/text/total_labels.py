"""What a row is called that adds up others: Total, Subtotal, Summe, Σ. Pure."""

from __future__ import annotations

import re

_NAMES = tuple(
    "total totals totaux totales totali totaal totale summe summen summa sum somme suma soma "
    "gesamt insgesamt gesamtsumme gesamtergebnis ergebnis itogo итого всего razem celkem yhteensä "
    "小计 小計 合计 合計 总计 總計 計".split()
)
LABELS = (
    "total",
    "totals",
    "grand total",
    "sum",
    "subtotal",
    "sub-total",
    "sub total",
    "overall",
)
"""Labels that say nothing else, in lower case, for what any engine can be asked."""
_WORD = (
    r"(?:grand|sub|sous|zwischen|teil|end|gesamt|net|overall|del|tussen|mezi)?[- ]?"
    rf"(?:{'|'.join(_NAMES)})|[Σ∑]|all rows"
)
WORDS = rf"(?i)(?:{_WORD})(?:[\s:.,(–-].*)?|.*[\s:(–-](?:{_WORD})[\s:.)]*"
"""A label that says it among other words: Total North, North Total:."""
_CALLED = re.compile(WORDS, re.DOTALL)
_HINTS = (
    "total",
    "totaux",
    "totaal",
    "summe",
    "sum",
    "somme",
    "suma",
    "soma",
    "gesamt",
    "ergebnis",
    "itogo",
    "итого",
    "всего",
    "razem",
    "celkem",
    "yhteensä",
    "计",
    "計",
    "σ",
    "∑",
    "all rows",
    "mean",
    "average",
    "mittelwert",
    "durchschnitt",
    "moyenne",
    "stdev",
    "std dev",
    "stddev",
)


def may_hold_totals(text: str) -> bool:
    """Whether a text holds any of the words, or those of means below a table; a quick look before a
    close one."""
    lower = text.lower()
    return any(hint in lower for hint in _HINTS)


def is_called_total(text: str) -> bool:
    """Whether a cell says that its row adds up others: Total, Subtotal North, North Total, Σ."""
    return _CALLED.fullmatch(text.strip()) is not None
