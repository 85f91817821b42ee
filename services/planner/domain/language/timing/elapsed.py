"""The time between two dates of one row: "days to ship", "time between order and shipment"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.language.timing.asked_units import in_asked_unit
from services.planner.domain.language.timing.elapsed_words import (
    AFTER,
    BETWEEN,
    DAYS,
    DOINGS,
    HOW_LONG,
    LENGTH_SAID,
    LONGEST,
    MEASURED,
    MORE,
    NAMED,
    NUMBER,
    TO,
    TOOK,
)
from services.planner.domain.language.timing.events import Dated, date_called
from services.planner.domain.language.timing.lasting import lasting
from services.planner.domain.language.timing.pieces import (
    Piece,
    averaged,
    definition_of,
    made_until,
    same_row,
    untied,
)
from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS


def next_elapsed(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    """The first time between two dates that a question speaks of, or why it cannot be told."""
    for found in (_between, _taken, _after, _longest, _how_long, _to_do, _named, lasting):
        piece = found(question, dates)
        if piece is not None:
            return in_asked_unit(piece, question) if isinstance(piece, Piece) else piece
    return None


def _between(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    for match in BETWEEN.finditer(question):
        one = date_called(match.group("one"), dates)
        words = match.group("rest").split(" ")
        ends = [
            (size, date_called(" ".join(words[:size]), dates)) for size in range(len(words), 0, -1)
        ]
        named = [(size, end) for size, end in ends if end is not None]
        if one is None and not named:
            if match.group("link").lower() == "between" or match.group("asked"):
                return untied(match.group(), dates)
            continue
        fitting = [(s, e) for s, e in named if one is not None and same_row(one, e)]
        if one is None or not fitting:
            return untied(match.group(), dates)
        size, end = fitting[-1] if len({e.column.name for _, e in fitting}) == 1 else fitting[0]
        size = _with_date(words, size)
        last = match.start("rest") + len(" ".join(words[:size]))
        return _asked_piece(match, last, one, end, question)
    return None


def _with_date(words: Sequence[str], size: int) -> int:
    """One word more where "date" or "time" follows the name of the date."""
    return size + (words[size : size + 1] in (["date"], ["time"]))


def _taken(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    match = TOOK.search(question)
    if match is None:
        return None
    if not match.group("end"):
        return None
    return _compared(match, match.group("amount"), dates)


def _after(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    for match in AFTER.finditer(question):
        end = date_called(match.group("end"), dates)
        amount = re.search(rf"(?:{MORE} )?{NUMBER} \w+", match.group())
        if end is None or amount is None or not _is_length(amount.group()):
            continue
        within = (match.group("within") or "").lower()
        more = "more than " if within in ("in more than", "in over") else "at most "
        length = amount.group()
        length = f"{more}{re.sub(rf'^{MORE} ', '', length)}" if within else length
        one = date_called(match.group("one"), dates) if match.group("one") else None
        if match.group("one") and one is None:
            return untied(match.group(), dates)
        return _compared(match, length, dates, one)
    return None


def _is_length(amount: str) -> bool:
    return re.search(r"\b(?:days?|weeks?|hours?|minutes?|months?|years?)$", amount) is not None


def _in_days(length: re.Match[str]) -> str:
    number = length.group("number").lower()
    days = float(NUMBER_WORDS.get(number, number)) * DAYS[length.group("unit").lower()]
    return f"{days:.10g}"


def _compared(
    match: re.Match[str], amount: str, dates: Sequence[Dated], one: Dated | None = None
) -> Piece | str | None:
    if re.search(r"\b(?:months?|years?)$", amount):
        return f'"{amount}" can be any number of days: say it in days or weeks.'
    length = LENGTH_SAID.search(amount)
    if length is None:
        return None
    made = made_until(match.group("end"), dates, one)
    if isinstance(made, str):
        return made
    said = f"{re.sub(r'^for ', '', amount[: length.start()])}{_in_days(length)}"
    said = (
        re.sub(r"\blonger\b", "more", said).replace("shorter", "less").replace("up to", "at most")
    )
    said = said if re.match(MORE, said) else f"equal to {said}"
    return Piece(match.start(), match.end(), f"with {made.column} {said}", made)


def _longest(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    match = LONGEST.search(question)
    if match is None:
        return None
    made = made_until(match.group("end"), dates)
    if isinstance(made, str):
        return made
    most = "highest" if match.group("most").lower() in ("longest", "most") else "lowest"
    return Piece(match.start(), match.end(), f"with the {most} {made.column}", made)


def _how_long(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    match = HOW_LONG.search(question)
    if match is None:
        return None
    made = made_until(match.group("end"), dates)
    if isinstance(made, str):
        return made
    return averaged(match.start(), match.end(), made, question)


def _to_do(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    for match in TO.finditer(question):
        if date_called(match.group("end"), dates) is None or not MEASURED.search(question):
            continue
        made = made_until(match.group("end"), dates)
        return (
            made if isinstance(made, str) else Piece(match.start(), match.end(), made.column, made)
        )
    return None


def _named(question: str, dates: Sequence[Dated]) -> Piece | str | None:
    """ "Average delivery time": from the beginning until then; "departure time" is a moment."""
    for match in NAMED.finditer(question):
        if not MEASURED.search(question[: match.start()]):
            continue
        end = date_called(match.group("end"), dates)
        if end is None and match.group("end").lower() in DOINGS:
            return untied(match.group(), dates)
        if end is None or end.opening:
            continue
        made = made_until(match.group("end"), dates)
        return (
            made if isinstance(made, str) else Piece(match.start(), match.end(), made.column, made)
        )
    return None


def _asked_piece(match: re.Match[str], last: int, one: Dated, end: Dated, question: str) -> Piece:
    made = definition_of(one, end)
    if match.group("asked"):
        return averaged(match.start(), last, made, question)
    return Piece(match.start(), last, made.column, made)
