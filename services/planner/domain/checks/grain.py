"""Whether the rows of a result are one for each of what the question says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from services.planner.domain.catalogue import DataType, Table
from services.planner.domain.checks.asked import DOWN, EACH, MEAN, UP, has, lower_words, tokens
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.relations import keys_of_source
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Judged, column_of
from services.planner.domain.lexicon.names import likeness, words_of
from services.planner.domain.lexicon.tokens import Token, stem

_ALIKE = 0.65
_NEAR = 3
_ORDERING = frozenset("rank ranks sort order best worst top bottom".split())
_PARTS = frozenset("year month week day quarter hour weekday season decade date".split())
_NO_GROUP = frozenset("head capita cent person".split())
_AND_NUMBER = re.compile(
    r"\b(?:and|with|along with|together with)(?: the| their| its| how| corresponding| total|"
    r" average)* (?:number|count|numbers|many)\b"
)
_A_NUMBER_FIRST = re.compile(
    r"\b(?:how many|number|numbers|count|total|average)\b.* (?:and|with)\b"
)
_GROUPED = re.compile(r"\b(?:grouped by|broken down by|split by|for different|by different)\b")
_DONE = re.compile(
    r"(?<!group)(?<!split)ed$|^(?:made|written|taken|given|held|won|sold|run|shown|known|led|built|"
    r"bought|caught|taught|driven|flown|done|sent|paid|sung|hit|drawn)$"
)
_EITHER = re.compile(r"\bfor (?:both )?\w+ and \w+ \w+$|\b(?:vs|versus)\b")


def _grain(judged: Judged) -> Iterator[Suspicion]:
    outer = judged.blocks[-1] if judged.blocks else None
    if outer is None or not judged.question or outer.groups or not outer.aggregates:
        return
    select = outer.select
    if _is_a_column_each(select) or select.args.get("distinct"):
        return
    if not all(e.find(exp.AggFunc) for e in select.expressions):
        return
    phrase = _asked_for_each(judged)
    if phrase:
        yield certain(
            phrase,
            f"the question says {phrase!r}, and the statement gives one row for all",
            "group by what follows the word",
        )


def _is_a_column_each(select: exp.Select) -> bool:
    """Whether each group is a column of its own."""
    return len({node.expression.sql() for node in select.find_all(exp.Filter)}) > 1


def _asked_for_each(judged: Judged) -> str:
    """The words that ask for several rows; empty without any."""
    words = lower_words(judged.question)
    inside = judged.tree.find(exp.Group, exp.Distinct) is not None and not _counts_distinct(judged)
    inside = inside or any(
        node.args.get("partition_by") for node in judged.tree.find_all(exp.Window)
    )
    each = [w for w in has(judged.question, EACH) if w != "per" or not _is_of_rate(judged, words)]
    each = [w for w in each if not _is_of_rows(judged, words, w) and w in _last_sentence(judged)]
    if each and not inside:
        return each[0]
    if judged.tree.find(exp.Group) is not None:
        return ""
    known_tokens = tokens(judged.question)
    for place, token in enumerate(known_tokens[:-1]):
        before = known_tokens[place - 1] if place else None
        done = before is not None and _DONE.search(before.lower)  # "owned by", but "grouped by"
        after = [t.lower for t in known_tokens[place + 1 : place + 4]]
        other = done or _is_what_orders(judged, known_tokens[:place]) or _is_a_value(judged, after)
        if token.lower == "by" and not other and _names_a_group(judged, after):
            return f"by {after[0]}"
    return _find_two_entities(judged, " ".join(words))


def _is_what_orders(judged: Judged, before: Sequence[Token]) -> bool:
    """Whether "by" follows what comes first, and something is ordered: "the three biggest by
    sales"."""
    first = {token.lower for token in before[-_NEAR:]} & (DOWN | UP | _ORDERING)
    return bool(first) and judged.tree.find(exp.Order, exp.Max, exp.Min) is not None


def _is_a_value(judged: Judged, after: Sequence[str]) -> bool:
    """Whether "by" is said of a value that is looked for: "flights by Delta"."""
    texts = {
        word
        for node in judged.tree.find_all(exp.Literal)
        if node.is_string
        for word in words_of(node.name)
    }
    return bool({word for word in after[:2] if word.isalpha()} & texts)


def _counts_distinct(judged: Judged) -> bool:
    """Whether DISTINCT stands in aggregates alone, and nothing is grouped."""
    every = list(judged.tree.find_all(exp.Distinct))
    inner = all(isinstance(node.parent, exp.AggFunc) for node in every)
    return inner and judged.tree.find(exp.Group) is None


def _find_two_entities(judged: Judged, text: str) -> str:
    """Words that ask for a thing with its number, where one number is given."""
    several = len(judged.tree.selects) > 1 or judged.tree.find(exp.Filter, exp.Case, exp.Sub)
    if several:
        return ""
    both = _AND_NUMBER.search(text)
    if both and not _A_NUMBER_FIRST.search(text[: both.end()]):
        return both.group()
    found = _GROUPED.search(text) or _EITHER.search(text)
    return found.group() if found else ""


def _is_of_rate(judged: Judged, words: list[str]) -> bool:
    """Whether "per" belongs to a rate: "per head", "hits per game" as a quotient."""
    after = words[words.index("per") + 1 :][:1]
    if after and (after[0].replace(",", "").isdigit() or _is_in_a_name(judged, after[0])):
        return True  # "per 1,000 people", a column "price per unit"
    divided = judged.tree.find(exp.Avg, exp.Div) is not None and not set(words) & MEAN
    over = any(node.expression.find(exp.AggFunc) for node in judged.tree.find_all(exp.Div))
    return divided or over or bool(set(after) & _NO_GROUP)


def _is_in_a_name(judged: Judged, word: str) -> bool:
    """Whether what is aggregated is called after a word, as a price per unit is, or has it in its
    unit."""
    columns = [c for b in judged.blocks for a in b.aggregates for c in a.find_all(exp.Column)]
    found = [o.column for b in judged.blocks for c in columns if (o := b.origin(c)) is not None]
    texts = {w for column in found for w in (*words_of(column.name), *words_of(column.unit))}
    return stem(word) in {stem(one) for one in texts}


def _last_sentence(judged: Judged) -> list[str]:
    """The words of the sentence that says what is to be told; those before say how to get there."""
    return lower_words(re.split(r"[.?!]\s+(?=[A-Z])", judged.question.strip())[-1])


def _is_of_rows(judged: Judged, words: list[str], each: str) -> bool:
    """Whether each row of the only table is what follows a word: a mean "per nest" of nests."""
    read = [t for block in judged.blocks for t in block.tables]
    after = words[words.index(each) + 1 :][:1]
    frequency = set(after) & _PARTS and judged.tree.find(exp.Literal) is not None
    if set(after) == {"other"} or (each != "per" and frequency):
        return True  # "each other", "every day" as a value
    if not after or judged.tree.find(exp.Avg, exp.Median) is None:
        return False
    return any(_has_one_row_a(judged, table, after[0]) for table in _averaged(judged)) or (
        len(read) == 1 and stem(after[0]) == stem(words_of(read[0].name)[-1])
    )


def _averaged(judged: Judged) -> list[Table]:
    """The tables of which something is averaged."""
    found = []
    for block in judged.blocks:
        for node in block.aggregates:
            origins = map(block.origin, node.find_all(exp.Column))
            found += [origin.table for origin in origins if origin is not None]
    return list(dict.fromkeys(found))


def _has_one_row_a(judged: Judged, table: Table, word: str) -> bool:
    """Whether rows of a table are told apart by what a word names, so that a mean over rows is one
    per that: an order by its id, a day by its date."""
    keys = [key for key in keys_of_source(table, judged.catalogue) if len(key) == 1]
    for name in (name for key in keys for name in key):
        column = column_of(table, name)
        if column is None:
            continue
        day = word == "day" and column.data_type is DataType.DATE
        if day or stem(word) in {stem(w) for w in words_of(column.name)}:
            return True
    return False


def _names_a_group(judged: Judged, after: list[str]) -> bool:
    """Whether words after "by" are of a table or a column that is read, or of a part of a date."""
    if after[:1] in (["how"], ["the"]):
        after = after[1:] if after[0] == "the" else []
    if set(after[:2]) & _PARTS:
        return True
    named = [t for b in judged.blocks for t in b.tables]
    words = {w for t in named for c in t.columns for w in words_of(c.name)}
    words |= {w for t in judged.catalogue.tables for w in words_of(t.name)}
    return any(likeness(text, word) >= _ALIKE for text in after[:2] for word in words)


GRAIN = Rule(
    "S01",
    "grain",
    Severity.DOUBT,
    "The rows of the result are not one for each of what the question says.",
    _grain,
    (
        Example(
            SHOP,
            ("SELECT sum(freight) FROM orders", "SELECT count(DISTINCT customer_id) FROM orders"),
            ("SELECT region, sum(freight) FROM orders GROUP BY region",),
            question="What is the total freight of each region?",
        ),
        Example(
            SHOP,
            ("SELECT sum(freight) FROM orders",),
            (
                "SELECT region, sum(freight) FROM orders GROUP BY region",
                "SELECT region, sum(freight) OVER (PARTITION BY region) FROM orders",
            ),
            question="freight by region",
        ),
        Example(
            SHOP,
            (),
            (
                "SELECT sum(freight) FILTER (WHERE month(ordered) = 2) - "
                "sum(freight) FILTER (WHERE month(ordered) = 1) FROM orders",
            ),
            question="By how much did freight change from January to February?",
        ),
        Example(
            SHOP,
            ("SELECT 100.0 * sum(freight) / sum(sum(freight)) OVER () FROM orders",),
            (
                "SELECT sum(freight) FILTER (WHERE region = 'North') AS north, sum(freight) "
                "FILTER (WHERE region = 'South') AS south FROM orders",
            ),
            question="freight of each region, in columns",
        ),
        Example(
            SHOP,
            ("SELECT count(*) FROM orders",),
            ("SELECT region, count(*) FROM orders GROUP BY region",),
            question="Show all regions and the number of orders.",
        ),
        Example(
            SHOP,
            ("SELECT avg(freight) FROM orders WHERE region IN ('North', 'South')",),
            (
                "SELECT region, avg(freight) FROM orders WHERE region IN ('North', 'South') GROUP "
                "BY region",
            ),
            question="average freight north vs south",
        ),
        Example(
            SHOP,
            (),
            ("SELECT sum(freight) / count(*) FROM orders",),
            question="What is the freight per head?",
        ),
        Example(
            SHOP,
            (),
            ("SELECT count(*) FROM orders JOIN customers USING (customer_id) WHERE name = 'Ada'",),
            question="How many orders were placed by customer Ada?",
        ),
    ),
)
RULES = (GRAIN,)
