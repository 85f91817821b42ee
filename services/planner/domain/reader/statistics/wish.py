"""Questions for a statistical test: which test is asked for, and what is said about how."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from services.planner.domain.lexicon.normalise import Token, take
from services.planner.domain.query.statistics.asked import FIVE, INTERVAL, MATRIX
from services.planner.domain.reader.statistics.holding import Holding, holding, spans
from services.planner.domain.reader.statistics.phrases import (
    ALSO_DRAWN,
    DESCRIBED,
    DRAWN,
    EXTRA,
    PATTERNS,
    POPULATION,
    SHAPE_TESTS,
)

_COMPARING = frozenset(
    """different differs from against greater more larger higher less lower than above beyond over
    of at exceeding is equal to""".split()
)
_ALPHA = re.compile(
    r"\b(?P<what>alpha|significance|confidence)(?: level)?(?: of| is| =|=| at)? ?"
    r"(?P<value>0?\.\d+|\d+(?:\.\d+)? ?%)"
    r"|(?P<value2>0?\.\d+|\d+(?:\.\d+)? ?%) (?P<what2>significance|confidence)"
    r"|\bp ?< ?(?P<value3>0?\.\d+)|\b(?:at|with) (?:the |an? )(?P<value4>0?\.0\d+|\d ?%) level",
    re.IGNORECASE,
)
_DDOF = re.compile(
    r"\b(?:ddof|(?:delta )?degrees? of freedom) ?(?:=|of|is|equal to)? ?([01])\b", re.IGNORECASE
)
# Which tests follow from the columns that are named, so that a question may be none after all.
_IMPLIED = ("relation", "effect", "difference")
# How far is far, in deviations or ranges between quartiles.
_THRESHOLDS = (
    r"(?:z[- ]?scores?|threshold|iqr)\D{0,25}?(?<![\d.])(\d{1,2}(?:\.\d+)?)(?!\d|\.\d|st|nd|rd|th)",
    r"(?<![\d.])(\d{1,2}(?:\.\d+)?) ?(?:standard deviations?|sds?|sigmas?|iqrs?)\b",
    r"(?<![\d.])(\d{1,2}(?:\.\d+)?) ?(?:times|x|×|\*) ?(?:the )?(?:iqr|inter)",
)
_MODELS = ("linear_regression", "logistic_regression", "effect")
_PAIRING = ("correlation", "relation", "effect")


@dataclass(frozen=True, slots=True)
class StatisticWish:
    """The test asked for and what was said about how.

    `asked` are the statistics of a description that the question is about; `every` says that all
    columns are to be paired, or all others with the one named. Of an `implied` test the columns
    decide which it is, and whether it is one; `correlated` says that the word was used. A model is
    tested on the rows `held_out`.
    """

    test: str
    asked: tuple[str, ...] = ()
    method: str = ""
    threshold: float | None = None
    expected: float | None = None
    ddof: int | None = None
    equal_variances: bool = False
    confidence: float | None = None
    every: bool = False
    implied: bool = False
    correlated: bool = False
    held_out: Holding | None = None


def statistic_wish(
    question: str, tokens: Sequence[Token], names: Collection[str] = ()
) -> StatisticWish | None:
    """The test that is asked for; its words are marked as used. None when none is.

    `names` are the stems of the words that columns are called by: a "mode of transport" is none.
    """
    for test, pattern in PATTERNS:
        match = re.search(pattern, question, re.IGNORECASE)
        if match is None or (DRAWN.search(question) and _only_drawn(test, match.group())):
            continue
        known_tokens = [t for t in tokens if match.start() <= t.start < match.end()]
        if any(t.quoted for t in known_tokens):
            continue
        spread = "standard" in match.group().lower() or "ddof" in match.group().lower()
        if test == "describe" and not spread and any(t.stem in names for t in known_tokens):
            continue
        wish = _wish(test, match.group(), question)
        _take(tokens, match, names if test in _IMPLIED else ())
        for deviation in POPULATION.finditer(question):
            _take(tokens, deviation, ())
        extras = [EXTRA, *(re.compile(p, re.I) for _, p in DESCRIBED if wish.test == "describe")]
        for extra in (found for words in extras for found in words.finditer(question)):
            _take(tokens, extra, names)
        if wish.held_out is not None:
            for start, end in spans(question):
                take(tokens, start, end, "statistic")
        if wish.expected is not None or wish.threshold is not None:
            _take_number(tokens, wish)
        return wish
    return None


def _only_drawn(test: str, text: str) -> bool:
    """Whether the words are about a chart where one is asked for: its rows are the answer."""
    if test in ("correlation", "relation", "effect"):
        return "matrix" not in text.lower()
    return test == "describe" and ALSO_DRAWN.search(text) is not None


def _take(tokens: Sequence[Token], match: re.Match[str], names: Collection[str]) -> None:
    """Marks the words of a phrase, but none that a column is called by."""
    for token in tokens:
        inside = match.start() <= token.start and token.end <= match.end()
        if inside and not token.used and token.stem not in names:
            take(tokens, token.start, token.end, "statistic")


def _take_number(tokens: Sequence[Token], wish: StatisticWish) -> None:
    """Marks the number that is part of the test, with the comparison that leads to it."""
    for position, token in enumerate(tokens):
        if token.number is None or token.number not in (wish.expected, wish.threshold):
            continue
        start = position
        while start and tokens[start - 1].lower in _COMPARING:
            start -= 1
        for part in tokens[start : position + 1]:
            part.used = part.used or "statistic"
        return


def _wish(test: str, sentence: str, question: str) -> StatisticWish:
    text = question.lower()
    method = next((m for m in ("spearman", "kendall") if test in _PAIRING and m in text), "")
    method = method or ("spearman" if re.search(r"\brank[- ](?:order )?correl", text) else "")
    if test == "normality":
        method = next((name for name, words in SHAPE_TESTS if re.search(words, text)), "")
    threshold = None
    if test == "outliers":
        z_score = re.search(r"z[- ]?scores?|standard deviations", text)
        method = "z-score" if z_score else "iqr"
        number = next((found for how in _THRESHOLDS if (found := re.search(how, text))), None)
        threshold = float(number.group(1)) if number else None
    expected = re.search(r"(?:against|from|equal to|equals|is|of|than|=)\s+(-?\d+(?:\.\d+)?)", text)
    population = "population standard" in text or "population variance" in text
    ddof = _DDOF.search(text)
    interval = test == "interval"
    return StatisticWish(
        test="describe" if interval else test,
        asked=INTERVAL if interval else _asked(test, text),
        method=method,
        threshold=threshold,
        expected=float(expected.group(1)) if expected and test == "one_sample_t" else None,
        ddof=int(ddof.group(1)) if ddof else 0 if population else None,
        equal_variances="equal variance" in text or "student" in text,
        confidence=_confidence(text),
        every=test == "correlation" and _pairs_all(sentence.lower(), text),
        correlated="correlat" in text,
        held_out=holding(question) if test in _MODELS else None,
        implied=test in _IMPLIED and "significant" not in text,
    )


def _asked(test: str, text: str) -> tuple[str, ...]:
    if test == "correlation" and "matrix" in text:
        return (MATRIX,)
    if test != "describe":
        return ()
    if "five-number" in text or "five number" in text:
        return FIVE
    return tuple(name for name, words in DESCRIBED if re.search(words, text))


def _confidence(text: str) -> float | None:
    """The stated confidence, or 1 less the stated level of significance."""
    found = _ALPHA.search(text)
    if found is None:
        return None
    groups = found.groupdict()
    sentence = next(groups[k] for k in ("value", "value2", "value3", "value4") if groups[k])
    number = float(sentence.rstrip("% ")) / (100 if sentence.endswith("%") else 1)
    sure = number if "confidence" in (groups["what"], groups["what2"]) else 1 - number
    return round(sure, 10) if 0.5 < sure < 1 else None


def _pairs_all(sentence: str, text: str) -> bool:
    compared = re.search(
        r"strong|high|most|best|largest|weakest|lowest|matrix|pairwise|among|closely|which|what",
        sentence,
    )
    others = re.search(
        r"\b(?:all|each|every)(?: of)?(?: the)?(?: other)?(?: numeric(?:al)?)? "
        r"(?:columns|variables|features|pairs?)\b",
        text,
    )
    return bool(compared or others)
