"""Which of two numbers goes along and which upwards: "price against carat" has carat along."""

from __future__ import annotations

from services.planner.domain.language.intent import ChartType, Field, Understood
from services.planner.domain.reader.links.names import words_of
from services.planner.domain.reader.words.tokens import stem, tokenise

_AGAINST = frozenset(("against", "vs", "versus"))


def plotted(found: Understood, question: str) -> Understood:
    """The reading, its second number first where the first is set against it in so many words."""
    intent = found.intent
    if intent.chart is not ChartType.SCATTER or len(intent.measures) != 2 or intent.grouped:
        return found
    stems = [token.stem for token in tokenise(question)]
    marks = [token.index for token in tokenise(question) if token.lower in _AGAINST]
    one, other = (_last_said(measure.expression, stems) for measure in intent.measures)
    if len(marks) != 1 or one is None or other is None or not one < marks[0] < other:
        return found
    turned = intent.model_copy(update={"measures": intent.measures[::-1]})
    return found.model_copy(update={"intent": turned})


def _last_said(target: object, stems: list[str]) -> int | None:
    """Where a column is named."""
    if not isinstance(target, Field):
        return None
    own = {stem(word) for word in words_of(target.column)}
    return max((at for at, said in enumerate(stems) if said in own), default=None)
