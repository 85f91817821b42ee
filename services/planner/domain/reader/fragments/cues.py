"""What the words of a fragment do to a reading, before any of them names data."""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.reader.grammar.rules import Rule


class Move(StrEnum):
    """What is done with what the words after a cue name."""

    SPLIT = "split"  # numbers are split by it
    GONE = "gone"  # it is what was not meant
    LIFTED = "lifted"  # conditions on it are taken away
    PLAIN = "plain"  # as its kind has it


MOVES: tuple[Rule[Move], ...] = (
    Rule(
        "not what was meant",
        r"instead of|rather than|in place of|not(?: counting| including)?|but not|and not|without|"
        r"except|excluding|exclude|leave out|leaving out|take out|taking out|get rid of|"
        r"forget(?: about)?|hide|(?:do not|don't) (?:count|include|show)|ignoring|ignore|skip|"
        r"minus|apart from|other than|remove|drop",
        Move.GONE,
        examples=(
            "by country instead of by city",
            "not by city",
            "without cancelled ones",
            "exclude cancelled ones",
            "drop the city",
            "not counting cancelled ones",
        ),
    ),
    Rule(
        "for all",
        r"(?:for |of |in |over |back to )?(?:all|any|every)(?: of)?(?: the)?|whatever(?: the)?|"
        r"regardless of(?: the)?|no matter(?: which| what)?",
        Move.LIFTED,
        examples=("for all countries", "whatever the status", "back to all countries"),
    ),
    Rule(
        "split by",
        r"(?:(?:split|group|grouped|break|broken|divide|divided)(?: (?:it|that|this|them|these|"
        r"those))?(?: (?:down|up|out))? )?(?:by|per|across)|for (?:each|every)|"
        r"in each|of each",
        Move.SPLIT,
        examples=("by ship country", "per month", "for each team", "split it by hour"),
    ),
    Rule(
        "plainly",
        r"but|only|just|going to|coming from|living in|based in|for|in|of|from|with|where|during|"
        r"as|to|on|i mean|i meant|meant|rather|should be|use|take|make it|count|counting|"
        r"show",
        Move.PLAIN,
        examples=("only 1997", "i meant net price", "as a line chart"),
    ),
)

ADDING: tuple[Rule[bool], ...] = (
    Rule(
        "beside what is there",
        r"also|as well(?: as)?|too|in addition|additionally|plus|add|alongside|"
        r"(?:put |with )?(?:next to|beside|alongside) (?:it|that|this|them|these|those)|"
        r"(?:split|break|divide) (?:it|that|this|them|these|those)(?: (?:down|up|out))?(?= by\b)",
        True,
        examples=("also by month", "by region as well", "split it by hour"),
    ),
)

ALTOGETHER: tuple[Rule[bool], ...] = (
    Rule(
        "over all groups",
        r"in total|in all|in sum|altogether|all together|overall|"
        r"(?:sum|add) (?:it|them|these|those|that|this|everything|(?:both|all)(?: (?:the )?"
        r"(?:columns|rows|numbers|figures))?|the (?:columns|rows|numbers|figures)) (?:all )?up|"
        r"(?:is|are|was|were) (?:that|those|these|they|this|it)(?: \?)?$",
        True,
        examples=("how many is that in total", "how many orders is that altogether", "sum them up"),
    ),
)

APART: tuple[Rule[bool], ...] = (
    Rule(
        "a group for each",
        r"separately|separated|apart|side by side|individually|on (?:their|its) own",
        True,
        examples=("males and females separately", "kiel and rome side by side"),
    ),
)
"""Values said so are groups beside one another, no condition."""

SO_MANY: tuple[Rule[str], ...] = (
    Rule(
        "so many of the first",
        r"^(?:make (?:it|that|them)|only|just|show)(?: me)?(?: the)? {number}(?: instead)?$",
        "few",
        examples=("make it 5", "just 3"),
    ),
    Rule(
        "so many instead",
        r"^(?:no|and|now)?(?: ?,)? ?(?:the |top |first )?{number} instead(?: of {number2})?",
        "few",
        examples=("10 instead", "5 instead of 10"),
    ),
)
"""How many of the first are shown, where some are already."""

_WHICH = (
    r"^(?:and |so |but )?(?:which|who|what)(?: #?ones?| of (?:these|those|them|that))?(?: {word})?"
    " (?:the )?"
)
BEST: tuple[Rule[str], ...] = (
    Rule(
        "so many best",
        r"^(?:only |just )?(?:the )?{number} best(?: sellers?| ones?)?(?: only)?$",
        "few",
        examples=("the 5 best sellers only", "3 best"),
    ),
)

AT_AN_END: tuple[Rule[bool], ...] = (
    Rule(
        "the last of all",
        rf"{_WHICH}(?:least|fewest|lowest|smallest|shortest|poorest|cheapest|lightest|slowest|"
        r"worst|youngest|coldest)(?: ?\?)?$",
        False,
        examples=("who sold the least", "which one is lowest"),
    ),
    Rule(
        "the first of all",
        rf"{_WHICH}(?:most|highest|largest|biggest|longest|greatest|best|richest|tallest|"
        r"heaviest|fastest|oldest|hottest|busiest)(?: ?\?)?$",
        True,
        examples=("who handled the most?", "which has the most", "which of them is the largest"),
    ),
)
"""One alone of what is in sight, by its number."""

LISTED: tuple[Rule[bool], ...] = (
    Rule(
        "the rows themselves",
        r"^(?:and |so |please |ok )?(?:list|show|name|give)(?: me)? (?:them|these|those)"
        r"(?: all)?(?: please)?$|^(?:and |so )?(?:which|what|who) (?:are|were) (?:they|these|those|"
        r"them)(?: ?\?)?$",
        True,
        examples=("list them", "show me those", "which are they?"),
    ),
)
"""What was counted, by its names."""

NOT_FEW: tuple[Rule[bool], ...] = (
    Rule(
        "all, not the first few",
        r"not (?:just|only) (?:the )?(?:top |first )?{number}",
        True,
        examples=("not just 3", "no, all of them, not only the top 5"),
    ),
)

LYING: tuple[Rule[bool], ...] = (
    Rule(
        "bars that lie",
        r"(?:horizontal|vertical)(?= bars?\b)",
        True,
        examples=("as a horizontal bar chart",),
    ),
)

DIRECTIONS: tuple[Rule[bool], ...] = (
    Rule(
        "the other end first",
        r"(?:the )?(?:lowest|least|fewest|smallest|shortest|earliest|oldest)(?: ones?)?"
        r"(?: first)?|ascending|from (?:the )?lowest|bottom",
        False,
        examples=("the lowest first", "the fewest"),
    ),
    Rule(
        "the highest first",
        r"(?:the )?(?:highest|most|largest|biggest|longest|latest|newest)(?: ones?)?(?: first)?|"
        r"descending|from (?:the )?highest|top",
        True,
        examples=("the highest first", "top 5"),
    ),
)

SPECIFIC: tuple[Rule[bool], ...] = (
    Rule(
        "more of what is measured first",
        r"(?:the )?(?:most expensive|most valuable|priciest|dearest|costliest|richest|wealthiest|"
        r"tallest|heaviest|fastest|hottest|warmest|strongest|busiest)(?: ones?)?(?: first)?",
        True,
        examples=("most expensive first", "the richest first"),
    ),
    Rule(
        "less of what is measured first",
        r"(?:the )?(?:least expensive|least valuable|cheapest|poorest|lightest|slowest|coldest|"
        r"weakest)(?: ones?)?(?: first)?",
        False,
        examples=("the poorest first",),
    ),
)
"""Ends of what is measured, which say nothing of how many rows there are."""

IDLE = frozenset(
    """no nope nah sorry actually oh ok okay well hm please and then now what how about it that this
    mean meant i want wanted should be instead the a an same again one ones number numbers of rows
    chart graph plot first yes thanks use only people persons those who things
    items records alone back go look like did can could see have get i we you their its
    thing came comes zoom need like put pls list anything everything something""".split()
)
"""Words that say that something is changed, and not what."""
