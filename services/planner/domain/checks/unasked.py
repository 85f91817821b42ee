"""What a statement says and the question does not: values of no word, factors of another unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rapidfuzz import fuzz
from sqlglot import exp

from services.planner.domain.catalogue import DataType
from services.planner.domain.checks.asked import lower_words
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.literals import Compared, compared, text
from services.planner.domain.checks.rule import Example, Rule, Suspicion, amount, certain
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.synonyms import synonyms
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.semantics.kinds import FLAG_VALUES, unit_of
from services.planner.domain.semantics.units import Unit, unit_called

_ROOT = 4
"""Letters that a word and another of its family begin with: America, American."""
_FEWEST_LETTERS = 4
_ALIKE = 75.0
"""Of 100, by rapidfuzz."""
_SHORT_UNITS = frozenset(
    "kg km cm mm ml mg kb mb gb kwh mwh gwh lb lbs oz hrs min mins sec".split()
)
_IN_UNIT = re.compile(r"\b(?:in|how many|number of)\s+([a-z]+)\b", re.IGNORECASE)
_MANY_UNITS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s+([a-z]+)\b", re.IGNORECASE)
_NEAR = 0.02
_PASSED = (
    exp.Sum,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.Median,
    exp.Cast,
    exp.Round,
    exp.Paren,
    exp.Coalesce,
)
_COMPARES = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def _unsupported(judged: Judged) -> Iterator[Suspicion]:
    if not judged.question:
        return
    words = lower_words(judged.question)
    for one in compared(judged, exp.EQ, exp.In, exp.Like, exp.ILike, exp.NEQ):
        value = one.literal.name.strip("% ")
        plain = sum(map(str.isalpha, value)) >= _FEWEST_LETTERS and value.lower() not in FLAG_VALUES
        is_text = one.literal.is_string and one.origin.column.data_type is DataType.STRING
        if plain and is_text and not _spoken(judged, one, value, words):
            other = _other(judged, one)
            so = f", and it says {text(other)}" if other else ""
            yield certain(
                judged.spelled(one.node),
                f"no word of the question speaks of {one.origin.column.name} {text(value)}{so}",
                f"take {text(other)}" if other else "say why only these rows count",
                severity=Severity.DOUBT if other else None,
            )


def _other(judged: Judged, one: Compared) -> str:
    """Another value of the same column that the question names and the statement does not."""
    written = {node.name.strip("% ").casefold() for node in judged.tree.find_all(exp.Literal)}
    place = (one.origin.table.name, one.origin.column.name)
    named = [h.value for h in judged.hits if (h.table, h.column) == place and h.score >= 1]
    return next((value for value in named if value.casefold() not in written), "")


def _spoken(judged: Judged, one: Compared, sentence: str, words: list[str]) -> bool:
    """Whether a word of the question may be what a value says, or speaks of its column."""
    asked = {stem(word) for word in words}
    intended = asked.union(*(synonyms(word) for word in asked))
    if any(hit.value.casefold() == sentence.casefold() for hit in judged.hits):
        return True
    if any(alias.value == sentence and alias.said for alias in one.origin.column.aliases):
        return True
    mine = [stem(word) for word in words_of(sentence)]
    roots = {word[:_ROOT] for word in (*intended, *words) if len(word) >= _ROOT}
    if any(word in intended or word[:_ROOT] in roots for word in mine):
        return True
    column = {stem(word) for word in words_of(one.origin.column.name)}
    initials = "".join(word[0] for word in words)
    short = len(sentence) < _ROOT + 1 and sentence.casefold() in initials
    return short or bool(column & intended) or any(_like(a, b) for a in mine for b in words)


def _like(value: str, word: str) -> bool:
    """Whether a value is a short form of a word, with some of its letters left out, or nearly the
    same: "crsp" of crisp, "woman" and women."""
    letters = iter(word)
    shortened = value[:1] == word[:1] and all(letter in letters for letter in value)
    return shortened or fuzz.ratio(value, word) >= _ALIKE


def _conversion(judged: Judged) -> Iterator[Suspicion]:
    wanted = [u for word in _IN_UNIT.findall(judged.question) if (u := _unit(word)) is not None]
    held = [
        (float(number), unit)
        for number, word in _MANY_UNITS.findall(judged.question)
        if (unit := _unit(word)) is not None
    ]
    if not wanted and not held:
        return
    for block in judged.blocks:
        for node in block.own(exp.Column, exp.DateDiff):
            own = _held_in(block, node)
            if own is None:
                continue
            factor, top = _converted(node)
            if factor is None:
                continue
            shown = [u for u in wanted if u.quantity == own.quantity]
            if isinstance(top.parent, _COMPARES):
                yield from _compares(judged, top, factor, own, held)
            elif len(shown) == 1 and _is_given(block, top):
                yield from _shows(judged, top, factor, own, shown[0])


def _unit(word: str) -> Unit | None:
    known = word.lower()
    return unit_called(known) if len(known) >= _FEWEST_LETTERS or known in _SHORT_UNITS else None


def _held_in(block: Block, node: exp.Expr) -> Unit | None:
    """What numbers are in: a column by its name or declared unit, a difference of times by its
    own."""
    if isinstance(node, exp.DateDiff):
        unit = node.args.get("unit")
        return unit_called(unit.name.lower()) if unit is not None else None
    origin = block.origin(node)
    if origin is None or origin.column.data_type not in (DataType.INTEGER, DataType.FLOAT):
        return None
    return unit_of(origin.column)


def _converted(node: exp.Expr) -> tuple[float | None, exp.Expr]:
    """By what a number is multiplied up to where it is shown or compared, and that part; None where
    it is part of another computation."""
    factor, here = 1.0, node
    while isinstance(here.parent, (*_PASSED, exp.Mul, exp.Div)):
        above = here.parent
        if isinstance(above, exp.Mul | exp.Div):
            other = _number(above.right if above.left is here else above.left)
            if not other or (isinstance(above, exp.Div) and above.right is here):
                return None, here
            factor = factor / other if isinstance(above, exp.Div) else factor * other
        here = above
    return (
        None
        if isinstance(here.parent, exp.Binary) and not isinstance(here.parent, _COMPARES)
        else factor
    ), here


def _number(node: exp.Expr) -> float | None:
    """The number that a part of a statement is: a literal, or a product of some."""
    inner = node.unnest()
    if isinstance(inner, exp.Mul):
        one, other = _number(inner.left), _number(inner.right)
        return one * other if one and other else None
    literal = isinstance(inner, exp.Literal) and not inner.is_string
    return float(inner.name) if literal else None


def _is_given(block: Block, top: exp.Expr) -> bool:
    """Whether a part is what the last SELECT gives."""
    last = block.judged.blocks[-1] is block
    return last and any(item.unalias() is top for item in block.select.expressions)


def _shows(
    judged: Judged, top: exp.Expr, factor: float, own: Unit, asked: Unit
) -> Iterator[Suspicion]:
    right = own.factor / asked.factor
    if abs(factor - right) <= _NEAR * right:
        return
    at = judged.spelled(top)
    done = "is not converted" if factor == 1 else f"is multiplied by {amount(factor)}"
    yield certain(
        at,
        f"the question asks for {asked.name}, and {at}, which is of {own.name}, {done}",
        _way(right),
    )


def _compares(
    judged: Judged, top: exp.Expr, factor: float, own: Unit, held: list[tuple[float, Unit]]
) -> Iterator[Suspicion]:
    node = top.parent
    literals = list(node.find_all(exp.Literal)) if node is not None else []
    for number, unit in held:
        if unit.quantity != own.quantity or unit is own:
            continue
        for literal in literals:
            if literal.parent is not node or literal.is_string:
                continue  # what is computed there may be the conversion
            right = number * unit.factor / own.factor * factor
            if float(literal.name) == number and abs(right - number) > _NEAR * right:
                yield certain(
                    judged.spelled(node) if node is not None else "",
                    f"{number:g} {unit.name} is {amount(right)} as {judged.spelled(top)} has it",
                    f"compare with {amount(right)}",
                    judged.changed(literal, exp.Literal.number(f"{right:.10g}")),
                )


def _way(right: float) -> str:
    return f"multiply by {amount(right)}" if right >= 1 else f"divide by {amount(1 / right)}"


_FLIGHTS = {
    "flights": "flight_id,carrier,delay_minutes,distance_km\n1,Alpha,130,900\n2,Beta,15,300\n"
    "3,Alpha,95,410\n"
}
UNSUPPORTED = Rule(
    "W02",
    "unsupported",
    Severity.NOTE,
    "A condition on a value that no word of the question speaks of leaves out rows that were "
    "asked for. Looked for only where there is a question; a doubt where that names another value "
    "of the same column.",
    _unsupported,
    (
        Example(
            SHOP,
            (
                "SELECT sum(freight) FROM orders WHERE region = 'North'",
                "SELECT sum(o.freight) FROM orders o JOIN customers c ON c.customer_id = "
                "o.customer_id WHERE c.city IN ('Bergen', 'Oslo')",
            ),
            ("SELECT sum(freight) FROM orders",),
            question="What is the total freight?",
        ),
        Example(
            SHOP,
            (),
            (
                "SELECT sum(freight) FROM orders WHERE region = 'North'",
                "SELECT sum(freight) FROM orders WHERE region LIKE '%North%'",
            ),
            question="What is the total freight of northern orders?",
        ),
        Example(
            {"prices": "symbol,close\nACRN,5\nFJRD,6\n"},
            ("SELECT max(close) FROM prices WHERE symbol = 'FJRD'",),
            ("SELECT max(close) FROM prices WHERE symbol = 'ACRN'",),
            question="What was the highest that Acorn ever closed at?",
        ),
    ),
)
CONVERSION = Rule(
    "W03",
    "conversion",
    Severity.DOUBT,
    "A factor that does not follow from what the question asks in and what the column is in: 2 "
    "hours are 120 minutes, and minutes over 100 are no hours.",
    _conversion,
    (
        Example(
            _FLIGHTS,
            (
                "SELECT avg(delay_minutes) / 100 FROM flights",
                "SELECT avg(delay_minutes) FROM flights",
                "SELECT avg(delay_minutes * 60) FROM flights",
            ),
            (
                "SELECT avg(delay_minutes) / 60 FROM flights",
                "SELECT avg(delay_minutes / 60.0) FROM flights",
                "SELECT sum(delay_minutes) / sum(distance_km) FROM flights",
            ),
            question="What is the average delay in hours?",
        ),
        Example(
            _FLIGHTS,
            ("SELECT count(*) FROM flights WHERE delay_minutes > 2",),
            (
                "SELECT count(*) FROM flights WHERE delay_minutes > 120",
                "SELECT count(*) FROM flights WHERE delay_minutes / 60 > 2",
                "SELECT count(*) FROM flights WHERE delay_minutes > 2 * 60",
            ),
            question="How many flights were delayed by more than 2 hours?",
        ),
    ),
)
RULES = (UNSUPPORTED, CONVERSION)
