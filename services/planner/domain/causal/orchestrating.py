"""What comes next in a causal job: which agents, under which status, and why (seed 001)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from services.planner.domain.causal.agent import Brief, Seen, trace_of
from services.planner.domain.causal.contracts import ORCHESTRATOR, REQUIRED
from services.planner.domain.causal.contrasts import contrasts
from services.planner.domain.causal.pairing import pair_for
from services.planner.domain.causal.patching import Patch
from services.planner.domain.causal.recommending import recommendations
from services.planner.domain.causal.reproduction import differing
from services.planner.domain.causal.running import Dispatch, Run
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import DATA, call
from services.planner.domain.causal.tracing import inputs_of, milliseconds
from services.planner.domain.causal.wording import TRY

_S = JobStatus
_ONCE: tuple[tuple[tuple[str, ...], JobStatus, str], ...] = (
    (("data_profiler",), _S.PROFILING, "what the columns are, and which role each may play"),
    (("domain_knowledge",), _S.PROFILING, "what is known of them beside their values"),
    (("data_repair",), _S.PROFILING, "what is wrong with them, before anything rests on them"),
    (
        ("eda_agent", "causal_discovery"),
        _S.EXPLORATORY_ANALYSIS,
        "how they go together; neither needs the other",
    ),
    (("dag_expert",), _S.DISCOVERING_CAUSAL, "the graph is held against what is known"),
    (("confounder_discovery",), _S.DISCOVERING_CAUSAL, "what has to be adjusted for"),
    (("ps_diagnostics",), _S.ESTIMATING_EFFECTS, "whether the groups can be compared at all"),
    (("effect_estimator",), _S.ESTIMATING_EFFECTS, "the effect, by every method that applies"),
)


def next_dispatch(run: Run, seen: Seen, brief: Brief, now: datetime) -> Dispatch | None:
    """Who runs next; None once the notebook is made and gave the study's figures, or was judged.

    Raises AssayError where no treatment and outcome can be told.
    """
    state = run.state
    if not run.done:
        return _fetched(state, brief, now)
    for agents, status, reason in _ONCE:
        if run.rounds_of(agents[0]) == 0:
            writes = _paired(state, brief) if agents == ("data_repair",) else {}
            return _dispatch(state, agents, reason, now, (status,), writes)
    if run.rounds_of("notebook_generator"):
        return _held_to_notebook(run, seen, brief, now)
    rounds = run.rounds_of("critique")
    if run.rounds_of("sensitivity_analyst") == rounds and rounds <= run.rounds_of(
        "effect_estimator_react"
    ):
        reason = "how fragile the estimate is"
        return _dispatch(state, ("sensitivity_analyst",), reason, now, (_S.SENSITIVITY_ANALYSIS,))
    if run.rounds_of("sensitivity_analyst") > rounds:
        reason = "a defender and a sceptic judge it"
        return _dispatch(state, ("critique",), reason, now, (_S.CRITIQUE_REVIEW,))
    if state.should_iterate() and _can_try(state):
        newest = state.newest_critique
        reason = newest.reasoning if newest is not None else ""
        again = {"iteration_count": state.iteration_count + 1}
        both = (_S.ITERATING, _S.ESTIMATING_EFFECTS)
        return _dispatch(state, ("effect_estimator_react",), reason, now, both, again)
    texts = {"recommendations": recommendations(state, brief.origin)}
    reason = "all of it, to be run again by anyone"
    moves = (_S.GENERATING_NOTEBOOK,)
    return _dispatch(state, ("notebook_generator",), reason, now, moves, texts)


def _held_to_notebook(run: Run, seen: Seen, brief: Brief, now: datetime) -> Dispatch | None:
    """Once the notebook is made: where it gave other figures than the study the critique judges
    again, and what to do next follows from that. Seed 001 draws no move for it, so that the status
    stays what it is."""
    if not differing(seen):
        return None
    after = run.done[run.done.index("notebook_generator") + 1 :]
    if "critique" not in after:
        reason = "the notebook gives other figures than the study"
        return _dispatch(run.state, ("critique",), reason, now, ())
    if ORCHESTRATOR not in after:
        texts = {"recommendations": recommendations(run.state, brief.origin)}
        return _dispatch(run.state, (), "what follows from the notebook's figures", now, (), texts)
    return None


def _can_try(state: AnalysisState) -> bool:
    """Whether the last critique names anything that a further round could try: without, the same
    round would only be made again."""
    newest = state.newest_critique
    return newest is not None and any(text.startswith(TRY) for text in newest.improvements)


def missing_fields(state: AnalysisState, agent: str) -> list[str]:
    """The fields that an agent requires and that nobody has written."""
    return sorted(name for name in REQUIRED[agent] if getattr(state, name) is None)


def _fetched(state: AnalysisState, brief: Brief, now: datetime) -> Dispatch:
    reason = "the data, or a random sample of them where they are many"
    load = {"relation": brief.relation, "rows": brief.rows, "seed": brief.seed}
    task = call(DATA, "the rows of the study", "load", load, seconds=2.0)
    made = _dispatch(state, (), reason, now, (_S.FETCHING_DATA,))
    return made.model_copy(update={"subtasks": (task,)})


def _paired(state: AnalysisState, brief: Brief) -> dict[str, Any]:
    """Treatment and outcome, where the user named less than both.

    Raises AssayError(INVALID_ARGUMENT) for a value that the treatment never has.
    """
    if state.treatment_variable and state.outcome_variable:
        contrasts(state.data_profile, state.treatment_variable, brief.treated, brief.reference)
        return {}
    treatment, outcome = pair_for(state)
    contrasts(state.data_profile, treatment, brief.treated, brief.reference)
    return {"treatment_variable": treatment, "outcome_variable": outcome}


def _dispatch(
    state: AnalysisState,
    agents: tuple[str, ...],
    reason: str,
    now: datetime,
    statuses: tuple[JobStatus, ...],
    writes: dict[str, Any] | None = None,
) -> Dispatch:
    """A dispatch with the orchestrator's patch. Raises ValueError for agents whose required fields
    are not there."""
    for agent in agents:
        missing = missing_fields(state, agent)
        if missing:
            raise ValueError(f"{agent} requires {', '.join(missing)}")
    alone = "recommend" if writes else "fetch the data"
    action = f"dispatch {' and '.join(agents)}" if agents else alone
    trace = trace_of(
        ORCHESTRATOR,
        action,
        reason,
        now,
        inputs=inputs_of(ORCHESTRATOR, state),
        outputs=dict(writes or {}),
        duration_ms=milliseconds(0.0),
    )
    patch = Patch(
        agent=ORCHESTRATOR, statuses=statuses, writes=writes or {}, traces=(trace,), made_at=now
    )
    return Dispatch(agents=agents, reason=reason[:1000], patch=patch)
