"""How people say the time between two dates: "took more than 10 days to ship"."""

from __future__ import annotations

import re

from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS

UNIT = r"(?:days?|weeks?|hours?|hrs?|minutes?)"
LENGTH = rf"(?:(?:number of |amount of )?(?:{UNIT}|time)|delay|gap|interval|duration|lag)"
NUMBER = r"(?:\d+(?:\.\d+)?|" + "|".join(NUMBER_WORDS) + ")"
MORE = (
    r"(?:(?:for )?(?:more|longer|greater|over|less|fewer|shorter|under|at least|at most|exactly"
    r"|no more|no less|no longer|up to)(?: than)?)"
)
AMOUNT = rf"(?P<amount>(?:{MORE} )?{NUMBER} (?P<unit>\w+))"
WORD = r"[^\W\d]\w*"
PHRASE = rf"(?:{WORD} ){{0,3}}?{WORD}"
TO_DO = (
    r"(?:to|until|till|before)(?: (?:be|get|being|it is|they are|it was|they were))?"
    rf" (?P<end>{WORD})"
)
ASKED = r"(?P<asked>how (?:long|many days|much time|many hours|many weeks)(?: on average)?)"
DOINGS = frozenset(
    """delivery shipping shipment processing handling fulfilment fulfillment resolution response
    turnaround lead cycle waiting repair dispatch completion approval settlement""".split()
)
DAYS = {"day": 1.0, "week": 7.0, "hour": 1 / 24, "minute": 1 / 1440}
LENGTH_SAID = re.compile(rf"(?P<number>{NUMBER}) (?P<unit>{'|'.join(DAYS)})s?$", re.IGNORECASE)


BETWEEN = re.compile(
    rf"\b(?:the )?(?:{ASKED}|{LENGTH})"
    r"(?: (?:of time|in days|in hours|(?:that )?(?:pass|laps|elaps)\w*"
    r"|are|is|there|was|were|does it take|did it take|do|does))*"
    rf" (?P<link>between|from) (?:the )?(?P<one>{PHRASE}) (?:and|to|until|till)(?: the)?"
    rf" (?P<rest>{PHRASE}(?: {WORD}){{0,3}})",
    re.IGNORECASE,
)
TOOK = re.compile(
    rf"\b(?:(?:that|which|who) )?(?:have |has |had )?(?:took|takes?|taking|taken|needed|needs?)"
    rf" {AMOUNT}(?: {TO_DO})?(?!\w)",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"\b(?:(?:that|which|who) )?(?:(?:were|was|are|is|have been|had been|been) )*"
    r"(?P<end>\w+(?:ed|ent|aid|old|eft))"
    rf" (?:(?P<within>within|in less than|in under|in more than|in over|in) {NUMBER} \w+"
    rf"|(?:{MORE} )?{NUMBER} \w+(?= after\b))"
    r"(?: (?:of|after|from|since) (?:the |its |their |being |having been |they were |it was )*"
    rf"(?P<one>{WORD}(?: date)?))?",
    re.IGNORECASE,
)
LONGEST = re.compile(
    rf"\b(?:(?:that|which) )?(?:took|takes?|taking)(?: the)? (?P<most>longest|shortest|most|least)"
    rf"(?: (?:time|days|number of days))? {TO_DO}",
    re.IGNORECASE,
)
HOW_LONG = re.compile(
    rf"\b{ASKED}"
    r"(?: (?:does|do|did|is|was|has|have|on average|it|usually|typically|an?|the|we|us))*"
    rf"(?: (?P<thing>{WORD}))?(?: (?:usually|typically|on average))?"
    r" (?:take|takes|took|taken|need)"
    rf"(?: on average)?(?: for (?P<for>(?:an? |the )?{WORD}))? {TO_DO}",
    re.IGNORECASE,
)
TO = re.compile(
    rf"\b(?:the )?(?:number of |amount of )?(?:{UNIT}|time)"
    r"(?: (?:it (?:takes|took)|taken|needed|required))?"
    rf" {TO_DO}",
    re.IGNORECASE,
)
LASTING = re.compile(
    rf"\b(?:the )?(?:duration|length|lifetime|time span)s? of (?:the |an? |each |every |all )*"
    rf"(?P<thing>{WORD}(?: {WORD})?)"
    rf"|\b(?P<asked>how (?:long|many days)(?: on average)?) (?:do|does|did|are|is|were|was)"
    rf"(?: the| an?| each)? (?P<whose>{WORD}(?: {WORD})?)"
    r" (?:last(?:ed|ing)?|stay(?:ed|ing)?|run|going|take|took|open|active)\b",
    re.IGNORECASE,
)
HOW_LONG_AT_ALL = re.compile(
    r"\bhow long (?:do|does|did|has|have|had|is it|was it|it|until|before|after|between)\b"
    r"|\bhow (?:much time|many (?:days|weeks|hours)) (?:do|does|did|are(?! there)|is|was|were|has"
    r"|have it|it|until|before|after|passe[sd]|elapsed)\b",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"\b(?P<end>[^\W\d]{4,})[ -](?:times?|durations?|delays?|lead times?|lags?|days)\b",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"\b(?:average|mean|median|typical|avg|longest|shortest|maximum|minimum|max|min|total"
    r"|(?:more|longer|less|shorter|greater|fewer) than|over|under|above|below|distribution"
    r"|histogram|top|bottom|ranked|sorted|quickest|fastest|slowest)\b",
    re.IGNORECASE,
)
