"""One question back, where several readings are as good and give different answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.linking.mention import (
    Candidate,
    Mention,
    with_candidate_first,
)
from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS, SUPERLATIVES
from services.planner.domain.language.resolving.resolve import Resolution, describe, other_answer
from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.lexicon.replies import option_meant
from services.planner.domain.query.intent import Clarification, Field
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.labels import count_label
from services.planner.domain.reader.times.dates import main_date

_MOST_OPTIONS = 4
_ALSO_ROWS = ("sale",)
_SPLITS_OR_ENDS = frozenset("by per in for over during each from , . ? !".split()) | {""}


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """One question back, and the reading that each of its options stands for."""

    asked: Clarification
    readings: tuple[tuple[Mention, ...], ...]


def clarify(
    resolution: Resolution,
    graph: JoinGraph,
    catalogue: Catalogue,
    tokens: Sequence[Token],
    *,
    money_is_meant: bool = False,
) -> Ambiguity | None:
    """What to ask when other readings are as good: of the first phrase that they differ in.

    With `money_is_meant` something else in the question says that "sales" are money.
    """
    for index, mine in enumerate(resolution.mentions):
        readings = {describe(mine.chosen): resolution.mentions}
        for rival in resolution.rivals:
            if other_answer(mine.chosen, rival[index].chosen, graph):
                readings.setdefault(describe(rival[index].chosen), rival)
        if len(readings) == 1 and not money_is_meant:
            readings = _money_or_rows(resolution, index, graph, catalogue, tokens) or readings
        if len(readings) > 1:
            kept = dict(list(readings.items())[:_MOST_OPTIONS])
            question = f'"{mine.phrase}" could mean'
            return Ambiguity(
                Clarification(question=question, options=tuple(kept)), tuple(kept.values())
            )
    return None


def _money_or_rows(
    resolution: Resolution,
    index: int,
    graph: JoinGraph,
    catalogue: Catalogue,
    tokens: Sequence[Token],
) -> dict[str, tuple[Mention, ...]]:
    """ "Sales by country" are money taken or invoices written, where no word says which."""
    mention = resolution.mentions[index]
    if mention.stems != _ALSO_ROWS or mention.chosen.kind != "revenue":
        return {}
    totals = [f for f in revenue_formulas(catalogue) if isinstance(f, Field)]
    ranked = {t.lower for t in tokens} & (set(SUPERLATIVES) | {"top", "bottom"})
    before = {t.lower for t in tokens[max(0, mention.first - 3) : mention.first]}
    after = tokens[mention.last].lower if mention.last < len(tokens) else ""
    said = before & (set(AGGREGATE_WORDS) | {"number", "many", "count", "of"})
    if not totals or ranked or said or after not in _SPLITS_OR_ENDS:
        return {}
    money = totals[0]
    spoken = {m.chosen.table for m in resolution.mentions if m.chosen.table}
    tree = graph.tree(money.table, spoken)
    if tree.fans_out or tree.missing:
        return {}
    dated = main_date(catalogue, graph, money.table, ())
    rows = dated.table if dated is not None else money.table
    thing = Candidate("table", rows, score=mention.chosen.score, reason="what a sale is a row of")
    others = list(resolution.mentions)
    others[index] = with_candidate_first(mention, thing)
    taken = f"sum of {money.column} in {money.table}"
    return {taken: resolution.mentions, count_label(rows): tuple(others)}


def answered(ambiguity: Ambiguity, answer: str) -> tuple[Mention, ...] | None:
    """The reading that a reply points at: by number from 1, by its words, or by words that only
    one of the options has. None where it points at none, so that nothing is taken unasked."""
    place = option_meant(ambiguity.asked.options, answer)
    return ambiguity.readings[place] if place is not None else None
