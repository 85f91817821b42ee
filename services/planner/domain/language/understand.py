"""From a question to a settled reading, one question back, or a plain "not understood"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.planner.domain.catalogue import Catalogue, MeaningLookup, ValueLookup
from services.planner.domain.language.cohorts.following import following
from services.planner.domain.language.linking.glosses import without_glosses
from services.planner.domain.language.linking.link import link
from services.planner.domain.language.linking.meanings import with_meanings
from services.planner.domain.language.linking.unmatched import with_written_values
from services.planner.domain.language.measures.revenues import without_formula
from services.planner.domain.language.normalising.colloquial import in_words_of_data
from services.planner.domain.language.normalising.known_names import by_known_names
from services.planner.domain.language.normalising.rephrasing import rephrased
from services.planner.domain.language.parsing.parse import parse, unknown_words
from services.planner.domain.language.phrases import clauses
from services.planner.domain.language.phrases.calculations import (
    bin_wish,
    calculation_wish,
    quantile_wishes,
)
from services.planner.domain.language.phrases.ordinals import take_ordinals
from services.planner.domain.language.phrases.own_names import own_names
from services.planner.domain.language.refusing.beyond import why_mostly_unread, why_no_cause
from services.planner.domain.language.refusing.lost_parts import why_part_lost
from services.planner.domain.language.refusing.lost_sense import why_loose, why_sense_lost
from services.planner.domain.language.refusing.lost_words import why_words_lost
from services.planner.domain.language.refusing.methods import lost_noun, method_not_offered
from services.planner.domain.language.resolving.alike import rows_alike
from services.planner.domain.language.resolving.asking import answered, clarify
from services.planner.domain.language.resolving.resolve import resolve
from services.planner.domain.language.resolving.sureness import (
    confidence_of,
    links_of,
    nearly_named,
)
from services.planner.domain.language.resolving.things import rows_for_things
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.timing.reading import timed, with_defined
from services.planner.domain.language.work import Wishes
from services.planner.domain.lexicon.normalise import name_words, tokenise
from services.planner.domain.query.intent import (
    Aggregate,
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.measures.metrics import (
    why_not_of_groups,
    with_overall_metrics,
)
from services.planner.domain.query.planning.chart import charted
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.query.planning.things_once import things_once
from services.planner.domain.reader.defining.definitions import defined
from services.planner.domain.reader.referring.names import with_names
from services.planner.domain.reader.referring.reading import with_role
from services.planner.domain.reader.referring.spoken import spoken
from services.planner.domain.reader.statistics.charts import with_test
from services.planner.domain.reader.statistics.columns import tested
from services.planner.domain.reader.statistics.holding import no_share_told
from services.planner.domain.reader.statistics.profiles import is_profile, profile_of
from services.planner.domain.reader.statistics.wish import StatisticWish, as_split, statistic_wish
from services.planner.domain.reader.times.times import TimeSpan, time_spans


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
    question = in_words_of_data(by_known_names(question, catalogue), catalogue)
    said = spoken(question, catalogue)
    if said.problem:
        return _nothing(catalogue, said.problem)
    told = timed(said.question, catalogue, today)
    if isinstance(told, str):
        return _nothing(catalogue, told)
    own = defined(rephrased(told.question, told.catalogue), told.catalogue)
    found = await _understood(
        own.question,
        own.catalogue,
        own.lookup(told.lookup(lookup)),
        today=today,
        assume=assume,
        answer=answer,
        meanings=meanings,
    )
    if not isinstance(found, Understood):
        return found
    found = with_defined(found, told, own)
    intent = with_role(found.intent, said, catalogue)
    if isinstance(intent, str):
        return _nothing(catalogue, intent)
    intent = with_names(intent, question, catalogue)
    intent = things_once(intent, catalogue, [token.lower for token in tokenise(question)])
    if intent == found.intent:
        return found
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
    if cause := why_no_cause(question, frozenset(names)):
        return _nothing(catalogue, cause)
    statistic = statistic_wish(question, tokens, names) if tests else None
    calculation = calculation_wish(question, tokens, own_names(question, catalogue))
    bins = bin_wish(question, tokens)
    take_ordinals(tokens)
    quantiles = quantile_wishes(question, tokens)
    chart = clauses.chart_wish(question, tokens)
    order = clauses.order_wish(question, tokens)
    axes = clauses.axes(question, tokens)
    spans = time_spans(question, tokens, today)
    linked = rows_for_things(await link(question, tokens, catalogue, lookup), tokens, catalogue)
    near = await with_meanings(question, tokens, linked, catalogue, meanings)
    mentions = rows_alike(near, catalogue)
    if is_profile(question, mentions, statistic):
        profile = profile_of(mentions, catalogue)
        return profile or _nothing(catalogue, "There is no table to describe.")
    graph = JoinGraph(catalogue, [token.stem for token in tokens if token.stem])
    resolution = resolve(mentions, tokens, catalogue, graph)
    assumptions: list[str] = []
    chosen = resolution.mentions
    money_is_meant = calculation is not None or bool(quantiles) or statistic is not None
    ambiguity = clarify(resolution, graph, catalogue, tokens, money_is_meant=money_is_meant)
    if ambiguity is not None:
        asked = ambiguity.asked
        if answer is not None:
            reply = answered(ambiguity, answer)
            if reply is None:
                return asked
            chosen = reply
        elif not assume:
            return asked
        else:
            phrase = asked.question.removesuffix(" could mean")
            others = " or ".join(asked.options[1:])
            assumptions.append(f"{phrase} is {asked.options[0]}, not {others}")
    chosen = tuple(without_glosses(chosen, tokens, catalogue, tested=statistic is not None))
    written = with_written_values(question, tokens, chosen, catalogue)
    if written.problem:
        return _nothing(catalogue, written.problem)
    scene = Scene(tokens, written.mentions, catalogue)
    unable = method_not_offered(question, scene, names, tested=statistic is not None)
    unable = unable or (no_share_told(question) if statistic is not None else "")
    if unable:
        return _nothing(catalogue, unable)
    if statistic is not None:
        found = _tested(question, statistic, scene, graph, spans, assumptions)
        return found or await _understood(
            as_split(question), catalogue, lookup, today=today, assume=assume, answer=answer,
            meanings=meanings, tests=False,
        )  # fmt: skip
    parsed = parse(scene, Wishes(chart, order, axes, spans, calculation, bins, quantiles), graph)
    if isinstance(parsed, str):
        return _nothing(catalogue, parsed)
    read, notes = parsed
    intent = with_overall_metrics(read, catalogue)
    unknown = unknown_words(scene)
    lacking = without_formula(written.mentions, intent, catalogue)
    lacking = lacking or why_not_of_groups(read, catalogue)
    lacking = lacking or why_words_lost(question, scene, unknown, intent, notes)
    lacking = lacking or why_sense_lost(question, scene, intent)
    lacking = lacking or why_part_lost(question, scene, intent, unknown)
    lacking = lacking or why_mostly_unread(scene, unknown)
    if lacking:
        return _nothing(catalogue, lacking)
    intent = with_test(charted(intent, catalogue), question, catalogue)
    return Understood(
        intent=intent,
        summary=summarise(intent, catalogue),
        confidence=confidence_of(scene),
        links=links_of(scene.mentions),
        assumptions=(*assumptions, *nearly_named(scene), *notes, *_divided(intent)),
    )


def _tested(
    question: str,
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
    unknown = unknown_words(scene)
    lost = why_loose(scene, intent) or why_words_lost(question, scene, unknown, intent, notes)
    lost = lost or lost_noun(scene, unknown)
    if lost:
        return _nothing(scene.catalogue, lost)
    said = ", ".join(token.text for token in unknown)
    left = [f"left out as not understood: {said}"] if unknown else []
    if wish.held_out is not None and not wish.held_out.seed_is_told:
        left.append(f"the rows held out are those of seed {wish.held_out.seed}, as none is told")
    return Understood(
        intent=intent,
        summary=summarise(intent, scene.catalogue),
        confidence=confidence_of(scene),
        links=links_of(scene.mentions),
        assumptions=(*assumptions, *nearly_named(scene), *notes, *left),
    )


def _divided(intent: Intent) -> list[str]:
    """What deviations and variances are divided by: the other convention gives another number."""
    spread = (Aggregate.DEVIATION, Aggregate.VARIANCE)
    return (
        ["deviations are those of a sample, divided by n - 1"]
        if any(measure.aggregate in spread for measure in intent.measures)
        else []
    )


def _nothing(catalogue: Catalogue, message: str) -> NotUnderstood:
    available = tuple(
        f"{table.name}: {', '.join(column.name for column in table.columns[:12])}"
        for table in catalogue.tables
    )
    return NotUnderstood(message=message, available=available)
