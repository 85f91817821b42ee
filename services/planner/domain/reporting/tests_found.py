"""The frame of a statistical test, read for telling: which of its rows say what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mesh.proof.assertions import Stated
from mesh.proof.statistics import verdict_fits
from mesh.text.spelling import capitalised
from services.planner.domain.lexicon.wording import is_plural
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Cited, Label, Piece, Prose
from services.planner.domain.reporting.stating import stating
from services.planner.domain.reporting.telling import Telling, between
from services.planner.domain.reporting.units import parted

MOST_SHOWN = 9
_MOST_ENTITIES = 3
_NAMED = 5
_SECONDARY = frozenset(
    [
        *("rows used", "rows left out", "rows in all", "n", "confidence", "rank correlation"),
        *("ended", "not ended yet", "past forecasts", "tests tried"),
    ]
)
_OMITTED = frozenset(["threshold", "outlier"])  # said by the test's name, or in the table alone
_OF_MODEL = (
    "R squared",
    "pseudo R squared",
    "F",
    "likelihood ratio",
    "p-value",
    "degrees of freedom",
    "residual degrees of freedom",
)
# Of a model that was tested on rows held out, these come first.
_HELD_OUT = (
    "root mean squared error",
    "mean squared error",
    "mean absolute error",
    "R squared",
    "rows held out",
)
_OF_TERM = ("coefficient", "odds ratio of a deviation")
# Of each group, pair or term these are told; the rest is in the table.
_PER_ENTITY = (
    "correlation",
    "outliers",
    "statistic",
    "share",
    "difference of shares",
    "forecast",
    "median days",
)
_NEARLY_ALL = 0.995
_USUAL = ("mean", "standard deviation", "median", "minimum", "maximum")
_IN_THEIR_UNIT = frozenset(
    [
        *_USUAL,
        "difference of means",
        "mean difference",
        "median difference",
        "lower quartile",
        "upper quartile",
        "lower bound",
        "upper bound",
        "range",
        "interquartile range",
        "outlier",
    ]
)
_PER_CENT = frozenset(
    [
        "share missing",
        "confidence",
        "difference of shares",
        "difference of shares low",
        "difference of shares high",
        "base rate",
        "precision",
        "recall",
    ]
)


@dataclass(frozen=True)
class Found:
    """The rows of a test's frame by what they say."""

    telling: Telling
    table: EvidenceTable

    def has(self, statistic: str) -> bool:
        """Whether anything is said under that name."""
        return bool(self._rows(lambda row: self._kind(row) == statistic))

    def has_number(self, statistic: str) -> bool:
        """Whether there is a number of that name."""
        return bool(self._rows(lambda row: self._kind(row) == statistic and self._number(row)))

    def whole(self) -> list[int]:
        """Numbers of the whole test; of its groups where it has none of its own."""
        own = self._rows(lambda row: self._is_shown_alone(row) and not self._about(row))
        own = [row for row in own if self._kind(row) not in _OMITTED]
        entities = self._rows(lambda row: self._kind(row) in _PER_ENTITY and bool(self._about(row)))
        entities = [row for row in entities if self._number(row)]
        statistic = self.telling.intent.statistic if self.telling.intent is not None else None
        grouped = statistic is not None and statistic.by is not None
        return (own + entities[: MOST_SHOWN if grouped else _MOST_ENTITIES])[:MOST_SHOWN]

    def compared(self) -> list[int]:
        """The first differences between two of several groups."""
        rows = self._rows(lambda row: self._kind(row) == "difference of means")
        return [row for row in rows if self._about(row) and self._number(row)][:_MOST_ENTITIES]

    def terms(self) -> list[int]:
        """Of a model: what its first terms do, then how well all of them explain.

        Of one that is tested on rows held out, how far it is off there comes first.
        """
        names = [
            name
            for name in dict.fromkeys(self._about(row) for row in self._rows(self._number))
            if name not in ("", "intercept")
        ][:_MOST_ENTITIES]
        chosen = [
            row
            for name in names
            for row in self._rows(lambda row: self._kind(row) in _OF_TERM)
            if self._about(row) == name
        ]
        held_out = self.has("rows held out")
        of_all = _HELD_OUT if held_out else _OF_MODEL
        whole = self._rows(lambda row: self._kind(row) in of_all and not self._about(row))
        return whole + chosen if held_out else chosen + whole

    def described(self, names: Sequence[str]) -> list[list[int]]:
        """The numbers of a description that were asked for, else its first, by what they are of."""
        rows = self._rows(self._is_shown_alone)
        wanted = [row for row in rows if self._kind(row) in (names or _USUAL)] or rows
        entities: dict[str, list[int]] = {}
        for row in wanted:
            entities.setdefault(self._about(row), []).append(row)
        return [rows[:MOST_SHOWN] for rows in entities.values()][:_MOST_ENTITIES]

    def about(self, rows: Sequence[int]) -> Prose:
        """The numbers of one thing, with how they are defined."""
        about = self._label(rows[0], "about")
        parts = [
            Prose.of(self._label(row, "statistic"), " ", self.cell(row), self._how(row))
            for row in rows
        ]
        name = replace(about, text=capitalised(about.text))
        numbers = [place for row in rows for place in (row, *self._interval(row))]
        return stating(self._stated("statistic", numbers), name, ": ", *between(parts, ", "))

    def _how(self, row: int) -> Prose:
        """The interval of a number, else how it is defined, in brackets."""
        ends = self._ends(row)
        if ends or not self._text(row):
            return ends
        return Prose.of(" (", self._words(row), ")")

    def listed(self, rows: Sequence[int]) -> Prose:
        """The numbers with their names, one after the other."""
        return Prose.of(*between([self._describe_row(row) for row in rows], ", "))

    def words(self, statistic: str) -> Prose:
        """A text at the head of a sentence."""
        [row, *_] = self._rows(lambda row: self._kind(row) == statistic)
        text = self._text(row)
        for measure in self.telling.intent.measures if self.telling.intent is not None else ():
            text = text.replace(measure.label, parted(measure.label)[0])
        return Prose.of(Label(capitalised(text), self.table.digest, row, "text"))

    def concluded(self) -> Prose:
        """What the test concludes, with the probability that it rests on where there is one."""
        [row, *_] = self._rows(lambda row: self._kind(row) == "conclusion")
        likely = self._rows(lambda row: self._kind(row) == "p-value" and not self._about(row))
        sure = [
            self._cells["value"][r] for r in self._rows(lambda r: self._kind(r) == "confidence")
        ]
        rows = [row]
        if len(likely) == 1 and self._number(likely[0]):
            value = self._cells["value"][likely[0]]
            rows += likely if verdict_fits(self._text(row), value, sure) else []
        return stating(self._stated("conclusion", rows), self.words("conclusion"))

    def _stated(self, kind: str, rows: Sequence[int]) -> Stated:
        return Stated(kind, self.table.digest, tuple(rows), ("value",))

    def _words(self, row: int) -> Label:
        return Label(self._text(row), self.table.digest, row, "text")

    def assumed(self) -> Prose:
        """What the test takes for granted, or nothing."""
        rows = self._rows(lambda row: self._kind(row) == "assumes")
        parts = [Prose.of(self._words(row)) for row in rows]
        return Prose.of("It assumes: ", *between(parts, "; ")) if parts else Prose()

    def cell(self, row: int) -> Prose:
        """The number; a probability that is too small for one, in words."""
        if self._kind(row).endswith("p-value") and self._cells["value"][row] == 0:
            return Prose.of(replace(self._words(row), text=self._text(row).partition(",")[0]))
        percent = self._kind(row) in _PER_CENT or self._kind(row).startswith("share")
        unit = self._unit(row)
        return Prose.of(
            self.telling.speaker.number(self.table, row, "value", unit=unit, percent=percent)
        )

    def _level(self, row: int) -> Prose:
        """At which level an interval holds: "95 % interval"; in full where that would say 100 %."""
        if float(str(self._cells["value"][row])) < _NEARLY_ALL:
            return Prose.of(self.cell(row), " interval ")
        number = self.telling.speaker.number(self.table, row, "value")
        return Prose.of("interval at ", number, ": ")

    def _unit(self, row: int) -> str:
        """The unit of the numbers tested, where this is one in the same: their mean, their ends."""
        intent = self.telling.intent
        kind = self._kind(row).removesuffix(" low").removesuffix(" high")
        if intent is None or len(intent.measures) != 1 or kind not in _IN_THEIR_UNIT:
            return ""
        return parted(intent.measures[0].label)[1]

    def only(self, statistic: str) -> Prose:
        """The first number of that name, or nothing."""
        rows = self._rows(lambda row: self._kind(row) == statistic and self._number(row))
        return self.cell(rows[0]) if rows else Prose()

    def describe_missing(self, *parts: Prose | Piece | str) -> Prose:
        """Words about values that are missing, whose numbers these are in their order."""
        prose = Prose.of(*parts)
        claims = {claim.claim_id: claim.row for claim in self.telling.speaker.book.claims}
        rows = [claims[piece.claim_id] for piece in prose.pieces if isinstance(piece, Cited)]
        return stating(self._stated("lacking", rows), prose)

    def each(self, statistic: str) -> list[tuple[Label, Prose, float]]:
        """What a number is of, the number as told, and as it is."""
        rows = self._rows(lambda row: self._kind(row) == statistic and self._number(row))
        return [
            (self._label(row, "about"), self.cell(row), float(self._cells["value"][row]))
            for row in rows
        ]

    def farthest(self) -> Prose:
        """The outliers that have names, the first few."""
        named = [
            (label.row, Prose.of(label, " (", cell, ")"))
            for label, cell, _ in self.each("outlier")
            if self._about(label.row)
        ]
        if not named:
            return Prose()
        more = " and others" if len(named) > _NAMED else ""
        first = named[:_NAMED]
        told = between([prose for _, prose in first], ", ")
        return stating(self._stated("farthest", [r for r, _ in first]), "Farthest: ", *told, more)

    def _describe_row(self, row: int) -> Prose:
        """ "mean of age is 29.7 (95 % interval 28.1 to 31.3)", "p-value is 0.03"."""
        about = self._about(row)
        name: list[Prose | Label | str] = [self._label(row, "statistic")]
        if about:
            name += [" of ", self._label(row, "about")]
        elif self._kind(row) in _IN_THEIR_UNIT and " less " in self._text(row):
            name += [", ", self._words(row), ","]
        several = is_plural(self._kind(row)) and self._cells["value"][row] != 1
        verb = " are " if several else " is "
        numbers = [row, *self._interval(row), *self._likely(row)]
        return stating(
            self._stated("statistic", numbers), *name, verb, self.cell(row), self._ends(row)
        )

    def _interval(self, row: int) -> list[int]:
        """The rows of how sure an interval is, and of its two ends; none without."""
        low, high = (self._beside(row, end) for end in (" low", " high"))
        sure = self._rows(lambda other: self._kind(other) == "confidence")
        return [sure[0], low, high] if low is not None and high is not None and sure else []

    def _likely(self, row: int) -> list[int]:
        """The row of the p-value of a number of one thing, if it has one."""
        likely = self._beside(row, None)
        return [likely] if likely is not None and self._about(row) else []

    def _ends(self, row: int) -> Prose:
        """In brackets: the interval of a number, and its p-value where it is of one thing."""
        parts: list[Prose] = []
        if interval := self._interval(row):
            low, high = (self.cell(place) for place in interval[1:])
            parts.append(Prose.of(self._level(interval[0]), low, " to ", high))
        for likely in self._likely(row):
            parts.append(Prose.of(self._label(likely, "statistic"), " ", self.cell(likely)))
        return Prose.of(" (", *between(parts, ", "), ")") if parts else Prose()

    def _beside(self, row: int, end: str | None) -> int | None:
        """The row of the same thing that holds one end of a number, or without it the p-value."""
        kinds = ("adjusted p-value", "p-value") if end is None else (self._kind(row) + end,)
        about = self._about(row)
        rows = self._rows(lambda o: self._about(o) == about and self._number(o))
        beside = [o for kind in kinds for o in rows if self._kind(o) == kind]
        return beside[0] if beside else None

    def _rows(self, wanted: Callable[[int], bool]) -> list[int]:
        return [row for row in range(self.table.rows.num_rows) if wanted(row)]

    def _is_shown_alone(self, row: int) -> bool:
        """Whether a number is told by itself: the ends of an interval are told with it."""
        kind = self._kind(row)
        end = kind.endswith((" low", " high"))
        return self._number(row) and not end and kind not in _SECONDARY

    def _number(self, row: int) -> bool:
        return self._cells["value"][row] is not None

    def _kind(self, row: int) -> str:
        return str(self._cells["statistic"][row])

    def _about(self, row: int) -> str:
        return str(self._cells["about"][row] or "")

    def _text(self, row: int) -> str:
        return str(self._cells["text"][row] or "")

    @cached_property
    def _cells(self) -> dict[str, list[Any]]:
        """The cells by column: each is looked at many times."""
        columns = ("about", "statistic", "value", "text")
        return {name: self.table.rows.column(name).to_pylist() for name in columns}

    def _label(self, row: int, column: str) -> Label:
        return self.telling.speaker.label(self.table, row, column)
