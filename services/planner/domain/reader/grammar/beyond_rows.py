"""What rows do not answer: yes or no, causes, what is true of two times, what is done to every one.

A reading that such a question gets all the same would be of something else: it is refused with what
can be asked in its place.
"""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.reader.grammar.rules import Rule


class Beyond(StrEnum):
    """What is asked for, as a refusal says it."""

    YES_OR_NO = "this cannot be answered by yes or no: ask how many there are, or what share of all"
    EITHER = "this cannot be answered by rows: ask for the number of each that is to be compared"
    COMPARED = "this cannot be answered by yes or no: ask for the number of each that is compared"
    ONLY = "which things have nothing but some of others cannot be told yet"
    BOTH_TIMES = "what is true of both times cannot be told yet: ask for one of them"
    UNDONE = "what was not done then was done at another time or never: ask for one of these"
    EVERY = "which things have every one of others cannot be told yet"
    CAUSE = "why something is so is not told by rows: ask what it goes with, or for its drivers"
    OTHER_THING = "things cannot be compared with one of them yet: ask for its number first"
    MEDIAN = "things cannot be compared with a median yet, only with the average"
    PART_PICKED = "only a number of rows can be picked: ask for the top 10, say"
    OF_FEW = "one number over a few picked rows cannot be told yet: ask for those rows"
    ACTED = "what somebody did is not told by rows: name the things that are meant"


_ASKS = r"(?:do|does|did|are|were|is|was|have|has|had)"

RULES: tuple[Rule[Beyond], ...] = (
    Rule(
        "of all",
        rf"^{_ASKS} (?:all|every|everyone|everybody)(?! (?:of )?(?:the )?(?:different|kinds))",
        Beyond.YES_OR_NO,
        examples=("have all orders been shipped", "did everyone pay"),
    ),
    Rule(
        "an effect",
        r"^(?:do|does|did|will|would|can) (?:\S+ ){1,4}?(?:raise|increase|reduce|lower|improve"
        r"|cause|worsen|decrease|boost|hurt|harm|help)",
        Beyond.YES_OR_NO,
        examples=("does treatment raise the score?",),
    ),
    Rule(
        "more of one or of the other",
        rf"^{_ASKS} (?:\S+ )*?(?:more|fewer|less) (?:\S+ )*?or",
        Beyond.EITHER,
        examples=("do more people pay by card or by cash", "are there more cats or dogs"),
    ),
    Rule(
        "more so than another",
        rf"^{_ASKS} (?:\S+ )*?(?:(?:more|less) \S+|\S{{2,}}er) than"
        r"(?! (?:the )?(?:average|mean)| #)",
        Beyond.COMPARED,
        examples=("is tea more expensive than coffee", "was May warmer than June"),
    ),
    Rule(
        "nothing but some",
        r"(?:who|that|which) (?:\S+ ){0,2}?only (?!#)\S+",
        Beyond.ONLY,
        examples=("customers who ordered only tea", "guests that only booked suites"),
    ),
    Rule(
        "both times",
        r"both (?:in )?#(?:19|20)\d\d and (?:in )?#(?:19|20)\d\d",
        Beyond.BOTH_TIMES,
        examples=("customers who ordered in both 2023 and 2024",),
    ),
    Rule(
        "every one",
        r"(?:who|that|which) (?:\S+ ){0,3}?(?:every|all)(?! (?:the|of|our|their)\b)"
        r"(?! (?:day|week|month|quarter|year|time)\b)",
        Beyond.EVERY,
        examples=("customers who bought every product",),
    ),
    Rule(
        "as much as one of them",
        r"as (?:many|much|\w+) (?:\S+ )?as {word}",
        Beyond.OTHER_THING,
        examples=("products that cost twice as much as Chai",),
    ),
    Rule(
        "more than one of them",
        r"(?:more|fewer|less) (?:\S+ ){1,2}?than {word}",
        Beyond.OTHER_THING,
        examples=("customers with more orders than Ernst",),
    ),
    Rule(
        "above a median",
        r"(?:above|below|over|under|than|exceeds?|exceeding) (?:the |their |its )?median",
        Beyond.MEDIAN,
        examples=("products above the median price",),
    ),
    Rule(
        "a part from the top",
        r"(?:top|bottom|best|worst) (?:#\S+ (?:%|percent)|half|third|quarter|quintile|decile)",
        Beyond.PART_PICKED,
        examples=("the top 10 % of products", "bottom quarter of customers by revenue"),
    ),
    Rule(
        "of a few",
        r"(?:average|mean|sum|total|median) of (?:the )?(?:top|bottom|best|worst|last|first) #\S+",
        Beyond.OF_FEW,
        examples=("average of the top 5 orders",),
    ),
    Rule(
        "causes",
        r"why|^what (?:caused|causes|made|makes|drove|drives|led to|explains)",
        Beyond.CAUSE,
        examples=("why is the score low", "what caused the delays"),
    ),
    Rule(
        "what somebody did",
        r"^what (?:did|does|do|has|have) (?:\S+ ){1,4}?(?:buy|do|order|bought|done|ordered|eat|sell"
        r"|say|make)$",
        Beyond.ACTED,
        examples=("what did Ann Abbot buy",),
    ),
)

CHANGES_ROWS: tuple[Rule[bool], ...] = (
    Rule(
        "what was done",
        r"left|stayed|quit|resigned|lost|loses?|losing|won|died|retained|remained|missed|skipped"
        r"|failed|lacked|avoided|ignored|forgot|refused|delivered|cancell?ed|returned|refunded",
        True,
        examples=("how many subscribers left", "employees who missed a day"),
    ),
    Rule(
        "what somebody did, at the end",
        r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbeen )[a-z]{3,}ed(?= [?.!]$|$)",
        True,
        examples=("how many customers complained?", "customers who never complained"),
    ),
    Rule(
        "how often",
        r"how often|often",
        True,
        examples=("how often does Acme order",),
    ),
    Rule(
        "how it changed",
        r"fell|rose|grew|shrank|doubled|halved|declined|increased|decreased|gap",
        True,
        examples=("subscribers whose salary fell", "the pay gap"),
    ),
    Rule(
        "a part of the day or of the year",
        r"mornings?|afternoons?|evenings?|nights?|noon|midnight|summers?|winters?|autumn|springtime",
        True,
        examples=("orders in the morning", "revenue in summer 1997"),
    ),
    Rule(
        "a part of all",
        r"percentage|percent|share|proportion|fraction|margin|rate|ratio|growth",
        True,
        examples=("average salary percentage", "sales growth"),
    ),
    Rule(
        "said no",
        r"not|no|never|without|except|excluding|unless|nobody|none|nothing|neither",
        True,
        examples=("customers except the rude ones",),
    ),
)
"""Words without which a reading tells of other rows, or of another number."""
