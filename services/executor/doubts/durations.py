"""Durations that are written as texts, of which nothing can be averaged or added."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.repairs import duration
from services.executor.sources.sql import literal, quoted

_FIT = 0.8
_FEWEST = 2
_DAY = 86_400
_DURATIONS = frozenset(
    "duration durations elapsed runtime took taken length lasted dwell wait waited waiting delay "
    "downtime uptime lap talk dauer laufzeit fahrzeit spielzeit wartezeit durée duree temps "
    "duración duracion durata duur repair spent travel effort usage overtime worked "
    "hours minutes minuten seconds sekunden stunden days".split()
)
_CLOCKS = frozenset(
    "start started end ended begin began at from to until opens opened closes closed open close "
    "departure arrival departs arrives departed arrived scheduled when clock abfahrt ankunft "
    "beginn uhrzeit ende heure hora hour hr timestamp created updated logged".split()
)
_UNITS = {
    "days": "d day days tage jours".split(),
    "hours": "h hr hrs hour hours std stunden heures horas".split(),
    "minutes": "m min mins minute minutes minuten minutos".split(),
    "seconds": "s sec secs second seconds sek sekunden secondes segundos".split(),
}
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
_USES = (Use.COMPUTED, Use.GROUPED, Use.FILTERED)


@dataclass(frozen=True, slots=True)
class _Written:
    """Cells of one form, or of none (`form` is empty): how many, one of them, whether letters but m
    stand in any, and of their seconds the most, and what all of them are whole multiples of."""

    form: str
    cells: int
    example: str
    letters: bool
    most: float
    whole: frozenset[str]


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        texts = column.data_type is DataType.STRING and column.distinct >= _FEWEST
        if texts and any(map(_may_be, column.samples)):
            yield from _doubted(table, column, _written(table, column, ask))


def _may_be(sample: str) -> bool:
    text = sample.strip().lower()
    digits = any(character.isdigit() for character in text)
    return digits and any(re.fullmatch(form.pattern, text) for form in duration.FORMS)


def _written(table: SeenTable, column: SeenColumn, ask: Ask) -> list[_Written]:
    forms = " ".join(f"WHEN {duration.fits(f, 'v')} THEN {literal(f.name)}" for f in duration.FORMS)
    lengths = " ".join(
        f"WHEN {literal(f.name)} THEN {duration.length(f, 'v')}" for f in duration.FORMS
    )
    whole = ", ".join(f"bool_and(s % {each} = 0)" for each in duration.UNITS.values())
    cells = f"SELECT {quoted(column.name)} AS v FROM {quoted(table.name)}"
    kept = f"v IS NOT NULL AND NOT {duration.stands_for_nothing('v')}"
    rows = ask(
        "SELECT f, count(*), min(v), bool_or(regexp_matches(lower(v), '[a-ln-z]')), max(s), "
        f"{whole} FROM (SELECT v, f, CASE f {lengths} END AS s FROM (SELECT v, CASE {forms} "
        f"ELSE '' END AS f FROM ({cells}) WHERE {kept})) GROUP BY 1 ORDER BY 2 DESC, 1",
        len(duration.FORMS) + 1,
    )
    return [
        _Written(
            str(form),
            int(cells),
            str(example),
            bool(letters),
            float(most or 0),
            frozenset(unit for unit, all_are in zip(duration.UNITS, whole, strict=True) if all_are),
        )
        for form, cells, example, letters, most, *whole in rows
    ]


def _doubted(table: SeenTable, column: SeenColumn, written: list[_Written]) -> Iterator[Doubt]:
    of = [one for one in written if one.form]
    every, fit = sum(one.cells for one in written), sum(one.cells for one in of)
    if not of or fit < _FIT * every:
        return
    called, main = _called(column.name), of[0]
    speaks = _speaks(main, called)
    if speaks is None:
        return
    certain = speaks and len(written) == 1
    first = _unit(column.name, main)
    units = [first]
    if any(one.form == duration.HOURS_MINUTES.name for one in of) and not certain:
        units += ["seconds" if first != "seconds" else "minutes"]
    rest = "" if fit == every else f", {every - fit:,} others are not"
    yield Doubt(
        code="duration",
        table=table.name,
        column=column.name,
        rows=fit,
        share=fit / table.rows,
        examples=tuple(one.example for one in of[:3]),
        said=f"{fit:,} values of {column.name} are durations written as texts, such as "
        f"{main.example}{rest}",
        changes="whether they can be averaged, added and put in order",
        repairs=tuple(Repair(kind="duration", column=column.name, value=unit) for unit in units),
        uses=_USES,
        weight=0.3 if certain else 0.5,
        certain=certain,
    )


def _called(name: str) -> bool | None:
    """Whether a column is called a duration; False for a time of day, None for neither."""
    words = [word.lower() for word in _WORD.findall(name)]
    for word in (*words[-1:], *words):
        if word in _DURATIONS:
            return True
        if word in _CLOCKS:
            return False
    return None


def _speaks(main: _Written, called: bool | None) -> bool | None:
    """Whether cells are surely durations; None where they are not, or may well be something else:
    a time of day, metres, feet and inches."""
    if main.form == duration.HOURS_MINUTES.name:  # or minutes and seconds
        return False if called else None
    if main.form == duration.CLOCK.name:
        return None if called is False else bool(called) or main.most >= _DAY
    return True if main.letters or called else None


def _unit(name: str, main: _Written) -> str:
    """The unit that a column's name says, else the largest of which all cells are whole ones."""
    words = [word.lower() for word in _WORD.findall(name)]
    texts = [unit for unit, known in _UNITS.items() if set(words) & set(known)]
    if texts:
        return texts[0]
    if main.form in (duration.CLOCK.name, duration.HOURS_MINUTES.name):
        return "minutes" if "minutes" in main.whole else "seconds"
    return next((unit for unit in duration.UNITS if unit in main.whole), "seconds")


DURATIONS = Kind(
    "duration",
    "durations written as texts",
    "Nothing can be averaged or added of 1:20:00, 1h 20m, PT1H20M or 90 min as texts, and 10:00 "
    "stands before 9:00. Where all cells are of one form, and none of them may be a time of day, "
    "they are read as durations, in the unit that the column is called by, or the largest of which "
    "all are whole ones. 3:45 may be minutes or hours, and stays until people say which.",
    _find,
)
