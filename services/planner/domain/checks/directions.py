"""What a question calls first, and what the statement puts first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp

from services.planner.domain.catalogue import DataType
from services.planner.domain.checks.asked import (
    BY_VALUE,
    DOWN,
    UP,
    has,
    lower_words,
    names,
    words_left,
)
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.relations import edges
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    certain,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem

_BY_AGE = {"oldest": True, "youngest": False}
_SMALL = frozenset("affordable economical inexpensive".split())
_EITHER_END = frozenset(
    "punctual reliable efficient accurate consistent steady stable precise frugal senior junior "
    "successful".split()
)
"""Whether most of these is much or little hangs on what is measured."""
_RANKED = frozenset("rank ranking position place number finish".split())
_SMALL_IS_GOOD = frozenset(
    stem(word)
    for word in "time duration delay lap seconds ms minutes wait error errors loss losses "
    "complaints latency deaths defects days hours".split()
)
_EITHER_WAY = frozenset(
    stem(word) for word in "price cost fee fare budget age year date weight size id".split()
)
_TIMES = (DataType.DATE, DataType.DATETIME)
_OF_ANY_TABLE = frozenset(
    stem(word) for word in "name names number code type id first last".split()
)
"""Words of a question that speak of no table by its columns: most tables have such."""


def _other_end(judged: Judged) -> Iterator[Suspicion]:
    outer = judged.blocks[-1] if judged.blocks else None
    order = judged.tree.args.get("order")
    if outer is None or order is None or not judged.question:
        return
    first = order.expressions[0]
    wanted = _wanted(judged, outer, _given(outer, first.this))
    limited = judged.tree.args.get("limit") is not None
    if wanted is None or (not limited and not _orders(judged)):
        return
    word, down = wanted
    if down is not bool(first.args.get("desc")):
        way = "largest" if first.args.get("desc") else "smallest"
        yield certain(
            judged.spelled(order),
            f"the question says {word!r}, and the {way} comes first",
            "order the other way",
        )


def _given(outer: Block, by: exp.Expr) -> exp.Expr:
    """What rows are ordered by, where that is a name of what is shown."""
    item = outer.projection(by.name) if isinstance(by, exp.Column) and not by.table else None
    return item.unalias() if item is not None else by


def _wanted(judged: Judged, outer: Block, by: exp.Expr) -> tuple[str, bool] | None:
    """The word that says which end comes first, and whether that is the largest; None where the
    question says neither, or both."""
    words = lower_words(judged.question)
    down, up = has(judged.question, DOWN), has(judged.question, UP)
    if "at" in words:
        down = [w for w in down if not _after(words, "at", w)]
        up = [w for w in up if not _after(words, "at", w)]
    if any(one == "most" and other in _EITHER_END for one, other in pairwise(words)):
        return None
    small = [other for one, other in pairwise(words) if one == "most" and other in _SMALL]
    if small:
        down, up = [w for w in down if w != "most"], [*up, *small]
    valued = [word for word in words if word in BY_VALUE]
    if up or valued:
        down = [w for w in down if w != "top"]
    if valued and not down and not up:
        better = BY_VALUE[valued[0]]
        few = _is_better_small(by)
        return (valued[0], better is not few) if few is not None else None
    age = [word for word in words if word in _BY_AGE]
    if age and not down and not up:
        origin = outer.origin(by)
        dated = origin is not None and origin.column.data_type in _TIMES
        born = any(part in by.sql().casefold() for part in ("birth", "dob", "born", "year", "date"))
        return age[0], _BY_AGE[age[0]] is not (dated or born)
    if bool(down) is bool(up) or _is_a_place(by):
        return None
    return (down[0], True) if down else (up[0], False)


def _is_better_small(by: exp.Expr) -> bool | None:
    """Whether less of what rows are ordered by is better, as of times and places; None where that
    cannot be told, as of differences and of prices."""
    if by.find(exp.DateDiff):
        return True
    if _is_a_place(by):
        return True
    if by.find(exp.Sub):
        return None
    words = {stem(w) for c in by.find_all(exp.Column) for w in words_of(c.name)}
    if words & _EITHER_WAY:
        return None
    return bool(words & _SMALL_IS_GOOD)


def _is_a_place(by: exp.Expr) -> bool:
    """Whether rows are ordered by a rank or a place, of which the first is the best."""
    inner = by
    while isinstance(inner, exp.Avg | exp.Min | exp.Max | exp.Sum | exp.Median | exp.Round):
        inner = inner.this
    words = words_of(inner.name) if isinstance(inner, exp.Column) else ()
    return bool(set(words) & _RANKED)


def _after(words: list[str], one: str, other: str) -> bool:
    return (one, other) in pairwise(words)


def _orders(judged: Judged) -> bool:
    """Whether the question speaks of order itself."""
    return bool({"ascending", "descending", "asc", "desc"} & set(lower_words(judged.question)))


def _needless(judged: Judged) -> Iterator[Suspicion]:
    """Tables joined for nothing that the question speaks of, by which rows of others come again or
    are lost."""
    if not judged.question:
        return
    for block in judged.blocks:
        if len(block.sources) < 2 or block.correlated:
            continue
        for table_alias, table in block.named.items():
            used = [
                c
                for c in block.own(exp.Column)
                if c.table == table_alias and c.find_ancestor(exp.Join) is None
            ]
            tied = [e for e in edges(block) if table_alias in (e.one, e.other)]
            if used or len(tied) != 1 or block.joined(table_alias) is None:
                continue
            by = tied[0].equal[table_alias]
            others = [t.name for a, t in block.named.items() if a != table_alias]
            used_names = [c.name for c in block.own(exp.Column) if c.table != table_alias]
            left = words_left(judged.question, [*others, *used_names]) - _OF_ANY_TABLE
            # By a key nothing repeats, but rows that find none are lost.
            if not names(left, table, by):
                far = tied[0].across(table_alias)
                yield _of_join(judged, block, table_alias, far, min(tied[0].equal[far], default=""))


def _of_join(judged: Judged, block: Block, alias: str, far: str, by: str) -> Suspicion:
    """Rows are counted with the join and without it; where equally many come, some may be lost and
    others come twice, which a sum over what ties them shows."""
    asked: list[exp.Expr | str] = [exp.Count(this=exp.Star())]
    if by:
        asked.append(exp.Sum(this=exp.func("hash", exp.column(by, table=far))))
    with_, without = block.asking(*asked), block.asking(*asked, leaving_out=alias)
    table = block.named[alias].name

    def weigh(answers: Answers) -> Weighed | None:
        more, fewer = numbers(answers, 0), numbers(answers, 1)
        if more is None or fewer is None or more == fewer:
            return None
        size = f"{more[0]:,.0f} rows where there are {fewer[0]:,.0f} without it"
        if more[0] == fewer[0]:
            size = f"of {more[0]:,.0f} rows some are lost and others come again"
        return Weighed(
            f"{table} is joined and nothing of it is used, nor does the question speak of it: "
            f"{size}",
            "leave the join out",
            {"rows": more[0], "rows_without": fewer[0]},
        )

    join = block.joined(alias)
    return Suspicion(judged.spelled(join) if join is not None else alias, weigh, (with_, without))


OTHER_END = Rule(
    "O05",
    "the other end",
    Severity.DOUBT,
    "The question asks for the largest, and the smallest comes first, or the other way.",
    _other_end,
    (
        Example(
            SHOP,
            ("SELECT order_id FROM orders ORDER BY freight LIMIT 1",),
            ("SELECT order_id FROM orders ORDER BY freight DESC LIMIT 1",),
            question="Which order has the highest freight?",
        ),
        Example(
            {"runs": "name,lap_time,score,position\nAda,61.5,8,2\nBo,60.1,9,1\n"},
            (
                "SELECT name FROM runs ORDER BY lap_time DESC LIMIT 1",
                "SELECT name FROM runs ORDER BY score LIMIT 1",
                "SELECT name FROM runs ORDER BY position DESC LIMIT 1",
            ),
            (
                "SELECT name FROM runs ORDER BY lap_time LIMIT 1",
                "SELECT name FROM runs ORDER BY score DESC LIMIT 1",
                "SELECT name FROM runs ORDER BY position LIMIT 1",
            ),
            question="Who was best?",
        ),
        Example(
            SHOP,
            ("SELECT order_id FROM orders ORDER BY freight DESC LIMIT 3",),
            ("SELECT order_id FROM orders ORDER BY freight LIMIT 3",),
            question="the top three orders of lowest freight",
        ),
    ),
)
NEEDLESS_JOIN = Rule(
    "J06",
    "needless join",
    Severity.DOUBT,
    "A table that nothing is taken from, and that the question does not speak of, repeats rows or "
    "leaves some out.",
    _needless,
    (
        Example(
            SHOP,
            (
                "SELECT count(*) FROM orders o JOIN lines l ON l.order_id = o.order_id",
                "SELECT count(*) FROM orders o JOIN customers c ON c.customer_id = o.customer_id",
            ),
            ("SELECT count(*) FROM orders",),
            question="How many orders are there?",
        ),
        Example(
            SHOP,
            (),
            ("SELECT count(*) FROM orders o JOIN lines l ON l.order_id = o.order_id",),
            question="How many lines do orders have?",
        ),
    ),
)
RULES = (OTHER_END, NEEDLESS_JOIN)
