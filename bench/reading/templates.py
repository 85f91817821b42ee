"""Ways of asking short questions, each with the SQL (SQLite's) that it means.

A template takes a table with what may be asked of it; one more is one more function in `TEMPLATES`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Table
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_OPENINGS = ("", "", "", "show me the ", "what is the ", "give me the ", "list the ")
_BY = ("by", "per", "for each", "in each", "by", "across")


@dataclass(frozen=True)
class Short:
    """A question with the SQL (SQLite's) that it means.

    `sorted_by` gives what decides which come first, best first and one more than are asked for.
    """

    question: str
    sql: str
    sorted_by: str = ""


@dataclass(frozen=True)
class Asked:
    """One table with what may be asked of it, and the dice that choose."""

    table: Table
    entities: str
    entity: str
    measured: Sequence[Place]
    split: Sequence[Place]
    names: Sequence[Place]
    days: Sequence[Place]
    dice: random.Random

    def pick(self, places: Sequence[Place]) -> Place:
        """One of them."""
        return self.dice.choice(list(places))


def plural(word: str) -> str:
    """The word for several, as far as endings tell."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("x", "ch", "sh")) else "s")


def _describe_place(place: Place) -> str:
    return readable(place.column.name).lower()


def _sql(place: Place) -> str:
    return f'"{place.column.name}"'


def _from(of: Asked) -> str:
    return f'FROM "{of.table.name}"'


def _counted(of: Asked) -> Short:
    by, at = of.pick(of.split), of.dice.choice(_BY)
    how = of.dice.choice(("number of {}", "how many {}", "count of {}", "{}", "count {}"))
    return Short(
        f"{how.format(of.entities)} {at} {_describe_place(by)}",
        f"SELECT {_sql(by)}, COUNT(*) {_from(of)} GROUP BY 1",
    )


def _total(of: Asked) -> Short | None:
    amounts = [p for p in of.measured if p.kind is Kind.AMOUNT]
    if not amounts:
        return _average(of)
    what, by = of.pick(amounts), of.pick(of.split)
    how = of.dice.choice(("total {}", "{}", "sum of {}", "total {}", "overall {}"))
    opening = of.dice.choice(_OPENINGS)
    return Short(
        f"{opening}{how.format(_describe_place(what))} {of.dice.choice(_BY)} {_describe_place(by)}",
        f"SELECT {_sql(by)}, SUM({_sql(what)}) {_from(of)} GROUP BY 1",
    )


def _average(of: Asked) -> Short:
    what, by = of.pick(of.measured), of.pick(of.split)
    how = of.dice.choice(("average {}", "mean {}", "avg {}", "typical {}", "average {}"))
    opening = of.dice.choice(_OPENINGS)
    return Short(
        f"{opening}{how.format(_describe_place(what))} {of.dice.choice(_BY)} {_describe_place(by)}",
        f"SELECT {_sql(by)}, AVG({_sql(what)}) {_from(of)} GROUP BY 1",
    )


def _overall(of: Asked) -> Short:
    what = of.pick(of.measured)
    word, function = of.dice.choice(
        (("average", "AVG"), ("highest", "MAX"), ("lowest", "MIN"), ("maximum", "MAX"))
    )
    asked = of.dice.choice(("what's the {} {}", "{} {}", "{} {} of the {things}"))
    return Short(
        asked.format(word, _describe_place(what), things=of.entities),
        f"SELECT {function}({_sql(what)}) {_from(of)}",
    )


def _whole_count(of: Asked) -> Short:
    asked = of.dice.choice(
        ("how many {} are there", "number of {}", "how many {} do we have?", "count the {}")
    )
    return Short(asked.format(of.entities), f"SELECT COUNT(*) {_from(of)}")


def _above(of: Asked) -> Short:
    what = of.pick(of.measured)
    word, sign = of.dice.choice(
        (("over", ">"), ("above", ">"), ("under", "<"), ("below", "<"), ("at least", ">="))
    )
    low, high = float(what.column.minimum or 0), float(what.column.maximum or 1)
    limit = f"{low + (high - low) * of.dice.choice((0.3, 0.5, 0.6)):.3g}"
    number = f"{float(limit):g}"
    asked = of.dice.choice(
        (
            "how many {} have a {what} {word} {n}",
            "number of {} with {what} {word} {n}",
            "how many {} with {what} {word} {n}",
        )
    )
    return Short(
        asked.format(of.entities, what=_describe_place(what), word=word, n=number),
        f"SELECT COUNT(*) {_from(of)} WHERE {_sql(what)} {sign} {number}",
    )


def _of_value(of: Asked) -> Short | None:
    by = of.pick(of.split)
    values = [v for v in by.column.samples if len(v) > 2 and v.replace(" ", "").isalpha()]
    if not values:
        return None
    value, what = of.dice.choice(values), of.pick(of.measured)
    where = f"WHERE {_sql(by)} = '{value}'"
    return of.dice.choice(
        (
            Short(
                f"how many {of.entities} have {_describe_place(by)} {value}",
                f"SELECT COUNT(*) {_from(of)} {where}",
            ),
            Short(
                f"average {_describe_place(what)} of {value} {of.entities}",
                f"SELECT AVG({_sql(what)}) {_from(of)} {where}",
            ),
            Short(
                f"number of {value.lower()} {of.entities}",
                f"SELECT COUNT(*) {_from(of)} {where}",
            ),
        )
    )


def _cut(question: str, shown: str, key: str, rest: str, limit: int) -> Short:
    return Short(
        question, f"SELECT {shown} {rest} LIMIT {limit}", f"SELECT {key} {rest} LIMIT {limit + 1}"
    )


def _first(of: Asked) -> Short | None:
    if not of.names:
        return None
    name, what = of.pick(of.names), of.pick(of.measured)
    word, direction = of.dice.choice(
        (("highest", "DESC"), ("largest", "DESC"), ("lowest", "ASC"), ("smallest", "ASC"))
    )
    asked, limit = of.dice.choice(
        (("which {} has the {} {}", 1), ("{} with the {} {}", 1), ("the 3 {} with the {} {}", 3))
    )
    entity = of.entity if limit == 1 else of.entities
    return _cut(
        asked.format(entity, word, _describe_place(what)),
        _sql(name),
        _sql(what),
        f"{_from(of)} WHERE {_sql(what)} IS NOT NULL ORDER BY {_sql(what)} {direction}",
        limit,
    )


def _top(of: Asked) -> Short:
    by, what = of.pick(of.split), of.pick(of.measured)
    function = "SUM" if what.kind is Kind.AMOUNT else "AVG"
    text = (
        f"total {_describe_place(what)}"
        if function == "SUM"
        else f"average {_describe_place(what)}"
    )
    asked, limit = of.dice.choice(
        (
            ("top 3 {by} by {said}", 3),
            ("which {by} has the highest {said}", 1),
            ("{by} with the highest {said}", 1),
        )
    )
    key = f"{function}({_sql(what)})"
    return _cut(
        asked.format(by=_describe_place(by), said=text),
        _sql(by),
        key,
        f"{_from(of)} GROUP BY {_sql(by)} ORDER BY {key} DESC",
        limit,
    )


def _most(of: Asked) -> Short:
    by = of.pick(of.split)
    asked = of.dice.choice(("which {by} has the most {s}", "most common {by} of {s}"))
    return _cut(
        asked.format(by=_describe_place(by), s=of.entities),
        _sql(by),
        "COUNT(*)",
        f"{_from(of)} WHERE {_sql(by)} IS NOT NULL GROUP BY {_sql(by)} ORDER BY COUNT(*) DESC",
        1,
    )


def _each_month(of: Asked) -> Short | None:
    if not of.days:
        return None
    day, (word, form) = (
        of.pick(of.days),
        of.dice.choice((("month", "%Y-%m-01"), ("year", "%Y-01-01"))),
    )
    asked = of.dice.choice(("number of {s} by {w}", "{s} per {w}", "how many {s} each {w}"))
    return Short(
        asked.format(s=of.entities, w=word),
        f"SELECT strftime('{form}', {_sql(day)}), COUNT(*) {_from(of)} GROUP BY 1",
    )


def _two_ways(of: Asked) -> Short | None:
    if len(of.split) < 2:
        return None
    (one, two), what = of.dice.sample(list(of.split), 2), of.pick(of.measured)
    return Short(
        f"average {_describe_place(what)} by {_describe_place(one)} and {_describe_place(two)}",
        f"SELECT {_sql(one)}, {_sql(two)}, AVG({_sql(what)}) {_from(of)} GROUP BY 1, 2",
    )


def _over_time(of: Asked) -> Short | None:
    """Of each month and group, or of the groups of a year."""
    amounts = [p for p in of.measured if p.kind is Kind.AMOUNT]
    days = [p for p in of.days if str(p.column.maximum or "")[:4].isdigit()]
    if not amounts or not days:
        return None
    what, by, day = of.pick(amounts), of.pick(of.split), of.pick(days)
    year = str(day.column.maximum)[:4]
    total, group = f"SUM({_sql(what)})", _sql(by)
    where = f"WHERE strftime('%Y', {_sql(day)}) = '{year}'"
    month = f"strftime('%Y-%m-01', {_sql(day)})"
    asked, monthly = of.dice.choice(
        (
            ("monthly {what} by {by} in {year}", True),
            ("{what} by month and {by} in {year}", True),
            ("total {what} per month by {by} in {year}", True),
            ("{what} by {by} in {year}", False),
        )
    )
    question = asked.format(what=_describe_place(what), by=_describe_place(by), year=year)
    if monthly:
        return Short(
            question, f"SELECT {month}, {group}, {total} {_from(of)} {where} GROUP BY 1, 2"
        )
    return Short(question, f"SELECT {group}, {total} {_from(of)} {where} GROUP BY 1")


def _different(of: Asked) -> Short:
    by = of.pick(of.split)
    asked = of.dice.choice(("how many different {by} are there", "number of distinct {by}"))
    return Short(
        asked.format(by=plural(_describe_place(by))),
        f"SELECT COUNT(DISTINCT {_sql(by)}) {_from(of)}",
    )


TEMPLATES: tuple[Callable[[Asked], Short | None], ...] = (
    _counted,
    _total,
    _average,
    _above,
    _first,
    _each_month,
    _of_value,
    _top,
    _whole_count,
    _total,
    _most,
    _two_ways,
    _overall,
    _counted,
    _different,
    _average,
    _over_time,
)
