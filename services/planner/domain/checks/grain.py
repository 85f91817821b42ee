"""Whether the rows of a result are one for each of what the question says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.checks.asked import EACH, MEAN, has, lower_words, tokens
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.rule import Example, Rule, Suspicion, certain
from services.planner.domain.checks.statement import Judged
from services.planner.domain.reader.links.names import likeness, words_of
from services.planner.domain.reader.words.tokens import stem

_ALIKE = 0.65
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
    said = tokens(judged.question)
    for place, token in enumerate(said[:-1]):
        before = said[place - 1] if place else None
        done = before is not None and _DONE.search(before.lower)  # "owned by", but "grouped by"
        after = [t.lower for t in said[place + 1 : place + 4]]
        if token.lower == "by" and not done and _names_a_group(judged, after):
            return f"by {after[0]}"
    return _two_things(judged, " ".join(words))


def _counts_distinct(judged: Judged) -> bool:
    """Whether DISTINCT stands in aggregates alone, and nothing is grouped."""
    every = list(judged.tree.find_all(exp.Distinct))
    inner = all(isinstance(node.parent, exp.AggFunc) for node in every)
    return inner and judged.tree.find(exp.Group) is None


def _two_things(judged: Judged, text: str) -> str:
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
    divided = judged.tree.find(exp.Avg, exp.Div) is not None and not set(words) & MEAN
    over = any(node.expression.find(exp.AggFunc) for node in judged.tree.find_all(exp.Div))
    return divided or over or bool(set(after) & _NO_GROUP)


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
    if len(read) != 1 or not after or judged.tree.find(exp.Avg, exp.Median) is None:
        return False
    return stem(after[0]) == stem(words_of(read[0].name)[-1])


def _names_a_group(judged: Judged, after: list[str]) -> bool:
    """Whether words after "by" are of a table or a column that is read, or of a part of a date."""
    if after[:1] in (["how"], ["the"]):
        after = after[1:] if after[0] == "the" else []
    if set(after[:2]) & _PARTS:
        return True
    named = [t for b in judged.blocks for t in b.tables]
    words = {w for t in named for c in t.columns for w in words_of(c.name)}
    words |= {w for t in judged.catalogue.tables for w in words_of(t.name)}
    return any(likeness(said, word) >= _ALIKE for said in after[:2] for word in words)


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
