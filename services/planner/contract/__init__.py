"""The planner's domain to and from its contracts; the only place where both are known."""

from services.planner.contract.answers import answer_to
from services.planner.contract.artifacts import NUMBERS as ARTIFACT_NUMBERS
from services.planner.contract.artifacts import artifact_from, artifact_to
from services.planner.contract.calls import (
    call_to,
    frame_from,
    frame_to,
    observation_from,
)
from services.planner.contract.causal import state_to
from services.planner.contract.conversations import response_to, turn_from, turn_to
from services.planner.contract.descriptions import catalogue_from, read_decision_from
from services.planner.contract.jobs import (
    clarification_to,
    count_to,
    event_to,
    failure_to,
    filter_from,
    job_to,
    plan_to,
    step_to,
)
from services.planner.contract.limits import constraints_to, policy_to
from services.planner.contract.probes import outcome_from, probe_limits_to, probe_query_to
from services.planner.contract.recipes import recipe_from, recipe_to, recipes_to
from services.planner.contract.requests import work_from
from services.planner.contract.sources import files_of, sources_to, without_texts
from services.planner.contract.times import duration, moment, timestamp

__all__ = [
    "ARTIFACT_NUMBERS",
    "answer_to",
    "artifact_from",
    "artifact_to",
    "call_to",
    "catalogue_from",
    "clarification_to",
    "constraints_to",
    "count_to",
    "duration",
    "event_to",
    "failure_to",
    "files_of",
    "filter_from",
    "frame_from",
    "frame_to",
    "job_to",
    "moment",
    "observation_from",
    "outcome_from",
    "plan_to",
    "policy_to",
    "probe_limits_to",
    "probe_query_to",
    "read_decision_from",
    "recipe_from",
    "recipe_to",
    "recipes_to",
    "response_to",
    "sources_to",
    "state_to",
    "step_to",
    "timestamp",
    "turn_from",
    "turn_to",
    "without_texts",
    "work_from",
]
