"""Words of the question that the statement does nothing about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp

from services.planner.domain.checks.asked import (
    CHANGED,
    COMPARED,
    DOWN,
    MEAN,
    NEGATED,
    TOTAL,
    UP,
    find_phrase,
    has,
    lower_words,
    tokens,
)
from services.planner.domain.checks.conditions_asked import conditions, leaves_empty_out
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.numbers_asked import unread_figures
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Judged
from services.planner.domain.lexicon.names import likeness, words_of
from services.planner.domain.lexicon.stop_words import PRESENTATION
from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.semantics.kinds import Kind, kind_of

_COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_CHANGES = (exp.Sub, exp.Div, exp.Window, exp.Case, exp.Having, exp.Order, exp.Corr)
_MORE_THAN = re.compile(r"\b(?:more|fewer|less|higher|lower|larger|smaller) \w+(?: \w+)? than\b")
_ANY = re.compile(r"\bat least (?:one|once|a|an|1)\b")
_ALIKE = 0.65
_NOT_NAMING = frozenset("all any both some over".split())
_JOINING = frozenset("and or the".split())
_PARTS = frozenset("day month year hour week".split())
_FEWEST_LETTERS = 3
_ROOT = 5
_EVERYWHERE = frozenset("id name code number type date year title value total count order".split())


def _unread(judged: Judged) -> Iterator[Suspicion]:
    if judged.question:
        yield from (one for one in _suspected(judged) if not _is_bound(judged, one.at))


def _is_bound(judged: Judged, at: str) -> bool:
    """Whether a proposal says what every one of some words became."""
    words = [token.lower for token in tokens(at) if not token.mark]
    return bool(words) and set(words) <= judged.bound


def _suspected(judged: Judged) -> Iterator[Suspicion]:
    for figure in unread_figures(judged):
        yield _of(judged, figure.text, f"the question says {figure.text}")
    yield from _values(judged)
    yield from _columns(judged)
    yield from _comparison(judged)
    yield from _negation(judged)
    for at, text in conditions(judged):
        yield _of(judged, at, text)


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
    before, passed = "", False
    for token in tokens(judged.question):
        joined = before in _JOINING or token.lower in _JOINING
        passed = before in _NOT_NAMING or (joined and passed)
        idiom = (token.lower in _PARTS and before == "the") or _is_instruction(judged, token)
        counted, before = before in ("of", "many"), token.lower
        known = token.stem in used | called | given or token.quoted or not token.stem
        if known or counted or passed or idiom or len(token.lower) < _FEWEST_LETTERS:
            continue
        for table in dict.fromkeys(t for block in judged.blocks for t in block.tables):
            named = [
                c
                for c in table.columns
                if _one_word(c.name) == token.stem and kind_of(c, table) is not Kind.ID
            ]
            if named:
                text = f"the question says {token.text!r}, as {named[0].name} of {table.name} is"
                yield certain(
                    token.text,
                    f"{text} called: the statement does not use it",
                    "group by it, show it, or compare it",
                )
                break


def _is_instruction(judged: Judged, token: Token) -> bool:
    """Whether a word tells how to show what is found: "rank by", "order the bars"."""
    every = tokens(judged.question)
    after = every[token.index + 1].lower if token.index + 1 < len(every) else ""
    return token.lower in PRESENTATION and after in ("by", "in", "the", "x", "from")


def _one_word(name: str) -> str:
    """The stem of a name of one word; empty for longer ones, and those of many meanings."""
    words = words_of(name)
    return stem(words[0]) if len(words) == 1 and words[0] not in _EVERYWHERE else ""


def _is_like_a_name(judged: Judged, value: str) -> bool:
    """Whether a word begins as the name of a column or table that is read: nominated, nominee."""
    words = [
        w for b in judged.blocks for t in b.tables for c in t.columns for w in words_of(c.name)
    ]
    words += [w for b in judged.blocks for t in b.tables for w in words_of(t.name)]
    return any(w[:_ROOT] == value[:_ROOT] for w in words)


def _is_name(judged: Judged, phrase: str) -> bool:
    """Whether words of the question are also the name of something that the statement reads."""
    texts = {stem(word) for word in words_of(phrase)}
    for block in judged.blocks:
        for table in block.tables:
            every = {stem(w) for c in table.columns for w in words_of(c.name)}
            if texts <= every | {stem(w) for w in words_of(table.name)}:
                return True
    return False


def _comparison(judged: Judged) -> Iterator[Suspicion]:
    apart = _MORE_THAN.search(" ".join(lower_words(judged.question)))
    phrase = (
        find_phrase(judged.question, COMPARED)
        or _bounded(judged)
        or (apart.group() if apart else "")
    )
    if phrase == "at least" and _is_any(judged):
        phrase = ""
    bands = any(
        re.search(r"\d", literal.name) or len(node.expressions) > 1
        for node in judged.tree.find_all(exp.In)
        for literal in node.find_all(exp.Literal)
    )
    if phrase and not bands and not judged.tree.find(*_COMPARISONS, exp.Having, exp.Limit):
        yield _of(judged, phrase, f"the question says {phrase!r}, and nothing is compared")
    changed = has(judged.question, CHANGED)
    if changed and not judged.tree.find(*_COMPARISONS, *_CHANGES):
        yield _of(judged, changed[0], f"the question says {changed[0]!r}, and nothing is compared")


def _is_any(judged: Judged) -> bool:
    """Whether "at least" is said of one thing, and the statement takes what has any."""
    once = _ANY.search(" ".join(lower_words(judged.question)))
    return bool(once and judged.tree.find(exp.Join, exp.In, exp.Exists, exp.Distinct, exp.Group))


def _bounded(judged: Judged) -> str:
    """A word before a number that is a bound of it: "over an hour", "under 20"."""
    for one, other in pairwise(tokens(judged.question)):
        if one.lower in ("over", "under", "within", "beyond") and other.number is not None:
            return f"{one.text} {other.text}"
    return ""


def _negation(judged: Judged) -> Iterator[Suspicion]:
    denied = has(judged.question, NEGATED - {"no", "other", "none"})
    if denied[:1] == ["without"] and not _is_of_the_data(judged, "without"):
        return
    if judged.tree.find(exp.Lag, exp.Lead) or _has_other_text(judged):
        return  # what lies between two is without; "did not make it" may be a value
    if denied and not _leaves_out(judged.tree) and not leaves_empty_out(judged):
        yield _of(judged, denied[0], f"the question says {denied[0]!r}, and nothing is left out")


def _has_other_text(judged: Judged) -> bool:
    """Whether a condition is met by a text that no word of the question is like: a value that says
    no by itself, as "Rejected" does of what was not accepted."""
    texts = [w for w in lower_words(judged.question) if len(w) >= _FEWEST_LETTERS]
    for node in judged.tree.find_all(exp.EQ, exp.In):
        for literal in node.find_all(exp.Literal):
            words = words_of(literal.name) if literal.is_string else ()
            if any(w.isalpha() for w in words) and not any(
                likeness(one, word) >= _ALIKE for one in texts for word in words
            ):
                return True
    return False


def _is_of_the_data(judged: Judged, word: str) -> bool:
    """Whether one of the words after this one is of a name or a value of the data."""
    words = lower_words(judged.question)
    after = words[words.index(word) + 1 :][:4]
    names = {w for t in judged.catalogue.tables for w in words_of(t.name)}
    names |= {w for t in judged.catalogue.tables for c in t.columns for w in words_of(c.name)}
    names |= {w for hit in judged.hits for w in words_of(hit.phrase)}
    return any(likeness(text, name) >= _ALIKE for text in after for name in names)


def _leaves_out(tree: exp.Expr) -> bool:
    """Whether a statement has a condition that rows may fail by what they have."""
    if tree.find(exp.Not, exp.NEQ, exp.Except, exp.Case, exp.Is, exp.LT, exp.Abs):
        return True
    if tree.find(exp.Having) and tree.find(exp.Min, exp.Max):
        return True  # never below: the smallest is not
    nothing = any(one.expression.sql() in ("0", "FALSE") for one in tree.find_all(exp.EQ))
    return nothing or any(one.args.get("negate") for one in tree.find_all(exp.Like, exp.ILike))


def _of(judged: Judged, at: str, text: str) -> Suspicion:
    return certain(
        at, f"{text}: the statement does nothing about it", "add the condition that it means"
    )


def _literals(tree: exp.Expr) -> list[str]:
    return [node.name for node in tree.find_all(exp.Literal)]


_PEOPLE = {
    "staff": (
        "staff_id,name,sex,state,job,has_bike,born,left_on\n"
        "1,Ada,F,active,Team Lead,1,1990-04-02,\n"
        "2,Bo,M,left,Cook,0,1985-07-30,2023-12-05\n"
        "3,Cy,F,active,Cook,1,1978-12-24,\n"
    )
}
UNREAD = Rule(
    "W01",
    "unread",
    Severity.DOUBT,
    "A number, a value, a condition or a negation of the question without a counterpart in the "
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
        Example(
            SHOP,
            ("SELECT count(*) FROM orders WHERE month(ordered) = 2",),
            (
                "SELECT count(*) FROM orders WHERE month(ordered) = 2 AND day(ordered) = 11",
                "SELECT count(*) FROM orders WHERE ordered = '2024-02-11'",
            ),
            question="How many orders on 11 February?",
        ),
        Example(
            SHOP,
            ("SELECT sum(freight) FROM orders",),
            (
                "SELECT sum(freight) FROM orders WHERE month(ordered) = 3",
                "SELECT sum(freight) FROM orders WHERE ordered >= '2024-03-01'",
            ),
            question="freight in March",
        ),
        Example(
            SHOP,
            ("SELECT product FROM lines",),
            ("SELECT product FROM lines WHERE product LIKE 'p%'",),
            question="Which products start with the letter 'p'?",
        ),
        Example(
            SHOP,
            ("SELECT count(*) FROM orders",),
            (
                "SELECT count(*) FROM orders WHERE freight = 0",
                "SELECT count(*) FROM orders WHERE freight IS NULL",
            ),
            question="orders with free delivery",
        ),
        Example(
            SHOP,
            ("SELECT count(*) FROM orders", "SELECT sum(freight) FROM orders"),
            ("SELECT count(*) FROM orders WHERE dayofweek(ordered) IN (0, 6)",),
            question="orders on a weekend",
        ),
        Example(
            SHOP,
            (),
            ("SELECT count(*) FROM orders", "SELECT count(DISTINCT order_id) FROM orders"),
            question="How many orders did we get altogether?",
        ),
        Example(
            _PEOPLE,
            ("SELECT name FROM staff", "SELECT name FROM staff WHERE state = 'active'"),
            ("SELECT name FROM staff WHERE sex = 'F'",),
            question="names of all women",
        ),
        Example(
            _PEOPLE,
            ("SELECT count(*) FROM staff", "SELECT name FROM staff WHERE job = 'Cook'"),
            (
                "SELECT count(*) FROM staff WHERE left_on IS NULL",
                "SELECT count(*) FROM staff WHERE state = 'active'",
            ),
            question="How many of the staff are still with us?",
        ),
        Example(
            _PEOPLE,
            ("SELECT name FROM staff WHERE job = 'Cook'",),
            ("SELECT name FROM staff WHERE has_bike = 1 AND job = 'Cook'",),
            question="cooks with a bike",
        ),
        Example(
            _PEOPLE,
            (),
            ("SELECT name FROM staff WHERE born BETWEEN '1980-01-01' AND '1989-12-31'",),
            question="Who was born in the 80s?",
        ),
        Example(
            {"homes": "home,income\n1,30-60k\n2,60-100k\n3,>100k\n"},
            ("SELECT count(*) FROM homes",),
            ("SELECT count(*) FROM homes WHERE income IN ('60-100k', '>100k')",),
            question="How many homes have more than 60k?",
        ),
        Example(
            {"marks": "pupil,mark\na,71\na,64\nb,52\nb,90\n"},
            ("SELECT count(DISTINCT pupil) FROM marks WHERE mark >= 60",),
            (
                "SELECT count(*) FROM (SELECT pupil FROM marks GROUP BY pupil HAVING min(mark) "
                ">= 60) AS p",
            ),
            question="How many pupils never had less than 60?",
        ),
    ),
)
RULES = (UNREAD,)
