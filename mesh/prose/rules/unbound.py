"""Every number of the prose is bound, or names a row of a frame that is cited beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mesh.prose.clauses import Clause
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Frame
from mesh.prose.numbers import numbers_in


def find_unbound_numbers(clause: Clause, frames: Mapping[str, Frame]) -> Iterator[Failure]:
    """Numbers in digits or words that nothing vouches for."""
    for start, end, text in numbers_in(clause.prose):
        if _is_label(text, frames):
            continue
        yield Failure(
            FailureCode.NUMBER_UNBOUND,
            text,
            "it is bound to no cell",
            f"write {{{text}|FRAME.COLUMN[ROW]}}",
            clause.start + start,
            clause.start + end,
        )


def _is_label(text: str, frames: Mapping[str, Frame]) -> bool:
    """Whether it is a row's name, a part of one ("1997" of 1997-12-01), or in the statement."""
    plain = text.casefold().replace(",", "")
    return any(
        (plain in frame.statement.casefold() and not plain.isalpha())
        or any(_is_part(plain, spelt) for column in frame.labels.values() for spelt in column)
        for frame in frames.values()
    )


def _is_part(plain: str, spelt: frozenset[str]) -> bool:
    return any(plain in text.replace("-", " ").replace(",", "").split() for text in spelt)
