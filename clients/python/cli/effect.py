"""The end of a causal job on the screen: the estimates, how fragile they are, the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format
from rich.text import Text

from assay.common.v1.causal_pb2 import AnalysisState, TreatmentEffect
from assay.common.v1.findings_pb2 import Critique, CritiqueDecision
from clients.python.cli.screen import Parts, Screen
from clients.python.cli.words import count, short_id

if TYPE_CHECKING:
    from assay.common.v1.job_pb2 import Job

_MOST_GROUPS = 4
_ALPHA = 0.05
_STYLES = {
    CritiqueDecision.CRITIQUE_DECISION_APPROVE: "green",
    CritiqueDecision.CRITIQUE_DECISION_ITERATE: "yellow",
    CritiqueDecision.CRITIQUE_DECISION_REJECT: "red",
}


def show_effect(screen: Screen, job: Job) -> None:
    """Print what a causal job came to, but for its files and its proof."""
    state = job.causal_result.state
    screen.row("answer", job.answer.text.partition(". ")[0].removesuffix(".") + ".")
    if job.causal.HasField("origin"):
        screen.row("from", Parts(origin_parts(job)))
    screen.row("graph", graph_line(state))
    if overlap := overlap_line(state):
        screen.row("overlap", overlap)
    if supposed := supposed_line(state):
        screen.row("supposed", supposed)
    rows = estimate_lines(state.treatment_effects)
    screen.row("estimates", Parts(rows) if rows else Text("none stands", "yellow"))
    for effect in state.treatment_effects:
        values = details_of(effect)
        if values.get("status") == "rejected" and not values.get("group"):
            of = (
                f" of {values['contrast']}"
                if values.get("beside") and values.get("contrast")
                else ""
            )
            screen.row("", Text(f"{effect.method}{of} rejected: {values.get('reason', '')}", "dim"))
    if groups := group_lines(state.treatment_effects):
        screen.row("groups", Parts(groups))
    if beside := beside_lines(state.treatment_effects):
        screen.row("beside", Parts(beside))
    if state.sensitivity_results:
        fragile = [test.interpretation.rstrip(".") for test in newest_tests(state)]
        if job.causal_result.effect.ci_lower <= 0 <= job.causal_result.effect.ci_upper:
            fragile.append("no effect is seen that something unseen would have to explain")
        screen.row("fragile?", Parts(fragile))
    if state.critique_history:
        last = state.critique_history[-1]
        screen.row("verdict", Text(verdict_line(last), _STYLES.get(last.decision, "")))
    for text in state.recommendations[:3]:
        screen.row("next", text)


def origin_parts(job: Job) -> list[str]:
    """The investigation that the question comes from, and what it handed over."""
    origin = job.causal.origin
    return [f"investigation {short_id(origin.job_id)}", *origin.said.split("; ")]


def graph_line(state: AnalysisState) -> str:
    """How many edges, how many of them stable, and what is adjusted for."""
    edges = state.proposed_dag.edges
    stable = sum(edge.confidence >= 0.8 for edge in edges)
    found = json_format.MessageToDict(state.confounder_discovery)
    adjusted = ", ".join(found.get("adjustment") or ()) or "nothing"
    return f"{count(len(edges), 'edge')}, {stable} stable; adjusted for {adjusted}"


def overlap_line(state: AnalysisState) -> str:
    """How alike the groups are, in the words of the agent that looked."""
    found = json_format.MessageToDict(state.ps_diagnostics)
    return str(found.get("summary") or found.get("reason") or "")


def supposed_line(state: AnalysisState) -> str:
    """What a language model takes for confounders and the like, and how many doubts it has: what
    came of each is in the report. Empty where none was asked, or it gave nothing."""
    proposed = json_format.MessageToDict(state.domain_knowledge).get("proposed") or {}
    turns = [t for t in map(json_format.MessageToDict, state.debate_history) if t.get("made_by")]
    named = [*proposed.get("suggestions", ()), *(turn for turn in turns if turn.get("kind"))]
    treatment, outcome = state.treatment_variable, state.outcome_variable
    values = dict.fromkeys(
        _SUPPOSED[one["kind"]].format(one["column"], treatment, outcome) for one in named
    )
    doubts = sum(not turn.get("kind") for turn in turns)
    parts = [", ".join(values), count(doubts, "doubt") if doubts else ""]
    if not any(parts):
        return ""
    by = proposed.get("by") or turns[0]["made_by"]
    return f"by {by}, known from nobody: {'; '.join(filter(None, parts))} (see the report)"


_SUPPOSED = {
    "confounder": "{0} moves both",
    "after": "{0} follows {1}",
    "instrument": "{0} moves {1} alone",
    "backwards": "{2} came before {1}",
}


def estimate_lines(effects: Sequence[TreatmentEffect]) -> list[str]:
    """Each estimate that stands, with its interval; the plain comparison last."""
    shown, plain = [], []
    whole = {effect.estimand for effect in effects if effect.method != "naive"}
    for effect in effects:
        values = details_of(effect)
        if effect.estimand == "ATT" and "ATE" in whole:
            continue  # the report has it
        if values.get("status") != "ok" or any(map(values.get, ("group", "variant", "beside"))):
            continue
        figures = f"{effect.estimate:.4g} [{effect.ci_lower:.4g}, {effect.ci_upper:.4g}]"
        if effect.method == "naive":
            plain.append(f"plain comparison {figures}")
        else:
            shown.append(f"{effect.method} {figures}")
    return [*shown, *plain]


def group_lines(effects: Sequence[TreatmentEffect]) -> list[str]:
    """Groups that stand out of the other rows, with their intervals; or that none of them does."""
    judged = [(e, told) for e in effects if "p_corrected" in (told := details_of(e))]
    if not judged:
        return []
    out = [
        (values["p_corrected"], values["group"], e) for e, values in judged if values["stands_out"]
    ]
    if not out:
        return [f"none of {count(len(judged), 'group')} stands out of the others"]
    shown = [
        f"{group} {effect.estimate:.4g} [{effect.ci_lower:.4g}, {effect.ci_upper:.4g}]"
        for _, group, effect in sorted(out, key=lambda one: one[:2])[:_MOST_GROUPS]
    ]
    stand = "stands" if len(out) == 1 else "stand"
    more = f"{len(out)} of {count(len(judged), 'group')} {stand} out, corrected for all"
    return [*shown, more]


def beside_lines(effects: Sequence[TreatmentEffect]) -> list[str]:
    """Estimates of other values and pairs, which nobody judged, with whether each is told from
    chance once all of them are counted."""
    found = []
    for effect in effects:
        values = details_of(effect)
        if not values.get("beside") or values.get("status") != "ok":
            continue
        contrast = f" ({values['contrast']})" if values.get("contrast") else ""
        figures = f"{effect.estimate:.4g} [{effect.ci_lower:.4g}, {effect.ci_upper:.4g}]"
        named = f"{effect.treatment_variable}{contrast} on {effect.outcome_variable}"
        corrected = values.get("p_corrected_beside")
        chance = " not told from chance" if corrected is not None and corrected > _ALPHA else ""
        found.append(f"{named} {figures}{chance}")
    return [*found, "not judged"] if found else []


def newest_tests(state: AnalysisState) -> list[Any]:
    """The tests of the last round that made any."""
    rounds = [int(details_of(test).get("round", 0)) for test in state.sensitivity_results]
    last = max(rounds, default=0)
    return [t for t, n in zip(state.sensitivity_results, rounds, strict=True) if n == last]


def verdict_line(last: Critique) -> str:
    """The decision, the mean of its scores, and why."""
    decision = CritiqueDecision.Name(last.decision).removeprefix("CRITIQUE_DECISION_")
    mean = sum(last.scores.values()) / max(1, len(last.scores))
    return f"{decision}  {mean:.1f} of 5 · {last.reasoning}"


def details_of(message: Any) -> dict[str, Any]:
    """What a method tells beside its figures."""
    return json_format.MessageToDict(message.details)
