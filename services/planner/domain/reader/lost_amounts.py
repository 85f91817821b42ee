"""Words for how much of something is wanted that a reading has nothing of.

"Takings by region" of a table without takings is no number of rows by region: it is refused. So is
whatever asks for what a semantic model names and this request may not use, however it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.amounts import is_amount
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.intent import Intent, NotUnderstood
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import aggregation, calculating, fillers
from services.planner.domain.reader.grammar.lasting import PROMISED
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.entities import unknown_words

_LISTED_COLUMNS = 12
_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def lost_amounts(scene: Scene, intent: Intent) -> tuple[str, ...]:
    """The words that forbid this reading, in the order of the question."""
    unknown = unknown_words(scene.tokens, scene.mentions, scene.tables, scene.values)
    names = scene.schema.catalogue.lacking
    missing = {stem(word) for name in names for word in words_of(name)}
    hidden = tuple(token.text for token in unknown if token.stem in missing)
    if hidden or not _only_counts(intent) or _asks_how_many(scene):
        return hidden
    cues: list[Cue[Any]] = [*scene.words.find(PROMISED)]
    if intent.derived:
        cues += scene.words.find(calculating.RULES)
    read = {at for cue in cues for at in range(cue.first, cue.last + 1)}
    lost = [t for t in unknown if is_amount(t.lower) and t.index not in read]
    return tuple(token.text for token in lost)


def refusal_of(lost: Sequence[str], catalogue: Catalogue) -> NotUnderstood:
    """The refusal with the words that stopped it."""
    words = ", ".join(f'"{word}"' for word in lost)
    return refused(f"nothing in the data is known as {words}", catalogue)


def refused(why: str, catalogue: Catalogue) -> NotUnderstood:
    """The refusal of a question, with what there is in its place."""
    available = tuple(
        f"{table.name}: {', '.join(column.name for column in table.columns[:_LISTED_COLUMNS])}"
        for table in catalogue.tables
    )
    return NotUnderstood(message=why, available=available)


def _only_counts(intent: Intent) -> bool:
    """Whether it tells nothing of any amount: lists, or numbers of rows."""
    return intent.statistic is None and all(m.aggregate in _COUNTS for m in intent.measures)


def _asks_how_many(scene: Scene) -> bool:
    counts = [cue for cue in scene.words.find(aggregation.RULES) if cue.means in _COUNTS]
    return bool(counts or scene.words.find(fillers.TIMES))
