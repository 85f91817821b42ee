"""The decisions of an analysis: how to find out, and what to change in a call that failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pydantic import Field

from services.planner.domain.analysis.recipe import RecalledRecipe
from services.planner.domain.analysis.settled import Settled
from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.catalogue import Catalogue, Frozen, MeaningLookup, ValueLookup
from services.planner.domain.checks.finding import Finding
from services.planner.domain.clarification import Clarification
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.evidence import Evidence
from services.planner.domain.failure import Failure
from services.planner.domain.model_use import ModelUse
from services.planner.domain.plan import PlanDraft
from services.planner.domain.proposals.considered import Considered
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.twin.reported import Reported


@dataclass(frozen=True)
class PlanningInput:
    """What a plan is made from.

    `reply` is the person's answer to an earlier clarification, and `asked` the decision that asked
    it. `without_model` asks for a decision by the rules alone, because a model's plan failed.
    `before` is the decision on the job whose reading the words of a follow-up change; `after` the
    one on what was answered before words that look like a question of their own, and may go on from
    it.
    Without `meanings` words are known by their spelling alone, without `evidence` readings are
    chosen by the question alone.
    """

    request: AnalysisRequest
    catalogue: Catalogue
    lookup: ValueLookup
    today: date
    recipes: tuple[RecalledRecipe, ...] = ()
    reply: str = ""
    asked: Planning | None = None
    before: Planning | None = None
    after: Planning | None = None
    without_model: bool = False
    meanings: MeaningLookup | None = None
    evidence: Evidence | None = None

    @property
    def in_sight(self) -> Planning | None:
        """The decision on what was answered before."""
        return self.before if self.before is not None else self.after

    @property
    def messages(self) -> tuple[str, ...]:
        """All that was asked so far, in order: what is said now comes last."""
        if self.request.corrections or self.in_sight is None:
            return (self.request.intent, *self.request.corrections)
        return (*self.in_sight.said, self.request.intent)


class RecipeUse(Frozen):
    """Which recalled recipe a plan was made from, or why none was.

    `exact` is set for a remembered plan, which was made for this very question. `failed` says of
    each recipe that fits the question and not the data any more, why.
    """

    recipe_id: str = ""
    how: Literal["used", "adapted", "refused", "none"] = "none"
    reason: str = ""
    exact: bool = False
    failed: dict[str, str] = Field(default_factory=dict)


class PartPlan(Frozen):
    """What one of several domains is asked; its steps in the job's plan begin with `prefix`.

    `intent` is its question as it was understood, empty for a tool elsewhere; `answer_task` its
    answer's step.
    """

    domain: str
    prefix: str
    understood: str
    answer_task: str
    intent: dict[str, Any] = Field(default_factory=dict)


class LookUp(Frozen):
    """What a language model looked up before it proposed: by which `call`, `asked` for what, and
    what was `found`, in short."""

    call: str
    asked: str
    found: str


Confidence = Literal["high", "medium", "low"]
"""How sure an answer is: told as sure, likely, doubtful."""

GOES_ON_FROM = "the question that this goes on from was read as"
"""How the doubt begins that a follow-up has of what it changes; its own follow-ups keep it."""


class Planning(Frozen):
    """The outcome of planning: exactly one of draft, clarification and failure is set.

    `intent` is the understood question as JSON; `template` and `parameters` generalise it for a
    recipe; `labels` names columns of the answer's frames for people. `readings` are what the
    clarification's options stand for, as JSON; `settled` is what a person said of the reading.
    `decided_by` names who decided where that is not the reasoner as a whole, `caveats` say what
    should be known of how, and `model_use` what it took. `edit` says, of a follow-up, what is other
    than before, and `said` is what was asked so far, in order: the question, and what changed it.
    `domain` is the one that the question was put to; of several, `parts` are what each is asked,
    and `lacking` why some are not. `proposal` is the statement that stands, and what each word of
    the question became in it, as JSON: None of a plan that takes several. `others` are proposals
    beside it, `findings` what checks found in it, `checked` the codes that it was held to, none for
    all. `disclosure` is what of the data a model could be told (`mesh.policy.Disclosure`), and
    `lookups` what it looked up. `not_checked` says what of a person's statement could not be
    checked, `reported` which numbers it gives under which names. `seen` is what `confidence` rests
    on; until a decision is checked, that is its own word for it. `missing`
    are words of the question for which nothing was found (`missing.py`).
    """

    understood: str = ""
    reason: str = ""
    confidence: Confidence = "high"
    intent: dict[str, Any] = Field(default_factory=dict)
    draft: PlanDraft | None = None
    clarification: Clarification | None = None
    failure: Failure | None = None
    readings: tuple[dict[str, Any], ...] = ()
    settled: Settled = Settled()
    edit: str = ""
    said: tuple[str, ...] = ()
    domain: str = ""
    parts: tuple[PartPlan, ...] = ()
    lacking: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    recipe: RecipeUse = RecipeUse()
    decided_by: str = ""
    caveats: tuple[str, ...] = ()
    model_use: ModelUse | None = None
    proposal: dict[str, Any] | None = None
    disclosure: str = ""
    lookups: tuple[LookUp, ...] = ()
    not_checked: tuple[str, ...] = ()
    reported: tuple[Reported, ...] = ()
    others: tuple[Considered, ...] = ()
    findings: tuple[Finding, ...] = ()
    checked: tuple[str, ...] = ()
    seen: Seen = Seen()
    missing: tuple[str, ...] = ()

    @property
    def proposal_record(self) -> dict[str, Any] | None:
        """The proposal with what checks found in it and what was proposed beside it, as JSON."""
        if self.proposal is None:
            return None
        return {
            **self.proposal,
            "findings": [found.model_dump(mode="json") for found in self.findings],
            "checked": list(self.checked),
            "others": [other.model_dump(mode="json") for other in self.others],
            "not_checked": list(self.not_checked),
        }

    @property
    def is_statement(self) -> bool:
        """Whether the answer is the rows of one query, as far as no other step makes it."""
        draft = self.draft
        tasks = {task.task_id: task.tool_name for task in draft.subtasks} if draft else {}
        return draft is not None and tasks.get(draft.answer_task) in ("sql.run", "stats.test")

    @property
    def of_statement(self) -> bool:
        """Whether what runs is a statement as it was written, by a model or a person."""
        return self.by_model or self.seen.proposer == "person"

    @property
    def by_model(self) -> bool:
        """Whether a language model decided; one that was asked in vain did not."""
        return self.model_use is not None and self.decided_by == self.model_use.last


class RepairInput(Frozen):
    """A failed attempt: the call, what came back, and what the sources hold.

    `planned_by` names who made the plan.
    """

    request: AnalysisRequest
    catalogue: Catalogue
    call: ToolCall
    observation: Observation
    seconds_left: float
    planned_by: str = ""


class Repair(Frozen):
    """A changed call. The arguments differ from the failed ones; `reason` says how and why."""

    arguments: dict[str, Any]
    reason: str
    caveat: str = ""
    decided_by: str = ""
    model_use: ModelUse | None = None
