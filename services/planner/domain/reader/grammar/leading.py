"""What tells that the first or the last of each is wanted: "the latest reading per station"."""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.reader.grammar.rules import Rule

# "highest first", "from best to worst" sort, and do not pick.
_NO_ORDER = r"(?! (?:first|last|to|of all)\b)"
# "last month", "the first 3 weeks" are times, and "first name" is a column.
_NO_SPAN = (
    r"(?! (?:first|to|name|names|time|half|few)\b"
    r"| (?:#\S+ )?(?:year|month|week|quarter|day|hour|term"
    r"|season|decade|night|minute)s?\b)"
)


class End(StrEnum):
    """Which end of each group is spoken of."""

    LATEST = "latest"
    EARLIEST = "earliest"
    COMMONEST = "commonest"
    HIGHEST = "highest"
    LOWEST = "lowest"


EACH: tuple[Rule[bool], ...] = (
    Rule(
        "of each",
        r"(?:each|every|per)(?: single)?(?: of (?:the|our|my))?",
        True,
        examples=("the last price of each symbol", "latest reading per station"),
    ),
    Rule(
        "by",
        r"by(?! (?:number|count|total|average|most|the))",
        False,
        examples=("top 2 students by class",),
    ),
)

DAY_OF_END: tuple[Rule[End], ...] = (
    Rule(
        "when the last was",
        r"^when (?:was|were|did|is|has) (?:\S+ ){0,4}?(?:last|latest|most recent|newest)"
        r"(?! (?:year|month|week|quarter|day)s?\b)",
        End.LATEST,
        examples=("when was the last order", "when did we make the latest sale"),
    ),
    Rule(
        "when the first was",
        r"^when (?:was|were|did|is|has) (?:\S+ ){0,4}?(?:first|earliest|oldest)"
        r"(?! (?:year|month|week|quarter|day)s?\b)",
        End.EARLIEST,
        examples=("when was the first order shipped",),
    ),
)
"""The day of an end is asked for, and not what happened on it."""

ENDS: tuple[Rule[End], ...] = (
    Rule(
        "latest",
        rf"(?:latest|last|most recent|newest|final|most recently){_NO_SPAN}",
        End.LATEST,
        examples=("the latest reading per station", "last price of each symbol"),
    ),
    Rule(
        "earliest",
        rf"(?<!est )(?<!most )(?:earliest|first|initial){_NO_SPAN}",
        End.EARLIEST,
        examples=("first order of each customer",),
    ),
    Rule(
        "commonest",
        r"most often|most frequently|most times|busiest|commonest|most common|most popular"
        r"|most frequent|most (?:\w+ )?(?:times|often)",
        End.COMMONEST,
        examples=("which driver delivers most often in each town",),
    ),
    Rule(
        "lowest",
        r"(?:(?<!at )least|smallest|lowest|fewest|minimum|youngest|shortest|cheapest|lightest"
        r"|worst|slowest"
        rf"|coldest|bottom|rarest){_NO_ORDER}",
        End.LOWEST,
        examples=("the cheapest room of every hotel",),
    ),
    Rule(
        "highest",
        r"(?:(?<!at )most|top|best"
        r"|(?!rest|test|guest|interest|request|forest|lowest|harvest)\w{3,}est)"
        rf"{_NO_ORDER}",
        End.HIGHEST,
        examples=("the most expensive product in each category", "top 2 scorers per team"),
    ),
)

DAY_OF_MOST = "day with the most"
WHEN: tuple[Rule[bool], ...] = (
    Rule(
        "which day",
        r"(?:which|what|worst|best|(?!rest)\w{3,}est|most \w+)"
        r" (?:day|month|year|week|hour|quarter|season|weekday)",
        True,
        examples=("the hottest day", "which month was the busiest"),
    ),
    Rule(
        DAY_OF_MOST,
        r"(?:highest|lowest|biggest|largest|smallest|most|least|top|peak) (?:\w+ ){1,2}"
        r"(?:day|month|year|week|hour|quarter|season|weekday)",
        True,
        examples=("highest volume day for BBB", "the lowest revenue month"),
    ),
)
