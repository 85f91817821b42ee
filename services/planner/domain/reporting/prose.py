"""Sentences in which every number says where it is from.

A text for people is a sequence of pieces. Plain words may hold no digit at all: a number enters
only as a claim, as the label of a cell, as words of the question or a name, or as an entry of the
job's own record. Renderers hold each piece against its origin (`Ledger`) before they print it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from mesh.proof.assertions import Stated
from mesh.proof.texts import is_called
from services.planner.domain.answer import Claim
from services.planner.domain.reporting.evidence import EvidenceTable

_DIGITS = re.compile(r"\d+")


class UnclaimedNumberError(ValueError):
    """A number was about to be printed that no claim, cell, question or record stands behind."""


class Origin(StrEnum):
    """Where a quoted text was taken from."""

    QUESTION = "question"  # the question or the reading of it
    NAME = "name"  # a table, column, file or step
    SAMPLE = "sample"  # a value of the data that is suggested in place of one that is not there
    RECORD = "record"  # the job's record: ids, times, row counts, notes and arguments of calls


@dataclass(frozen=True, slots=True)
class Words:
    """Plain words. Raises UnclaimedNumberError when they hold a digit."""

    text: str

    def __post_init__(self) -> None:
        if any(character.isnumeric() for character in self.text):
            raise UnclaimedNumberError(f"plain words hold a number: {self.text[:80]!r}")


@dataclass(frozen=True, slots=True)
class Cited:
    """A number by its claim, as the claim prints it."""

    text: str
    claim_id: int


@dataclass(frozen=True, slots=True)
class Label:
    """What a row is called: the text of a cell, not a measured number."""

    text: str
    digest: str
    row: int
    column: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words taken over from elsewhere, digits and all."""

    text: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Opened:
    """From here on something is stated, until it is closed; itself it is no text."""

    stated: Stated
    text: str = ""


@dataclass(frozen=True, slots=True)
class Closed:
    """Here ends what was opened last."""

    text: str = ""


Piece = Words | Cited | Label | Quoted | Opened | Closed


@dataclass(frozen=True, slots=True)
class Prose:
    """Pieces in order."""

    pieces: tuple[Piece, ...] = ()

    @staticmethod
    def of(*parts: Prose | Piece | str) -> Prose:
        """Join pieces; a plain string becomes Words. Raises UnclaimedNumberError."""
        return Prose(tuple(_flattened(parts)))

    @property
    def plain(self) -> str:
        """The text without links."""
        return "".join(piece.text for piece in self.pieces)

    def __bool__(self) -> bool:
        return any(piece.text for piece in self.pieces)


def capital(sentence: Prose) -> Prose:
    """The sentence with a capital at its beginning, unless a name of the data begins it."""
    place = next(place for place, piece in enumerate(sentence.pieces) if piece.text)
    first = sentence.pieces[place]
    if isinstance(first, Label):
        return sentence
    begun = replace(first, text=first.text[:1].upper() + first.text[1:])
    return Prose((*sentence.pieces[:place], begun, *sentence.pieces[place + 1 :]))


def _flattened(parts: Iterable[Prose | Piece | str]) -> Iterator[Piece]:
    for part in parts:
        if isinstance(part, Prose):
            yield from part.pieces
        elif isinstance(part, str):
            if part:
                yield Words(part)
        else:
            yield part


def joined(items: Iterable[Prose], last: str = " and ") -> Prose:
    """Items as an enumeration: "a, b and c"."""
    parts = list(items)
    if len(parts) < 2:
        return Prose.of(*parts)
    spread: list[Prose | str] = []
    for position, item in enumerate(parts):
        if position:
            spread.append(last if position == len(parts) - 1 else ", ")
        spread.append(item)
    return Prose.of(*spread)


@dataclass(frozen=True)
class Ledger:
    """What may be printed: the claims of the answer, the frames' labels, and quoted texts."""

    claims: tuple[Claim, ...]
    tables: Mapping[str, EvidenceTable]
    question: str
    names: str

    def check(self, piece: Piece) -> None:
        """Raise UnclaimedNumberError for a piece whose number is not where it says it is from."""
        match piece:
            case Cited(text, claim_id):
                claim = self._by_id.get(claim_id)
                if claim is None or claim.text != text:
                    raise UnclaimedNumberError(f"{text!r} is not the text of claim {claim_id}")
            case Quoted(text, Origin.QUESTION):
                _require(text, self._question_numbers, "the question")
            case Quoted(text, Origin.NAME):
                _require(text, self._name_numbers, "a name")
            case Label():
                self._check_label(piece)
            case _:
                pass

    def _check_label(self, label: Label) -> None:
        for table in self.tables.values():
            if table.digest == label.digest and table.has(label.column):
                if is_called(label.text, table.value(label.row, label.column)):
                    return
                break
        raise UnclaimedNumberError(
            f"{label.text[:80]!r} is not what row {label.row} of {label.digest[:8]} is called"
        )

    @cached_property
    def _by_id(self) -> dict[int, Claim]:
        return {claim.claim_id: claim for claim in self.claims}

    @cached_property
    def _question_numbers(self) -> frozenset[str]:
        return frozenset(_DIGITS.findall(self.question))

    @cached_property
    def _name_numbers(self) -> frozenset[str]:
        return frozenset(_DIGITS.findall(self.names))


def _require(text: str, known: frozenset[str], where: str) -> None:
    for found in _DIGITS.finditer(text):
        number = found.group()
        cut_short = text[found.end() :] == "…" and any(k.startswith(number) for k in known)
        if number not in known and not cut_short:
            raise UnclaimedNumberError(f"{number!r} in {text[:80]!r} is not a number of {where}")
