"""What says no: of a value ("not"), of a related thing ("without"), of a missing value."""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.reader.grammar.rules import Rule


class Negation(StrEnum):
    """What is denied."""

    VALUE = "value"
    RELATED = "related"
    MISSING = "missing"
    PRESENT = "present"
    LASTING = "lasting"
    ENDED = "ended"


RULES: tuple[Rule[Negation], ...] = (
    Rule(
        "a value is missing",
        r"(?:is|are|has|have) (?:null|empty|missing|blank|unknown)"
        r"|(?:missing|missed|without(?: an?| any)?|no known|unknown|skipped|unanswered|blank"
        r"|nobody)",
        Negation.MISSING,
        examples=("customers whose phone is missing",),
    ),
    Rule(
        "a value is there",
        r"(?:is|are) not (?:null|empty|missing|blank|unknown)|non-null|(?:is|are) known",
        Negation.PRESENT,
        examples=("flights whose delay is not null",),
    ),
    Rule(
        "nothing related",
        r"(?:do|does|did|has|have|had|were|was|are|is) not(?: have| had| been)?(?: any| a| an)?"
        r"|without|never|no|none of|with no|(?:do|does|did) not|not any|nor|neither|lack|lacks",
        Negation.RELATED,
        examples=("students who do not have any pets", "customers without orders"),
    ),
    Rule(
        "not ended yet",
        r"current(?:ly)?|still(?: here| open| with us)?|active|ongoing|unresolved|open"
        r"|right now|at the moment|not left|unreturned|work here now|now|today|work here|these days"
        r"|(?:have|has|did) not (?:left|leave)",
        Negation.LASTING,
        examples=("staff in London right now", "tickets that are still open"),
    ),
    Rule(
        "ended",
        r"former(?:ly)?|left|leavers?|closed|resolved|returned|finished|ended",
        Negation.ENDED,
        examples=("how long do leavers stay",),
    ),
    Rule(
        "another value",
        r"not|other than|except(?: for)?|excluding|outside(?: of)?|but not|apart from|!=|<>|non",
        Negation.VALUE,
        examples=("cars not made in Japan", "all countries except France"),
    ),
)

BUT_NOT: tuple[Rule[bool], ...] = (
    Rule(
        "one but not another",
        r"(?:but|and|yet) (?:not|never|no)(?: in| at| on| from| for| to| with| by| of)?",
        True,
        examples=("customers who bought tea but not coffee",),
    ),
)
"""Between what holds of a thing and what does not."""
