"""Which remarks on an answer change how it is to be read: these stand above it."""

from __future__ import annotations

import re

LEFT_OUT = "left out as not understood: "
"""How a remark begins that names words of the question that were not used."""

_CHANGING = (
    LEFT_OUT, "not used: ", "it may also mean: ", "taken as ", "Only the first ",
    "Found in an even sample of ", "this reading is ",
    "no other reading could be tried", "not all likely readings could be tried",
    "the question that this goes on from was read as ",
    "none of the readings that were offered was chosen",
    "Told apart, though spelt nearly alike: ", "counted are the ",
    "the parts are of all that the condition leaves",
)  # fmt: skip


_LOST = re.compile(r" and (are|is) left out\.$")
_REPEATED = re.compile(r"^(each .+ counts|the .+ has each .+) once for every ")
_GUESSED = re.compile(r'^".+" is (taken for|read as) ')
_FOUND = re.compile(r"^[A-Z]\d\d: ")
"""The code of a check, before what it found."""
_ADDED = re.compile(r" is added up, though ")
_TIED = re.compile(r" tie for [\d,]+(st|nd|rd|th) place, of which ")
_DOUBTS = (_ADDED, _FOUND, _GUESSED, _REPEATED, _TIED)


def is_left_out(remark: str) -> bool:
    """Whether a remark tells what an answer is not of: words of the question, or rows."""
    return remark.startswith(LEFT_OUT) or bool(_LOST.search(remark))


def without_label(remark: str) -> str:
    """A remark that `is_left_out`, for where "left out" stands before it."""
    return _LOST.sub("", remark.removeprefix(LEFT_OUT))


def changes_reading(remark: str) -> bool:
    """Whether an answer says something else to whoever has not read the remark."""
    told = any(said.search(remark) for said in _DOUBTS)
    return remark.startswith(_CHANGING) or is_left_out(remark) or told
