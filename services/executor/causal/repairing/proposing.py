"""All that is wrong with a frame, each with the repair that is proposed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from services.executor.causal.profiling.columns import ROW, Column, check_names, read
from services.executor.causal.repairing.applying import Repair, apply, numbered
from services.executor.causal.repairing.cells import sentinel_proposals, text_proposals
from services.executor.causal.repairing.flags import (
    constant_proposals,
    duplicate_proposals,
    outlier_proposals,
)
from services.executor.causal.repairing.missingness import little, mechanism
from services.executor.causal.repairing.proposal import NOTHING, ROWS, SCHEMA, Proposal
from services.executor.metric.search_rows import table_of

_MOSTLY = 0.95


def propose(
    frame: pa.Table, treatment: str | None, outcome: str | None
) -> tuple[pa.Table, list[str]]:
    """A row for each repair, in the order they are done, and notes. Raises ToolError."""
    check_names(frame, treatment, outcome)
    table = numbered(frame)
    cells = [p for name in _data(table) for p in text_proposals(name, table[name])]
    cells += [p for name in _data(table) for p in _signs(table, name)]
    repaired, _ = apply(
        table, [Repair("", p.column, p.method, dict(p.parameters)) for p in cells], 0, 0
    )
    columns = read(repaired)
    rows = repaired[ROW].to_numpy()
    found = [*cells, *duplicate_proposals(repaired, columns)]
    found += [p for column in columns for p in constant_proposals(column)]
    gaps, notes = _missing(columns, treatment, outcome)
    found += gaps
    found += [p for column in columns for p in outlier_proposals(column, rows)]
    listed = [proposal.row(number) for number, proposal in enumerate(found, start=1)]
    return table_of(listed, SCHEMA), notes


def _data(table: pa.Table) -> list[str]:
    return [name for name in table.column_names if name != ROW]


def _signs(table: pa.Table, name: str) -> list[Proposal]:
    """Signs for no value among numbers, also where these are stored as text."""
    from services.executor.causal.repairing.cells import read_texts

    read_first = read_texts(table[name])
    cells = table[name] if read_first is None else pa.chunked_array([read_first])
    return sentinel_proposals(name, cells)


def _missing(
    columns: Sequence[Column], treatment: str | None, outcome: str | None
) -> tuple[list[Proposal], list[str]]:
    found = little(columns)
    notes = []
    if found is not None:
        statistic, p, freedom = found
        verdict = (
            "gaps are not missing completely at random"
            if p < 0.05
            else "nothing speaks against gaps by chance"
        )
        notes.append(
            f"Little's MCAR test: d² = {statistic:.1f}, {freedom} degrees of freedom, p = {p:.3g}: "
            f"{verdict}."
        )
    proposals = []
    for column in columns:
        count, of = int(column.missing.sum()), len(column.missing)
        if not count or count == of:
            continue
        others = [other for other in columns if other is not column and other.usable]
        known_mechanism = mechanism(column, others, None if found is None else found[1])
        method, reason, reversal = _method(column, count / of, treatment, outcome)
        rate = float(np.mean(column.missing))
        proposals.append(
            Proposal(
                column.name,
                "missing",
                method,
                count,
                f"{reason}; {known_mechanism.reason}",
                before={"missing": count, "share": round(rate, 4)},
                after={"rows": of - count}
                if method == "drop_rows"
                else {"missing": count if method == "flag" else 0},
                mechanism=known_mechanism.name,
                p_value=known_mechanism.p,
                applied=method != "flag",
                reversal=reversal,
            )
        )
    return proposals, notes


def _method(
    column: Column, share: float, treatment: str | None, outcome: str | None
) -> tuple[str, str, str]:
    """What is done about gaps, why, and how that is taken back."""
    if column.name in (treatment, outcome):
        which = "treatment" if column.name == treatment else "outcome"
        return "drop_rows", f"the {which} is never imputed: rows without it are left out", ROWS
    if share > _MOSTLY:
        return "flag", f"{share:.1%} of the values are missing: too few to fill from", NOTHING
    if column.why_not in ("identifier", "free text"):
        return "flag", f"gaps of a column that is {_kind(column.why_not)} are left", NOTHING
    reason = f"{share:.1%} of the values are missing: filled by chained equations"
    return "impute", reason, "take the column from the loaded frame at the same _row"


def _kind(why_not: str) -> str:
    return "an identifier" if why_not == "identifier" else why_not
