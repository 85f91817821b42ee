"""Reading statements of DuckDB's dialect, and names that are like other names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import sqlglot
from rapidfuzz import fuzz, utils
from rapidfuzz.distance import JaroWinkler
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.catalogue import Catalogue, Table

DIALECT = "duckdb"
# Below this likeness (0 to 100) another name is a guess, not a correction.
_LIKE_ENOUGH = 60.0
# Every word of the one is among the words of the other: "name" and "product name".
_CONTAINED = 75.0
_KEYS = frozenset({"id", "key"})
_TAILS = _KEYS | {"name", "code"}
_KEPT = 128


def statement(text: str, dialect: str = DIALECT) -> exp.Query | None:
    """The text as one query, or None when it is anything else. It is the caller's to change."""
    tree = _parsed(text, dialect)
    return tree.copy() if tree is not None else None


@lru_cache(maxsize=_KEPT)
def _parsed(text: str, dialect: str) -> exp.Query | None:
    """A job reads its statement a dozen times, and to copy what was read takes a tenth."""
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=dialect) if tree is not None]
    except (SqlglotError, RecursionError, ValueError):
        return None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        return None
    return trees[0]


def rendered(tree: exp.Expr) -> str:
    """The tree as DuckDB's SQL."""
    return str(tree.sql(dialect=DIALECT, comments=False))


def same_statement(left: str, right: str) -> bool:
    """Whether two texts are one query but for spelling; False when either is none."""
    a, b = _parsed(left, DIALECT), _parsed(right, DIALECT)
    return a is not None and b is not None and rendered(a) == rendered(b)


@lru_cache(maxsize=_KEPT)
def names_in(text: str) -> frozenset[str]:
    """Every name of a table or column that a query says, in lower case; none of what is no query.

    A star stands for itself.
    """
    tree = _parsed(text, DIALECT)
    if tree is None:
        return frozenset()
    nodes = tree.find_all(exp.Table, exp.Column, exp.Star)
    return frozenset("*" if isinstance(node, exp.Star) else node.name.casefold() for node in nodes)


def tables_of(tree: exp.Expr, catalogue: Catalogue) -> dict[str, Table]:
    """The catalogue's tables that a query names, by alias and by name, in lower case."""
    known = {table.name.casefold(): table for table in catalogue.tables}
    found: dict[str, Table] = {}
    for node in tree.find_all(exp.Table):
        table = known.get(node.name.casefold())
        if table is not None:
            found[node.alias_or_name.casefold()] = table
            found[node.name.casefold()] = table
    return found


def closest(name: str, among: Iterable[str]) -> str | None:
    """The name most like the one meant, or None when none is like it; never the name itself."""
    intended = _words(name)
    scored = [
        (_likeness(intended, _words(choice)), not _KEYS & set(_words(choice)), choice)
        for choice in among
        if choice != name
    ]
    best = max(scored, key=lambda item: item[:2], default=None)
    return best[2] if best is not None and best[0] >= _LIKE_ENOUGH else None


def _likeness(intended: Sequence[str], choice: Sequence[str]) -> float:
    """0 to 100. "category" is as like "category id" as "category name": what is left is a tail."""
    bare = [word for word in choice if word not in _TAILS]
    scores = [_ratio(intended, choice)]
    if bare and not _TAILS & set(intended):
        scores.append(0.97 * _ratio(intended, bare))
    if intended and set(intended) < set(choice):
        scores.append(_CONTAINED)
    return max(scores)


def _ratio(left: Sequence[str], right: Sequence[str]) -> float:
    a, b = " ".join(left), " ".join(right)
    return float(0.5 * fuzz.WRatio(a, b) + 50 * JaroWinkler.similarity(a, b))


def mentioned(reason: str) -> frozenset[str]:
    """Names an earlier repair of the same step took away or put in, which failed since."""
    return frozenset(re.findall(r'"([^"]+)"', reason))


def _words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")
    return str(utils.default_process(spaced)).split()
