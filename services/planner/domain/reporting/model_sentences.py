"""Sentences that a language model wrote before it knew any result: held against the rows as ours.

A sentence refers to cells: `{country|max revenue} has the highest revenue ({revenue|max revenue})`.
References become numbers and names of those cells; words that say which is highest, or that
something rose, become assertions over them. What remains must be plain words, or words of the
question and of the columns. A sentence for which that cannot be done, or that the rows do not bear
out, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mesh.proof.assertions import TEXT, Stated
from services.planner.domain.reporting.cells import Cell
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.model_references import (
    CONFIRMED_TRENDS,
    REFERENCE,
    DoesNotHoldError,
    Item,
    Reference,
    Word,
    column_of,
    items_of,
)
from services.planner.domain.reporting.prose import (
    Cited,
    Label,
    Opened,
    Piece,
    Prose,
)
from services.planner.domain.reporting.stating import (
    UnstatedError,
    check_stated,
    extreme,
    of_cells,
    of_rows,
    stating,
)
from services.planner.domain.reporting.story import Speaker
from services.planner.domain.reporting.telling import Telling

_LONGEST = 300
_LINKS = frozenset("and und et y e while during 和 而 但 während tandis mientras".split())
_STOPS = re.compile(r"[,;，；、。]")


def held(
    telling: Telling, sentences: Sequence[str], *, prose: Prose, again: bool
) -> tuple[tuple[Prose, ...], int]:
    """The sentences that hold, as prose, and how many do not. Those whose numbers have all been
    `said` are passed over in silence, unless they are told `again` in another language."""
    known_prose: list[Prose] = []
    left = 0
    before = _content(prose, telling.speaker)
    for sentence in sentences:
        trial = replace(telling, speaker=Speaker(ClaimBook()))
        try:
            found = _content(_prose(trial, sentence), trial.speaker)
        except (DoesNotHoldError, UnstatedError, KeyError, ValueError):
            left += 1
            continue
        if again or not found <= before:
            known_prose.append(_prose(telling, sentence))
            before |= found
    return tuple(known_prose), left


def _content(prose: Prose, speaker: Speaker) -> frozenset[tuple[object, ...]]:
    """What a text tells: the cells of its numbers, and of which rows it states more than these."""
    claims = {claim.claim_id: claim for claim in speaker.book.claims}
    cited = (claims[piece.claim_id] for piece in prose.pieces if isinstance(piece, Cited))
    stated = (piece.stated for piece in prose.pieces if isinstance(piece, Opened))
    return frozenset(
        [("value", one.frame_digest, one.row, one.column) for one in cited]
        + [
            (s.kind, s.frame_digest, s.rows, s.columns[:1])
            for s in stated
            if s.kind in CONFIRMED_TRENDS
        ]
    )


def _prose(telling: Telling, sentence: str) -> Prose:
    """The sentence with its cells and what it states of them. Raises DoesNotHoldError,
    UnstatedError."""
    text = " ".join(sentence.split())
    if len(text) > _LONGEST or not REFERENCE.search(text):
        raise DoesNotHoldError("it refers to no cell")
    items = list(items_of(telling, text))
    prose = Prose.of(*_stated(telling, items))
    if not prose.plain.endswith((".", "。")):
        prose = Prose.of(prose, ".")
    check_stated(prose, TEXT, telling.speaker.book.claims, telling.story.tables)
    return prose


def _stated(telling: Telling, items: Sequence[Item]) -> Iterator[Prose | Piece]:
    """The pieces with what each stretch of them states."""
    way = next(
        (
            k
            for item in items
            if isinstance(item, Word)
            for k in ("rose", "fell")
            if k in item.kinds
        ),
        "",
    )
    if way:
        yield _moved(telling, items, way)
        return
    for stretch in _stretches(items):
        yield _of_row(telling, stretch)


def _moved(telling: Telling, items: Sequence[Item], way: str) -> Prose:
    """That a number rose or fell from one row to the other, over the whole sentence."""
    cells = [i.cell for i in items if isinstance(i, Reference) and isinstance(i.piece, Cited)]
    kinds = {kind for item in items if isinstance(item, Word) for kind in item.kinds}
    time = telling.shape.time
    if kinds != {way} or len(cells) != 2 or cells[0].column != cells[1].column or time is None:
        raise DoesNotHoldError("it is not of two numbers of one column over time")
    stated = of_cells(way, *cells, by=time.column)
    return stating(stated, *(item.piece for item in items))


def _stretches(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Stretches of the sentence, each with references to one row alone. Words between two belong to
    the second from a stop or a link on. Raises DoesNotHoldError without these."""
    stretch: list[Item] = []
    between: list[Word] = []
    row: str | None = None
    for item in items:
        if isinstance(item, Word):
            between.append(item)
            continue
        if row is not None and item.row != row:
            cut = next((n for n, word in enumerate(between) if _parts(word)), -1)
            if cut < 0:
                raise DoesNotHoldError("cells of two rows stand in one breath")
            yield [*stretch, *between[:cut]]
            stretch, between = [], between[cut:]
        stretch, between, row = [*stretch, *between, item], [], item.row
    yield [*stretch, *between]


def _parts(word: Word) -> bool:
    text = word.piece.text.strip()
    return text.casefold() in _LINKS or _STOPS.search(text) is not None


def _of_row(telling: Telling, stretch: Sequence[Item]) -> Prose:
    """What a stretch states of its row: that it is at an end, or what its numbers are."""
    pieces = [item.piece for item in stretch]
    cells = [item.cell for item in stretch if isinstance(item, Reference)]
    numbers = [i.cell for i in stretch if isinstance(i, Reference) and isinstance(i.piece, Cited)]
    named = [i for i in stretch if isinstance(i, Reference) and isinstance(i.piece, Label)]
    kinds = [item.kinds for item in stretch if isinstance(item, Word) and item.kinds]
    row = next((item.row for item in stretch if isinstance(item, Reference)), "")
    if kinds:
        return stating(_at_an_end(telling, row, frozenset.intersection(*kinds), cells), *pieces)
    if not numbers:
        return Prose.of(*pieces)
    if row == "":
        return stating(of_cells("count", *numbers, of=Cell(telling.table, 0, "")), *pieces)
    if not named and telling.table.rows.num_rows > 1:
        raise DoesNotHoldError("it does not say of which row its numbers are")
    return stating(of_cells("value", *numbers), *pieces)


def _at_an_end(telling: Telling, row: str, kinds: frozenset[str], cells: Sequence[Cell]) -> Stated:
    """That a row is highest, lowest, first or last, as its reference says already."""
    which, _, column = row.partition(" ")
    kind = {"max": "highest", "min": "lowest"}.get(which, which)
    if kind not in kinds or not cells:
        raise DoesNotHoldError("its words say otherwise than its references")
    if kind in ("first", "last"):
        time, number = telling.shape.time, telling.shape.numbers[:1]
        if time is None or not number:
            raise DoesNotHoldError("it is not over time")
        return of_rows(kind, telling.table, [cells[0].row], number[0].column, time.column)
    name = column_of(telling, column)
    return extreme(telling.table, [cells[0].row], name, "", high=kind == "highest", named=True)
