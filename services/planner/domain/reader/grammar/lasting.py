"""How long something took, how late it was, how old somebody is: what asks for a span of time."""

from __future__ import annotations

from services.planner.domain.reader.grammar.rules import Rule

_UNIT = r"(?:minutes?|mins?|hours?|days?|weeks?|months?|years?)"

SO_OLD = "over or under an age"
HOW_MANY = "how many units"
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
        "time of doing",
        r"[a-z]+ (?:time|delays?|durations?|period)",
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
