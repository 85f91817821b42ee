"""The models of seed 001 (State Schema Reference) as it spells them, to hold ours against."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field


class DatasetInfo(BaseModel):
    url: str
    name: str | None = None
    local_path: str | None = None
    n_samples: int | None = None
    n_features: int | None = None
    kaggle_description: str | None = None
    kaggle_column_descriptions: dict[str, str] = {}
    kaggle_tags: list[str] = []
    kaggle_domain: str | None = None
    metadata_quality: str = "unknown"


class DataProfile(BaseModel):
    n_samples: int
    n_features: int
    feature_names: list[str]
    feature_types: dict[str, str]
    missing_values: dict[str, int]
    numeric_stats: dict[str, dict[str, float]]
    categorical_stats: dict[str, dict[str, int]]
    treatment_candidates: list[str] = []
    outcome_candidates: list[str] = []
    potential_confounders: list[str] = []
    potential_instruments: list[str] = []
    has_time_dimension: bool = False
    time_column: str | None = None
    discontinuity_candidates: list[str] = []


class CausalPair(BaseModel):
    treatment: str
    outcome: str
    rationale: str = ""
    priority: int = 1


class CausalEdge(BaseModel):
    source: str
    target: str
    edge_type: str = "directed"
    confidence: float = 1.0


class CausalDAG(BaseModel):
    nodes: list[str]
    edges: list[CausalEdge]
    discovery_method: str
    treatment_variable: str | None = None
    outcome_variable: str | None = None
    interpretation: str = ""


class TreatmentEffectResult(BaseModel):
    method: str
    estimand: str
    estimate: float
    std_error: float
    ci_lower: float
    ci_upper: float
    p_value: float | None = None
    assumptions_tested: list[str] = []
    details: dict[str, Any] = {}
    treatment_variable: str | None = None
    outcome_variable: str | None = None


class SensitivityResult(BaseModel):
    method: str
    robustness_value: float
    interpretation: str
    details: dict[str, Any] = {}


class EDAResult(BaseModel):
    correlation_matrix: dict[str, dict[str, float]] = {}
    high_correlations: list[dict[str, Any]] = []
    distribution_stats: dict[str, dict[str, Any]] = {}
    outliers: dict[str, dict[str, Any]] = {}
    vif_scores: dict[str, float] = {}
    multicollinearity_warnings: list[str] = []
    covariate_balance: dict[str, dict[str, float]] = {}
    balance_summary: str = ""
    data_quality_score: float = 0.0
    data_quality_issues: list[str] = []
    plot_paths: dict[str, str] = {}
    summary_table: dict[str, dict[str, Any]] = {}


class CritiqueDecision(StrEnum):
    APPROVE = "APPROVE"
    ITERATE = "ITERATE"
    REJECT = "REJECT"


class CritiqueFeedback(BaseModel):
    decision: CritiqueDecision
    iteration: int
    scores: dict[str, int]
    issues: list[str]
    improvements: list[str]
    reasoning: str


class AgentTrace(BaseModel):
    agent_name: str
    timestamp: datetime = Field(default_factory=datetime.now)
    action: str
    reasoning: str
    inputs: dict[str, Any] = {}
    outputs: dict[str, Any] = {}
    tools_called: list[str] = []
    duration_ms: int = 0
    token_usage: dict[str, int] = {}


# The table of fields of AnalysisState: name and default; "required" where there is none.
STATE: dict[str, Any] = {
    "job_id": "required",
    "dataset_info": "required",
    "status": "pending",
    "treatment_variable": None,
    "outcome_variable": None,
    "raw_metadata": None,
    "domain_knowledge": None,
    "data_profile": None,
    "dataframe_path": None,
    "eda_result": None,
    "proposed_dag": None,
    "treatment_effects": [],
    "analyzed_pairs": [],
    "sensitivity_results": [],
    "confounder_discovery": None,
    "ps_diagnostics": None,
    "data_repairs": [],
    "debate_history": [],
    "critique_history": [],
    "iteration_count": 0,
    "max_iterations": 3,
    "notebook_path": None,
    "recommendations": [],
    "agent_traces": [],
    "error_message": None,
    "error_agent": None,
    "created_at": "now",
    "updated_at": "now",
    "completed_at": None,
}

# Agent State Contracts: required and written fields.
CONTRACTS = """
data_profiler | dataset_info | data_profile dataframe_path
domain_knowledge | dataset_info | domain_knowledge
data_repair | data_profile dataframe_path | data_repairs
eda_agent | data_profile dataframe_path | eda_result
causal_discovery | data_profile dataframe_path | proposed_dag
dag_expert | data_profile proposed_dag | proposed_dag
confounder_discovery | data_profile dataframe_path | confounder_discovery
ps_diagnostics | data_profile dataframe_path | ps_diagnostics
effect_estimator | data_profile dataframe_path | treatment_effects
effect_estimator_react | data_profile dataframe_path | treatment_effects
sensitivity_analyst | treatment_effects dataframe_path | sensitivity_results
critique | treatment_effects | critique_history
notebook_generator | data_profile | notebook_path
"""

# What the table of fields says beside the contracts.
ALSO_WRITTEN = {("effect_estimator", "analyzed_pairs"), ("critique", "debate_history")}

# The state diagram, and under which status each agent runs (JobStatus Enum).
DIAGRAM = """
PENDING --> FETCHING_DATA
FETCHING_DATA --> PROFILING
PROFILING --> EXPLORATORY_ANALYSIS
EXPLORATORY_ANALYSIS --> DISCOVERING_CAUSAL
DISCOVERING_CAUSAL --> ESTIMATING_EFFECTS
ESTIMATING_EFFECTS --> SENSITIVITY_ANALYSIS
SENSITIVITY_ANALYSIS --> CRITIQUE_REVIEW
CRITIQUE_REVIEW --> ITERATING
CRITIQUE_REVIEW --> GENERATING_NOTEBOOK
ITERATING --> ESTIMATING_EFFECTS
GENERATING_NOTEBOOK --> COMPLETED
PENDING --> CANCELLED
FETCHING_DATA --> FAILED
PROFILING --> FAILED
EXPLORATORY_ANALYSIS --> FAILED
DISCOVERING_CAUSAL --> FAILED
ESTIMATING_EFFECTS --> FAILED
SENSITIVITY_ANALYSIS --> FAILED
CRITIQUE_REVIEW --> FAILED
GENERATING_NOTEBOOK --> FAILED
FETCHING_DATA --> CANCELLING
PROFILING --> CANCELLING
EXPLORATORY_ANALYSIS --> CANCELLING
DISCOVERING_CAUSAL --> CANCELLING
ESTIMATING_EFFECTS --> CANCELLING
CANCELLING --> CANCELLED
"""
STATUSES = """pending fetching_data profiling exploratory_analysis discovering_causal
estimating_effects sensitivity_analysis critique_review iterating generating_notebook completed
failed cancelling cancelled"""
JOB_STATUS = {
    "data_profiler": "profiling",
    "domain_knowledge": "profiling",
    "data_repair": "profiling",
    "eda_agent": "exploratory_analysis",
    "causal_discovery": "discovering_causal",
    "dag_expert": "discovering_causal",
    "confounder_discovery": "discovering_causal",
    "effect_estimator": "estimating_effects",
    "ps_diagnostics": "estimating_effects",
    "effect_estimator_react": "estimating_effects",
    "sensitivity_analyst": "sensitivity_analysis",
    "critique": "critique_review",
    "notebook_generator": "generating_notebook",
}
