"""How plainly a statement answers a question: words that became nothing, joins by a guess.

Readers account for words by what they made of them, and may have taken one for more than it says.
Here a word counts only where it is a name or a value of the statement, or asks for a part that the
statement has: "average" for an average.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Relationship
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.stop_words import INSTRUCTING, PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, stem, tokenise
from services.planner.domain.statements.parsing import statement

_DAY = re.compile(r"(\d{4})-\d\d-\d\d")
_IDLE = STOP_WORDS | PRESENTATION | INSTRUCTING
_IDLE_STEMS = frozenset(
    map(stem, "data dataset could will would much ever recorded made our my you no your".split())
)
_FIRST = "most highest largest biggest top max maximum best latest longest heaviest oldest greatest"
_LAST = "least lowest smallest fewest bottom min minimum worst earliest shortest cheapest youngest"
_ORDERED = (exp.Order, exp.Max, exp.Min, exp.ArgMax, exp.ArgMin)
_TIMED = (exp.TimestampTrunc, exp.DateTrunc, exp.Extract, exp.Year, exp.Month)
_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_ASKED = (
    ("average mean avg averages typical", (exp.Avg,)),
    ("median", (exp.Median, exp.PercentileCont, exp.Quantile)),
    ("total sum totals altogether overall combined", (exp.Sum, exp.Count)),
    ("many number count counts often", (exp.Count, exp.Sum)),
    (f"{_FIRST} more", _ORDERED),
    (f"{_LAST} lightest", _ORDERED),
    ("per each every by", (exp.Group,)),
    ("different distinct unique", (exp.Distinct,)),
    ("year month day quarter week", _TIMED),
    ("share percentage percent proportion ratio fraction", (exp.Div,)),
    ("over above more than under below less at least exceed after before since between", _COMPARED),
)
"""Words and the parts of a statement, one of which they ask for."""
_PARTS: dict[str, tuple[type[exp.Expr], ...]] = {}
for _words, _kinds in _ASKED:
    for _word in map(stem, _words.split()):
        _PARTS[_word] = (*_PARTS.get(_word, ()), *_kinds)


class Plainly(NamedTuple):
    """How many words of a question are no part of its statement, and how many of its joins go by
    columns of which neither the data nor a semantic model says that they refer to each other."""

    words: int = 0
    joins: int = 0


def plainly(question: str, text: str, catalogue: Catalogue) -> Plainly:
    """Of a statement with its parameters in their places; nothing of one that cannot be read."""
    tree = statement(text)
    if tree is None:
        return Plainly()
    words = sum(1 for _ in _unread(question, tree)) if question else 0
    known = {pair for one in catalogue.relationships if one.declared for pair in _pairs(one)}
    joins = sum(not _by_one_of(join, known) for join in tree.find_all(exp.Join))
    return Plainly(words, joins)


def _unread(question: str, tree: exp.Expr) -> Iterator[Token]:
    held = set(_names(tree))
    for token in tokenise(question):
        said = token.mark or {token.stem, token.lower} & held
        if said or is_idle(token):
            continue
        if not any(tree.find(kind) for kind in parts_asked_for(token)):
            yield token


def is_idle(token: Token) -> bool:
    """Whether a word says nothing of what is asked for."""
    return token.lower in _IDLE or token.stem in _IDLE_STEMS


def parts_asked_for(token: Token) -> tuple[type[exp.Expr], ...]:
    """The parts of a statement, one of which a word asks for, as "average" does; none for most."""
    return _PARTS.get(token.stem, ())


def _names(tree: exp.Expr) -> Iterator[str]:
    """Words of tables, columns and values; of a day its year, too."""
    for node in tree.find_all(exp.Column, exp.Table):
        yield from map(stem, words_of(node.name))
    for literal in tree.find_all(exp.Literal):
        words = re.findall(r"\w+", literal.name.lower())
        yield from (literal.name.lower(), *words, *map(stem, words))
        if day := _DAY.match(literal.name):
            yield day[1]


def _pairs(link: Relationship) -> Iterator[frozenset[tuple[str, str]]]:
    for ours, theirs in ((link.from_column, link.to_column), *link.further):
        yield frozenset(((link.from_table, ours), (link.to_table, theirs)))


def _by_one_of(join: exp.Join, known: set[frozenset[tuple[str, str]]]) -> bool:
    """Whether a join is by two columns that are known to refer to each other. Names of a query
    inside stand for no table: what joins these was declared by nobody."""
    on = join.args.get("on")
    sides = [(one.left, one.right) for one in on.find_all(exp.EQ)] if on is not None else []
    return any(
        frozenset(((left.table, left.name), (right.table, right.name))) in known
        for left, right in sides
        if isinstance(left, exp.Column) and isinstance(right, exp.Column)
    )
