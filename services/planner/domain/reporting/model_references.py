"""References to cells in a model's sentence, and the words between them: what each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mesh.proof.quotation import quotable
from mesh.proof.wording import PLAIN, STATING, find_unknown_character, tokens, words_of
from mesh.text.spelling import capitalised
from services.planner.domain.reporting.cells import Cell, finite, ranked, row_count
from services.planner.domain.reporting.prose import Origin, Piece, Quoted, Words
from services.planner.domain.reporting.telling import Telling

REFERENCE = re.compile(r"\{([^{}|]*)(?:\|([^{}|]*))?\}")
_ROW = re.compile(r"(max|min)\s+(\S.*)|(first|last)", re.IGNORECASE)
_COUNT = "rows"
_MOST_NAMES = 500
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
_OF_NAMES = frozenset("total mean average median".split())
"""Of these a column may be; they are told where its whole name stands, as ours tell it."""
CONFIRMED_TRENDS = ("highest", "lowest", "rose", "fell", "first", "last")


class DoesNotHoldError(ValueError):
    """A sentence says what the rows do not bear out, or what nothing could be held against."""


@dataclass(frozen=True)
class Reference:
    """A cell, or the number of rows, as a piece of the sentence. `row` is empty for the latter."""

    piece: Piece
    cell: Cell
    row: str


@dataclass(frozen=True)
class Word:
    """Words as they stand, and of which kinds an assertion could bear them."""

    piece: Piece
    kinds: frozenset[str] = frozenset()


Item = Reference | Word


def items_of(telling: Telling, text: str) -> Iterator[Item]:
    """The references and the words of a sentence, in order. Raises DoesNotHoldError."""
    at = 0
    for found in REFERENCE.finditer(text):
        yield from _words(telling, text[at : found.start()], first=at == 0)
        yield _reference(telling, found.group(1).strip(), (found.group(2) or "").strip())
        at = found.end()
    yield from _words(telling, text[at:], first=at == 0)


def _reference(telling: Telling, column: str, row: str) -> Reference:
    if column.casefold() == _COUNT and not row:
        count = row_count(telling.story)
        if count is None:
            raise DoesNotHoldError("nobody counted the rows")
        return Reference(telling.cell(count).pieces[0], count, "")
    name, which = column_of(telling, column), _ROW.fullmatch(row)
    if which is None or not telling.table.rows.num_rows:
        raise DoesNotHoldError(f"{row!r} is no row")
    cell = Cell(telling.table, _row(telling, which), name)
    key = row.casefold() if which.group(3) else f"{which.group(1).casefold()} {which.group(2)}"
    number = next((n for n in telling.shape.numbers if n.column == name), None)
    if number is not None and finite(cell.value):
        return Reference(telling.cell(cell, number).pieces[0], cell, key)
    if number is not None or cell.value is None:
        raise DoesNotHoldError("the cell is empty")
    category = next((c for c in telling.shape.categories if c.column == name), None)
    grain = category.grain if category is not None else ""
    return Reference(telling.speaker.label(cell.table, cell.row, name, grain), cell, key)


def _row(telling: Telling, which: re.Match[str]) -> int:
    if which.group(3):
        return 0 if which.group(3).casefold() == "first" else telling.table.rows.num_rows - 1
    order = ranked(telling.table, column_of(telling, which.group(2)))
    rows = order.highest if which.group(1).casefold() == "max" else order.lowest
    if len(rows) != 1:
        raise DoesNotHoldError("it is not one row")
    return rows[0]


def column_of(telling: Telling, text: str) -> str:
    """The answer's column of that name. Raises DoesNotHoldError where there is none, or several."""
    names = telling.table.rows.column_names
    wanted = text.strip().strip('"').casefold()
    found = [name for name in names if name.casefold() == wanted]
    if len(found) != 1:
        raise DoesNotHoldError(f"there is no column {text!r}")
    return str(found[0])


def _words(telling: Telling, text: str, *, first: bool) -> Iterator[Word]:
    """The words between two references: plain, stating, or quoted from columns and question."""
    if any(character.isnumeric() for character in text) or find_unknown_character(text) is not None:
        raise DoesNotHoldError("it writes out a number or a sign")
    columns = frozenset(t for name in telling.table.rows.column_names for t in tokens(name))
    asked, names = quotable([telling.story.request.question]), _names(telling)
    lower = {match.start(1) for match in _PLUS_LOW.finditer(text.casefold())}
    whole = _whole_names(telling, text)
    at = 0
    for start, end, word in words_of(text):
        yield Word(Words(text[at:start]))
        shown = (
            capitalised(text[start:end]) if first and not text[:start].strip() else text[start:end]
        )
        kinds = STATING.get(word, frozenset()) & frozenset(CONFIRMED_TRENDS)
        if word in ("plus", "más"):
            kinds = frozenset({"lowest" if start in lower else "highest"})
        if kinds:
            yield Word(Words(shown), kinds)
        elif word in PLAIN:
            yield Word(Words(shown))
        elif word in _OF_NAMES and any(a <= start and end <= b for a, b in whole):
            yield Word(Quoted(shown, Origin.NAME))
        elif word in STATING or word in _JUDGING:
            raise DoesNotHoldError(f"nothing bears out {word!r}")
        elif tokens(word) and tokens(word) <= columns:
            yield Word(Quoted(shown, Origin.NAME))
        elif asked.strange_in(word) is None and not tokens(word) & names:
            yield Word(Quoted(shown, Origin.QUESTION))
        else:
            raise DoesNotHoldError(f"{word!r} is neither of the question nor of the data")
        at = end
    yield Word(Words(text[at:]))


def _whole_names(telling: Telling, text: str) -> list[tuple[int, int]]:
    """Where names of columns that have several words stand in a text."""
    return [
        found.span()
        for name in telling.table.rows.column_names
        if len(tokens(name)) > 1
        for found in re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
    ]


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
