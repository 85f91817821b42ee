"""A first look at sources: what there is, what it means, and three questions it can answer."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.clock import Clock
from services.planner.analysis.meaning import check_against_rows, with_models
from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.doubt import Doubt
from services.planner.domain.look.doubts import doubts_of
from services.planner.domain.look.look import Look, TableLook, left_out, look_of
from services.planner.domain.question import AnalysisRequest
from services.planner.jobs.collaborators import Collaborators

_OFFERED = 3
_MOST_TRIED = 12


async def looked(
    with_: Collaborators,
    clock: Clock,
    request: AnalysisRequest,
    *,
    propose: bool = False,
    values: Sequence[str] = (),
) -> Look:
    """What the sources of a request hold, as its semantic models say; with `propose` a model to
    begin with, with `values` where values are that match these words.

    Raises AssayError for sources that cannot be read, and for models that do not fit them.
    """
    # Here, because lists of jobs come by this module and read no question.
    from services.planner.domain.reader.times.dates import times_of
    from services.planner.domain.semantic_model.proposal import proposal_of

    described, findings = await with_.tools.inspect(request)
    described = await with_models(described, request)
    await check_against_rows(with_.tools, request, described.catalogue)
    tables = look_of(described.catalogue, findings, times_of(described.catalogue))
    doubts = doubts_of(described.catalogue, findings, tables)
    sources = dict.fromkeys(source.label for source in request.data_sources)
    return Look(
        proposal=proposal_of(tables, tuple(sources), doubts) if propose else "",
        tables=tables,
        doubts=doubts,
        notes=(
            *described.catalogue.unused,
            *(note for note in described.notes if not _is_same_doubt(note, doubts)),
        ),
        questions=await _questions(with_, clock, request, described.catalogue, tables),
        decisions=described.decisions,
        left_out=left_out(findings, described.catalogue.facts),
        matches=tuple(await with_.tools.lookup(request, values)) if values else (),
    )


def _is_same_doubt(note: str, doubts: Sequence[Doubt]) -> bool:
    """Whether a note on how a source was read says what a doubt says that was repaired."""
    return any(doubt.repaired and doubt.said in note for doubt in doubts)


async def _questions(
    with_: Collaborators,
    clock: Clock,
    request: AnalysisRequest,
    catalogue: Catalogue,
    tables: tuple[TableLook, ...],
) -> tuple[str, ...]:
    """The first questions that the rules read as likely: what is offered can be answered."""
    # Here, because lists of jobs come by this module and read no question.
    from services.planner.domain.look.questions import questions_of

    async def nothing(phrases: object) -> list[ValueHit]:
        return []

    offered: dict[str, str] = {}
    for number, text in enumerate(dict.fromkeys(questions_of(tables))):
        if number >= _MOST_TRIED or len(offered) >= _OFFERED:
            break
        if (kind := text.partition(" ")[0] + text[-5:]) in offered:
            continue
        given = PlanningInput(
            request=request.asking(text),
            catalogue=catalogue,
            lookup=nothing,
            today=clock.now().date(),
            without_model=True,
        )
        planning = await with_.reasoner.plan(given)
        # Nothing asked the data, without which no reading is sure.
        if planning.draft is not None and planning.confidence != "low":
            offered[kind] = text
    return tuple(offered.values())
