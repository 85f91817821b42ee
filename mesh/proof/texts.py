"""Whether a text is borne out: every number a claim, every stating word an assertion over cells.

What is plain may stand anywhere; whatever else is said is held against the cells it is said of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from mesh.proof.assertions import NAME, NUMBER, PIECES, SUGGESTED, Assertion, Known, Span, Stated
from mesh.proof.named_cells import finite
from mesh.proof.statements import statement_fault
from mesh.proof.wording import PLAIN, STATING, UNITS, find_unknown_character, words_of
from mesh.text.spelling import spellings

_LONGEST_SHOWN = 100


def text_fault(text: str, place: str, assertions: Iterable[Assertion], known: Known) -> str | None:
    """The first thing in a text that is not borne out, in words, or None."""
    here = sorted((one for one in assertions if one.place == place), key=lambda one: one.start)
    for one in here:
        if not 0 <= one.start < one.end <= len(text):
            return f"the {place} has no characters {one.start} to {one.end}"
    pieces = [one for one in here if one.kind in PIECES]
    statements = [one for one in here if one.kind not in PIECES]
    for before, piece in pairwise(pieces):
        if piece.start < before.end:
            return _fault(text, place, piece, "two pieces stand over one another")
    for piece in pieces:
        why = _piece_fault(text, piece, known)
        if why:
            return _fault(text, place, piece, why)
    why = _words_fault(text, place, pieces, statements)
    if why:
        return why
    return _statements_fault(text, place, pieces, statements, known)


def _statements_fault(
    text: str,
    place: str,
    pieces: Sequence[Assertion],
    statements: Sequence[Assertion],
    known: Known,
) -> str | None:
    for one in statements:
        inside = [(piece, text[piece.start : piece.end]) for piece in pieces if one.holds(piece)]
        named = {one.stated.frame_digest, one.stated.of_digest} - {""}
        if known.partial and not named <= known.frames.keys():
            continue
        span = Span(text[one.start : one.end], one.start, inside)
        try:
            why = statement_fault(one.stated, span, known)
        except (KeyError, IndexError) as error:
            why = f"no frame of the proof has what it names ({str(error)[:60]})"
        except (TypeError, ValueError, OverflowError):
            why = "it is not of cells that can be so"
        if why:
            return _fault(text, place, one, why)
    for piece in pieces:
        if piece.kind == NUMBER and not any(one.holds(piece) for one in statements):
            return _fault(text, place, piece, "nothing says what this is the number of")
    return None


def is_called(text: str, value: Any) -> bool:
    """Whether a row that has this value is called so: in any spelling, or a text without units."""
    return text in spellings(value) or (isinstance(value, str) and _without_units(text, value))


def _piece_fault(text: str, piece: Assertion, known: Known) -> str | None:
    sentence, stated = text[piece.start : piece.end], piece.stated
    if piece.kind == NUMBER:
        claim = known.claims.get(stated.claim_id)
        return None if claim is not None and claim.text == sentence else "no claim prints this"
    if piece.kind == SUGGESTED:
        before = text[: piece.start]
        shut = text[piece.end : piece.end + 1] == ")"
        return None if shut and before.endswith((" (closest: ", " (there are: ")) else "it is data"
    if piece.kind == NAME:
        try:
            value = known.cell(stated.frame_digest, stated.rows[0], stated.columns[0])
        except (KeyError, IndexError):
            return "no frame of the proof has the cell it is from"
        if not is_called(sentence, value):
            return f"its cell is called {str(value)[:_LONGEST_SHOWN]!r}"
        measured = finite(value) and _is_measured(stated, known)
        return "it is a number of the answer, and no claim prints it" if measured else None
    strange = known.quotable.strange_in(sentence)
    return f"neither question, plan nor columns hold {strange!r}" if strange else None


def _is_measured(stated: Stated, known: Known) -> bool:
    """Whether the answer cites numbers of a column: rows are not called by these."""
    cited = {(claim.frame_digest, claim.column) for claim in known.claims.values()}
    return (stated.frame_digest, stated.columns[0]) in cited


def _without_units(text: str, value: str) -> bool:
    """Whether the words are those of a text cell, or of it up to a comma, but for units."""
    words = text.casefold().split()
    for whole in (value, value.partition(",")[0]):
        rest = iter(words)
        wanted = next(rest, None)
        for word in whole.casefold().split():
            if word == wanted:
                wanted = next(rest, None)
            elif word.strip(".,:") not in UNITS:
                break
        else:
            if wanted is None:
                return True
    return False


def _words_fault(
    text: str, place: str, pieces: Sequence[Assertion], statements: Sequence[Assertion]
) -> str | None:
    ends = [0, *(piece.end for piece in pieces)]
    starts = [*(piece.start for piece in pieces), len(text)]
    for start, end in zip(ends, starts, strict=True):
        between = text[start:end]
        strange = find_unknown_character(between)
        if strange is not None:
            return (
                f"the {place} says {strange!r} in {between[:_LONGEST_SHOWN]!r}, which no claim is"
            )
        for first, last, word in words_of(between):
            kinds = STATING.get(word)
            if word in PLAIN or any(
                one.kind in (kinds or ()) and one.start <= start + first <= start + last <= one.end
                for one in statements
            ):
                continue
            what = "no assertion bears it out" if kinds else "which is no word of answers"
            return f"the {place} says {word!r} in {_around(text, start + first)!r}: {what}"
    return None


def _around(text: str, place: int) -> str:
    """The sentence that a character is in."""
    before = text[:place].rpartition(". ")[2]
    behind, stop, _ = text[place:].partition(". ")
    return before + behind + stop.strip()


def _fault(text: str, place: str, one: Assertion, why: str) -> str:
    sentence = text[one.start : one.end].strip()
    return f"the {place} says {sentence[:_LONGEST_SHOWN]!r} in {_around(text, one.start)!r}: {why}"
