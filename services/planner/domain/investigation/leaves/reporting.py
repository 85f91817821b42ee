"""What a report says of leaves where it speaks of periods and changes elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.investigation.cited_sentences import label, named, recorded
from services.planner.domain.investigation.explanation import Explanation
from services.planner.domain.investigation.ground import Ground, LeafColumns
from services.planner.domain.reporting.prose import Prose


@dataclass(frozen=True, slots=True)
class Phrases:
    """A heading, a column's head, and sentences."""

    compared: str
    part: str
    nothing: str
    links: str
    again: str
    settle: str


OF_LEAVES = Phrases(
    compared="Metric, forecast and difference",
    part="of the difference",
    nothing="Nothing stands out: leaves are off their forecast by no more than chance. What was "
    "looked at and ruled out is below.",
    links="Every explanation is associational: it says where the metric differs from its forecast, "
    "not why. Likelihood is by rank.",
    settle="Settle what is open with more leaves: ",
    again="Ask again with leaves of a longer time: smaller causes stand out of larger values.",
)


def describe_columns(ground: Ground, leaf: LeafColumns) -> tuple[Prose, ...]:
    """What the metric is, and which columns hold what was forecast and what came."""
    return (
        Prose.of(
            "Metric: ",
            label(ground),
            " (",
            recorded(ground.metric),
            ") of ",
            recorded(ground.source_name),
        ),
        Prose.of(
            "Forecast: the column ", recorded(_written(leaf.predicted, leaf.predicted_denominator))
        ),
        Prose.of("Actual: the column ", recorded(_written(leaf.real, leaf.real_denominator))),
    )


def alike_of_leaves(*, ruled_out: bool) -> str:
    """Why it came out so that everything is off alike, or not."""
    if ruled_out:
        return "But for segments that stand out, leaves are off by no more than they scatter."
    return "But for segments that stand out, leaves are off in one direction beyond chance."


def step_of_leaves(one: Explanation) -> Prose:
    """What to do about an explanation."""
    segment = named(one.segment)
    return {
        "alike": Prose.of(
            "Look for what touches everything: prices, seasons, rules, outages; and "
            "whether the forecast is too high or too low throughout."
        ),
        "mix": Prose.of("Ask why ", segment, " has another weight in the whole than was forecast."),
        "new": Prose.of(
            "Find out where ",
            segment,
            " comes from, and why none of it was forecast: "
            "something launched, or another name for what was there.",
        ),
        "vanished": Prose.of(
            "Find out where ", segment, " went: stopped, lost on the way into the data, or renamed."
        ),
    }.get(
        one.kind,
        Prose.of(
            "Ask whoever knows ", segment, " what happened there, and how its forecast was made."
        ),
    )


def _written(above: str, below: str) -> str:
    return f"{above} / {below}" if below else above
