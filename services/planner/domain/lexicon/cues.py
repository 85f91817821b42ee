"""How messages begin and end that are no questions of their own, as rules with their examples.

A form says what the words are before any of them names data. The first that fits holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """What a message is by its words alone."""

    CHOICE = "choice"
    WHY = "why"
    CAUSE = "cause"
    CORRECTION = "correction"
    FRAGMENT = "fragment"
    EITHER = "either"
    QUESTION = "question"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that show a form; `examples` are tried in the tests."""

    name: str
    form: Form
    pattern: re.Pattern[str]
    examples: Sequence[str]


def _cue(name: str, form: Form, pattern: str, *examples: str) -> Cue:
    return Cue(name, form, re.compile(pattern, re.IGNORECASE), examples)


_LEAD = r"(?:(?:and|but|so|ok(?:ay)?|well|now|then|please|hm+)[ ,]+)*"
_IT = r"(?:it|this|that|these|those|they|them)"
_ORDINAL = (
    r"(?:first|second|third|fourth|fifth|last|former|latter|1st|2nd|3rd|4th|5th|(?:number|option|"
    r"reading|no\.?|nr\.?) ?\d)"
)
_ASKS = (
    r"(?:how (?:many|much|often|long|old|far|big|high|large)|why|how come|what|which|who|whose|"
    r"whom|when|where|show|"
    r"list|give|find|tell|count|compare|plot|draw|display|is|are|was|were|does|did|do|has|have|can|"
    r"calculate|compute|rank|name)"
)
_SHIFTED = (
    r"(?:\w+ )?(?:years|quarters|months) (?:before|after|earlier|later)(?: (?:that|this|it))?|"
    r"(?:the )?(?:year|quarter|month) (?:before|after|earlier|later)(?: (?:that|this|it))?|"
    r"the (?:previous|preceding|prior|following|next) (?:year|quarter|month)"
)
_MOVED = r"(?:drop|fall|decline|decrease|rise|increase|growth|jump|change|spike|dip|difference)"

CUES: tuple[Cue, ...] = (
    _cue(
        "one of the readings",
        Form.CHOICE,
        rf"{_LEAD}(?:i (?:mean|meant|want|take) |take |use )?(?:the )?{_ORDINAL}"
        r"(?: (?:one|option|reading|meaning|choice))?(?:,? please)?",
        "the second one",
        "2nd",
        "option 2",
        "I meant the first",
        "the latter, please",
    ),
    _cue("its number", Form.CHOICE, r"\d{1,2}\.?", "2", "1."),
    _cue(
        "why what is in sight moved",
        Form.WHY,
        rf"{_LEAD}(?:(?:why|how come)(?: (?:(?:is|was) )?(?:that|this|it)(?: so)?| so)?|"
        rf"(?:why|how come) (?:did|does|do|has|have|is|are|was|were) {_IT}\b.+|"
        r"(?:what(?:['’]s| is| was| has)? (?:behind|caus(?:ed|es|ing)|explain(?:s|ed)|drove|"
        r"drives|driving|"
        r"the (?:cause|reason) (?:of|for))|explain|the reasons? for) "
        rf"(?:{_IT}|the (?:\w+ )?{_MOVED})(?: (?:in|of last|since|from|between) \S.*)?)",
        "why?",
        "and why?",
        "why did it fall?",
        "why was that?",
        "what caused the drop?",
        "why did it drop in March?",
        "what is behind it?",
        "explain the increase",
    ),
    _cue(
        "whether something caused it",
        Form.CAUSE,
        rf"{_LEAD}(?:did|does|do|was|were|is|could|can|has|have) .+ (?:caus(?:e|ed|ing)|"
        rf"affect(?:ed)?|"
        rf"driv(?:e|en|ing)|explain(?:ed)?|lead to|led to|behind|responsible for|due to|because of)"
        rf"(?: (?:by|the))*(?: .*)?",
        "did the promotion cause it?",
        "does discount affect it?",
        "is it due to the discount?",
        "was the price responsible for that?",
    ),
    _cue(
        "against the reading",
        Form.CORRECTION,
        r"(?:no|nope|nah|not|wrong|sorry)\b[ ,:-]*(?!longer\b|one\b).+|(?:but )?i (?:mean|meant|"
        r"said)\b.+|"
        r"(?:that|this|it)(?:['’]s| is| was) (?:wrong|not (?:right|what i)).*|actually\b.+|"
        r"rather\b.+",
        "no, I meant net price",
        "not by city",
        "I meant ship country",
        "actually, by month",
    ),
    _cue(
        "of what was shown",
        Form.FRAGMENT,
        rf"{_LEAD}(?:(?:show|list|plot|draw|chart|give|sort|split|group|break|filter|tell)(?: me)? "
        rf"{_IT}\b|(?:show|give)(?: me)? (?:only|just)\b|(?:how many|how much|which|what|who|"
        rf"list|show|"
        rf"count|any|all|most) of {_IT}\b|what (?:was|is|were|are) {_IT} (?:in|for|by|of)\b|"
        rf"(?:how much|what) (?:was|is) {_IT}\b|what (?:did|does|do) {_IT} look like\b|"
        rf"(?:can|could) (?:i|we|you) (?:please )?(?:see|have|get|show|plot|draw|give|make|split|"
        rf"break)(?: me| us)? {_IT}\b|"
        rf"(?:what|how) (?:is|are|was|were|about) (?:their|its)\b|"
        rf"(?:(?:can|could) (?:i|we|you) (?:get|have|make|see)(?: me)? )?(?:an? )?(?:\w+ ){{0,2}}"
        rf"(?:chart|graph|plot|table) (?:of|for|from|with) {_IT}\b|"
        r"(?:make|draw|plot|give(?: me)?|show(?: me)?) (?:an? )?(?:\w+ )?(?:pie|bar|line)s?"
        r"(?: (?:chart|graph|plot))? (?:of|with|for) (?:the )?(?:first|top|last|bottom)\b|"
        rf"(?:sum|add|total) (?:{_IT}|everything|(?:both|all|the) (?:the )?(?:columns|rows|numbers|"
        r"figures)) (?:all )?up\b|.+ (?:separately|side by side)$|zoom (?:in|out)\b).*",
        "show it by month",
        "show me only the top 5",
        "how many of those are in Germany",
        "sort it by name",
        "what was it in 1998",
        "what did that look like in 2023",
        "can I see that as a bar chart",
        "bar chart of that",
        "can I get a pie chart of this",
        "what was their life expectancy",
        "make a pie of the first five",
        "sum both columns up",
        "males and females separately",
        "zoom in on June",
    ),
    _cue(
        "how many of what was shown",
        Form.FRAGMENT,
        rf"{_LEAD}how (?:many|much)(?: \w+){{0,3}} (?:is|are|was|were) "
        rf"(?:{_IT}|there in (?:each|all))(?: of {_IT})?"
        rf"(?: (?:altogether|together|overall|(?:in )?(?:all|total|sum)))?",
        "how many orders is that altogether?",
        "how much freight was that in all",
        "how many is that in total?",
        "how many films are there in each?",
    ),
    _cue(
        "about those in sight",
        Form.FRAGMENT,
        rf"{_LEAD}(?:{_ASKS}|average|total|median|the)\b.* (?:(?:for|of|to|by|from|with|in|do|does|"
        r"did|are|were|have|has|had) (?:these|them|those|they)|"
        r"each of (?:these|them|those)(?: \w+)?|they \w+)",
        "what's the average number of seats for these",
        "show how many tracks each of them has",
        "how much fuel do they burn",
    ),
    _cue(
        "in place of something",
        Form.FRAGMENT,
        rf"{_LEAD}(?:show |use |take |give me )?(?!(?:{_ASKS})\b)\S+(?: \S+){{0,5}} (?:instead|"
        r"(?:instead|in place) of(?: \S+){1,4}|rather than(?: \S+){1,4})",
        "the maximum instead of the average",
        "net price instead",
        "by number of tracks instead",
    ),
    _cue(
        "so many of the first",
        Form.FRAGMENT,
        r"(?:and |now |but |only |just )*(?:the )?(?:top|bottom|first|best|worst|highest|lowest|"
        r"largest|"
        r"smallest)(?: (?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty))?"
        r"(?: (?:only|instead|first|ones?|of (?:these|those|them)))*|"
        r"(?:only |just )?(?:the )?(?:\d+|two|three|four|five|ten) (?:best|top|highest|"
        r"lowest|largest|smallest|biggest|worst)(?: (?:sellers?|ones?))?(?: only)?",
        "top 3 of these",
        "top 5 only",
        "the bottom ten",
        "only the top 3",
        "lowest first",
        "the 5 best sellers only",
        "just the ten highest",
    ),
    _cue(
        "which end comes first",
        Form.FRAGMENT,
        rf"{_LEAD}(?:the )?(?:\w{{2,}}est|(?:most|least) \w+)(?: ones?)? first",
        "most expensive first",
        "richest first",
        "the heaviest ones first",
    ),
    _cue(
        "a question that begins with where it looks",
        Form.QUESTION,
        r"(?:in|for|of|by|from|to|with|on|at|during|since|over|across) .*\b(?:which|what|whose|"
        r"how many|how much|show|give|list|find|calculate|compute|was|were|is|are|did|does|do)\b.*",
        "in which month were sales highest?",
        "for each category show revenue",
    ),
    _cue(
        "what is changed of it",
        Form.FRAGMENT,
        rf"(?:and )?(?:what|how) about\b.+|(?:the )?same\b.+|make (?:it|that|this)\b.+|"
        rf"{_LEAD}(?:only|just|without|excluding|except(?: for)?|instead|also|as|by|per|for|in|"
        rf"from|during|since|before|after|between|of|with|where|over|until|to|across|grouped|"
        rf"split|sorted|sort|group|broken|turn|switch|change|exclude|include|add|drop|remove|limit|"
        rf"filter|restrict|leave out|leaving out|take out|taking out|get rid of|forget(?: about)?|"
        rf"ignore|ignoring|skip|minus|apart from|other than|(?:go )?back to|"
        rf"reverse|the other way|again)\b.*|"
        rf"{_LEAD}(?:{_SHIFTED}|(?:take|leave) .+ out(?:,.*)?|(?:do not|don['’]?t) (?:count|"
        rf"include|show) .+|hide .+)|\S+(?: \S+){{0,2}} only(?:,? and .*)?",
        "what about beverages",
        "and by region?",
        "only 1997",
        "same for last year",
        "now for Europe",
        "make it a line chart",
        "as a table",
        "sort by price",
        "without Kiel",
        "leave out Kiel",
        "back to all countries",
        "and the year before",
        "and five years earlier",
        "take Rock and Latin out",
        "don't count the discontinued ones",
        "females only, and just 2009",
    ),
    _cue(
        "which of them is at an end",
        Form.EITHER,
        rf"{_LEAD}(?:which|who|what)(?: ones?| of {_IT})?(?: \w+)? (?:the )?(?:most|least|fewest|"
        r"\w{3,}est)",
        "who handled the most",
        "which one is the lowest",
        "which one sold the least",
    ),
    _cue(
        "a question that goes on",
        Form.EITHER,
        rf"(?:and|but|so|now|then|also|ok(?:ay)?)[ ,]+(?:then )?{_ASKS}\b.*|(?:and|but|now|"
        rf"then)[ ,]+.+",
        "and how many in Germany?",
        "now show total quantity",
    ),
    _cue(
        "a question of its own",
        Form.QUESTION,
        rf"(?:please |can you |could you )*{_ASKS}\b.*",
        "how many orders were there in 1997?",
        "show revenue by month",
    ),
    _cue(
        "a comparison",
        Form.EITHER,
        r"(?:\S+(?: \S+){0,3} )?(?:over|under|above|below|at (?:least|most)|(?:more|less|fewer|"
        r"greater) than) [\d.,]+(?: \w+){0,2}",
        "height over 7",
        "unit price below 10",
        "at least 10 albums",
    ),
    _cue(
        "a thing with what is asked of it",
        Form.WHOLE,
        r"\S+(?: \S+)*? (?:by|per|of|in|for|from|during|with|over|between|across|against|and|"
        r"versus|vs)"
        r" .+",
        "revenue by month",
        "number of customers in Germany",
    ),
    _cue("a few words", Form.EITHER, r"\S+(?: \S+){0,3}", "beverages", "net price", "1997"),
)


_LED_IN = re.compile(
    r"(?:(?:ok(?:ay)?|alright|hm+|great|thanks|cool|please|pls|sorry|"
    r"(?:can|could|may|would) (?:you|we|i) (?:please |also |now |maybe )*(?:have |get |see )?|"
    r"i(?: would|['’]d) (?:also |just )?(?:like|love)(?: to (?:see|have|know|get))?|"
    r"i (?:only |just |also )?(?:need|want)(?: to (?:see|have|know|get))?|"
    r"let(?:['’]s| us)(?: see| have)?|let me (?:see|have))\b[ ,:;.–-]*)+",
    re.IGNORECASE,
)
"""How people begin what they want, whatever it is."""


def form_of(words: str) -> tuple[Form, str]:
    """The form of a message, and the name of the cue that shows it.

    Words that look like a question of their own may only be led in like one: "can I have net
    price instead".
    """
    text = " ".join(words.split()).strip(" ?.!…")
    form, name = _shown_by(text)
    led = _LED_IN.match(text)
    if led is not None and form in (Form.QUESTION, Form.WHOLE):
        rest, its_name = _shown_by(text[led.end() :])
        if rest in (Form.FRAGMENT, Form.CORRECTION):
            return rest, its_name
    return form, name


def _shown_by(text: str) -> tuple[Form, str]:
    for cue in CUES:
        if cue.pattern.fullmatch(text):
            return cue.form, cue.name
    return Form.WHOLE, "words of its own"
