"""Words of the question that the statement does nothing about."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.checks.asked import (
    COMPARED,
    DOWN,
    MEAN,
    NEGATED,
    TOTAL,
    UP,
    has,
    says,
    tokens,
)
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Judged
from services.planner.domain.numbers_said import following
from services.planner.domain.reader.links.names import words_of
from services.planner.domain.reader.words.tokens import stem

_COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_MEANS = (exp.Avg, exp.Median, exp.Div, exp.Quantile, exp.PercentileCont)
_FEWEST_LETTERS = 3
_ROOT = 5
_EVERYWHERE = frozenset("id name code number type date year title value total count order".split())


def _unread(judged: Judged) -> Iterator[Suspicion]:
    if not judged.question:
        return
    yield from _numbers(judged)
    yield from _values(judged)
    yield from _columns(judged)
    yield from _comparison(judged)
    yield from _negation(judged)


def _numbers(judged: Judged) -> Iterator[Suspicion]:
    """Figures of the question that are nowhere in the statement, as they are or as they follow."""
    written = _literals(judged.tree)
    known = {_plain(text) for text in written}
    inside = " ".join(written)
    for token in tokens(judged.question):
        if not token.digits or token.number is None or token.quoted:
            continue
        said = _plain(token.text)
        follows = {_plain(str(number)) for number in following(judged.question)}
        if token.ordinal:
            follows |= {_plain(str(token.number / 100))}  # a percentile
        if said in known or said in inside or follows & known:
            continue
        yield _of(judged, token.text, f"the question says {token.text}")


def _values(judged: Judged) -> Iterator[Suspicion]:
    """Values of the data that the question names and no literal is."""
    literals = [text.casefold() for text in _literals(judged.tree)]
    proper = {t.lower for t in tokens(judged.question) if t.capital or t.quoted or t.digits}
    read = {t.name for block in judged.blocks for t in block.tables}
    for hit in judged.hits:
        value = hit.value.casefold()
        if hit.score < 1 or len(value) < _FEWEST_LETTERS or hit.table not in read:
            continue
        if any(
            value in text or (text.strip("%") and text.strip("%") in value) for text in literals
        ):
            continue
        plain = not set(hit.phrase.casefold().split()) & proper
        if plain and (value in TOTAL | MEAN | UP | DOWN or _is_like_a_name(judged, value)):
            continue  # a word like any other
        if _is_name(judged, hit.phrase):
            continue
        where = f"{hit.column} of {hit.table}"
        yield _of(judged, hit.phrase, f"the question says {hit.phrase!r}, a value of {where}")


def _columns(judged: Judged) -> Iterator[Suspicion]:
    """Columns of one word that the question names, of tables that are read, and nothing uses."""
    used = {stem(w) for c in judged.tree.find_all(exp.Column) for w in words_of(c.name)}
    called = {stem(w) for block in judged.blocks for t in block.tables for w in words_of(t.name)}
    given = {stem(w) for hit in judged.hits for w in words_of(hit.value)}
    if judged.tree.find(exp.Star) and not judged.tree.find(exp.AggFunc):
        return
    before = ""
    for token in tokens(judged.question):
        counted, before = before in ("of", "many"), token.lower
        known = token.stem in used | called | given or token.quoted or not token.stem
        if known or counted or len(token.lower) < _FEWEST_LETTERS:
            continue
        for table in dict.fromkeys(t for block in judged.blocks for t in block.tables):
            named = [c for c in table.columns if _one_word(c.name) == token.stem]
            if named:
                said = f"the question says {token.text!r}, as {named[0].name} of {table.name} is"
                yield certain(
                    token.text,
                    f"{said} called: the statement does not use it",
                    "group by it, show it, or compare it",
                )
                break


def _one_word(name: str) -> str:
    """The stem of a name of one word; empty for longer ones, and those of many meanings."""
    words = words_of(name)
    return stem(words[0]) if len(words) == 1 and words[0] not in _EVERYWHERE else ""


def _is_written(value: str, literals: list[str]) -> bool:
    """Whether a value is in a literal, or a literal in it."""
    bare = [text.strip("%") for text in literals]
    return any(value in text or (text and text in value) for text in bare)


def _is_like_a_name(judged: Judged, value: str) -> bool:
    """Whether a word begins as the name of a column or table that is read: nominated, nominee."""
    words = [
        w for b in judged.blocks for t in b.tables for c in t.columns for w in words_of(c.name)
    ]
    words += [w for b in judged.blocks for t in b.tables for w in words_of(t.name)]
    return any(w[:_ROOT] == value[:_ROOT] for w in words)


def _is_name(judged: Judged, phrase: str) -> bool:
    """Whether words of the question are also the name of something that the statement reads."""
    said = {stem(word) for word in words_of(phrase)}
    for block in judged.blocks:
        for table in block.tables:
            every = {stem(w) for c in table.columns for w in words_of(c.name)}
            if said <= every | {stem(w) for w in words_of(table.name)}:
                return True
    return False


def _comparison(judged: Judged) -> Iterator[Suspicion]:
    phrase = says(judged.question, COMPARED)
    if phrase and not judged.tree.find(*_COMPARISONS, exp.Having, exp.Limit):
        yield _of(judged, phrase, f"the question says {phrase!r}, and nothing is compared")


def _negation(judged: Judged) -> Iterator[Suspicion]:
    denied = has(judged.question, NEGATED - {"no", "other", "none"})
    if denied and not _leaves_out(judged.tree):
        yield _of(judged, denied[0], f"the question says {denied[0]!r}, and nothing is left out")


def _leaves_out(tree: exp.Expr) -> bool:
    """Whether a statement has a condition that rows may fail by what they have."""
    if tree.find(exp.Not, exp.NEQ, exp.Except, exp.Case, exp.Is, exp.LT, exp.Abs):
        return True
    nothing = any(one.expression.sql() in ("0", "FALSE") for one in tree.find_all(exp.EQ))
    return nothing or any(one.args.get("negate") for one in tree.find_all(exp.Like, exp.ILike))


def _of(judged: Judged, at: str, said: str) -> Suspicion:
    return certain(
        at, f"{said}: the statement does nothing about it", "add the condition that it means"
    )


def _literals(tree: exp.Expr) -> list[str]:
    return [node.name for node in tree.find_all(exp.Literal)]


def _plain(text: str) -> str:
    """A number without commas and needless noughts."""
    try:
        return f"{float(text.replace(',', '')):g}"
    except ValueError:
        return text


UNREAD = Rule(
    "W01",
    "unread",
    Severity.DOUBT,
    "A number, a value, a comparison or a negation of the question without a counterpart in the "
    "statement.",
    _unread,
    (
        Example(
            SHOP,
            (
                "SELECT count(*) FROM lines",
                "SELECT count(*) FROM lines WHERE product = 'pen'",
            ),
            ("SELECT count(*) FROM lines WHERE quantity > 3",),
            question="How many lines have a quantity of more than 3?",
        ),
        Example(
            SHOP,
            ("SELECT name FROM customers JOIN orders USING (customer_id)",),
            (
                "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM "
                "orders WHERE customer_id IS NOT NULL)",
            ),
            question="Which customers have not ordered?",
        ),
    ),
)
RULES = (UNREAD,)
