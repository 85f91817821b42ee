"""Rows that a model is tested on: "split 80/20, random_state 42", "the first 80% for training"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PERCENT = r"(?P<{0}>\d{{1,2}}(?:\.\d+)?) ?%?"
_TRAIN = r"(?:(?:the )?train(?:ing)?)\b"
_TEST = r"(?:(?:the )?(?:test(?:ing)?|validation|hold[- ]?out))\b"
_FOR = r"(?: (?:of the (?:data|rows|dataset|samples)|is|are|used|as|for|in|to|into))*"
_SPLITTING = re.compile(r"\bsplit\w*\b|\btest[_ ]size\b|\btrain(?:ing)?\b.*\btest", re.IGNORECASE)
_SHARES = (
    re.compile(r"\btest[_ -]size\s*(?:=|of|is|:)?\s*(?P<test>0?\.\d+|\d{1,2} ?%)", re.IGNORECASE),
    re.compile(
        r"(?<![\d.])(?P<train>\d{2}) ?%? ?[/:-] ?(?P<test>\d{2})(?![\d.]) ?%?", re.IGNORECASE
    ),
    re.compile(rf"(?<![\d.]){_PERCENT.format('test')}{_FOR} {_TEST}", re.IGNORECASE),
    re.compile(rf"{_TEST}(?: (?:set|data))? \(\s*{_PERCENT.format('test')}\s*\)", re.IGNORECASE),
    re.compile(rf"(?<![\d.]){_PERCENT.format('train')}{_FOR} {_TRAIN}", re.IGNORECASE),
)
_SEED = re.compile(
    r"\b(?:random[_ -]?(?:state|seed)|seed)(?: (?:of|as|is|to|at|set to|equal to))*"
    r"\s*[=:]?\s*(?P<seed>\d+)",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    r"\bshuffle ?= ?false\b|\bwithout shuffling\b|\bchronological\w*\b"
    r"|\bfirst \d{1,2} ?%(?= \D{0,30}?train)",
    re.IGNORECASE,
)
_USUAL_SEED = 42


@dataclass(frozen=True, slots=True)
class Holding:
    """The share of rows that are held out, and the seed that picks them; None takes the last."""

    share: float
    seed: int | None
    has_seed: bool


def describe_missing_share(question: str) -> str:
    """What is said where rows are to be held out, but not how many; else empty."""
    wanted = _SPLITTING.search(question) is not None and "train" in question.lower()
    if not wanted or holding(question) is not None:
        return ""
    return "Which share of the rows is the model to be tested on? Say so, as in split 80/20."


def holding(question: str) -> Holding | None:
    """How many rows are held out and which; None where no share is told."""
    share = next(_shares(question), None) if _SPLITTING.search(question) else None
    if share is None:
        return None
    seed = _SEED.search(question)
    if _IN_ORDER.search(question):
        return Holding(share, None, has_seed=True)
    return Holding(share, int(seed.group("seed")) if seed else _USUAL_SEED, seed is not None)


def spans(question: str) -> Iterator[tuple[int, int]]:
    """The characters that say so."""
    for pattern in (*_SHARES, _SEED, _IN_ORDER):
        yield from (match.span() for match in pattern.finditer(question))


def _shares(question: str) -> Iterator[float]:
    for pattern in _SHARES:
        for match in pattern.finditer(question):
            found = match.groupdict()
            test = _share(found["test"]) if found.get("test") else None
            train = _share(found["train"]) if found.get("train") else None
            if test is not None and train is not None and round(test + train, 6) != 1:
                continue
            share = test if test is not None else 1 - (train or 0)
            if 0 < share < 1:
                yield round(share, 10)


def _share(text: str) -> float:
    number = float(text.rstrip("% "))
    return number if number < 1 else number / 100
