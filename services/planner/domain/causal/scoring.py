"""What a critique scores: five dimensions from 1 to 5, each with why (seed 001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from services.planner.domain.causal.advice import assumed_backwards, describe_assumptions
from services.planner.domain.causal.agent import Row
from services.planner.domain.causal.designs import denied_design
from services.planner.domain.causal.effects import (
    LEAST_COVERAGE,
    disagreeing,
    spoken_for,
    variants,
    whole,
)
from services.planner.domain.causal.gaps import chosen_by_gaps
from services.planner.domain.causal.results import SensitivityResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.tails import hangs_on_few_rows
from services.planner.domain.causal.timing import (
    against_time,
    crowded_columns,
    find_knowledge,
    order_is_known,
    too_few_rows,
)

_DESIGNS = frozenset({"IV", "RDD", "DiD"})
_DETERMINED = "the treatment determines it"
_BALANCED, _UNBALANCED = 0.1, 0.25
_HELD = "(held)"


@dataclass(frozen=True)
class Score:
    """One dimension: its score, what speaks for the analysis, what against it, and what would mend
    that where anything would."""

    dimension: str
    score: int
    defence: str
    objection: str = ""
    improvement: str = ""


def scores_of(
    state: AnalysisState, calibration: dict[str, Row], declined: Sequence[str] = ()
) -> list[Score]:
    """Every dimension; `declined` says why methods made no estimate."""
    return [
        _identification(state, calibration, declined),
        _comparability(state, calibration),
        _agreement(state, calibration),
        _calibration(state, calibration),
        _robustness(state, calibration),
        _data(state),
    ]


def _tied_columns(state: AnalysisState) -> list[str]:
    """Columns of which each value of the treatment has one: no overlap is possible (positivity)."""
    rows = (state.confounder_discovery or {}).get("candidates", [])
    return [row["column"] for row in rows if str(row["reason"]).startswith(_DETERMINED)]


def _identification(
    state: AnalysisState, calibration: dict[str, Row], declined: Sequence[str]
) -> Score:
    name = "identification"
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration)
    if backwards := against_time(state):
        return Score(name, 1, "None.", backwards)
    if chosen is None:
        rejected = (e.details["reason"] for e in effects if not e.accepted)
        reasons = dict.fromkeys(reason.rstrip(".") for reason in (*rejected, *declined) if reason)
        if reasons:
            return Score(name, 1, "None.", f"No estimate stands: {'; '.join(reasons)}.")
        treatment, _ = state.get_primary_pair()
        if crowded := crowded_columns(state):
            return Score(
                name,
                1,
                "None.",
                f"No estimate stands: {', '.join(crowded)} cannot be adjusted for: too many rows "
                "have values that few others share.",
                "Group its values into fewer that mean the same for the effect.",
            )
        if tied := " and ".join(_tied_columns(state)):
            return Score(
                name,
                1,
                "None.",
                f"No estimate stands: each value of {treatment} has one value of {tied}, "
                "so no rows tell what the one does from what the other does.",
                f"Only rows in which {treatment} varies and {tied} does not can tell.",
            )
        return Score(
            name,
            1,
            "None.",
            f"No estimate stands: no column goes with {treatment} and the outcome, so there is "
            f"nothing to adjust for, and nobody said that chance assigned {treatment}.",
            "If chance assigned the treatment, say so in --knowledge (randomised: true); if not, "
            "say what came before it (tiers), and that is adjusted for.",
        )
    found = state.confounder_discovery or {}
    if assumed_backwards(state):
        return Score(
            name,
            2,
            found.get("rule", ""),
            f"{describe_assumptions(state)}.",
            "Say in --knowledge (tiers) which of them came first.",
        )
    if chosen.method in _DESIGNS:
        return Score(
            name,
            4,
            f"{chosen.method} has a design of its own: {'; '.join(chosen.assumptions_tested)}.",
        )
    if denied := denied_design(state):
        return Score(name, 2, found.get("rule", ""), *denied)
    crowded = crowded_columns(state)
    if crowded:
        how = "came before" if find_knowledge(state).tier_of else "may move both"
        return Score(
            name,
            2,
            found.get("rule", ""),
            f"{', '.join(crowded)} {how} and cannot be wholly adjusted for: too many rows have "
            "values that few others share.",
            "Group its values into fewer that mean the same for the effect.",
        )
    refused = [s for s in found.get("strategies", []) if s["strategy"] == "none"]
    if refused:
        why = str(refused[0]["assumptions"]).rstrip(".").removeprefix("Not identified: ")
        return Score(
            name,
            2,
            found.get("rule", ""),
            f"By the graph the effect is not identified: {why}.",
            "Say what came first (tiers in --knowledge), or name an instrument, a cutoff or units "
            "over time.",
        )
    if (state.domain_knowledge or {}).get("randomised"):
        return Score(name, 5, "The treatment was assigned by chance, as its user says.")
    if order_is_known(state):
        return Score(name, 4, found.get("rule", "Order in time is known."))
    if few := too_few_rows(state):
        return Score(
            name,
            2,
            found.get("rule", ""),
            few,
            "Give tiers in --knowledge: all that came before is adjusted for then.",
        )
    return Score(
        name,
        3,
        found.get("rule", "Adjusted for all that may confound."),
        "Nobody said what came before what, so that a column behind the treatment may be among "
        "those adjusted for.",
        "Give tiers in --knowledge.",
    )


def _comparability(state: AnalysisState, calibration: dict[str, Row]) -> Score:
    name = "comparability"
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration)
    if chosen is not None and chosen.method in _DESIGNS:
        return Score(
            name, 4, f"{chosen.method} does not ask that treated and untreated rows be alike."
        )
    found = state.ps_diagnostics or {}
    if not found.get("applies"):
        return Score(name, 3, found.get("reason", "Groups were not compared."))
    worst = float(found.get("worst_after", 0.0))
    before = float(found.get("worst_before", 0.0))
    text = f"the largest imbalance is {worst:.2f} after weighting, {before:.2f} before"
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    rejected = [
        e
        for e in effects
        if not e.accepted
        and "overlap" in e.details["reason"]
        and not e.details.get("group")
        and not e.details.get("beside")
    ]
    if rejected:
        return Score(
            name,
            1,
            text.capitalize() + ".",
            f"{rejected[0].details['reason']}.",
            "Narrow the question to rows that both groups share.",
        )
    if worst <= _BALANCED:
        return Score(name, 5, text.capitalize() + ".")
    if worst <= _UNBALANCED:
        return Score(name, 3, text.capitalize() + ".", f"Groups are not wholly alike: {text}.")
    return Score(name, 2, text.capitalize() + ".", f"Groups are not alike: {text}.")


def _agreement(state: AnalysisState, calibration: dict[str, Row]) -> Score:
    name = "agreement"
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration)
    standing = [e for e in whole(effects) if chosen and e.estimand == chosen.estimand]
    if chosen is None:
        return Score(name, 1, "None.", "No estimate stands that others could agree with.")
    if chosen.method in _DESIGNS:
        return Score(name, 4, f"{chosen.method} speaks for itself: other methods ask for more.")
    if len(standing) < 2:
        return Score(name, 2, "None.", "One method alone gives the estimate.")
    apart = disagreeing(chosen, effects)
    if apart:
        text = ", ".join(f"{e.details['variant'] or e.method}: {e.estimate:.4g}" for e in apart)
        return Score(
            name,
            2,
            f"{len(standing) - len(apart)} of {len(standing)} methods agree.",
            f"{text}, against {chosen.estimate:.4g} by {chosen.method}, beyond their uncertainty.",
            "Find out which columns the difference hangs on; where one acts on the outcome through "
            "the treatment alone, name it in --knowledge (instruments), and where it acts on the "
            "outcome itself, say so (required).",
        )
    tried = [e for e in variants(effects) if e.estimand == chosen.estimand]
    more = f", also with {len(tried)} other sets of columns" if tried else ""
    return Score(
        name, 5 if tried else 4, f"{len(standing)} methods agree within their uncertainty{more}."
    )


def _calibration(state: AnalysisState, calibration: dict[str, Row]) -> Score:
    name = "calibration"
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration)
    seen = calibration.get(chosen.method) if chosen is not None else None
    if chosen is None or seen is None or seen["coverage"] is None:
        return Score(name, 3, "No effect was planted for it to find.")
    text = (
        f"on planted effects in these data its 95 % intervals held the truth in "
        f"{seen['coverage']:.0%} of {seen['repetitions']} trials"
    )
    if seen["coverage"] < LEAST_COVERAGE:
        return Score(name, 2, "None.", f"{text[0].upper()}{text[1:]}.")
    return Score(name, 5, f"{text[0].upper()}{text[1:]}.")


def _robustness(state: AnalysisState, calibration: dict[str, Row]) -> Score:
    """What tests that could fail came to. A design carries its own with its estimate: where data
    could put none to the proof (one period before, one instrument), that is weaker."""
    name = "robustness"
    tests = newest_tests(state)
    if not tests:
        return Score(name, 2, "None.", "It was not tested.")
    failed = [test for test in tests if test.passes is False]
    passed = [test for test in tests if test.passes]
    if any(test.method == "placebo_treatment" for test in failed):
        text = next(t.interpretation for t in failed if t.method == "placebo_treatment")
        return Score(name, 1, f"{len(passed)} tests passed.", text)
    if failed:
        text = " ".join(test.interpretation for test in failed)
        return Score(name, 3 if len(failed) == 1 else 2, f"{len(passed)} tests passed.", text)
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration)
    if chosen is not None and chosen.method in _DESIGNS:
        held = sum(_HELD in sentence for sentence in chosen.assumptions_tested)
        if not held:
            return Score(
                name, 3, "None.", f"Nothing that {chosen.method} rests on could be tested."
            )
        return Score(name, 4, f"{held} of what {chosen.method} rests on was tested, and held.")
    if not passed:
        return Score(name, 2, "None.", "No test was made that could have failed.")
    return Score(name, 5, f"All {len(passed)} tests that can fail passed.")


def newest_tests(state: AnalysisState) -> Sequence[SensitivityResult]:
    """The tests of the last round that made any."""
    last = max((int(t.details.get("round", 0)) for t in state.sensitivity_results), default=0)
    return [t for t in state.sensitivity_results if t.details.get("round", 0) == last]


def _data(state: AnalysisState) -> Score:
    name = "data"
    explored: Any = state.eda_result
    if explored is None:
        return Score(name, 3, "The data were not explored.")
    if chosen := chosen_by_gaps(state):
        return Score(
            name,
            2,
            "None.",
            f"{chosen}.",
            "Find out why they lack it, or learn it of some of these rows.",
        )
    if few := hangs_on_few_rows(state):
        _, outcome = state.get_primary_pair()
        return Score(
            name,
            2,
            "None.",
            f"{few[0].upper()}{few[1:]}.",
            f"Look at those rows; where they are no mistakes, ask about {outcome} capped, ranked "
            "or as a logarithm.",
        )
    quality = float(explored.data_quality_score)
    quality = quality / 100 if quality > 1 else quality
    score = 1 + round(4 * max(0.0, min(1.0, quality)))
    issues = "; ".join(explored.data_quality_issues[:3])
    if score >= 4 or not issues:
        return Score(name, score, f"Quality is {quality:.0%}.")
    return Score(name, score, f"Quality is {quality:.0%}.", f"{issues}.")
