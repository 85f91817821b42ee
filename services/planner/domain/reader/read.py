"""From a question to candidate readings, and to the likeliest of those that the data bears out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from heapq import heappush, heapreplace
from itertools import pairwise

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.query.defining.columns import leaves_out_defined
from services.planner.domain.query.defining.terms import Definition
from services.planner.domain.query.intent import Aggregate, Intent
from services.planner.domain.query.measures.metrics import with_overall_metrics
from services.planner.domain.query.named_alike import is_word_for_rows
from services.planner.domain.query.planning.entities_once import count_entities_once
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.chart.beam import (
    Conditions,
    Roles,
    assign_roles,
    choose_conditions,
    paired_conditions,
)
from services.planner.domain.reader.chart.compose import Composer
from services.planner.domain.reader.chart.conditions import proposals
from services.planner.domain.reader.chart.fitting import fitting
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import find_requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.chart.sketches import Draft, drafts
from services.planner.domain.reader.choice.candidate import Candidate, Weighed
from services.planner.domain.reader.choice.features import draft_features, quick_score
from services.planner.domain.reader.choice.local_features import (
    Cues,
    mention_features,
    proposal_features,
    wording_features,
)
from services.planner.domain.reader.choice.model import ReaderModel
from services.planner.domain.reader.choice.overlaps import Overlaps
from services.planner.domain.reader.grammar import (
    aggregation,
    changing,
    counting,
    negation,
    ordering,
    statistics,
)
from services.planner.domain.reader.grammar.rules import Cue, Words
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.joined import loses_split, one_phrase_twice, steps_of
from services.planner.domain.reader.links.actions import find_actions, sales_counted
from services.planner.domain.reader.links.declared import with_declared_names
from services.planner.domain.reader.links.derived import with_worked_out
from services.planner.domain.reader.links.entities import find_entities, without_counts
from services.planner.domain.reader.links.mentions import link_names
from services.planner.domain.reader.links.respelt import respelt
from services.planner.domain.reader.links.scales import as_numbers, scales_of
from services.planner.domain.reader.links.schema import schema_of
from services.planner.domain.reader.links.speeds import by_length
from services.planner.domain.reader.links.values import (
    counts_rows_so_called,
    is_ordinary,
    link_values,
)
from services.planner.domain.reader.politeness import without_politeness
from services.planner.domain.semantics.units import unit_called

MOST_CANDIDATES = 120
_LOOKED_AT = 3  # times as many drafts are looked at closely
_TRIED = 3  # times as many drafts may be composed, for some fit no joins or make equal queries
_AVERAGED = (Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.DEVIATION)
_OUTRIGHT = 0.95
_NOTHING = Intent(base="")


@dataclass(frozen=True, eq=False)
class Local:
    """A question's parts with what is seen of each: what the local models read."""

    scene: Scene
    proposals: Sequence[Proposal]
    cues: Cues
    mentions: Sequence[dict[str, float]]
    conditions: Sequence[dict[str, float]]
    wording: dict[str, float]


async def scene_of(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    *,
    today: date,
    definitions: Sequence[Definition] = (),
) -> Scene:
    """The question's words with every candidate of what they may stand for."""
    schema = schema_of(catalogue)
    question = without_politeness(question, catalogue)
    question, slips = await respelt(question, schema, lookup)
    tokens = with_declared_names(question, tokenise(question), schema)
    named, tables = link_names(tokens, schema)
    tables += find_actions(tokens, schema, named, tables)
    tables = [
        t for t in tables if is_word_for_rows(t.table, [one.lower for one in tokens[: t.first]])
    ]
    schema, mentions = with_worked_out(tokens, schema, named, today)
    if counted := list(sales_counted(tokens, schema, mentions)):
        tables += counted
        mentions = [m for m in mentions if m.first not in {t.first for t in counted}]
    values = await link_values(question, tokens, schema, lookup)
    cues: list[Cue[object]] = [
        cue
        for rules in (aggregation.RULES, ordering.DIRECTIONS, statistics.RULES, statistics.PARTS)
        for cue in Words(tokens).find(rules)
    ]
    made = {at for cue in cues for at in range(cue.first, cue.last + 1)}
    tables = [t for t in tables if t.coverage >= _OUTRIGHT or t.first not in made]  # no "Media"
    known_cues = [*cues, *Words(tokens).find(counting.RULES), *Words(tokens).find(negation.RULES)]
    grammatical = {at for cue in known_cues for at in range(cue.first, cue.last + 1)}
    grammatical |= {b.index for a, b in pairwise(tokens) if a.number and unit_called(b.lower)}
    # "total sales" are worked out, and no part of a name with "Sales" in it.
    calculated = [m for m in mentions if m.place.definition is not None and m.place.number]
    grammatical |= {at for m in calculated for at in range(m.first, m.last + 1)}
    intended = [v for v in values if not is_ordinary(v, tokens, tables, grammatical)]
    intended = [v for v in intended if not counts_rows_so_called(v, tokens)]
    tables += find_entities(tokens, schema, mentions, tables, intended)
    mentions = without_counts(tokens, mentions, tables)
    scales = await scales_of(tokens, schema, mentions, intended, lookup)
    averaged = [c.last for c in Words(tokens).find(aggregation.RULES) if c.means in _AVERAGED]
    by = [cue.first for cue in splits(Words(tokens), Split.OF_EACH, Split.OVER)]
    schema, mentions = as_numbers(schema, mentions, scales.values(), averaged, by)
    tokens = by_length(tokens, schema)
    scene = Scene(
        question,
        tokens,
        schema,
        mentions,
        tables,
        intended,
        today,
        scales,
        slips,
        tuple(definitions),
    )
    if not scene.passing:
        return scene
    # Its words name nothing else: the year of "this year" is no column.
    mentions = [m for m in mentions if m.first not in scene.passing]
    tables = [t for t in tables if t.first not in scene.passing]
    return replace(scene, mentions=mentions, tables=tables)


def local_of(scene: Scene) -> Local:
    """What the local models see."""
    cues, all_of, overlaps = Cues(scene), proposals(scene), Overlaps(scene.mentions)
    values = len({p.first for p in all_of if p.source in ("exact", "alias")})
    return Local(
        scene,
        all_of,
        cues,
        [mention_features(scene, mention, cues, overlaps) for mention in scene.mentions],
        [proposal_features(scene, one, all_of, cues) for one in all_of],
        wording_features(scene, cues, values),
    )


def weighed_of(local: Local, model: ReaderModel) -> Weighed:
    """The question with the odds of its parts."""
    shape = model.shape.shape(local.wording)
    return Weighed(
        find_requirements(local.scene, shape),
        local.proposals,
        model.role_odds(local.mentions),
        model.condition_odds(local.conditions),
        local.cues,
    )


def composed(
    weighed: Weighed, model: ReaderModel, *, most: int = MOST_CANDIDATES
) -> list[Candidate]:
    """The `most` best drafts as intents with their queries, each query once."""
    roles, chosen = assignments(weighed)
    likely = likeliest(weighed, roles, chosen, _LOOKED_AT * most)
    return with_queries(weighed, pruned(weighed, likely, model), most)


def pruned(weighed: Weighed, looked_at: Sequence[Draft], model: ReaderModel) -> list[Candidate]:
    """The drafts with what is seen of them, by the pruner, the best first."""
    kind = "chart" if weighed.scene.charted else "table"
    scored: list[Candidate] = []
    for draft in looked_at:
        features = draft_features(weighed, draft)
        score = model.pruner.score(features, kind)
        scored.append(Candidate(_NOTHING, draft, score, features))
    scored.sort(key=lambda c: -c.score)
    return scored


def assignments(weighed: Weighed) -> tuple[list[Roles], list[Conditions]]:
    """The likeliest ways to give mentions their roles, and to choose conditions."""
    scene = weighed.scene
    roles = assign_roles(scene, weighed.role_odds)
    chosen = choose_conditions(weighed.proposals, weighed.condition_odds)
    if scene.words.find(changing.RULES):
        chosen += paired_conditions(weighed.proposals, weighed.condition_odds, chosen)
    return roles, chosen


def likeliest(
    weighed: Weighed, roles: Sequence[Roles], chosen: Sequence[Conditions], most: int
) -> list[Draft]:
    """The `most` drafts that are worth the most at first sight, the best first, each once.

    Those of rare forms stay for a while longer; what plain words rule out goes, unless all would.
    """
    found: list[tuple[float, Draft]] = []
    ruled_out: list[tuple[float, Draft]] = []
    best: list[float] = []  # what the best so far are worth, as a heap
    seen: set[Sketch] = set()
    fits = fitting(weighed.requirements, weighed.proposals)

    def hopeful(draft: Draft) -> bool:
        return len(best) < most or draft.sketch.rare or quick_score(weighed, draft) > best[0]

    for draft in drafts(weighed.requirements, roles, chosen, hopeful):
        if draft.sketch in seen:
            continue
        seen.add(draft.sketch)
        value = quick_score(weighed, draft)
        if not fits(draft):
            ruled_out.append((value, draft))
            continue
        if len(best) < most:
            heappush(best, value)
        elif value > best[0]:
            heapreplace(best, value)
        elif not draft.sketch.rare:
            continue
        found.append((value, draft))
    found = sorted(found or ruled_out, key=lambda one: -one[0])
    rare = [one for one in found[most:] if one[1].sketch.rare]
    return [draft for _, draft in [*found[:most], *rare[: most // (2 * _LOOKED_AT)]]]


def _with_rare(scored: Sequence[Candidate], most: int) -> list[Candidate]:
    """With the best of the rare forms among the first half: no ordinary one says the same."""
    rare = [c for c in scored if c.draft.sketch.rare][: most // 5]
    common = [c for c in scored if c not in rare]
    return [*common[: most // 2], *rare, *common[most // 2 :]]


def with_queries(weighed: Weighed, scored: Sequence[Candidate], most: int) -> list[Candidate]:
    """The first `most` of the drafts that compose, with intents and queries, each query once."""
    scene = weighed.scene
    composer = Composer(
        scene.graph, scene.schema.catalogue, scene.scales, scene.called, scene.counted
    )
    return list(_with_queries(_with_rare(scored, most), scene, composer, most))


def _with_queries(
    scored: Iterable[Candidate], scene: Scene, composer: Composer, most: int
) -> Iterable[Candidate]:
    """The first drafts that compose, with intents and queries, each query once."""
    catalogue = scene.schema.catalogue
    queries: set[str] = set()
    found = 0
    for number, one in enumerate(scored):
        if found >= most or number > _TRIED * most:
            return
        intent = composer.intent(one.draft.sketch)
        if intent is None or loses_split(scene, one.draft, intent):
            continue
        if one_phrase_twice(scene, one.draft, intent):
            continue
        intent = count_entities_once(intent, catalogue, [token.lower for token in scene.tokens])
        if leaves_out_defined(intent, scene.definitions):
            continue
        if scene.definitions:
            intent = intent.model_copy(update={"defined": (*scene.definitions, *intent.defined)})
        intent = with_overall_metrics(intent, catalogue)
        query = render(intent, catalogue)
        key = f"{query.text} {query.params}"
        if key in queries:
            continue
        queries.add(key)
        one.intent, one.query = intent, query
        steps = steps_of(intent)
        one.features["joins"] = len(steps)
        one.features["multiplied"] = sum(step.fans_out for step in steps)
        one.features["rank"] = found
        found += 1
        yield one


def ranked(
    candidates: Sequence[Candidate], weighed: Weighed, model: ReaderModel
) -> list[Candidate]:
    """The candidates by the ranker, the best first."""
    if model.ranker is None:
        return sorted(candidates, key=lambda c: -c.score)
    kind = "chart" if weighed.scene.charted else "table"
    for one in candidates:
        one.score = model.ranker.score(one.features, kind)
    return sorted(candidates, key=lambda c: -c.score)
