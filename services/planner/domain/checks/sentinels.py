"""Numbers and days that stand for no value, inside what is computed: -999, 9999, 1900-01-01."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from mesh.text import sentinels
from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.checks.examples import CATALOGUE_OF_FILMS
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.literals import quoted, table_asked
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    amount,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged, Origin

_MUCH = 0.1
_COMPUTED = (
    exp.Sum,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.Median,
    exp.Stddev,
    exp.StddevSamp,
    exp.Corr,
    exp.Quantile,
    exp.PercentileCont,
    exp.Ordered,
)
_UNHARMED = {"minimum": exp.Max, "maximum": exp.Min}


def _find_sentinels(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        texts: set[str] = set()
        for node in block.own(*_COMPUTED):
            for column in node.find_all(exp.Column):
                origin = block.origin(column)
                if origin is None or origin.through or origin.column.name in texts:
                    continue
                for end in ("minimum", "maximum"):
                    harmed = not isinstance(node, _UNHARMED[end])
                    if (
                        harmed
                        and _may_be_sentinel(origin.column, end)
                        and not _spoken(block, column)
                    ):
                        texts.add(origin.column.name)
                        yield _weighed(judged, node, origin, end)


def _may_be_sentinel(column: Column, end: str) -> bool:
    """Whether the end of a column's range looks like a stand-in: only then are the data asked."""
    written = getattr(column, end) or ""
    if column.data_type not in (DataType.INTEGER, DataType.FLOAT):
        return False
    code = end == "minimum" and sentinels.is_code(written)
    return code or sentinels.may_be_number(written, end)


def _spoken(block: Block, column: exp.Column) -> bool:
    """Whether a condition speaks of that column already."""
    spoken = {c.sql() for part in block.conditions for c in part.find_all(exp.Column)}
    return column.sql() in spoken


def _weighed(judged: Judged, node: exp.Expr, origin: Origin, end: str) -> Suspicion:
    name = quoted(origin.column.name)
    far, far_word = (">", "above") if end == "minimum" else ("<", "below")
    value = getattr(origin.column, end)
    codes = end == "minimum" and sentinels.is_code(value)
    listed = f"({', '.join(map(str, sentinels.CODES))})"
    rest = f"FILTER (WHERE {name} {f'NOT IN {listed}' if codes else f'{far} {value}'})"
    same = f"IN {listed}" if codes else f"= {value}"
    ask = table_asked(
        origin,
        f"count(*) FILTER (WHERE {name} {same}), min({name}) {rest}, max({name}) {rest}, "
        f"count({name}), avg({name}), avg({name}) {rest}",
    )

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None:
            return None
        count, low, high, every, mean, without = values
        if not sentinels.stands_apart(value, count, every, low, high):
            return None
        is_one = f"codes such as {float(value):g}" if codes else f"{float(value):g}"
        beyond = "of at least 0" if codes else f"{far_word} {float(value):g}"
        return Weighed(
            f"{count:,.0f} of {every:,.0f} values of {origin.column.name} are {is_one}, "
            f"which may stand for no value: all others are from {low:g} to {high:g} (mean "
            f"{amount(mean)} with it, {amount(without)} without)",
            f'leave them out with "{origin.column.name} {beyond}"',
            {"rows": count, "mean": mean, "mean_without": without},
            severity=_severity(node, end, abs(mean - without), high - low),
        )

    return Suspicion(judged.spelled(node), weigh, (ask,))


def _severity(node: exp.Expr, end: str, shift: float, span: float) -> Severity:
    """Whether the answer is the stand-in itself, or far from what it would be without."""
    itself = isinstance(node, exp.Min if end == "minimum" else exp.Max)
    return Severity.ERROR if itself or shift > _MUCH * span else Severity.DOUBT


SENTINELS = Rule(
    "F08",
    "stand-ins",
    Severity.DOUBT,
    "Instruments and old programs write -200, -999 or 9999 where nothing was measured. A number "
    "at the end of a column's range that comes again and again, far from all others, is likely "
    "one; only people know.",
    _find_sentinels,
    (
        Example(
            CATALOGUE_OF_FILMS,
            (
                "SELECT avg(budget) FROM films",
                "SELECT title FROM films ORDER BY budget LIMIT 1",
                "SELECT studio, sum(budget) FROM films GROUP BY studio",
            ),
            (
                "SELECT avg(budget) FROM films WHERE budget > 0",
                "SELECT avg(rating) FROM films",
                "SELECT max(year) FROM films",
            ),
        ),
        Example(
            {"air": "hour,co\n1,-200\n2,2.6\n3,2.1\n4,-200\n5,1.9\n6,0.4\n"},
            ("SELECT avg(co) FROM air",),
            ("SELECT avg(co) FROM air WHERE co <> -200",),
        ),
        Example(
            {"panel": "who,hours\n1,-9\n2,38\n3,-8\n4,40\n5,0\n6,12\n7,20\n8,35\n"},
            ("SELECT avg(hours) FROM panel", "SELECT min(hours) FROM panel"),
            ("SELECT avg(hours) FROM panel WHERE hours >= 0", "SELECT max(hours) FROM panel"),
        ),
        Example(
            {"moves": "day,change\n1,-10\n2,4\n3,-10\n4,12\n5,-3\n"},
            (),
            ("SELECT avg(change) FROM moves",),
        ),
    ),
)
RULES = (SENTINELS,)
