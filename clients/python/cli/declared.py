"""What a statement was held against: its twin, and what could not be checked."""

from __future__ import annotations

from rich.text import Text

from assay.common.v1.job_pb2 import Job
from assay.common.v1.proposals_pb2 import Agreement, OtherProposal
from clients.python.cli.screen import Screen

_AGREES = (Agreement.AGREEMENT_SAME, Agreement.AGREEMENT_SUBSET, Agreement.AGREEMENT_SCALED)


def show_declared(screen: Screen, job: Job) -> None:
    """Print what the statement of a job is called, whether it gives what was declared, and what
    was not checked; nothing of a job without a statement."""
    if not job.analysis.statement:
        return
    if job.analysis.frame:
        screen.row("frame", job.analysis.frame)
    if (twin := twin_of(job)) is not None:
        colour = "green" if twin.compared in _AGREES and not twin.clause else "yellow"
        screen.row("twin", Text(describe_twin(twin), colour))
    for one in job.plan.proposal.not_checked:
        screen.row("not checked", Text(one, "dim"))


def twin_of(job: Job) -> OtherProposal | None:
    """The statement that was compiled of what was declared, None where there is none."""
    return next((one for one in job.plan.proposal.others if one.proposer == "twin"), None)


def describe_twin(twin: OtherProposal) -> str:
    """How the twin compares, in one line."""
    if twin.compared in _AGREES:
        more = "; ".join(filter(None, (twin.told, twin.clause)))
        return f"{twin.interpretation}: gives the same" + (f"; {more}" if more else "")
    if twin.compared == Agreement.AGREEMENT_NOT_COMPARED:
        return f"{twin.interpretation}: {twin.told}"
    return f"{twin.interpretation}: gives something else, as M01 says"
