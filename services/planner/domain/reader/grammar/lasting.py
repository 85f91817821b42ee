"""How long something took, how late it was, how old somebody is: what asks for a span of time."""

from __future__ import annotations

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.grammar.rules import Rule

_UNIT = r"(?:minutes?|mins?|hours?|days?|weeks?|months?|years?)"

SO_OLD = "over or under an age"
HOW_MANY, TIME_OF_ACTION = "how many units", "time of doing"
RULES: tuple[Rule[str], ...] = (
    Rule(
        "how long",
        r"how long(?: (?:do|does|did|is|are|was|were|it|take|takes|took))*|how quick(?:ly)?"
        r"|how fast|how slow(?:ly)?",
        "length",
        examples=("how long does it take us to ship",),
    ),
    Rule(
        HOW_MANY,
        rf"(?:how many|number of|total|average|typical|mean|median|avg) {_UNIT}",
        "length",
        examples=("how many years do leavers stay", "typical hours until a ticket is closed"),
    ),
    Rule(
        "how many units it takes",
        rf"how many {_UNIT} (?:do|does|did|will|would) (?:it|they|we|(?:an?|the|our) \S+) take"
        r"(?: (?:us|them|me|people))? to \S+",
        "length",
        examples=("how many hours does it take to close a ticket",),
    ),
    Rule(
        "time to do",
        rf"(?:time|{_UNIT}) (?:it takes )?(?:to|until|till|before|between|from)",
        "length",
        examples=("average time to first reply", "days from order to delivery"),
    ),
    Rule(
        TIME_OF_ACTION,
        r"(?!(?:on|in|over|at|of|by|this|that|same|each|every|any|first|last|full|part|all) )[a-z]+"
        r" (?:time|delays?|durations?|period)",
        "length",
        examples=("response time by agent", "average stay duration"),
    ),
    Rule(
        "length of doing",
        r"(?:length|duration) of (?:an? |the |their |each )?[a-z]+",
        "length",
        examples=("average length of stay by ward",),
    ),
    Rule(
        "took so long",
        rf"(?:took|takes?|taking|taken|lasted|lasts?|waited|waits?|stayed|stays?)"
        rf"(?: \S+){{0,4}}? {_UNIT}",
        "length",
        examples=("tickets that took more than a day to close",),
    ),
    Rule(
        "took longest",
        r"(?:took|takes?|taking|waited|lasted|stayed) (?:the )?(?:\w+ )?"
        r"(?:longest|shortest|longer)",
        "length",
        examples=("which order took the longest",),
    ),
    Rule(
        "within so long",
        rf"(?:within|in (?:less|more) than|in under|in over|after more than)"
        rf" (?:an? |the |{{number}} )?{_UNIT}",
        "length",
        examples=("percent with a reply within the hour",),
    ),
    Rule(
        "done fast",
        r"fastest|slowest|quickest|quicker|slower",
        "length",
        examples=("who closes tickets fastest",),
    ),
    Rule(
        SO_OLD,
        r"(?:who (?:are|were) |is |are |were |was )?(?:over|under|above|below) {number}"
        r"(?: years?(?: of age| old)?)?",
        "age",
        examples=("employees over 50", "how many customers are under 30"),
    ),
    Rule(
        "age",
        r"old|older|oldest|young|younger|youngest|ages?|aged",
        "age",
        examples=("people older than 60", "average age", "the youngest driver"),
    ),
)

_PLAN = r"(?:required|due|promised|expected|planned|scheduled|estimated|target)"
_DATE = rf"(?:(?:the|its|their) )?(?:{_PLAN}(?: \S+)?(?: date| time| day)?|deadline)"
_DONE = r"(?:\S+(?:ed|ent|aid) )?"
PROMISED: tuple[Rule[Operator], ...] = (
    Rule(
        "not as promised",
        rf"(?:not|never) (?:been )?{_DONE}(?:on time|in time|on schedule|by {_DATE})",
        Operator.GREATER,
        examples=("orders that were not shipped on time",),
    ),
    Rule(
        "later than promised",
        r"(?<!not )(?<!never )(?<!days )(?<!day )(?<!weeks )(?<!week )(?<!hours )"
        rf"{_DONE}"
        r"(?:(?:too )?late(?! (?:in|of|at|on|night|fees?|evening|#))"
        rf"|behind schedule|(?:after|past|later than) {_DATE})",
        Operator.GREATER,
        examples=("orders shipped late", "parcels delivered after the promised date"),
    ),
    Rule(
        "as promised",
        rf"(?<!not )(?<!never ){_DONE}(?:on time|on schedule|punctual(?:ly)?|by {_DATE})|not late",
        Operator.AT_MOST,
        examples=("orders delivered on time", "shipments that arrived by the due date"),
    ),
)
"""What was done is set against the day that was promised for it."""
