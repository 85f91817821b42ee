"""Whether faults of the data are told as such, and sound data are not called faulty."""

from __future__ import annotations

from bench.root_cause.assay import faults
from bench.root_cause.cases import Case
from bench.root_cause.causes import KINDS
from bench.root_cause.generator import make
from bench.root_cause.scoring import wilson

CHECKS = {
    "missing days": "missing_days",
    "double load": "duplicate_load",
    "null flood": "null_flood",
    "unit change": "unit_change",
}
"""The check of metric.quality that tells each planted fault."""


def measured_faults(seeds: range, rows: int | None = None) -> str:
    """A table: for each fault how often its check says so, and in the right segment; for the other
    kinds how often anything is called a fault."""
    lines = [
        "| kind | cases | told as fault | as fault or doubt | segment right | another fault said |",
        "|---|---|---|---|---|---|",
    ]
    false = count = 0
    for kind in KINDS:
        cases = [make(kind, seed, rows) for seed in seeds]
        values = [faults(case) for case in cases]
        if kind not in CHECKS:
            false += sum(any(row["severity"] == "fault" for row in rows) for rows in values)
            count += len(cases)
            continue
        right = [[row for row in rows if row["check"] == CHECKS[kind]] for rows in values]
        sure = sum(any(row["severity"] == "fault" for row in rows) for rows in right)
        placed = sum(_placed(case, rows) for case, rows in zip(cases, right, strict=True))
        others = sum(
            any(row["severity"] == "fault" and row["check"] != CHECKS[kind] for row in rows)
            for rows in values
        )
        lines.append(
            f"| {kind} | {len(cases)} | {sure} | {sum(map(bool, right))} | {placed} | {others} |"
        )
    low, high = wilson(false, count)
    lines.append("")
    lines.append(
        f"Sound data called faulty: {false} of {count} ({low:.1%}–{high:.1%}), all other kinds."
    )
    return "\n".join(lines)


def _placed(case: Case, rows: list[dict[str, object]]) -> bool:
    """Whether a row names the planted segment (none where every segment has the fault)."""
    values = {(row["segment_dimension"], row["segment_value"]) for row in rows}
    wanted = {pair for segment in case.truth for pair in segment}
    return bool(values & wanted) if wanted else ("", "") in values or ("", None) in values
