"""What the values of each dimension add to a change in which nothing stands out."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.investigation.cited_sentences import change, part, recorded
from services.planner.domain.investigation.found import Row, ended, rows_of
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.history import CUBE
from services.planner.domain.investigation.searched import dimensions_searched
from services.planner.domain.investigation.wording import words_of_name
from services.planner.domain.plan import Subtask
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Piece, Prose
from services.planner.domain.reporting.story import Speaker

_MOST_VALUES = 3
_FEWEST_DRAWS = 19
"""Draws of chance that are made, as few as may be: nothing is told of it here."""
_TASK = "split"
_MOST_SHARE = 2.0


def contribution_steps(ground: Ground, search: EvidenceTable) -> list[Subtask]:
    """A call for each dimension that was searched."""
    return [
        Subtask(
            task_id=f"{_TASK}{number:02d}_values",
            description=f"what each value of {name} adds to the change"[:200],
            tool_name="metric.contribution",
            arguments={
                **ground.periods,
                "input": CUBE,
                "dimension": name,
                "most_values": _MOST_VALUES,
                "permutations": _FEWEST_DRAWS,
            },
            dependencies=(CUBE,),
            estimated_cost_seconds=0.2,
        )
        for number, name in enumerate(dimensions_searched(rows_of(search)), 1)
    ]


def describe_contributions(
    ground: Ground, tables: Mapping[str, EvidenceTable], speaker: Speaker
) -> tuple[Prose, ...]:
    """A line for each dimension: its largest values with their part of the change."""
    search = next((t for task, t in tables.items() if ended(task) == "search"), None)
    names = dimensions_searched(rows_of(search)) if search is not None else ()
    found = sorted(task for task in tables if task.startswith(_TASK) and ended(task) == "values")
    lines = []
    for task in found:
        name = names[int(task.removeprefix(_TASK).partition("_")[0]) - 1]
        values = [row for row in rows_of(tables[task]) if row["kind"] == "value"]
        if values:
            lines.append(_line(name, values, ground, speaker))
    return tuple(lines)


def _line(name: str, values: list[Row], ground: Ground, speaker: Speaker) -> Prose:
    prose: list[Prose | Piece | str] = [recorded(words_of_name(name)), ": "]
    for place, row in enumerate(values):
        value = "(missing)" if row["value"] is None else str(row["value"])
        prose += [
            "; " if place else "",
            recorded(value),
            " ",
            change(speaker, ground, row, "difference"),
        ]
        if 0 < (row.figure("share") or 0.0) <= _MOST_SHARE:
            prose += [" (", part(speaker, row, "share"), ")"]
    return Prose.of(*prose)
