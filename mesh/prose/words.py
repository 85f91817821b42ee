"""Words that state something of the data, by what they state. One list: a word is added here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class States(Enum):
    """What a word states."""

    UP = "up"
    DOWN = "down"
    UNCHANGED = "unchanged"
    HIGHEST = "highest"
    LOWEST = "lowest"
    EXTREME = "extreme"
    MORE = "more"
    LESS = "less"
    TIMES = "times"
    SIGNIFICANT = "significant"
    CAUSE = "cause"
    MAJORITY = "majority"


# One phrase after another, as regular expressions, separated by "|" or the end of a line.
_WORDS: dict[States, str] = {
    States.UP: r"""rose|rises?|rising|risen|increas(?:e|es|ed|ing)|grew|grows?|growing|grown|growth
        climb(?:s|ed|ing)?|jump(?:s|ed)?|surg(?:e|es|ed|ing)|soar(?:s|ed)?|went up|gain(?:s|ed)?
        picked up|up(?= (?:by|from|on|at)\b)|expand(?:s|ed)?|widen(?:s|ed)?
        (?:(?<=, )|(?<=was )|(?<=were )|(?<=is ))up(?=\s{5,})""",
    States.DOWN: r"""fell|falls?|falling|fallen|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)
        drop(?:s|ped|ping)?|shr(?:ank|inks?|unk)|plung(?:e|es|ed)|went down|slid|slump(?:s|ed)?
        lost ground|down(?= (?:by|from|on|at|to)\b)|contract(?:s|ed)|dip(?:s|ped)?
        slip(?:s|ped)?|narrow(?:s|ed)|loss
        (?:(?<=, )|(?<=was )|(?<=were )|(?<=is ))down(?=\s{5,})""",
    States.UNCHANGED: r"""unchanged|(?:stayed|remained) (?:flat|stable|the same)|did not change
        flat|stable|constant""",
    States.HIGHEST: r"""highest|largest|biggest|greatest|most(?! of\b)|maximum|peak(?:s|ed)?|top
        leads?|led(?! to\b)|best|strongest|longest|busiest|record|dearest|hottest|warmest|wettest
        fattest|richest|heaviest|tallest|leakiest|a high of""",
    States.LOWEST: r"""lowest|smallest|fewest|least|minimum|bottom|weakest|worst|shortest
        quietest|cheapest|coldest|coolest|driest|thinnest|poorest|lightest|tightest|meanest
        a low of|rock bottom""",
    States.MORE: r"""(?:higher|more|greater|larger|bigger|longer|better)(?= [\w -]{0,24}?\bthan\b)
        (?:warmer|dearer|busier)(?= [\w -]{0,24}?\bthan\b)|above|exceed(?:s|ed|ing)?
        outperform(?:s|ed)?|outsold|ahead of|surpass(?:es|ed)?""",
    States.LESS: r"""(?:lower|less|fewer|smaller|shorter|worse)(?= [\w -]{0,24}?\bthan\b)|below
        (?:cooler|cheaper|quieter)(?= [\w -]{0,24}?\bthan\b)|behind|underperform(?:s|ed)?""",
    States.TIMES: r"""doubl(?:e|es|ed|ing)|tripl(?:e|es|ed|ing)|quadrupl(?:e|es|ed)
        halv(?:e|es|ed|ing)|twice|threefold|twofold|fourfold""",
    States.SIGNIFICANT: r"""(?:statistically )?(?:in)?significan(?:t|tly|ce)|by chance
        statistically""",
    States.CAUSE: r"""because|due to|owing to|thanks to|caus(?:es|ed|ing)|consequence of|driven by
        drove|led to|leads? to|result(?:s|ed)? (?:in|from)|as a result|explains?|explained by
        attributable to|effect of|impact of|responsible for""",
    States.MAJORITY: r"""(?:the )?majority|most of""",
}
_HARMLESS_WORDS = r"""at (?:least|most)|at all|in all|all in all|overall|of all
    all of (?:it|this|that)|above all|after all|no more than|no less than|the effect of this
    (?:for|in|of|by) each|most recent|least recent|not only|mm fell|f[ae]ll(?:s|en)? short
    falls? (?:in|into|within|under|on)|in (?:the )?fall|top of|on top|best guess|at best
    see above|see below|the (?:table|chart) below|(?:described|stated) (?:above|below)"""
_SUPERLATIVE = re.compile(
    r"(?<![\w-])(?!(?:interest|request|forest|west|(?:north|south|mid)-?west|test|rest|harvest"
    r"|honest|late?st|earliest|newest|oldest|nearest|closest|modest|invest|guest|protest|contest|suggest"
    r"|chest|crest|quest|digest|arrest|behest|conquest|inquest|bequest|budapest|youngest|next)\b)[a-z]{3,}est\b",
    re.IGNORECASE,
)
"""Superlatives whose polarity is not listed: either end of the column bears them."""
_MORE = "more higher larger warmer wetter longer dearer above"
_LESS = "less few fewer lower smaller cooler drier shorter cheaper below"
_ALONE = {
    "up": States.UP,
    "down": States.DOWN,
    **dict.fromkeys(_MORE.split(), States.MORE),
    **dict.fromkeys(_LESS.split(), States.LESS),
}
"""Words that state something where they are bound, and alone may mean other things."""
_NOT = re.compile(r"\b(?:not|no|never|neither|nor|hardly|cannot|without)\b|n't\b", re.IGNORECASE)
_SECOND = re.compile(
    r"\b(second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:nd|rd|th))"
    r"(?:[ -]| from (?:the )?)$",
    re.I,
)
_HEDGES = {
    "more": "more than|upwards of|exceeding|better than",
    "over": "at least|no fewer than|no less than|over|above",
    "less": "less than|fewer than|just under|nearly|almost|short of",
    "under": "at most|(?<!adds )(?<!add )(?<!added )(?<!comes )up to|no more than|under|below",
    "about": r"about|around|roughly|approximately|some|circa|ca\.|~|close to",
}
TIMES_OF = {
    **{"doubl": 2.0, "twice": 2.0, "twofold": 2.0, "tripl": 3.0, "threefold": 3.0},
    **{"quadrupl": 4.0, "fourfold": 4.0, "halv": 0.5},
}


def _any_of(phrases: str) -> str:
    return "|".join(part.strip() for part in re.split(r"\n|(?<!\\)\|(?![^(]*\))", phrases))


_PATTERNS = {
    states: re.compile(rf"(?<![\w-])(?:{_any_of(words)})(?!\w)", re.IGNORECASE)
    for states, words in _WORDS.items()
}
_HARMLESS = re.compile(rf"\b(?:{_any_of(_HARMLESS_WORDS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """A stating word where it stands. `rank` is 2 for "second-highest"."""

    start: int
    end: int
    text: str
    states: States
    negated: bool = False
    rank: int = 1


def words_in(prose: str) -> list[Word]:
    """The stating words of a stretch of prose, in order; of two that overlap the longer."""
    plain = _HARMLESS.sub(lambda found: " " * len(found.group()), prose)
    found = [
        _word(plain, match, states)
        for states, pattern in _PATTERNS.items()
        for match in pattern.finditer(plain)
    ]
    found += [_word(plain, match, States.EXTREME) for match in _SUPERLATIVE.finditer(plain)]
    found.sort(key=lambda word: (word.start, -word.end))
    kept: list[Word] = []
    for word in found:
        if not kept or word.start >= kept[-1].end:
            kept.append(word)
    return kept


def states_of(text: str) -> States | None:
    """What a bound word states, or None for one that states nothing that is known."""
    found = words_in(text)
    if not found:
        return next((_ALONE[word] for word in text.casefold().split() if word in _ALONE), None)
    return found[0].states if found else None


def is_negated(before: str, words: int = 3) -> bool:
    """Whether one of the last few words before a place says "not"."""
    return _NOT.search(" ".join(before.split()[-words:])) is not None


def hedge_before(prose: str) -> str:
    """How a number is hedged by the words before it: "more", "over" (at least), "less",
    "under" (at most), "about", or nothing."""
    for hedge in ("over", "under", "more", "less", "about"):
        words = _HEDGES[hedge]
        if re.search(rf"(?:^|\W)(?:{words})\s*$", prose, re.IGNORECASE):
            return hedge
    return ""


def _word(prose: str, found: re.Match[str], states: States) -> Word:
    before = prose[: found.start()]
    place = _SECOND.search(before)
    rank = 1
    if place and states in (States.HIGHEST, States.LOWEST, States.EXTREME):
        names = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
        text = place[1].casefold()
        rank = names.index(text) + 1 if text in names else int(re.sub(r"\D", "", text))
    negated = is_negated(before) != found.group().casefold().startswith(
        ("insign", "statistically in")
    )
    return Word(found.start(), found.end(), found.group(), states, negated, rank)
