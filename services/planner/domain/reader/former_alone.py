"""How sure what the former reader alone can read is told: its own sureness was never measured."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import (
    Calculation,
    Intent,
    Understood,
)
from services.planner.domain.reader.choice.thresholds import DOUBTFUL, LIKELY
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.names import words_of
from services.planner.domain.reader.words.tokens import stem, tokenise


def told_alone(found: Understood, question: str, catalogue: Catalogue) -> Understood:
    """Its reading, no surer than likely where another is meant as often, doubtful where several.

    Likely at most is a share that it spreads over groups ("share of completed patients by clinic":
    the part within each group?); doubtful a value that other columns have, where none is named
    ("yes").
    """
    elsewhere = tuple(_values_elsewhere(found.intent, question, catalogue))
    if not elsewhere and not spreads(found.intent, question):
        return found
    doubted = elsewhere or not _asks_groups(question)
    sure = min(found.confidence, DOUBTFUL if doubted else LIKELY)
    told = (*elsewhere, *found.assumptions)
    return found.model_copy(update={"confidence": sure, "measured": True, "assumptions": told})


def spreads(intent: Intent, question: str) -> bool:
    """Whether it tells how all are spread over groups where the part within each may be meant, or
    where no word asks for groups: "share of billable hours"."""
    shares = any(one.calculation is Calculation.SHARE for one in intent.derived)
    several = len(intent.dimensions) > 1  # of all together, or of each?
    unasked = bool(intent.dimensions) and not _asks_groups(question)
    return bool(shares and (several or unasked or (intent.filters and intent.dimensions)))


def _asks_groups(question: str) -> bool:
    return bool(splits(Words(tokenise(question)), Split.OF_EACH, Split.OVER))


def _values_elsewhere(intent: Intent, question: str, catalogue: Catalogue) -> Iterator[str]:
    said = {token.stem for token in tokenise(question)}
    numbers = [measure.where for measure in intent.measures if measure.where is not None]
    for wanted in conditions_of((*intent.filters, *numbers)):
        table = catalogue.table(wanted.field.table)
        texts = {value.casefold() for value in wanted.values if isinstance(value, str)}
        if table is None or not texts or said & _stems(wanted.field.column):
            continue
        others = [
            column.name
            for column in table.columns
            if column.name != wanted.field.column
            and texts <= {sample.strip().casefold() for sample in column.samples}
        ]
        if others:
            values = ", ".join(f'"{value}"' for value in wanted.values)
            yield f"it may also mean: {values} of {' or '.join(others[:3])}"


def _stems(name: str) -> set[str]:
    return {stem(word) for word in words_of(name)}
