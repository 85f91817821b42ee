"""The readings of a question, ranked, and what is told of the first beside its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mesh.remarks import NOT_USED, OF_READING
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Intent, Link
from services.planner.domain.query.planning.summary import filter_text, summarise
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.choice.candidate import Candidate, Weighed
from services.planner.domain.reader.grammar import calculating
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.unread import guessed_rows, unread_words

LISTED_WORDS = 5
_ALIKE = 0.02  # how far the coverage of names that fit alike lies apart
_HARDLY_SURE = 0.7  # of an answer that leaves something open


@dataclass(frozen=True, eq=False)
class Choice:
    """The candidates by the ranker, how sure it is of the first (0 to 1), and the odds of what that
    gives among all that were tried."""

    weighed: Weighed
    ranked: Sequence[Candidate]
    confidence: float
    odds: float

    @property
    def best(self) -> Candidate:
        """The likeliest."""
        return self.ranked[0]

    @property
    def unread(self) -> list[str]:
        """The words of the question that the likeliest makes no use of."""
        return unread_words(self.weighed.scene, self.best)

    @property
    def guesses(self) -> list[str]:
        """What words are taken for though nothing bears it out, for people."""
        return guessed_rows(self.weighed.scene, self.best)


def twins(choice: Choice) -> list[tuple[Mention, Mention]]:
    """The columns that the likeliest reading takes though the same words name another of the same
    table as well, with that other: the city of the entry, or of the exit."""
    scene, used = choice.weighed.scene, choice.best.draft.sketch.used
    found: list[tuple[Mention, Mention]] = []
    for one, _ in choice.best.draft.roles.played:
        if one.place.index not in used or one.tie is not Tie.NAME:
            continue
        found += [
            (one, other)
            for other in scene.mentions
            if (other.first, other.last) == (one.first, one.last)
            and other.tie is Tie.NAME
            and other.place.table is one.place.table
            and other.place.kind is one.place.kind
            and other.place.index not in used
            and other.place.definition is None
            and abs(other.coverage - one.coverage) <= _ALIKE
        ]
    return found


def guessed(choice: Choice, sure: float) -> tuple[float, tuple[str, ...]]:
    """How sure it is told, and the guesses that it rests on."""
    guesses = tuple(choice.guesses)
    scene, others = choice.weighed.scene, dict[Mention, list[str]]()
    for one, other in twins(choice):
        others.setdefault(one, []).append(_column(other.place))
    unsettled = tuple(
        f'"{scene.between(one.first, one.last + 1)}" is {_column(one.place)}, not '
        + " or ".join(dict.fromkeys(names))
        for one, names in others.items()
    )
    sure = min(sure, thresholds.DOUBTFUL) if guesses else sure
    return (min(sure, _HARDLY_SURE) if unsettled else sure), (*guesses, *unsettled)


def _column(place: Place) -> str:
    return f"{place.column.name} in {place.table.source_name}"


def not_used(words: Sequence[str]) -> str:
    """What of a question an answer leaves out, for people."""
    return NOT_USED + ", ".join(f'"{word}"' for word in words[:LISTED_WORDS])


def links_of(choice: Choice) -> tuple[Link, ...]:
    """Which words the chosen reading ties to what."""
    draft, scene = choice.ranked[0].draft, choice.weighed.scene

    def phrase(first: int, last: int) -> str:
        return scene.question[scene.tokens[first].start : scene.tokens[last].end]

    found = [
        Link(
            phrase=phrase(m.first, m.last),
            score=min(1.0, m.coverage),
            reason=str(m.tie),
            target=f"{m.place.column.name} of {m.place.table.source_name} ({role})",
            names=(m.place.table.name, m.place.column.name),
        )
        for m, role in draft.roles.played
    ]
    found += [
        Link(
            phrase=phrase(c.first, c.last),
            score=min(1.0, c.quality),
            reason=c.source,
            target=filter_text(c.condition) if c.place else "the number of rows of each group",
            names=_named(c),
        )
        for c in draft.sketch.rows
    ]
    return tuple(found)


def _named(condition: Proposal) -> tuple[str, ...]:
    place, values = condition.place, tuple(str(value) for value in condition.values)
    return (place.table.name, place.column.name, *values) if place else values


def open_joins(choice: Choice, intent: Intent) -> list[str]:
    """Which joins might have gone by another column: the home team, or that away."""
    return choice.weighed.scene.graph.list_unstated_roles(intent.joins)


def _widths_chosen(choice: Choice) -> list[str]:
    """How wide ranges are made of which nobody says it."""
    bins = choice.best.draft.sketch.bins
    if bins is None or choice.weighed.scene.words.find(calculating.BINS):
        return []
    place, width = bins
    return [f"{readable(place.column.name)} is put into ranges of {width:g}: no width is said"]


def doubts_of(choice: Choice, sure: float, intent: Intent, catalogue: Catalogue) -> tuple[str, ...]:
    """What is to be known before the number is believed."""
    slips = choice.weighed.scene.respelt
    notes = [f'"{slip.text}" is read as "{slip.read}"' for slip in slips]
    if choice.unread:
        notes.append(not_used(choice.unread))
    notes += open_joins(choice, intent)
    notes += _widths_chosen(choice)
    notes += dict.fromkeys(c.note for c in choice.best.draft.sketch.conditions if c.note)
    if sure < thresholds.SURE:
        word = "likely" if sure >= thresholds.LIKELY else "doubtful"
        notes.append(f"{OF_READING}{word} ({sure:.2f}): {summarise(intent, catalogue)}")
    return tuple(notes)
