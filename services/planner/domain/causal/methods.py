"""Which methods a study allows: by its treatment, and by what is known of instruments, time and
cutoffs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.groups import modifiers_of
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.study import adjustment_of, is_binary

NAIVE = "naive"
PREFIX = "effect_"
_BINARY = ("OLS", "IPW", "AIPW", "PSM", "stratification", "DML", "causal_forest")
_AMOUNTS = ("OLS", "DML", "causal_forest")
METHODS = (*_BINARY, "IV", "RDD", "DiD")
_CALIBRATED = frozenset({"OLS", "IPW", "AIPW", "PSM", "stratification"})
"""Of a treatment with two values; there DML is the interactive model, which errs as AIPW does."""


@dataclass(frozen=True)
class Method:
    """A call of `causal.estimate`: its task and its arguments beside the study's."""

    task: str
    arguments: dict[str, Any]
    calibrated: bool = False


def methods_for(state: AnalysisState, brief: Brief) -> tuple[Method, ...]:
    """The first round's methods, the comparison that adjusts for nothing before all others.

    Repeated rows of one unit are no independent rows: where units and times are known, the design
    that uses them stands alone.
    """
    known = known_of(state, brief)
    naive = Method(NAIVE, {"method": "OLS", "adjustment": []})
    if known.unit and known.time:
        return (naive, _method("DiD", unit=known.unit, time=known.time))
    found: list[Method] = [naive]
    groups = modifiers_of(state, brief)
    forest = {"causal_forest": {"modifiers": groups}} if groups else {}
    if adjustment_of(state, brief):
        binary = is_binary(state, brief)
        tried = _CALIBRATED if binary else frozenset({"OLS", "DML"})
        names = _BINARY if binary else _AMOUNTS
        found += [_method(name, tried, **forest.get(name, {})) for name in names]
    elif known.randomised:
        found.append(_method("OLS"))
        if groups:
            found.append(_method("causal_forest", modifiers=groups))
    if known.instruments:
        found.append(_method("IV", instruments=list(known.instruments)))
    if known.running and known.cutoff is not None:
        found.append(_method("RDD", running=known.running, cutoff=known.cutoff))
    return tuple(found)


def _method(name: str, calibrated: frozenset[str] = frozenset(), **more: Any) -> Method:
    return Method(PREFIX + name.lower(), {"method": name, **more}, name in calibrated)
