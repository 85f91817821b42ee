"""What was proposed, for the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.common.v1 import proposals_pb2 as pb
from services.planner.contract.checks import finding_to
from services.planner.domain.checks.finding import Finding


def proposal_to(values: Mapping[str, Any]) -> pb.Proposal:
    """A proposal as a plan has it: `Planning.proposal_record`."""
    return pb.Proposal(
        proposer=values["proposer"],
        interpretation=values["interpretation"],
        statement=values["statement"],
        bindings=[
            pb.Binding(
                words=one["words"],
                fragment=one["fragment"],
                kind=pb.BindingKind.Value(f"BINDING_KIND_{one['kind'].upper()}"),
                because=one["because"],
            )
            for one in values["bindings"]
        ],
        columns=[
            pb.ProposedColumn(
                name=one["name"],
                role=pb.ColumnRole.Value(f"COLUMN_ROLE_{one['role'].upper()}"),
                unit=one["unit"],
                additive=one["additive"],
            )
            for one in values["columns"]
        ],
        grain=values["grain"],
        assumptions=values["assumptions"],
        findings=[finding_to(Finding.model_validate(one)) for one in values["findings"]],
        others=[
            pb.OtherProposal(
                proposer=one["proposer"],
                interpretation=one["interpretation"],
                statement=one["statement"],
                compared=pb.Agreement.Value(f"AGREEMENT_{one['compared'].upper()}"),
                told=one["told"],
                clause=one.get("clause", ""),  # of an older version there is none
                glimpse=one.get("glimpse", ""),
            )
            for one in values["others"]
        ],
        not_checked=values.get("not_checked", ()),
    )
