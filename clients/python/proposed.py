"""What was proposed, as one JSON object in the chain's words."""

from __future__ import annotations

from typing import Any

from assay.common.v1.checks_pb2 import CheckSeverity
from assay.common.v1.proposals_pb2 import Agreement, BindingKind, ColumnRole, Proposal


def proposal_object(value: Proposal) -> dict[str, Any]:
    """The statement, where its parts come from, what checks found and what else was proposed."""
    return {
        "proposer": value.proposer,
        "interpretation": value.interpretation,
        "statement": value.statement,
        "bindings": [
            {
                "words": one.words,
                "fragment": one.fragment,
                "kind": _word(BindingKind.Name(one.kind), "BINDING_KIND_"),
                "because": one.because,
            }
            for one in value.bindings
        ],
        "columns": [
            {
                "name": one.name,
                "role": _word(ColumnRole.Name(one.role), "COLUMN_ROLE_"),
                "unit": one.unit,
                "additive": one.additive,
            }
            for one in value.columns
        ],
        "grain": value.grain,
        "assumptions": list(value.assumptions),
        "findings": [
            {
                "code": one.code,
                "name": one.name,
                "severity": _word(CheckSeverity.Name(one.severity), "CHECK_SEVERITY_"),
                "at": one.at,
                "said": one.said,
                "mend": one.mend,
                "sizes": dict(one.sizes),
                "fix": one.fix,
            }
            for one in value.findings
        ],
        "others": [
            {
                "proposer": one.proposer,
                "interpretation": one.interpretation,
                "statement": one.statement,
                "compared": _word(Agreement.Name(one.compared), "AGREEMENT_"),
                "told": one.told,
                "clause": one.clause,
                **({"glimpse": one.glimpse} if one.glimpse else {}),
            }
            for one in value.others
        ],
        "not_checked": list(value.not_checked),
    }


def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()
