"""Which remarks on an answer change how it is to be read: these stand above it."""

from __future__ import annotations

import re
from collections.abc import Iterable

LEFT_OUT = "left out as not understood: "
"""How a remark begins that names words of the question that were not used."""

NOT_USED = "not used: "
"""Before words of the question, in quotation marks, or else something that was given, which an
answer does not go by."""
OF_READING = "this reading is "
"""How a remark begins that tells in a word how sure the reading is, and what it is."""
_CHANGING = (
    LEFT_OUT,
    NOT_USED,
    "it may also mean: ",
    "taken as ",
    "Only the first ",
    "Found in an even sample of ",
    OF_READING,
    "no other reading could be tried",
    "not all likely readings could be tried",
    "the question that this goes on from was read as ",
    "none of the readings that were offered was chosen",
    "Not met: ",
    "Told apart, though spelt nearly alike: ",
    "counted are the ",
    "the parts are of all that the condition leaves",
)


_LOST = re.compile(r" and (are|is) left out\.$")
_REPEATED = re.compile(r"^(each .+ counts|the .+ has each .+) once for every ")
_GUESSED = re.compile(r'^".+" is (taken for|read as) ')
_FOUND = re.compile(r"^[A-Z]\d\d: ")
"""The code of a check, before what it found."""
_ADDED = re.compile(r" is added up, though ")
_TIED = re.compile(r" tie for [\d,]+(st|nd|rd|th) place, of which ")
_IN_PART = re.compile(r" (begins|ends) on .+, where the data (begins|ends)$")
_LEVEL = re.compile(r" is a level, told as it stood ")
_FISCAL = re.compile(r"^fiscal years? (begin on|FY\d{4})")
_DOUBTS = (_ADDED, _FISCAL, _IN_PART, _LEVEL, _FOUND, _GUESSED, _REPEATED, _TIED)


# By what a doubt is of, the codes of the checks that raise it; all others are of the statement.
_OF = {
    "data": "A05 F06 F07 F08 S03 T02 T04 J02".split(),
    "rows": ["A09"],
    "words": "W01 W02 W03 W04 W05".split(),
}
_OF_WORDS = (LEFT_OUT, NOT_USED, "it may also mean: ")
_SUBJECTS = {
    "data": "something in the data is in doubt",
    "statement": "what the statement does is in doubt",
    "words": "not every word of the question was read",
    "rows": "it rests on few rows",
}


def is_found(remark: str) -> bool:
    """Whether a remark is what a check found."""
    return _FOUND.match(remark) is not None


def without_code(remark: str) -> str:
    """What a check found, without its code."""
    return _FOUND.sub("", remark)


def in_doubt(remarks: Iterable[str]) -> tuple[str, ...]:
    """What the doubts among the remarks on an answer are of, in words, each once; none where only
    the reading of the question as a whole is."""
    kinds = dict.fromkeys(kind for remark in remarks if (kind := _doubt_of(remark)))
    return tuple(_SUBJECTS[kind] for kind in _SUBJECTS if kind in kinds)


def _doubt_of(remark: str) -> str:
    if _FOUND.match(remark):
        return next((kind for kind, codes in _OF.items() if remark[:3] in codes), "statement")
    if remark.startswith(_OF_WORDS) or _GUESSED.search(remark):
        return "words"
    if _ADDED.search(remark) or _REPEATED.search(remark):
        return "statement"
    return ""


def is_left_out(remark: str) -> bool:
    """Whether a remark tells what an answer is not of: words of the question, or rows."""
    return remark.startswith(LEFT_OUT) or bool(_LOST.search(remark))


def without_label(remark: str) -> str:
    """A remark that `is_left_out`, for where "left out" stands before it."""
    return _LOST.sub("", remark.removeprefix(LEFT_OUT))


def changes_reading(remark: str) -> bool:
    """Whether an answer says something else to whoever has not read the remark."""
    is_mentioned = any(pattern.search(remark) for pattern in _DOUBTS)
    return remark.startswith(_CHANGING) or is_left_out(remark) or is_mentioned
