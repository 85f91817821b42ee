"""From a question to a settled reading, one question back, or a plain "not understood"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.language import clauses
from services.planner.domain.language.calculations import (
    bin_wish,
    calculation_wish,
    quantile_wishes,
)
from services.planner.domain.language.chart import charted
from services.planner.domain.language.cues import VALUE_WORDS
from services.planner.domain.language.formulas import revenue_formulas
from services.planner.domain.language.intent import (
    Clarification,
    Intent,
    Link,
    NotUnderstood,
    Understood,
)
from services.planner.domain.language.joins import JoinGraph
from services.planner.domain.language.link import link
from services.planner.domain.language.mention import Mention
from services.planner.domain.language.normalise import name_words, stem, tokenise
from services.planner.domain.language.parse import parse
from services.planner.domain.language.resolve import answered, clarify, describe, resolve
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.statistics_wish import (
    StatisticWish,
    statistic_wish,
    tested,
)
from services.planner.domain.language.summary import summarise
from services.planner.domain.language.times import time_spans
from services.planner.domain.language.unmatched import with_written_values
from services.planner.domain.language.vocabulary import STOP_WORDS
from services.planner.domain.language.work import Wishes

# Words that mean money and nothing else; "sales" may also be rows of a table.
_MONEY_STEMS = frozenset(stem(word) for word in ("revenue", "turnover"))
_PROFILE = re.compile(
    r"\b(?:profile|describe|summari[sz]e|overview of|what(?:'s| is) in|explore|inspect)\b.*"
    r"\b(?:data(?:set|base)?|table|file|columns?|this|it)\b|^\s*(?:profile|describe|overview)\b",
    re.IGNORECASE,
)


async def understand(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    *,
    today: date,
    assume: bool = False,
    answer: str | None = None,
) -> Understood | Clarification | NotUnderstood:
    """What the question means over this data.

    `answer` is the reply to an earlier clarification: a number from 1, or an option's words. With
    `assume` the best reading is taken and the assumption stated; nothing is asked.
    """
    tokens = tokenise(question)
    if not any(token.stem or token.quoted for token in tokens):
        return _nothing(catalogue, "The question has no words in it.")
    statistic = statistic_wish(question, tokens)
    calculation = calculation_wish(question, tokens)
    bins = bin_wish(question, tokens)
    quantiles = quantile_wishes(question, tokens)
    chart = clauses.chart_wish(question, tokens)
    order = clauses.order_wish(question, tokens)
    axes = clauses.axes(question, tokens)
    spans = time_spans(question, tokens, today)
    mentions = await link(question, tokens, catalogue, lookup)
    if _PROFILE.search(question) and not _specific(mentions):
        return _profile(mentions, catalogue)
    graph = JoinGraph(catalogue, [token.stem for token in tokens if token.stem])
    resolution = resolve(mentions, tokens, catalogue, graph)
    assumptions: list[str] = []
    chosen = resolution.mentions
    ambiguity = clarify(resolution, graph)
    if ambiguity is not None:
        asked = ambiguity.asked
        if answer is not None:
            chosen = answered(ambiguity, answer)
        elif not assume:
            return asked
        else:
            phrase = asked.question.removesuffix(" could mean")
            others = " or ".join(asked.options[1:])
            assumptions.append(f"{phrase} is {asked.options[0]}, not {others}")
    written = with_written_values(question, tokens, chosen, catalogue)
    if written.problem:
        return _nothing(catalogue, written.problem)
    scene = Scene(tokens, written.mentions, catalogue)
    if statistic is not None:
        return _tested(statistic, scene, graph, assumptions)
    parsed = parse(scene, Wishes(chart, order, axes, spans, calculation, bins, quantiles), graph)
    if isinstance(parsed, str):
        return _nothing(catalogue, parsed)
    intent, notes = parsed
    unpaid = _without_formula(written.mentions, intent, catalogue)
    if unpaid:
        return _nothing(catalogue, unpaid)
    intent = charted(intent, catalogue)
    return Understood(
        intent=intent,
        summary=summarise(intent, catalogue),
        confidence=_confidence(scene),
        links=_links(scene.mentions),
        assumptions=(*assumptions, *_nearly(scene), *notes),
    )


def _tested(
    wish: StatisticWish, scene: Scene, graph: JoinGraph, assumptions: Sequence[str]
) -> Understood | NotUnderstood:
    intent = tested(wish, scene, graph)
    if isinstance(intent, str):
        return _nothing(scene.catalogue, intent)
    return Understood(
        intent=intent,
        summary=summarise(intent, scene.catalogue),
        confidence=_confidence(scene),
        links=_links(scene.mentions),
        assumptions=(*assumptions, *_nearly(scene)),
    )


def _without_formula(
    mentions: Sequence[Mention], intent: Intent, catalogue: Catalogue
) -> str | None:
    """Why money was asked for and only rows would be counted, or None."""
    asked = next((m for m in mentions if set(m.stems) & _MONEY_STEMS), None)
    counted = all(measure.expression is None for measure in intent.measures)
    if asked is None or not counted or revenue_formulas(catalogue):
        return None
    needs = "needs a price and a quantity, or a column of totals"
    return f'"{asked.phrase}" {needs}; the data has neither.'


def _nearly(scene: Scene) -> list[str]:
    """Values of the data taken for what was written otherwise: "Germani" for "Germany"."""
    values = [m for m in scene.mentions if m.chosen.kind == "value"]
    return [
        f'"{m.chosen.value}" is meant by "{_spelled(scene, m)}"'
        for m in values
        if name_words(m.chosen.value) != name_words(_spelled(scene, m))
        and not any(word in VALUE_WORDS for word in (m.phrase.lower(), *m.stems))
    ]


def _spelled(scene: Scene, mention: Mention) -> str:
    token = scene.tokens[mention.first]
    return token.text if token.quoted else mention.phrase


def _specific(mentions: list[Mention]) -> bool:
    return any(m.chosen.kind in ("column", "revenue") and m.chosen.score > 0.9 for m in mentions)


def _profile(mentions: list[Mention], catalogue: Catalogue) -> Understood | NotUnderstood:
    named = [m.chosen.table for m in mentions if m.chosen.kind == "table"]
    base = (
        named[0]
        if named
        else max(catalogue.tables, key=lambda t: t.rows).name
        if catalogue.tables
        else ""
    )
    if not base:
        return _nothing(catalogue, "There is no table to describe.")
    return Understood(
        intent=Intent(base=base, profile=True),
        summary=f"profile of every column of {base}",
        confidence=0.9 if named or len(catalogue.tables) == 1 else 0.6,
        links=_links([m for m in mentions if m.chosen.kind == "table"]),
        assumptions=() if named or len(catalogue.tables) == 1 else (f"the largest table, {base}",),
    )


def _links(mentions: Sequence[Mention]) -> tuple[Link, ...]:
    return tuple(
        Link(
            phrase=m.phrase,
            target=describe(m.chosen),
            score=round(min(1.0, max(0.0, m.chosen.score)), 3),
            reason=m.chosen.reason,
        )
        for m in mentions
    )


def _confidence(scene: Scene) -> float:
    """The share of the question's content words that were used, times how surely they were tied."""
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    content = [
        i for i, t in enumerate(scene.tokens) if (t.stem or t.quoted) and t.lower not in STOP_WORDS
    ]
    known = [i for i in content if i in inside or scene.tokens[i].used]
    share = len(known) / len(content) if content else 1.0
    scores = [min(1.0, m.chosen.score) for m in scene.mentions] or [0.5]
    return round(share * sum(scores) / len(scores), 3)


def _nothing(catalogue: Catalogue, message: str) -> NotUnderstood:
    available = tuple(
        f"{table.name}: {', '.join(column.name for column in table.columns[:12])}"
        for table in catalogue.tables
    )
    return NotUnderstood(message=message, available=available)
