"""Words that tell of groups, alternatives and sets: "each", "both", "or"."""

from __future__ import annotations

from services.planner.domain.reader.grammar.rules import Rule

RULES: tuple[Rule[str], ...] = (
    Rule(
        "each",
        r"each|every|per|by|across|for all|grouped?|distribution|proportion"
        r"|in different|of different|from different",
        "each",
        examples=("orders for each customer",),
    ),
    Rule(
        "not",
        r"not|no|never|without|none|except|but|neither|cannot|nor|excluding|nobody|nothing|zero|lack"
        r"|lacks|lacking|missing|unused|unsold",
        "not",
        examples=("students who do not have pets",),
    ),
    Rule("or", r"or|either", "or", examples=("in Paris or Rome",)),
    Rule("both", r"both|and also|as well as", "both", examples=("both cats and dogs",)),
    Rule(
        "share",
        r"share|percentage|(?<!\d )percent|proportion|fraction|(?<!\d )% of|what %|rate"
        r"|(?:what|which) part|how much of|odds|chance|(?<!\d )%",
        "share",
        examples=("share of clutches completed", "what % of orders got cancelled"),
    ),
    Rule(
        "at least",
        r"at least|more than|at most|less than|fewer than|or more",
        "at least",
        examples=("at least 3 orders",),
    ),
)

BY_NUMBER: tuple[Rule[str], ...] = (
    Rule(
        "for each number of",
        r"(?:by|per|for each|for every|across|depending on|vs|versus) (?:the )?"
        r"(?:number|numbers|no|amount|count) of (?:the )?{word}",
        "each",
        examples=("average price by number of bedrooms",),
    ),
)

SINGLE: tuple[Rule[bool], ...] = (
    Rule(
        "a single one",
        r"(?:(?:only|just|but) )?a single",
        True,
        examples=("customers with a single order",),
    ),
)
"""One and no more, without a number that says so."""

MOST_OF_ALL: tuple[Rule[bool], ...] = (
    Rule(
        "the highest share",
        r"(?:highest|lowest|largest|smallest|biggest|greatest|most|least|top)"
        r" (?:share|percentage|percent|proportion|fraction|%|rate)s? of",
        True,
        examples=("which region has the highest proportion of smokers",),
    ),
)
"""The end of what shares are sought."""

AS_PART: tuple[Rule[bool], ...] = (
    Rule(
        "as a part of",
        r"(?:as|in) (?:a |an |the )?(?:share|percentage|percent|proportion|fraction|%) of"
        r"(?: (?:the|total|all|our))*",
        True,
        examples=("profit as a percentage of sales",),
    ),
)
"""A number that is told as a part of another: their ratio."""

PART_OF: tuple[Rule[bool], ...] = (
    Rule(
        "whole, then part",
        r"(?:share|percentage|percent|proportion|fraction|%) of (?:\S+ ){1,7}?"
        r"(?:is|are|was|were|has|have|had|got)",
        True,
        examples=("what percentage of part-time staff is female",),
    ),
    Rule(
        "part, then whole",
        r"(?:share|percentage|percent|proportion|fraction|%) of (?:\S+ ){1,4}?"
        r"(?:in|among|amongst|within|for|from|of all)",
        False,
        examples=("share of women among team leads", "share of tea in the north"),
    ),
)
"""Which of two conditions a share is of: what is said after it, or before."""

DIFFERENT: tuple[Rule[bool], ...] = (
    Rule(
        "different ones",
        r"different|distinct|unique|various|separate|(?:kinds?|types?|sorts?|varieties) of",
        True,
        examples=("how many different cities", "number of kinds of fish"),
    ),
)

AGAINST: tuple[Rule[bool], ...] = (
    Rule(
        "set against each other",
        r"vs|versus|against|compared (?:to|with)|rather than|as opposed to",
        True,
        examples=("chat vs email", "hits of 2012 compared to 2013"),
    ),
    Rule(
        "compared",
        r"(?:compare|comparing|comparison of|difference between)"
        r"(?: \S+){1,6}? (?P<word>and|to|with)",
        True,
        examples=("compare Beverages and Seafood by month",),
    ),
    Rule(
        "counted one by one",
        r"(?:and|,) how many",
        True,
        examples=("how many films and how many series",),
    ),
)

PART_AFTER: tuple[Rule[bool], ...] = (
    Rule(
        "the part is what a verb tells of the whole",
        r"(?:(?:what|which) (?:percentage|percent|proportion|share|fraction|part)|% of|what %)"
        r"(?: of)?(?: the| all| our)?(?: \S+){1,9}? (?:is|are|was|were|ha[sd]|have|do|does|did|got"
        r"|gets?)(?! the percentage)",
        True,
        examples=("what percentage of passengers in First class are female",),
    ),
    Rule(
        "the part is what is said last",
        r"(?:what|which) (?:percentage|percent|proportion|share|fraction|part|%)(?! is)(?: of)?"
        r" \S+",
        False,
        examples=("what percentage of female passengers survived",),
    ),
)
"""Where a question is a clause, its verb tells the part; what is said before it is the whole."""
