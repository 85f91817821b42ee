"""Words that have an order of their own: steps of size and esteem, ranges, numbered stages."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence

from mesh.text.calendar_names import CALENDARS

# From the least to the most; words on one line of a scale stand for the same step.
_STEPS = (
    """
    lowest/minimal
    very low
    low/minor/trivial
    normal/medium/moderate/average/mid
    high/major
    very high
    highest/urgent
    critical/blocker
    """,
    """
    xxs
    xs/extra small/tiny
    s/small
    m/medium
    l/large/big
    xl/extra large/huge
    xxl
    xxxl
    """,
    """
    very dissatisfied/very unsatisfied/extremely dissatisfied
    dissatisfied/unsatisfied/somewhat dissatisfied
    neutral/neither/neither satisfied nor dissatisfied/ok
    satisfied/somewhat satisfied
    very satisfied/extremely satisfied
    """,
    """
    strongly disagree
    disagree/somewhat disagree
    neutral/neither/neither agree nor disagree/undecided
    agree/somewhat agree
    strongly agree
    """,
    """
    never
    rarely/seldom
    sometimes/occasionally
    often/frequently
    usually/very often
    always
    """,
    """
    very unlikely
    unlikely
    neutral/undecided
    likely
    very likely
    """,
    """
    very poor/very bad
    poor/bad
    fair/average/acceptable/satisfactory/ok
    good
    very good
    premium/excellent/outstanding
    ideal/perfect
    """,
    # Clarity of stones as the Gemological Institute of America grades it.
    "i3\ni2\ni1\nsi3\nsi2\nsi1\nvs2\nvs1\nvvs2\nvvs1\nif\nfl",
    "bronze\nsilver\ngold\nplatinum",
    "first\nsecond\nthird\nfourth\nfifth",
    "beginner\nintermediate\nadvanced\nexpert",
    "junior\nmid\nsenior\nlead/principal",
    "spring\nsummer\nautumn/fall\nwinter",
    "small\nmid/midsize/medium\nlarge",
    """
    none/no schooling
    primary/elementary
    secondary/high school
    associate/some college
    tertiary/bachelor/bachelors/bachelor's
    master/masters/master's
    doctorate/phd/doctoral
    """,
)
_SCALES: tuple[dict[str, int], ...] = (
    *CALENDARS,
    *(
        {
            word.strip(): place
            for place, step in enumerate(lines.strip().split("\n"))
            for word in step.split("/")
        }
        for lines in _STEPS
    ),
)
_STAGES = (
    "grade class term semester week level day year quarter month phase stage round step floor "
    "tier period hour decile quintile quartile percentile season form wave lap"
).split()
_NUMBERED = re.compile(rf"(?:(?:{'|'.join(_STAGES)})\W*)(\d{{1,4}})|(\d{{1,3}})([a-z])")
_AMOUNT = r"[$€£]?\s*(\d[\d,]*(?:\.\d+)?)\s*([km]?)\b"
_RANGE = re.compile(
    r"(?P<below><=?|under|below|less than|up to|fewer than)?\s*"
    r"(?P<above>>=?|over|above|more than)?"
    rf"\s*{_AMOUNT}\s*(?P<more>\+|and over|and above|and older|or more|or older|plus)?"
    rf"(?:\s*(?:-|–|—|to)\s*{_AMOUNT})?\s*[%a-z]{{0,6}}"
)
_TIMES = {"": 1.0, "k": 1e3, "m": 1e6}
_HAIR = 1e-6
_FEWEST_LETTERS = 5


def ranks(names: Sequence[str]) -> dict[Hashable, float] | None:
    """The place of each name in an order that all of them belong to, if there is one."""
    folded = {name: " ".join(name.strip().rstrip(".").lower().split()) for name in names}
    if len(set(folded.values())) < 2:
        return None
    for scale in _SCALES:
        if all(name in scale for name in folded.values()):
            return {name: float(scale[key]) for name, key in folded.items()}
    for place in (_place_in_alphabet, _place_of_stage):
        places = {name: place(key) for name, key in folded.items()}
        found = [at for at in places.values() if at is not None]
        if len(found) == len(places) and (place is _place_of_stage or _unbroken(found)):
            return dict(zip(places, found, strict=True))
    begins = [at for key in folded.values() if (at := _lowest(key)) is not None]
    some_range = any(not key.isdigit() for key in folded.values())
    if some_range and len(begins) == len(folded):
        return dict(zip(folded, begins, strict=True))
    return None


def words_on_scale(names: Sequence[str]) -> tuple[str, ...]:
    """All words of the first scale that every name lies on, in lower case; none without one.

    Ranges, letters and numbered stages are no words of a scale: there is no end of them.
    """
    folded = {" ".join(name.strip().rstrip(".").lower().split()) for name in names}
    if len(folded) < 2:
        return ()
    return next((tuple(scale) for scale in _SCALES if folded <= set(scale)), ())


def same_step(names: Sequence[str], word: str) -> tuple[str, ...]:
    """Those of the names that stand for the step of a scale that a word names: "S" for "small"."""
    folded = {name: " ".join(name.strip().rstrip(".").lower().split()) for name in names}
    if len(set(folded.values())) < 2:
        return ()
    text = " ".join(word.lower().split())
    for scale in _SCALES:
        if text in scale and all(name in scale for name in folded.values()):
            return tuple(name for name, key in folded.items() if scale[key] == scale[text])
    return ()


def span_of(name: str) -> tuple[float, float] | None:
    """The lowest and the highest number of a range; infinite where it is open: "65+", "<30k"."""
    match = _RANGE.fullmatch(" ".join(name.strip().lower().split()))
    if match is None:
        return None
    low, low_times, high, high_times = match[3], match[4], match[6], match[7]
    value = float(low.replace(",", "")) * _TIMES[low_times or high_times or ""]
    if match["below"]:
        return -math.inf, value
    if match["above"] or match["more"]:
        return value, math.inf
    if high is None:
        return value, value
    return value, float(high.replace(",", "")) * _TIMES[high_times or ""]


def _place_in_alphabet(name: str) -> float | None:
    """A letter's place, as of colours from D to J."""
    return float(ord(name)) if len(name) == 1 and "a" <= name <= "z" else None


def _unbroken(places: Sequence[float]) -> bool:
    """Whether several letters follow each other without a gap, as steps of a scale do."""
    found = sorted(set(places))
    return len(found) >= _FEWEST_LETTERS and found[-1] - found[0] == len(found) - 1


def _place_of_stage(name: str) -> float | None:
    """The number of "term 2", or of a class such as "10b"."""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    if match[1]:
        return float(match[1])
    return float(match[2]) + (ord(match[3]) - ord("a")) / 100


def _lowest(name: str) -> float | None:
    """Where a range begins: "18-24", "65+", "<30k", "over 100"."""
    match = _RANGE.fullmatch(name)
    if match is None:
        return None
    low, low_times, _, high_times = match[3], match[4], match[6], match[7]
    value = float(low.replace(",", "")) * _TIMES[low_times or high_times or ""]
    if match["below"]:
        return value - abs(value) * _HAIR - _HAIR
    return value + abs(value) * _HAIR + _HAIR if match["above"] else value
