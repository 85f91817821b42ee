"""The planning decision: what a question means and how to find out, made once and recorded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import AssayError
from mesh.ids import derived_id
from mesh.telemetry.metrics import looked_up
from mesh.telemetry.tracing import span
from services.planner.analysis.checking import checked, seen_of
from services.planner.analysis.declared import Meanings
from services.planner.analysis.meaning import describe_sources, in_business
from services.planner.analysis.passed_over import with_doubt_of_refused
from services.planner.analysis.routed import Routed, is_one_of_data
from services.planner.domain.analysis.own_statement import planned_statement, statement_refused
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.analysis.recipe import RecalledRecipe
from services.planner.domain.analysis.unread import of_what_is_read, unread_of, uses_unread
from services.planner.domain.catalogue import Likeness, ValueHit
from services.planner.domain.confidence.telling import find_level
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job
from services.planner.domain.permission import column_refused, question_refused
from services.planner.domain.question import AnalysisRequest, analysis_of
from services.planner.domain.semantic_model.aliases import with_aliases
from services.planner.jobs import records
from services.planner.jobs.asking_data import evidence_of
from services.planner.jobs.collaborators import Collaborators
from services.planner.ports import Described

log = logging.getLogger("assay.planner")

_RULES = "rules"


@dataclass(frozen=True)
class Decided:
    """A planning decision, its record, and what it was made from."""

    planning: Planning
    described: Described
    decision: Decision

    @property
    def memory_away(self) -> bool:
        """Whether it was made without recalling earlier analyses."""
        return bool(self.decision.given["memory_away"])

    @property
    def abandoned_because(self) -> str:
        """How the plan failed that this one takes the place of; empty without."""
        return str(self.decision.given.get("abandoned_because", ""))

    @property
    def abandoned_model(self) -> str:
        """The language model whose plan failed on the way; empty where it was a recipe's."""
        return str(self.decision.given.get("abandoned_model", ""))


class Deciding:
    """Makes planning decisions. It stores none: whoever acts on one does, first."""

    def __init__(self, with_: Collaborators, clock: Clock) -> None:
        self._with = with_
        self._clock = clock
        self._meanings = Meanings(with_.jobs)

    async def decide(self, job: Job) -> Decided:
        """The planning decision: the recorded one if there is one, else a new one.

        Policy is checked before any table is chosen. Raises AssayError when policy refuses or
        the sources cannot be read.
        """
        described = await describe_sources(self._with.tools, job.request, self._about(job))
        decision_id = derived_id(job.job_id, "plan", str(job.replies))
        asking_id = derived_id(job.job_id, "plan", str(job.replies - 1))
        asked: Planning | None = None
        for decision in await self._with.jobs.decisions(job.job_id):
            made = decision.plan_id == job.plan.plan_id if job.plan else False
            if made or (job.plan is None and decision.decision_id == decision_id):
                described = await self._in_business(job, described)
                return Decided(Planning.model_validate(decision.decided), described, decision)
            if decision.decision_id == asking_id:
                asked = Planning.model_validate(decision.decided)
        await self._permit(job, described)
        described = await self._in_business(job, described)
        planning, away = await self._planned(job, described, asked)
        if uses_unread(planning, described.catalogue):
            whole = await describe_sources(self._with.tools, job.request)
            described = await self._in_business(job, whole)
            planning, away = await self._planned(job, described, asked)
        planning = _with_missing(planning, job, described)
        given = {
            "question": job.request.question,
            "reply": job.reply,
            "source_digests": list(described.source_digests),
            "source_seals": list(described.source_seals),
            "schema_fingerprint": described.catalogue.fingerprint,
            "hidden_columns": len(described.blocked_columns),
            "memory_away": away,
        }
        for key in ("follows_job_id", "after_job_id"):
            if earlier := getattr(analysis_of(job.request), key):
                given[key] = earlier
        if domains := analysis_of(job.request).domains:
            given["domains"] = [domain.name for domain in domains]
        if job.request.semantic_models:
            given["semantic_models"] = [model.sha256 for model in job.request.semantic_models]
        return Decided(planning, described, self._decision(job, decision_id, planning, given))

    def _about(self, job: Job) -> str:
        """The question or statement by which large files may be read in part: one that says all
        that is wanted, and that rules read. A model is not told samples for what is there."""
        request = analysis_of(job.request)
        elsewhere = request.follows_job_id or request.after_job_id or request.domains
        more = job.reply or request.choice or request.corrections or request.semantic_models
        if self._with.reasoner.name != _RULES or elsewhere or more:
            return ""
        return " ".join((request.statement or request.intent, *request.means.words))

    async def _planned(
        self, job: Job, described: Described, asked: Planning | None
    ) -> tuple[Planning, bool]:
        """The plan, and whether it was made without recalling earlier analyses."""
        away = False
        if job.request.statement:
            planning = await self._statement(job, described)
        else:
            recipes: list[RecalledRecipe] = []
            before = await self._answered(job, analysis_of(job.request).follows_job_id)
            routed = analysis_of(job.request).domains if before is None else ()
            if before is None and (not routed or is_one_of_data(routed)):
                recipes, away = await self._recall(
                    described.catalogue.fingerprint, analysis_of(job.request).intent
                )
            if routed:
                planning = await self._routed(job, described, recipes, asked)
            else:
                after = await self._answered(job, analysis_of(job.request).after_job_id)
                planning = await self._plan(
                    job, described, recipes, asked, before=before, after=after
                )
            looked_up("recipes", hit=planning.recipe.how in ("used", "adapted"))
        return planning, away

    async def _in_business(self, job: Job, described: Described) -> Described:
        """The description with what words of business mean over it that were said so far."""
        request = analysis_of(job.request)
        before = await self._answered(job, request.follows_job_id or request.after_job_id)
        return in_business(described, request, before, self._clock.now().date())

    async def _statement(self, job: Job, described: Described) -> Planning:
        """The decision on a statement: it is run as it is, with what checks find in it."""
        # Here, because lists of jobs come by this module and judge no statement.
        from services.planner.domain.checks.judging import UNASKED, judge
        from services.planner.domain.proposals.proposing import by_person

        request = analysis_of(job.request)
        evidence = evidence_of(self._with, request)
        with span("check plan"):
            judgement, intended = await asyncio.gather(
                judge(request.statement, described.catalogue, evidence),
                self._meanings.judge(job, described.catalogue, evidence),
            )
        judgement = replace(judgement, findings=(*intended.findings, *judgement.findings))
        unasked = (UNASKED,) if judgement.unasked else ()
        planned = planned_statement(request, described.catalogue, intended.tried)
        made = by_person(request.statement, planned.understood, described.catalogue)
        seen = seen_of(planned, [judgement])
        update = {
            "proposal": made.model_dump(mode="json") if made is not None else None,
            "findings": judgement.findings,
            "assumptions": (
                *([intended.picked.told] if intended.picked is not None else []),
                *judgement.caveats,
            ),
            "others": intended.others,
            "not_checked": (*intended.not_checked, *unasked),
            "reported": intended.reported,
            "seen": seen,
            "confidence": find_level(seen),
        }
        return planned.model_copy(update=update)

    async def _routed(
        self, job: Job, described: Described, recipes: list[RecalledRecipe], asked: Planning | None
    ) -> Planning:
        """The decision on a question that was put to domains."""

        async def ask_data(
            request: AnalysisRequest, whole: Described, before: Planning | None
        ) -> Planning:
            # What was said to choose a domain is no reply to how the question is read.
            reply = job.reply if before is not None else ""
            put = job.model_copy(update={"request": request, "reply": reply})
            return await self._plan(put, whole, recipes, before)

        return await Routed(ask_data).planned(analysis_of(job.request), described, asked, job.reply)

    async def _answered(self, job: Job, follows: str) -> Planning | None:
        """The decision on the job that this one goes on from, an empty one where it has none; None
        without such a job. Raises AssayError(NOT_FOUND)."""
        if not follows:
            return None
        followed = await self._with.jobs.get(job.tenant, follows)
        for decision in reversed(await self._with.jobs.decisions(follows)):
            made = followed.plan is not None and decision.plan_id == followed.plan.plan_id
            if decision.kind == "plan" and made:
                planning = Planning.model_validate(decision.decided)
                if not planning.said:
                    asked = analysis_of(followed.request)
                    texts = (asked.intent, *asked.corrections) if asked.intent else ()
                    planning = planning.model_copy(update={"said": texts})
                return await with_doubt_of_refused(planning, job, followed, self._with.jobs)
        return Planning()

    async def decide_afresh(self, job: Job, decided: Decided, why: str) -> Decided:
        """The decision on a plan without recipes, after one from a recipe failed on the way; or
        by the rules alone, after a model's did.

        The recorded one if there is one: a job plans afresh once at most. `why` says how the
        plan failed. Raises AssayError when the sources cannot be read.
        """
        described = decided.described
        if unread_of(described.catalogue):
            whole = await describe_sources(self._with.tools, job.request)
            described = await self._in_business(job, whole)
        decision_id = derived_id(decided.decision.decision_id, "afresh")
        for decision in await self._with.jobs.decisions(job.job_id):
            if decision.decision_id == decision_id:
                return Decided(Planning.model_validate(decision.decided), described, decision)
        before, by_model = decided.planning.recipe, decided.planning.by_model
        if not by_model:
            failed = {**before.failed, before.recipe_id: why}
            before = before.model_copy(update={"how": "refused", "reason": why, "failed": failed})
        follows = await self._answered(job, analysis_of(job.request).follows_job_id)
        planning = await self._plan(job, described, [], without_model=by_model, before=follows)
        planning = _with_missing(planning.model_copy(update={"recipe": before}), job, described)
        abandoned = {
            "abandoned_plan": decided.decision.plan_id,
            "abandoned_because": why,
            "abandoned_model": decided.planning.decided_by if by_model else "",
        }
        given = {**decided.decision.given, **abandoned}
        return Decided(planning, described, self._decision(job, decision_id, planning, given))

    def _decision(
        self, job: Job, decision_id: str, planning: Planning, given: dict[str, Any]
    ) -> Decision:
        return Decision(
            decision_id=decision_id,
            job_id=job.job_id,
            kind="plan",
            reasoner=planning.decided_by or self._with.reasoner.name,
            reason=planning.reason,
            given=given,
            decided=planning.model_dump(mode="json"),
            timestamp=self._clock.now(),
        )

    async def _permit(self, job: Job, described: Described) -> None:
        """Raise what policy has against the question, once that is in the log."""
        request = analysis_of(job.request)
        check = statement_refused if request.statement else column_refused
        # The column first: "column salary is blocked" helps more than "a pattern matches".
        texts = (request.intent, request.choice, *request.corrections)
        words = request.statement or " ".join(texts)
        refused = check(words, described.blocked_columns, described.catalogue) or question_refused(
            request
        )
        if refused:
            event = records.refused(job.job_id, refused.reason.code, refused.message)
            await self._with.audit.append(job.job_id, [event])
            raise refused

    async def _plan(
        self,
        job: Job,
        described: Described,
        recipes: list[RecalledRecipe],
        asked: Planning | None = None,
        without_model: bool = False,
        before: Planning | None = None,
        after: Planning | None = None,
    ) -> Planning:
        async def looked_up(phrases: Sequence[str]) -> list[ValueHit]:
            hits = await self._with.tools.lookup(job.request, phrases)
            return [hit for hit in hits if described.catalogue.table(hit.table) is not None]

        evidence = evidence_of(self._with, job.request)
        given = PlanningInput(
            request=analysis_of(job.request),
            catalogue=described.catalogue,
            lookup=with_aliases(looked_up, described.catalogue),
            evidence=evidence,
            recipes=tuple(recipes),
            reply=job.reply,
            asked=asked,
            before=before,
            after=after,
            without_model=without_model,
            today=self._clock.now().date(),
            meanings=self._alike,
        )
        with span("decide plan"):
            tried = of_what_is_read(evidence, described.catalogue)
            planning = await self._with.reasoner.plan(replace(given, evidence=tried))
        with span("check plan"):
            if before is not None and not planning.said:
                texts = (*before.said, given.request.intent)
                planning = planning.model_copy(update={"said": texts})
            return await checked(planning, given, self._with.reasoner)

    async def _alike(self, phrases: Sequence[str], names: Sequence[str]) -> Sequence[Likeness]:
        """Names near in meaning; none when memory is away or slow, or knows spelling alone."""
        if self._with.meanings is None:
            return ()
        try:
            with calls.changed(seconds=self._with.meaning_seconds):
                return await self._with.meanings(phrases, names)
        except AssayError as error:
            log.warning("unknown words stay unknown: %s", error)
            return ()

    async def _recall(self, fingerprint: str, intent: str) -> tuple[list[RecalledRecipe], bool]:
        """Candidates from memory; a job goes on without when memory is away or slow."""
        try:
            with calls.changed(seconds=self._with.recall_seconds):
                return await self._with.memory.recall(fingerprint, intent), False
        except AssayError as error:
            log.warning("no recall: %s", error)
            return [], True


def _with_missing(planning: Planning, job: Job, described: Described) -> Planning:
    """The decision with the words of the question for which nothing was found."""
    # Here, because lists of jobs come by this module and read no question.
    from services.planner.domain.analysis.missing import missing_words

    question = analysis_of(job.request).intent
    missing = missing_words(question, planning, described.catalogue)
    return planning.model_copy(update={"missing": missing})
