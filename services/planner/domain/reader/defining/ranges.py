"""Ranges as a question states them: "<18, 18-60, >60", "'Child' (0-12), 'Adult' (13 and over)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.query.defining.terms import (
    Branch,
    Choice,
    Computed,
    Constant,
    Function,
    Reference,
    Term,
)

_N = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_FORMS: tuple[str, ...] = (
    rf"(?P<open>[\[(])\s*(?P<from>{_N})\s*,\s*(?P<to>{_N})\s*(?P<close>[\])])",
    rf"(?:between |from )?(?P<low>{_N})\s*(?:-|–|—|\bto\b|(?<=\d)\s+and)\s*(?P<high>{_N})",
    rf"(?:<=|≤|\bat most\b|\bup to\b)\s*(?P<most>{_N})|(?P<most2>{_N})\s*(?:and|or) "
    r"(?:below|under|younger|less|fewer|lower)\b",
    rf"(?:<|\bunder\b|\bbelow\b|\b(?:less|younger|smaller|lower|fewer) than\b)\s*(?P<under>{_N})",
    rf"(?:>=|≥|\bat least\b|\bfrom\b)\s*(?P<least>{_N})|(?P<least2>{_N})\s*(?:\+|(?:and|or) "
    r"(?:above|over|older|more|up|higher|greater)\b|plus\b)",
    rf"(?:>|\bover\b|\babove\b|\b(?:more|older|greater|larger|higher) than\b)\s*(?P<over>{_N})",
)
_ITEM = re.compile(rf"(?<![\w.])(?:{'|'.join(_FORMS)})", re.IGNORECASE)
_WORD = (
    r"(?<![\w-])(?!(?:and|or|into|as|with|of|in|to|by|the|an?|for|groups?|bins?|ranges?|"
    r"categories|levels?|ages?|years?)\b)[^\W\d][\w-]*"
)
_LABEL = rf"(?:'[^']{{1,40}}'|\"[^\"]{{1,40}}\"|{_WORD}(?: {_WORD}){{0,2}})"
_LEADING = re.compile(rf"(?P<label>{_LABEL})\s*[:(=]\s*$", re.IGNORECASE)
_FOLLOWING = re.compile(
    rf"^\s*(?:years?(?: old)?\s*)?(?:\(\s*(?P<inside>{_LABEL})\s*\)"
    rf"|(?:as|=|:|->|→)\s*(?P<label>{_LABEL}))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"^[\s)\]]*(?:years?(?: old)?)?[\s)\]]*(?:[,;/|]|\band\b|\bor\b|\bvs\.?|,\s*and)+\s*"
    rf"(?:(?:an?|the)\s+)?(?:{_LABEL}\s*)?[:(=\s]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Range:
    """One range; an end that is None is open. `ends` says whether each end belongs to it."""

    low: float | None
    high: float | None
    ends: tuple[bool, bool]
    label: str


@dataclass(frozen=True)
class Run:
    """Ranges that are listed one after the other, and the characters that they take."""

    ranges: tuple[Range, ...]
    start: int
    end: int


def listed_ranges(text: str) -> Run | None:
    """The first list of at least two ranges in a text."""
    items = list(_ITEM.finditer(text))
    for first in range(len(items)):
        last = first
        while last + 1 < len(items) and _goes_on(text, items[last], items[last + 1]):
            last += 1
        if last > first:
            return _run(text, items[first : last + 1])
    return None


def _goes_on(text: str, item: re.Match[str], following: re.Match[str]) -> bool:
    tail = _FOLLOWING.match(text[item.end() : following.start()])
    gap = text[item.end() + (tail.end() if tail else 0) : following.start()]
    return _BETWEEN.match(gap) is not None


def _run(text: str, items: Sequence[re.Match[str]]) -> Run:
    leading = _LEADING.search(text[: items[0].start()])
    named_before = leading is not None
    labels, start, end = [], items[0].start(), items[-1].end()
    for item in items:
        before = _LEADING.search(text[: item.start()]) if named_before else None
        after = None if named_before else _FOLLOWING.match(text[item.end() :])
        sentence = before.group("label") if before else ""
        sentence = sentence or ((after.group("inside") or after.group("label")) if after else "")
        labels.append(sentence.strip("'\" "))
        if item is items[0] and before is not None:
            start = before.start("label")
        if item is items[-1] and after is not None:
            end = item.end() + after.end()
    closing = re.match(r"\s*[)\]]", text[end:])
    opened = text[start:end].count("(") > text[start:end].count(")")
    if closing is not None and (opened or text[:start].rstrip().endswith(("(", "["))):
        end += closing.end()
    whole = all(labels) and len(set(labels)) == len(labels)
    ranges = [
        _range(item, label if whole else _written(item))
        for item, label in zip(items, labels, strict=True)
    ]
    return Run(tuple(ranges), start, end)


def _written(item: re.Match[str]) -> str:
    return re.sub(r"\s+", " ", item.group()).strip()


def _range(item: re.Match[str], label: str) -> Range:
    found = {k: v for k, v in item.groupdict().items() if v is not None}

    def number(*names: str) -> float | None:
        text = next((found[n] for n in names if n in found), None)
        return None if text is None else float(text.replace(",", ""))

    if "open" in found:
        ends = (found["open"] == "[", found["close"] == "]")
        return Range(number("from"), number("to"), ends, label)
    if "low" in found:
        return Range(number("low"), number("high"), (True, True), label)
    most, least = number("most", "most2"), number("least", "least2")
    if most is not None or "under" in found:
        return Range(
            None, number("under") if most is None else most, (False, most is not None), label
        )
    return Range(
        number("over") if least is None else least, None, (least is not None, False), label
    )


def choice(ranges: Sequence[Range], column: Reference) -> Choice:
    """The label of the first range that a number lies in; missing outside of all.

    Whole numbers that follow each other, "0-18, 19-35", leave no gap: 18.5 is in the first.
    """
    branches = []
    for position, one in enumerate(ranges):
        after = ranges[position + 1] if position + 1 < len(ranges) else None
        high, closed = one.high, one.ends[1]
        gap = after.low - high if after and after.low is not None and high is not None else None
        if gap is not None and after is not None and 0 < gap <= 1:
            high, closed = after.low, False
        parts: list[Term] = []
        if one.low is not None:
            parts.append(_compared(column, ">=" if one.ends[0] else ">", one.low))
        if high is not None:
            parts.append(_compared(column, "<=" if closed else "<", high))
        when = parts[0] if len(parts) == 1 else Computed(function="and", operands=tuple(parts))
        branches.append(Branch(when=when, then=Constant(value=one.label)))
    return Choice(branches=tuple(branches))


def _compared(column: Reference, sign: Function, number: float) -> Computed:
    value: int | float = int(number) if number.is_integer() else number
    return Computed(function=sign, operands=(column, Constant(value=value)))
