"""The agents by their registered names."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.causal.agent import Agent
from services.planner.domain.causal.agents.causal_discovery import CausalDiscovery
from services.planner.domain.causal.agents.confounder_discovery import ConfounderDiscovery
from services.planner.domain.causal.agents.critique import Critique
from services.planner.domain.causal.agents.dag_expert import DAGExpert
from services.planner.domain.causal.agents.data_profiler import DataProfiler
from services.planner.domain.causal.agents.data_repair import DataRepair
from services.planner.domain.causal.agents.domain_knowledge import DomainKnowledge
from services.planner.domain.causal.agents.eda_agent import ExploratoryAnalysis
from services.planner.domain.causal.agents.effect_estimator import EffectEstimator
from services.planner.domain.causal.agents.effect_estimator_react import EffectEstimatorReAct
from services.planner.domain.causal.agents.notebook_generator import NotebookGenerator
from services.planner.domain.causal.agents.ps_diagnostics import PSDiagnostics
from services.planner.domain.causal.agents.sensitivity_analyst import SensitivityAnalyst

_ALL: tuple[Agent, ...] = (
    DataProfiler(),
    DomainKnowledge(),
    DataRepair(),
    ExploratoryAnalysis(),
    CausalDiscovery(),
    DAGExpert(),
    ConfounderDiscovery(),
    PSDiagnostics(),
    EffectEstimator(),
    EffectEstimatorReAct(),
    SensitivityAnalyst(),
    Critique(),
    NotebookGenerator(),
)

AGENTS: Mapping[str, Agent] = {agent.name: agent for agent in _ALL}
