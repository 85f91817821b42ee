"""Places in the text of a model, and what is wrong at them, told to whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

from mesh.errors import SEMANTIC_MODEL_INVALID, AssayError

Path = tuple[str | int, ...]
"""Where something stands: keys and places in lists, from the outside in."""

_MOST_SHOWN = 5
_LIKE_ENOUGH = 60  # of 100, by rapidfuzz
_MOST_LISTED = 12


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A line and a column of a text, from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Places:
    """Where the keys and the values of a text begin."""

    keys: Mapping[Path, Place]
    values: Mapping[Path, Place]

    def of_key(self, path: Path) -> Place:
        """Where a key begins; what is not written is placed at what it would be in."""
        return self._found(path, self.keys)

    def of_value(self, path: Path) -> Place:
        """Where a value begins."""
        return self._found(path, self.values)

    def _found(self, path: Path, first: Mapping[Path, Place]) -> Place:
        for length in range(len(path), -1, -1):
            known = first.get(path[:length]) or self.values.get(path[:length])
            if known is not None:
                return known
        return Place(1, 1)


@dataclass
class Mistakes:
    """What is wrong with the model called `name`."""

    name: str
    _found: list[tuple[Place, str]] = field(default_factory=list)

    def add(self, place: Place, message: str) -> None:
        """Note one; the same is noted once."""
        if (place, message) not in self._found:
            self._found.append((place, message))

    @property
    def first(self) -> str:
        """The first in the order of the text, in words; empty where there is none."""
        return min(self._found)[1] if self._found else ""

    def raise_any(self) -> None:
        """Raises AssayError(SEMANTIC_MODEL_INVALID) that tells the first few, in their order."""
        if not self._found:
            return
        found = sorted(self._found)
        texts = [f"{self.name}, {found[0][0]}: {found[0][1]}"]
        texts += [f"{str(place).capitalize()}: {text}" for place, text in found[1:_MOST_SHOWN]]
        more = len(found) - _MOST_SHOWN
        texts += [f"There {'is' if more == 1 else 'are'} {more} more"] if more > 0 else []
        raise AssayError(
            SEMANTIC_MODEL_INVALID,
            " ".join(part if part.endswith("?") else f"{part}." for part in texts).rstrip("."),
            fields={f"{self.name}:{p.line}:{p.column}": text for p, text in found[:_MOST_SHOWN]},
        )


def unlisted(text: str, name: object, known: Iterable[str]) -> str:
    """What is said of a name that is not known, with the nearest that is, else a list of some."""
    choices = list(known)
    if near := nearest(str(name), choices):
        return f'{text}; did you mean "{near}"?'
    listed = ", ".join(choices[:_MOST_LISTED]) + (", …" if len(choices) > _MOST_LISTED else "")
    return f"{text}; there is {listed}" if choices else text


def nearest(name: str, known: Sequence[str]) -> str:
    """The name most like the one that was written, case aside; empty where none is like it."""
    found = process.extractOne(
        name, known, scorer=fuzz.ratio, processor=str.casefold, score_cutoff=_LIKE_ENOUGH
    )
    return str(found[0]) if found is not None else ""
