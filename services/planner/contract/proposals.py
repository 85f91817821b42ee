"""What was proposed, for the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.common.v1 import proposals_pb2 as pb
from services.planner.contract.checks import finding_to
from services.planner.domain.checks.finding import Finding


def proposal_to(told: Mapping[str, Any]) -> pb.Proposal:
    """A proposal as a plan has it: `Planning.told_proposal`."""
    return pb.Proposal(
        proposer=told["proposer"],
        interpretation=told["interpretation"],
        statement=told["statement"],
        bindings=[
            pb.Binding(
                words=one["words"],
                fragment=one["fragment"],
                kind=pb.BindingKind.Value(f"BINDING_KIND_{one['kind'].upper()}"),
                because=one["because"],
            )
            for one in told["bindings"]
        ],
        columns=[
            pb.ProposedColumn(
                name=one["name"],
                role=pb.ColumnRole.Value(f"COLUMN_ROLE_{one['role'].upper()}"),
                unit=one["unit"],
                additive=one["additive"],
            )
            for one in told["columns"]
        ],
        grain=told["grain"],
        assumptions=told["assumptions"],
        findings=[finding_to(Finding.model_validate(one)) for one in told["findings"]],
        others=[
            pb.OtherProposal(
                proposer=one["proposer"],
                interpretation=one["interpretation"],
                statement=one["statement"],
                compared=pb.Agreement.Value(f"AGREEMENT_{one['compared'].upper()}"),
                told=one["told"],
                clause=one.get("clause", ""),  # of an older version there is none
            )
            for one in told["others"]
        ],
        not_checked=told.get("not_checked", ()),
    )
