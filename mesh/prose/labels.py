"""Rows by the names that texts have for them: whole labels, and words that only one label has."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from mesh.prose.frames import Frame

_WORD = re.compile(r"[^\W\d_]{4,}|\d{4}")
_COMMON = frozenset(
    "january february march april june july august september october november "
    "december the of and in for with".split()
)


def names_of(frame: Frame, column: str) -> dict[str, int]:
    """By name in lower case, the first row that it is of; names of several values are left out."""
    return dict(_names(id(frame), frame.name, column, _Held(frame)))


def labels_named(text: str, frame: Frame, column: str) -> set[int]:
    """The rows that a text names by a column, one a value; of names that overlap the longest."""
    names = names_of(frame, column)
    whole = text.casefold()
    found = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}s?(?!\w)", whole)]
    longest = [name for name in found if not any(name != one and name in one for one in found)]
    return {names[name] for name in longest}


def words_of(name: str) -> set[str]:
    """The words of a name or a stretch of prose, in lower case and the singular."""
    words = re.findall(r"[^\W\d_]+", name.casefold().replace("_", " "))
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words}


class _Held:
    """A frame that compares by identity, for the cache."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.frame is self.frame


@lru_cache(maxsize=64)
def _names(_identity: int, _name: str, column: str, held: _Held) -> tuple[tuple[str, int], ...]:
    frame = held.frame
    spelt = frame.labels[column]
    values = frame.values[column]
    first: dict[object, int] = {}
    for row, value in enumerate(values):
        first.setdefault(value, row)
    names: dict[str, int] = {}
    doubled: set[str] = set()
    for row in first.values():
        for name in spelt[row]:
            if len(name) > 1:
                doubled |= {name} if name in names else set()
                names.setdefault(name, row)
    texts = {
        row: str(values[row]).casefold() for row in first.values() if isinstance(values[row], str)
    }
    words = Counter(word for text in texts.values() for word in set(_WORD.findall(text)))
    for row, text in texts.items():
        for word in _WORD.findall(text):
            if words[word] == 1 and word not in _COMMON and not word.isdigit():
                names.setdefault(word, row)
    return tuple((name, row) for name, row in names.items() if name not in doubled)
