"""Which of two numbers goes along and which upwards: "price against carat" has carat along."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem, tokenise
from services.planner.domain.query.intent import ChartType, Field, Understood
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.reader.grammar.rules import Words


def plotted(found: Understood, question: str, catalogue: Catalogue) -> Understood:
    """The reading, its second number first where the first is set against it in so many words."""
    intent = found.intent
    raw = not intent.grouped and not intent.order and intent.statistic is None
    if intent.chart is not ChartType.SCATTER or len(intent.measures) != 2 or not raw:
        return found
    tokens = tokenise(question)
    stems = [token.stem for token in tokens]
    one, other = (_find_last_mention(measure.expression, stems) for measure in intent.measures)
    marks = Words(tokens).find(chart_words.AGAINST)
    if len(marks) != 1 or one is None or other is None or not one < marks[0].first < other:
        return found
    turned = intent.model_copy(update={"measures": intent.measures[::-1]})
    return found.model_copy(update={"intent": turned, "summary": summarise(turned, catalogue)})


def _find_last_mention(target: object, stems: list[str]) -> int | None:
    """Where a column is named."""
    if not isinstance(target, Field):
        return None
    own = {stem(word) for word in words_of(target.column)}
    return max((at for at, text in enumerate(stems) if text in own), default=None)
