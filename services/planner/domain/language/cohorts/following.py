"""From a question about cohorts or things that come back to a settled reading."""

from __future__ import annotations

from datetime import date

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.language.cohorts.reading import cohort_intent
from services.planner.domain.language.cohorts.things import has_events
from services.planner.domain.language.cohorts.wish import CohortWish, cohort_wish
from services.planner.domain.language.linking.link import link
from services.planner.domain.language.linking.unmatched import with_written_values
from services.planner.domain.language.parsing.parse import unknown_words
from services.planner.domain.language.phrases import clauses
from services.planner.domain.language.refusing.lost_sense import why_loose, why_sense_lost
from services.planner.domain.language.resolving.resolve import resolve
from services.planner.domain.language.resolving.sureness import (
    confidence_of,
    links_of,
    nearly_named,
)
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words, stem, tokenise
from services.planner.domain.query.dimensions.coverage import coverage_notes
from services.planner.domain.query.intent import CohortView, Understood
from services.planner.domain.query.joining.joins import JoinGraph, graph_of
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.times.times import time_spans

_EXACT = 0.99
_NAMED = frozenset(stem(word) for word in ("cohort", "retention"))


async def following(
    question: str, catalogue: Catalogue, lookup: ValueLookup, *, today: date
) -> Understood | str | None:
    """What is told of things that are followed; why not, as a sentence; None for other questions.

    A question whose words may mean something else too is left to the ordinary reading where the
    data has nothing to follow.
    """
    tokens = tokenise(question)
    wish = cohort_wish(
        question, tokens, lambda word: has_events(word, catalogue, graph_of(catalogue))
    )
    if wish is None or await _means_something_else(wish, catalogue, lookup):
        return None
    graph = JoinGraph(catalogue, [token.stem for token in tokens if token.stem])
    chart = clauses.chart_wish(question, tokens)
    spans = time_spans(question, tokens, today)
    linked = await link(question, tokens, catalogue, lookup)
    chosen = resolve(linked, tokens, catalogue, graph).mentions
    written = with_written_values(question, tokens, chosen, catalogue)
    if written.problem:
        return None if wish.weak else written.problem
    scene = Scene(tokens, written.mentions, catalogue)
    found = cohort_intent(wish, scene, graph, spans, chart)
    if isinstance(found, str):
        return None if wish.weak else found
    intent, notes = found
    lost = why_loose(scene, intent) or why_sense_lost(question, scene, intent)
    if lost:
        return lost
    unknown = [token.text for token in unknown_words(scene)]
    left = ["left out as not understood: " + ", ".join(unknown)] if unknown else []
    return Understood(
        intent=intent,
        summary=summarise(intent, catalogue),
        confidence=confidence_of(scene),
        links=links_of(scene.mentions),
        assumptions=(*nearly_named(scene), *notes, *left, *coverage_notes(intent, catalogue)),
    )


async def _means_something_else(
    wish: CohortWish, catalogue: Catalogue, lookup: ValueLookup
) -> bool:
    """Whether the words are names or values of the data: a column of cohorts, an active state."""
    names = {w for t in catalogue.tables for c in t.columns for w in name_words(c.name)}
    if wish.view not in (CohortView.ACTIVE, CohortView.NEW):
        return bool(names & _NAMED)
    word = wish.view.value
    hits = await lookup([word])
    return stem(word) in names or any(hit.score >= _EXACT for hit in hits)
