"""What a statement gives when it is run: nothing, no values, one value for all, what cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    amount,
    first,
)
from services.planner.domain.checks.statement import Judged
from services.planner.domain.evidence import Value
from services.planner.domain.lexicon.names import words_of

_MOST_COLUMNS = 8
_MOST_ROWS = 10_000_000
"""Over more rows a statement is not run once more only to be looked at."""
_MANY = 3
"""Rows from which one value for all of them is odd."""
_SHARES = frozenset("share pct percent percentage proportion fraction portion".split())
_CHANGES = frozenset("change growth increase difference diff markup return gain".split())
_NEVER_NEGATIVE = frozenset(
    "age duration distance height weight population quantity length width count".split()
)
_WHOLE = 1 + 1e-6
_Read = Callable[[float, tuple[Value, ...]], Weighed | None]
"""What is said of rows and, of one column, number of values, the least and the greatest."""


def _odd(judged: Judged) -> Iterator[Suspicion]:
    given = list(judged.tree.selects)
    if any(item.find(exp.Star) and not item.find(exp.AggFunc) for item in given):
        return
    if sum(table.rows for block in judged.blocks for table in block.tables) > _MOST_ROWS:
        return
    computed = [at for at, item in enumerate(given) if item.find(exp.AggFunc, exp.Div)]
    others = [at for at, item in enumerate(given) if at not in computed and _limited(item)]
    probe, wanted = _asked(judged, len(given), [*computed, *others][:_MOST_COLUMNS])
    absence = judged.tree.find(exp.Except, exp.Intersect, exp.Not) is not None
    yield Suspicion("SELECT", _empty(Severity.NOTE if absence else Severity.DOUBT), (probe,))
    for place, at in enumerate(wanted):
        yield _of_column(judged, given[at], place, probe, computed=at in computed)


def _limited(item: exp.Expr) -> bool:
    """Whether a column is called something that has bounds."""
    return bool(_called(item) & (_NEVER_NEGATIVE | _SHARES))


def _called(item: exp.Expr) -> set[str]:
    """The words of the name a column is given or has; none of one that names how it changed."""
    inner = item.unalias()
    names = [item.alias_or_name, *([inner.name] if isinstance(inner, exp.Column) else [])]
    words = {word for name in names for word in words_of(name)}
    return set() if words & _CHANGES else words


def _asked(judged: Judged, columns: int, wanted: list[int]) -> tuple[str, list[int]]:
    """The statement as a question: its rows and, of these columns, values, least and greatest."""
    names = ", ".join(f"assay_{at}" for at in range(columns))
    figures = [f"count(assay_{at}), min(assay_{at}), max(assay_{at})" for at in wanted]
    inner = judged.spelled(judged.tree)
    listed = ", ".join(["count(*)", *figures])
    return f"SELECT {listed} FROM ({inner}) AS result({names})", wanted


def _empty(severity: Severity) -> Callable[[Answers], Weighed | None]:
    """What is said of no row at all; where things are asked that lack something, or that are in
    both of two lists, it is likely."""

    def weigh(answers: Answers) -> Weighed | None:
        row = first(answers)
        if row is None or row[0]:
            return None
        return Weighed(
            "the statement gives no row",
            "say that there is none, or see which condition leaves all out",
            severity=severity,
        )

    return weigh


def _of_column(
    judged: Judged, item: exp.Expr, place: int, probe: str, *, computed: bool
) -> Suspicion:
    at = judged.spelled(item.unalias())
    reads: tuple[_Read, ...] = (_impossible(judged, item, at),)
    if computed:
        reads = (_nothing(at), *reads, _constant(judged, item, at))

    def weigh(answers: Answers) -> Weighed | None:
        row = first(answers)
        if row is None or not isinstance(row[0], int | float) or not row[0]:
            return None
        cells = row[1 + 3 * place : 4 + 3 * place]
        return next((said for read in reads if (said := read(float(row[0]), cells))), None)

    return Suspicion(at, weigh, (probe,))


def _nothing(at: str) -> _Read:
    def read(rows: float, cells: tuple[Value, ...]) -> Weighed | None:
        if cells[0]:
            return None
        return Weighed(f"{at} has no value in any row", "see which condition leaves all out")

    return read


def _impossible(judged: Judged, item: exp.Expr, at: str) -> _Read:
    called, inner = _called(item), item.unalias()
    hundred = any(one.name in ("100", "100.0") for one in inner.find_all(exp.Literal))
    changes = inner.find(exp.Sub, exp.Lag, exp.Lead) is not None
    divides = inner.find(exp.Div) is not None
    share = not changes and bool(called & _SHARES or (hundred and divides and _is_part(inner)))
    most = 1.0 if divides and not hundred and not _has_hundred(judged) else 100.0

    def read(rows: float, cells: tuple[Value, ...]) -> Weighed | None:
        _, least, greatest = cells
        if not isinstance(least, int | float) or not isinstance(greatest, int | float):
            return None
        if share and greatest > most * _WHOLE:
            return Weighed(
                f"{at} is a share, and comes to {amount(greatest)} of {most:g}",
                "divide a part by the whole that it is part of",
                {"greatest": float(greatest)},
            )
        if called & _NEVER_NEGATIVE and not inner.find(exp.Neg) and least < 0:
            return Weighed(
                f"{at} is never negative, and comes to {amount(least)}",
                "see which rows it is of, and in which order what is subtracted stands",
                {"least": float(least)},
            )
        return None

    return read


def _is_part(inner: exp.Expr) -> bool:
    """Whether what is divided is a part by its form: rows that fulfil a condition."""
    over = inner.find(exp.Div)
    return (
        over is not None and over.this.find(exp.Filter, exp.Case, exp.If, exp.CountIf) is not None
    )


def _has_hundred(judged: Judged) -> bool:
    return any(one.name in ("100", "100.0") for one in judged.tree.find_all(exp.Literal))


def _constant(judged: Judged, item: exp.Expr, at: str) -> _Read:
    ratio = item.find(exp.Div) is not None

    def read(rows: float, cells: tuple[Value, ...]) -> Weighed | None:
        values, least, greatest = cells
        if rows < _MANY or values != rows or least != greatest:
            return None
        whole = ratio and least in (1, 100)
        text = f"{amount(least)}" if isinstance(least, int | float) else str(least)
        return Weighed(
            f"{at} is {text} in every one of {rows:,.0f} rows",
            "divide by the whole of all rows" if whole else "see that it is computed of each",
            severity=Severity.DOUBT if whole else Severity.NOTE,
        )

    return read


_STAYS = {
    "stays": "stay_id,born,came,ward,nights\n1,1980,2020,A,3\n2,2022,2021,A,2\n3,1975,2022,B,9\n"
    "4,1999,2020,C,1\n"
}
ODD = Rule(
    "S03",
    "odd result",
    Severity.DOUBT,
    "What a statement gives is looked at before it is told: no row, no value, one value for all "
    "groups, an age below nought, a share above the whole (edit rules: Fellegi and Holt, 1976).",
    _odd,
    (
        Example(
            SHOP,
            (
                "SELECT name FROM customers WHERE city = 'Oslo' AND city = 'Bergen'",
                "SELECT avg(freight) FROM orders WHERE region = 'North' AND freight > 15",
                "SELECT product, count(*) / count(*) AS share FROM lines GROUP BY product",
            ),
            (
                "SELECT name FROM customers WHERE city = 'Oslo'",
                "SELECT count(*) FROM orders WHERE region = 'North' AND freight > 15",
                "SELECT product, count(*) * 100.0 / (SELECT count(*) FROM lines) AS share FROM "
                "lines GROUP BY product",
                "SELECT max(ordered), max(region) FROM orders",
            ),
        ),
        Example(
            _STAYS,
            (
                "SELECT stay_id, came - born AS age FROM stays",
                "SELECT 100.0 * count(*) FILTER (WHERE nights > 1) / count(DISTINCT ward) AS pct "
                "FROM stays WHERE ward = 'A'",
            ),
            (
                "SELECT stay_id, came - born AS age FROM stays WHERE came >= born",
                "SELECT 100.0 * count(*) FILTER (WHERE nights > 1) / count(*) AS pct FROM stays",
                "SELECT 100.0 * (max(nights) - min(nights)) / min(nights) AS pct_change FROM stays",
            ),
        ),
    ),
)
RULES = (ODD,)
