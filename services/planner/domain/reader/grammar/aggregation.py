"""What is made of many values: an average, a total, an extreme, how many, how many kinds."""

from __future__ import annotations

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.grammar.rules import Rule

RULES: tuple[Rule[Aggregate], ...] = (
    Rule(
        "average",
        r"averages?|avg|mean|typical|on average",
        Aggregate.AVERAGE,
        examples=("average price by type",),
    ),
    Rule(
        "median",
        r"medians?|middle|mid ?point",
        Aggregate.MEDIAN,
        examples=("median salary", "the middle fare"),
    ),
    Rule(
        "deviation",
        r"standard deviations?|std(?:ev|dev)?|st dev|sds?|stddev",
        Aggregate.DEVIATION,
        examples=("standard deviation of salary",),
    ),
    Rule(
        "total",
        r"total|sum|sums|combined|overall|altogether|totals|summed|cumulative",
        Aggregate.SUM,
        examples=("total sales by year",),
    ),
    Rule(
        "minimum",
        r"min|minimum|minimal|smallest|lowest|least|shortest|youngest|cheapest|earliest|"
        r"fewest|lightest|slowest|worst",
        Aggregate.MINIMUM,
        examples=("lowest price of each type",),
    ),
    Rule(
        "maximum",
        r"max|maximum|maximal|largest|highest|most|longest|oldest|biggest|greatest|latest|"
        r"heaviest|tallest|best|fastest|top|newest",
        Aggregate.MAXIMUM,
        examples=("highest price of each type",),
    ),
    Rule(
        "count",
        r"how many|number|count|counts|amount|numbers|frequency|no of|head ?count",
        Aggregate.COUNT,
        examples=("how many orders", "number of orders by region"),
    ),
    Rule(
        "kinds",
        r"(?:different|distinct|unique)(?: \w+)?",
        Aggregate.COUNT_DISTINCT,
        examples=("how many different countries",),
    ),
)

_MIDDLE = r"(?:averages?|avg|mean|median|typical)"
_SPEND = r"(?:spend|spending|expenditure|outlay)"
OF_ENTITIES: tuple[Rule[str], ...] = (
    Rule(
        "number per thing",
        rf"{_MIDDLE} (?:number|count) of {{word}} (?:per|for each|of each|by each) (?P<thing>\S+)",
        "number",
        examples=("average number of orders per customer",),
    ),
    Rule(
        "amount per thing",
        rf"{_MIDDLE} (?:\w+ ){{1,3}}?per (?P<thing>\S+)",
        "amount",
        examples=("average revenue per order",),
    ),
    Rule(
        "worth of a thing",
        rf"(?:{_MIDDLE}|maximum|highest|largest|biggest|minimum|lowest|smallest) (?P<thing>\S+)"
        r" (?:values?|worth|totals?)",
        "amount",
        examples=("average order value",),
    ),
    Rule(
        "what each thing spends",
        rf"{_MIDDLE} (?P<thing>\S+) {_SPEND}|(?P<things>\S+) {_MIDDLE} {_SPEND}"
        rf"|{_MIDDLE} {_SPEND} (?:of|by) (?:an? |the |our |each |all )?(?P<of>\S+)"
        r"|how much (?:do|does|did) (?:an? |the |our |each )?(?P<who>\S+) (?:spend|pay) on average",
        "spend",
        examples=("customers' average spend", "how much does a customer spend on average"),
    ),
)
"""Averages over things of what their rows come to."""
