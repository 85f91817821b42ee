"""What each agent reads and writes (seed 001, Agent State Contracts).

Beside its table of contracts the specification says in its table of fields that `effect_estimator`
writes `analyzed_pairs` and `critique` writes `debate_history`: here both tables hold.
"""

from __future__ import annotations

from collections.abc import Mapping

ORCHESTRATOR = "orchestrator"

_DATA = frozenset({"data_profile", "dataframe_path"})

REQUIRED: Mapping[str, frozenset[str]] = {
    "data_profiler": frozenset({"dataset_info"}),
    "domain_knowledge": frozenset({"dataset_info"}),
    "data_repair": _DATA,
    "eda_agent": _DATA,
    "causal_discovery": _DATA,
    "dag_expert": frozenset({"data_profile", "proposed_dag"}),
    "confounder_discovery": _DATA,
    "ps_diagnostics": _DATA,
    "effect_estimator": _DATA,
    "effect_estimator_react": _DATA,
    "sensitivity_analyst": frozenset({"treatment_effects", "dataframe_path"}),
    "critique": frozenset({"treatment_effects"}),
    "notebook_generator": frozenset({"data_profile"}),
}
"""REQUIRED_STATE_FIELDS: what must be there before an agent is called."""

WRITES: Mapping[str, frozenset[str]] = {
    "data_profiler": frozenset({"data_profile", "dataframe_path"}),
    "domain_knowledge": frozenset({"domain_knowledge"}),
    "data_repair": frozenset({"data_repairs"}),
    "eda_agent": frozenset({"eda_result"}),
    "causal_discovery": frozenset({"proposed_dag"}),
    "dag_expert": frozenset({"proposed_dag"}),
    "confounder_discovery": frozenset({"confounder_discovery"}),
    "ps_diagnostics": frozenset({"ps_diagnostics"}),
    "effect_estimator": frozenset({"treatment_effects", "analyzed_pairs"}),
    "effect_estimator_react": frozenset({"treatment_effects"}),
    "sensitivity_analyst": frozenset({"sensitivity_results"}),
    "critique": frozenset({"critique_history", "debate_history"}),
    "notebook_generator": frozenset({"notebook_path"}),
    ORCHESTRATOR: frozenset(
        {
            "treatment_variable",
            "outcome_variable",
            "raw_metadata",
            "iteration_count",
            "recommendations",
            "dataset_info",
        }
    ),
}
"""WRITES_STATE_FIELDS: what a patch of an agent may hold."""

TOOLS: Mapping[str, frozenset[str]] = {
    "data_profiler": frozenset({"causal.profile"}),
    "domain_knowledge": frozenset(),
    "data_repair": frozenset({"causal.repairs", "causal.repair"}),
    "eda_agent": frozenset({"causal.explore"}),
    "causal_discovery": frozenset({"causal.discovery_plan", "causal.discover"}),
    "dag_expert": frozenset(),
    "confounder_discovery": frozenset({"causal.identify", "causal.confounders"}),
    "ps_diagnostics": frozenset({"causal.overlap"}),
    "effect_estimator": frozenset({"causal.estimate", "causal.calibrate"}),
    "effect_estimator_react": frozenset({"causal.estimate"}),
    "sensitivity_analyst": frozenset({"causal.sensitivity"}),
    "critique": frozenset(),
    "notebook_generator": frozenset({"causal.draw", "causal.notebook"}),
}
"""The tools that each agent calls."""
