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
        r"except|excluding|exclude|leave out|leaving out|ignoring|ignore|remove|drop",
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
        r"(?:for |of |in |over )?(?:all|any|every)(?: of)?(?: the)?|whatever(?: the)?|"
        r"regardless of(?: the)?|no matter(?: which| what)?",
        Move.LIFTED,
        examples=("for all countries", "whatever the status"),
    ),
    Rule(
        "split by",
        r"(?:split |group |grouped |broken down |divided )?(?:by|per|across)|for (?:each|every)|"
        r"in each|of each",
        Move.SPLIT,
        examples=("by ship country", "per month", "for each team"),
    ),
    Rule(
        "plainly",
        r"but|only|just|for|in|of|from|with|where|during|as|to|on|i mean|i meant|meant|rather|"
        r"should be|use|take|make it|count|counting|show",
        Move.PLAIN,
        examples=("only 1997", "i meant net price", "as a line chart"),
    ),
)

ADDING: tuple[Rule[bool], ...] = (
    Rule(
        "beside what is there",
        r"also|as well(?: as)?|too|in addition|additionally|plus|add",
        True,
        examples=("also by month", "by region as well"),
    ),
)

DIRECTIONS: tuple[Rule[bool], ...] = (
    Rule(
        "the other end first",
        r"(?:the )?(?:lowest|least|fewest|smallest|shortest|cheapest|earliest|oldest)(?: ones?)?"
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

IDLE = frozenset(
    """no nope nah sorry actually oh ok okay well hm please and then now what how about it that this
    mean meant i want wanted should be instead the a an same again one ones number numbers of rows
    chart graph plot first yes thanks use only people persons those who things
    items records""".split()
)
"""Words that say that something is changed, and not what."""
