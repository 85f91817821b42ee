"""How a number is compared: "at least 5", "over 100", "5 or more", "between 3 and 7"."""

from __future__ import annotations

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.grammar.rules import Rule

RULES: tuple[Rule[Operator], ...] = (
    Rule(
        "between two numbers",
        r"between (?:the )?(?:\w+ )?{number} (?:and|to) {gap}{number2}",
        Operator.BETWEEN,
        examples=("products between 10 and 20 euros",),
    ),
    Rule(
        "from one to another",
        r"from {number} (?:to|until|till|through) {number2}",
        Operator.BETWEEN,
        examples=("orders from 1996 to 1998",),
    ),
    Rule(
        "two numbers with a dash",
        r"{number} - {number2}",
        Operator.BETWEEN,
        examples=("sales 2019-2021",),
    ),
    Rule(
        "at least",
        r"(?:at least|no less than|not less than|no fewer than|(?:a )?minimum of|>="
        r"|not (?:below|under)|since) {gap}{number}",
        Operator.AT_LEAST,
        examples=("customers with at least 3 orders", "sales since 2015"),
    ),
    Rule(
        "or more",
        r"{number} (?:\w+ )?(?:or|and) (?:more|above|greater|higher|older|over|up|later"
        r"|bigger|larger|longer|after|newer)",
        Operator.AT_LEAST,
        examples=("ships with 3 or more guns", "cars of 1990 or later"),
    ),
    Rule(
        "at most",
        r"(?:at most|no more than|not more than|up to|within|(?:a )?maximum of|<="
        r"|not (?:above|over)|until) {gap}{number}",
        Operator.AT_MOST,
        examples=("rooms for at most 2 guests", "claims settled within 8 weeks"),
    ),
    Rule(
        "or less",
        r"{number} (?:\w+ )?(?:or|and) (?:less|fewer|below|lower|younger|under|earlier"
        r"|smaller|shorter|before|older than that)",
        Operator.AT_MOST,
        examples=("pupils with 10 points or fewer",),
    ),
    Rule(
        "is not",
        r"(?:is not|are not|not equal to|not|!=|<>|other than|except) (?:equal to )?{number}",
        Operator.NOT_EQUAL,
        examples=("stores whose district is not 4",),
    ),
    Rule(
        "more than",
        r"(?:more|greater|larger|higher|over|above|older|longer|exceeds?|exceeding|bigger"
        r"|heavier|taller|deeper|faster|>|beyond|costlier|wider|better|later|after)"
        r" (?:than |of )?{gap}{number}",
        Operator.GREATER,
        examples=("people older than 60", "budget over 1,000", "films after 2010"),
    ),
    Rule(
        "past a number",
        r"past (?:the )?(?:age of )?{number}(?! (?:minute|hour|day|week|month|year|quarter)s?\b)",
        Operator.GREATER,
        examples=("people who live past 80", "runners past the age of 60"),
    ),
    Rule(
        "less than",
        r"(?:less|fewer|below|under|lower|smaller|before|younger|shorter|lighter"
        r"|earlier|cheaper|slower|worse|<) (?:than )?{gap}{number}",
        Operator.LESS,
        examples=("hotels under 100 dollars", "songs before 1990"),
    ),
    Rule(
        "exactly",
        r"(?:exactly|equals?|equal to|is|=) {number}",
        Operator.EQUAL,
        examples=("students whose age is 20",),
    ),
)

SIGNS: tuple[Rule[Operator], ...] = (
    Rule(
        "below nought",
        r"negative|below zero|in the red|overdrawn|minus",
        Operator.LESS,
        examples=("accounts with a negative balance",),
    ),
    Rule(
        "above nought",
        r"positive|above zero|in the black|non ?zero",
        Operator.GREATER,
        examples=("months with a positive balance",),
    ),
)
HAVING: tuple[Rule[Operator], ...] = (
    Rule(
        "with some",
        r"(?:with|having|that have|who have|that had|who had|including|involving|(?:has|have|had)"
        r" (?:any|some)|with (?:any|some|at least one|one or more)) {word}",
        Operator.GREATER,
        examples=("bookings with children", "flights with any stops"),
    ),
)

_MORE = r"more|greater|larger|higher|later|longer|bigger|heavier|better|taller|older|costlier"
_LESS = r"less|fewer|lower|smaller|earlier|shorter|lighter|worse|cheaper|younger"
# How many times the other: a word that says so, or a number.
TIMES = {"twice": 2.0, "double": 2.0, "thrice": 3.0, "half": 0.5}
_TIMES = r"(?: (?:{number} times|#?(?:" + "|".join(TIMES) + r")))?"
AGAINST: tuple[Rule[Operator], ...] = (
    Rule(
        "no more than another",
        r"(?:at most|(?:no|not) (?:" + _MORE + r") than|(?:not|never) exceed(?:ing)?"
        r"|(?:not|never) (?:above|over|after)|(?:on|at) or (?:before|below|under)|<=)" + _TIMES,
        Operator.AT_MOST,
        examples=(
            "products with units in stock that do not exceed the reorder level",
            "orders shipped on or before the required date",
        ),
    ),
    Rule(
        "no less than another",
        r"(?:at least|(?:no|not) (?:" + _LESS + r") than|(?:not|never) (?:below|under|before)"
        r"|(?:on|at) or (?:after|above|over)|>=)" + _TIMES,
        Operator.AT_LEAST,
        examples=("products with stock at least twice the reorder level",),
    ),
    Rule(
        "other than another",
        r"(?:differ|differs|differed|different|differing) (?:from|than)|(?:not|never) equal(?: to)?"
        r"|(?:not|never) the same as|unequal to|!=|<>",
        Operator.NOT_EQUAL,
        examples=("orders with a ship city that differs from the city of the customer",),
    ),
    Rule(
        "the same as another",
        r"(?:the )?same as|equals?(?: to)?|identical (?:to|with)|=",
        Operator.EQUAL,
        examples=("products whose units in stock are the same as the reorder level",),
    ),
    Rule(
        "more than another",
        r"(?:(?:" + _MORE + r") (?:\w+ ){0,3}?than|exceed|exceeds|exceeded|exceeding|above"
        r"|after|>)" + _TIMES,
        Operator.GREATER,
        examples=("games with more away goals than home goals", "gross above budget"),
    ),
    Rule(
        "less than another",
        r"(?:(?:" + _LESS + r") (?:\w+ ){0,3}?than|below|before|under|<)" + _TIMES,
        Operator.LESS,
        examples=("games with fewer shots than corners", "stock below the reorder level"),
    ),
)

AVERAGE: tuple[Rule[Operator], ...] = (
    Rule(
        "above the average",
        r"(?:more|greater|larger|higher|older|longer|bigger|heavier|taller|"
        r"above|over|exceeds?|better|later) (?:than )?{gap}(?:average|mean)",
        Operator.GREATER,
        examples=("players taller than the average", "prices above average"),
    ),
    Rule(
        "below the average",
        r"(?:less|fewer|below|under|lower|smaller|younger|shorter|lighter|"
        r"cheaper|earlier|worse) (?:than )?{gap}(?:average|mean)",
        Operator.LESS,
        examples=("shops whose score is below the average score",),
    ),
)
