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
from dataclasses import dataclass, replace

from mesh.assertions import TEXT, Stated
from mesh.quotation import quotable
from mesh.spelling import capitalised
from mesh.wording import PLAIN, STATING, tokens, unsaid, words_of
from services.planner.domain.analysis.evidence import ClaimBook
from services.planner.domain.analysis.reporting.cells import Cell, finite, ranked, row_count
from services.planner.domain.analysis.reporting.prose import (
    Cited,
    Label,
    Opened,
    Origin,
    Piece,
    Prose,
    Quoted,
    Words,
)
from services.planner.domain.analysis.reporting.stating import (
    UnstatedError,
    check_stated,
    extreme,
    of_cells,
    of_rows,
    stating,
)
from services.planner.domain.analysis.reporting.story import Speaker
from services.planner.domain.analysis.reporting.telling import Telling

_REFERENCE = re.compile(r"\{([^{}|]*)(?:\|([^{}|]*))?\}")
_ROW = re.compile(r"(max|min)\s+(\S.*)|(first|last)", re.IGNORECASE)
_COUNT = "rows"
_LONGEST, _MOST_NAMES = 300, 500
_LINKS = frozenset("and und et y e while during 和 而 但 während tandis mientras".split())
_STOPS = re.compile(r"[,;，；、。]")
# Words that compare, count or deny: no assertion of ours bears them, wherever they are from.
_JUDGING = frozenset(
    """best worst top better worse more less fewer than above below over under only always never all
    every none no not nor without twice double half both average mean median almost nearly about
    bester beste besten schlechteste mehr weniger als über unter nur immer nie alle jeder keine kein
    keiner nicht ohne doppelt halb durchschnitt meilleur meilleure pire plus moins que ne pas sans
    aucun aucune toujours jamais tous toutes seul seulement moyenne mejor peor más menos ningún
    ninguna ninguno sin siempre nunca todos todas solo sólo promedio media
    不 没 没有 无 非 未 更 比 只 仅 都 全 最 均 倍 半""".split()
) | {"doesn", "didn", "isn", "wasn", "don"}
_PLUS_LOW = re.compile(
    r"\b(plus|más)(?=\s+(?:bas|basse|basses|faibles?|petite?s?|bajos?|bajas?)\b)"
)
_BORNE = ("highest", "lowest", "rose", "fell", "first", "last")


class _DoesNotHoldError(ValueError):
    """A sentence says what the rows do not bear out, or what nothing could be held against."""


@dataclass(frozen=True)
class _Reference:
    """A cell, or the number of rows, as a piece of the sentence. `row` is empty for the latter."""

    piece: Piece
    cell: Cell
    row: str


@dataclass(frozen=True)
class _Word:
    """Words as they stand, and of which kinds an assertion could bear them."""

    piece: Piece
    kinds: frozenset[str] = frozenset()


_Item = _Reference | _Word


def held(
    telling: Telling, sentences: Sequence[str], *, said: Prose, again: bool
) -> tuple[tuple[Prose, ...], int]:
    """The sentences that hold, as prose, and how many do not. Those whose numbers have all been
    `said` are passed over in silence, unless they are told `again` in another language."""
    told: list[Prose] = []
    left = 0
    before = _content(said, telling.speaker)
    for sentence in sentences:
        trial = replace(telling, speaker=Speaker(ClaimBook()))
        try:
            found = _content(_prose(trial, sentence), trial.speaker)
        except (_DoesNotHoldError, UnstatedError, KeyError, ValueError):
            left += 1
            continue
        if again or not found <= before:
            told.append(_prose(telling, sentence))
            before |= found
    return tuple(told), left


def _content(prose: Prose, speaker: Speaker) -> frozenset[tuple[object, ...]]:
    """What a text tells: the cells of its numbers, and of which rows it states more than these."""
    claims = {claim.claim_id: claim for claim in speaker.book.claims}
    cited = (claims[piece.claim_id] for piece in prose.pieces if isinstance(piece, Cited))
    stated = (piece.stated for piece in prose.pieces if isinstance(piece, Opened))
    return frozenset(
        [("value", one.frame_digest, one.row, one.column) for one in cited]
        + [(s.kind, s.frame_digest, s.rows, s.columns[:1]) for s in stated if s.kind in _BORNE]
    )


def _prose(telling: Telling, sentence: str) -> Prose:
    """The sentence with its cells and what it states of them. Raises _DoesNotHoldError,
    UnstatedError."""
    text = " ".join(sentence.split())
    if len(text) > _LONGEST or not _REFERENCE.search(text):
        raise _DoesNotHoldError("it refers to no cell")
    items = list(_items(telling, text))
    prose = Prose.of(*_stated(telling, items))
    if not prose.plain.endswith((".", "。")):
        prose = Prose.of(prose, ".")
    check_stated(prose, TEXT, telling.speaker.book.claims, telling.story.tables)
    return prose


def _items(telling: Telling, text: str) -> Iterator[_Item]:
    at = 0
    for found in _REFERENCE.finditer(text):
        yield from _words(telling, text[at : found.start()], first=at == 0)
        yield _reference(telling, found.group(1).strip(), (found.group(2) or "").strip())
        at = found.end()
    yield from _words(telling, text[at:], first=at == 0)


def _reference(telling: Telling, column: str, row: str) -> _Reference:
    if column.casefold() == _COUNT and not row:
        count = row_count(telling.story)
        if count is None:
            raise _DoesNotHoldError("nobody counted the rows")
        return _Reference(telling.cell(count).pieces[0], count, "")
    name, which = _column(telling, column), _ROW.fullmatch(row)
    if which is None or not telling.table.rows.num_rows:
        raise _DoesNotHoldError(f"{row!r} is no row")
    cell = Cell(telling.table, _row(telling, which), name)
    key = row.casefold() if which.group(3) else f"{which.group(1).casefold()} {which.group(2)}"
    number = next((n for n in telling.shape.numbers if n.column == name), None)
    if number is not None and finite(cell.value):
        return _Reference(telling.cell(cell, number).pieces[0], cell, key)
    if number is not None or cell.value is None:
        raise _DoesNotHoldError("the cell is empty")
    category = next((c for c in telling.shape.categories if c.column == name), None)
    grain = category.grain if category is not None else ""
    return _Reference(telling.speaker.label(cell.table, cell.row, name, grain), cell, key)


def _row(telling: Telling, which: re.Match[str]) -> int:
    if which.group(3):
        return 0 if which.group(3).casefold() == "first" else telling.table.rows.num_rows - 1
    order = ranked(telling.table, _column(telling, which.group(2)))
    rows = order.highest if which.group(1).casefold() == "max" else order.lowest
    if len(rows) != 1:
        raise _DoesNotHoldError("it is not one row")
    return rows[0]


def _column(telling: Telling, said: str) -> str:
    names = telling.table.rows.column_names
    wanted = said.strip().strip('"').casefold()
    found = [name for name in names if name.casefold() == wanted]
    if len(found) != 1:
        raise _DoesNotHoldError(f"there is no column {said!r}")
    return str(found[0])


def _words(telling: Telling, text: str, *, first: bool) -> Iterator[_Word]:
    """The words between two references: plain, stating, or quoted from columns and question."""
    if any(character.isnumeric() for character in text) or unsaid(text) is not None:
        raise _DoesNotHoldError("it writes out a number or a sign")
    columns = frozenset(t for name in telling.table.rows.column_names for t in tokens(name))
    asked, names = quotable([telling.story.request.question]), _names(telling)
    lower = {match.start(1) for match in _PLUS_LOW.finditer(text.casefold())}
    at = 0
    for start, end, word in words_of(text):
        yield _Word(Words(text[at:start]))
        shown = (
            capitalised(text[start:end]) if first and not text[:start].strip() else text[start:end]
        )
        kinds = STATING.get(word, frozenset()) & frozenset(_BORNE)
        if word in ("plus", "más"):
            kinds = frozenset({"lowest" if start in lower else "highest"})
        if kinds:
            yield _Word(Words(shown), kinds)
        elif word in PLAIN:
            yield _Word(Words(shown))
        elif word in STATING or word in _JUDGING:
            raise _DoesNotHoldError(f"nothing bears out {word!r}")
        elif tokens(word) and tokens(word) <= columns:
            yield _Word(Quoted(shown, Origin.NAME))
        elif asked.strange_in(word) is None and not tokens(word) & names:
            yield _Word(Quoted(shown, Origin.QUESTION))
        else:
            raise _DoesNotHoldError(f"{word!r} is neither of the question nor of the data")
        at = end
    yield _Word(Words(text[at:]))


def _names(telling: Telling) -> frozenset[str]:
    """How rows are called: a sentence names them by reference, or could name the wrong one."""
    columns = telling.table.rows.column_names if telling.table.rows.num_rows > 1 else ()
    numbers = {number.column for number in telling.shape.numbers}
    return frozenset(
        token
        for column in columns
        if columns.count(column) == 1 and column not in numbers
        for value in telling.table.rows.column(column).slice(0, _MOST_NAMES).to_pylist()
        if isinstance(value, str)
        for token in tokens(value)
    )


def _stated(telling: Telling, items: Sequence[_Item]) -> Iterator[Prose | Piece]:
    """The pieces with what each stretch of them states."""
    way = next((k for item in items if isinstance(item, _Word) for k in ("rose", "fell")
                if k in item.kinds), "")  # fmt: skip
    if way:
        yield _moved(telling, items, way)
        return
    for stretch in _stretches(items):
        yield _of_row(telling, stretch)


def _moved(telling: Telling, items: Sequence[_Item], way: str) -> Prose:
    """That a number rose or fell from one row to the other, over the whole sentence."""
    cells = [i.cell for i in items if isinstance(i, _Reference) and isinstance(i.piece, Cited)]
    kinds = {kind for item in items if isinstance(item, _Word) for kind in item.kinds}
    time = telling.shape.time
    if kinds != {way} or len(cells) != 2 or cells[0].column != cells[1].column or time is None:
        raise _DoesNotHoldError("it is not of two numbers of one column over time")
    stated = of_cells(way, *cells, by=time.column)
    return stating(stated, *(item.piece for item in items))


def _stretches(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """Stretches of the sentence, each with references to one row alone. Words between two belong to
    the second from a stop or a link on. Raises _DoesNotHoldError without these."""
    stretch: list[_Item] = []
    between: list[_Word] = []
    row: str | None = None
    for item in items:
        if isinstance(item, _Word):
            between.append(item)
            continue
        if row is not None and item.row != row:
            cut = next((n for n, word in enumerate(between) if _parts(word)), -1)
            if cut < 0:
                raise _DoesNotHoldError("cells of two rows stand in one breath")
            yield [*stretch, *between[:cut]]
            stretch, between = [], between[cut:]
        stretch, between, row = [*stretch, *between, item], [], item.row
    yield [*stretch, *between]


def _parts(word: _Word) -> bool:
    said = word.piece.text.strip()
    return said.casefold() in _LINKS or _STOPS.search(said) is not None


def _of_row(telling: Telling, stretch: Sequence[_Item]) -> Prose:
    """What a stretch states of its row: that it is at an end, or what its numbers are."""
    pieces = [item.piece for item in stretch]
    cells = [item.cell for item in stretch if isinstance(item, _Reference)]
    numbers = [i.cell for i in stretch if isinstance(i, _Reference) and isinstance(i.piece, Cited)]
    named = [i for i in stretch if isinstance(i, _Reference) and isinstance(i.piece, Label)]
    kinds = [item.kinds for item in stretch if isinstance(item, _Word) and item.kinds]
    row = next((item.row for item in stretch if isinstance(item, _Reference)), "")
    if kinds:
        return stating(_at_an_end(telling, row, frozenset.intersection(*kinds), cells), *pieces)
    if not numbers:
        return Prose.of(*pieces)
    if row == "":
        return stating(of_cells("count", *numbers, of=Cell(telling.table, 0, "")), *pieces)
    if not named and telling.table.rows.num_rows > 1:
        raise _DoesNotHoldError("it does not say of which row its numbers are")
    return stating(of_cells("value", *numbers), *pieces)


def _at_an_end(telling: Telling, row: str, kinds: frozenset[str], cells: Sequence[Cell]) -> Stated:
    """That a row is highest, lowest, first or last, as its reference says already."""
    which, _, column = row.partition(" ")
    kind = {"max": "highest", "min": "lowest"}.get(which, which)
    if kind not in kinds or not cells:
        raise _DoesNotHoldError("its words say otherwise than its references")
    if kind in ("first", "last"):
        time, number = telling.shape.time, telling.shape.numbers[:1]
        if time is None or not number:
            raise _DoesNotHoldError("it is not over time")
        return of_rows(kind, telling.table, [cells[0].row], number[0].column, time.column)
    name = _column(telling, column)
    return extreme(telling.table, [cells[0].row], name, "", high=kind == "highest", named=True)
