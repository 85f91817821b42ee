"""From a question to a settled reading, one question back, or a plain "not understood"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from services.planner.domain.catalogue import Catalogue, MeaningLookup, ValueLookup
from services.planner.domain.language import clauses
from services.planner.domain.language.asking import answered, clarify
from services.planner.domain.language.calculations import (
    bin_wish,
    calculation_wish,
    quantile_wishes,
)
from services.planner.domain.language.chart import charted
from services.planner.domain.language.cohorts.following import following
from services.planner.domain.language.defining.definitions import defined
from services.planner.domain.language.formulas import revenue_formulas
from services.planner.domain.language.intent import (
    Aggregate,
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.language.joins import JoinGraph
from services.planner.domain.language.link import link
from services.planner.domain.language.meanings import with_meanings
from services.planner.domain.language.mention import Mention
from services.planner.domain.language.normalise import name_words, stem, tokenise
from services.planner.domain.language.parse import parse, unknown_words
from services.planner.domain.language.rephrasing import rephrased
from services.planner.domain.language.resolve import resolve
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.statistics.charts import with_test
from services.planner.domain.language.statistics.columns import tested
from services.planner.domain.language.statistics.wish import StatisticWish, as_split, statistic_wish
from services.planner.domain.language.summary import summarise
from services.planner.domain.language.sureness import confidence_of, links_of, nearly_named
from services.planner.domain.language.things import rows_for_things
from services.planner.domain.language.times import TimeSpan, time_spans
from services.planner.domain.language.unmatched import with_written_values
from services.planner.domain.language.work import Wishes

# Words that mean money and nothing else; "sales" may also be rows of a table.
_MONEY_STEMS = frozenset(stem(word) for word in ("revenue", "turnover"))
_PROFILE = re.compile(
    r"\b(?:profile|describe|summari[sz]e|summary|overview of|what(?:'s| is) in|explore|inspect)\b.*"
    r"\b(?:data(?:set|base)?|table|file|columns?|this|it)\b"
    r"|^\s*(?:profile|describe(?! (?:how|why|what|when)\b)|overview)\b",
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
    meanings: MeaningLookup | None = None,
) -> Understood | Clarification | NotUnderstood:
    """What the question means over this data and the columns that it defines itself.

    `answer` is the reply to an earlier clarification: a number from 1, or an option's words. With
    `assume` the best reading is taken and the assumption stated; nothing is asked. `meanings` ties
    words that nothing else explains to names of similar meaning.
    """
    own = defined(rephrased(question, catalogue), catalogue)
    found = await _understood(
        own.question,
        own.catalogue,
        own.lookup(lookup),
        today=today,
        assume=assume,
        answer=answer,
        meanings=meanings,
    )
    if not isinstance(found, Understood) or not own.definitions:
        return found
    intent = found.intent.model_copy(update={"defined": own.definitions})
    return found.model_copy(update={"intent": intent, "summary": summarise(intent, own.catalogue)})


async def _understood(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    *,
    today: date,
    assume: bool,
    answer: str | None,
    meanings: MeaningLookup | None,
    tests: bool = True,
) -> Understood | Clarification | NotUnderstood:
    """As `understand`, of columns that are there; without `tests` no test is looked for."""
    tokens = tokenise(question)
    if not any(token.stem or token.quoted for token in tokens):
        return _nothing(catalogue, "The question has no words in it.")
    followed = await following(question, catalogue, lookup, today=today)
    if followed is not None:
        return _nothing(catalogue, followed) if isinstance(followed, str) else followed
    names = {w for t in catalogue.tables for c in t.columns for w in name_words(c.name)}
    statistic = statistic_wish(question, tokens, names) if tests else None
    calculation = calculation_wish(question, tokens)
    bins = bin_wish(question, tokens)
    quantiles = quantile_wishes(question, tokens)
    chart = clauses.chart_wish(question, tokens)
    order = clauses.order_wish(question, tokens)
    axes = clauses.axes(question, tokens)
    spans = time_spans(question, tokens, today)
    linked = rows_for_things(await link(question, tokens, catalogue, lookup), tokens, catalogue)
    mentions = await with_meanings(question, tokens, linked, catalogue, meanings)
    if _is_profile(question, mentions, statistic):
        return _profile(mentions, catalogue)
    graph = JoinGraph(catalogue, [token.stem for token in tokens if token.stem])
    resolution = resolve(mentions, tokens, catalogue, graph)
    assumptions: list[str] = []
    chosen = resolution.mentions
    money_is_meant = calculation is not None or bool(quantiles) or statistic is not None
    ambiguity = clarify(resolution, graph, catalogue, tokens, money_is_meant=money_is_meant)
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
        found = _tested(statistic, scene, graph, spans, assumptions)
        return found or await _understood(
            as_split(question), catalogue, lookup, today=today, assume=assume, answer=answer,
            meanings=meanings, tests=False,
        )  # fmt: skip
    parsed = parse(scene, Wishes(chart, order, axes, spans, calculation, bins, quantiles), graph)
    if isinstance(parsed, str):
        return _nothing(catalogue, parsed)
    intent, notes = parsed
    unpaid = _without_formula(written.mentions, intent, catalogue)
    if unpaid:
        return _nothing(catalogue, unpaid)
    intent = with_test(charted(intent, catalogue), question, catalogue)
    return Understood(
        intent=intent,
        summary=summarise(intent, catalogue),
        confidence=confidence_of(scene),
        links=links_of(scene.mentions),
        assumptions=(*assumptions, *nearly_named(scene), *notes, *_divided(intent)),
    )


def _tested(
    wish: StatisticWish,
    scene: Scene,
    graph: JoinGraph,
    spans: Sequence[TimeSpan],
    assumptions: Sequence[str],
) -> Understood | NotUnderstood | None:
    """The test; None where the question is about something else after all."""
    found = tested(wish, scene, graph, spans)
    if found is None:
        return None
    if isinstance(found, str):
        return _nothing(scene.catalogue, found)
    intent, notes = found
    unknown = [token.text for token in unknown_words(scene)]
    left = ["left out as not understood: " + ", ".join(unknown)] if unknown else []
    return Understood(
        intent=intent,
        summary=summarise(intent, scene.catalogue),
        confidence=confidence_of(scene),
        links=links_of(scene.mentions),
        assumptions=(*assumptions, *nearly_named(scene), *notes, *left),
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


def _divided(intent: Intent) -> list[str]:
    """What deviations and variances are divided by: the other convention gives another number."""
    spread = (Aggregate.DEVIATION, Aggregate.VARIANCE)
    return (
        ["deviations are those of a sample, divided by n - 1"]
        if any(measure.aggregate in spread for measure in intent.measures)
        else []
    )


def _is_profile(question: str, mentions: list[Mention], statistic: StatisticWish | None) -> bool:
    """Whether a whole table is to be told of, rather than some of its columns."""
    if not _PROFILE.search(question) or _specific(mentions):
        return False
    if statistic is None:
        return True
    columns = any(m.chosen.kind == "column" for m in mentions)
    return statistic.test == "describe" and not columns and "describ" in question.lower()


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
        links=links_of([m for m in mentions if m.chosen.kind == "table"]),
        assumptions=() if named or len(catalogue.tables) == 1 else (f"the largest table, {base}",),
    )


def _nothing(catalogue: Catalogue, message: str) -> NotUnderstood:
    available = tuple(
        f"{table.name}: {', '.join(column.name for column in table.columns[:12])}"
        for table in catalogue.tables
    )
    return NotUnderstood(message=message, available=available)
