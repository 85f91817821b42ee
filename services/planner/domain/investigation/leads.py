"""What a language model would look at first in an investigation: candidates, which tools measure.

A dimension that it names is split and scored like every other, under the same correction for many
tries; a metric that it words is SQL over the columns there are, checked like anybody's. Nothing it
says is a finding, and its reasons are recorded, not told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mesh.policy import Policy
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.frozen import Frozen
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus, Test
from services.planner.domain.model_use import ModelUse

MOST_LEADS = 6


class LeadsInput(Frozen):
    """What a model is told: the question, its metric, and the data within the policy. With
    `wants_metric` nobody could read the metric, and it is to say which SQL it means."""

    job_id: str
    question: str
    metric: str
    context: str
    catalogue: Catalogue
    policy: Policy
    wants_metric: bool = False
    seconds: float = 30.0


class Lead(Frozen):
    """A column by which the metric may have moved differently, and why one would think so.

    `dimension` is its name in the metric's rows; empty where they cannot be split by it.
    """

    table: str
    column: str
    because: str = ""
    dimension: str = ""


class Leads(Frozen):
    """What a model proposed, or why it gave nothing (`failed`). `metric` is SQL over columns."""

    by: str
    metric: str = ""
    leads: tuple[Lead, ...] = ()
    failed: str = ""
    model_use: ModelUse | None = None

    def placed(self, dimensions: Mapping[str, str]) -> Leads:
        """The same with the names that its columns have in the metric's rows, by "table.column"."""
        leads = tuple(
            lead.model_copy(update={"dimension": dimensions.get(f"{lead.table}.{lead.column}", "")})
            for lead in self.leads
        )
        return self.model_copy(update={"leads": leads})

    @property
    def columns(self) -> frozenset[tuple[str, str]]:
        """The columns that it names, each behind its table."""
        return frozenset((lead.table, lead.column) for lead in self.leads)


def leads_told(leads: Leads | None, hypotheses: Sequence[Hypothesis]) -> tuple[str, ...]:
    """What came of what a model supposed, for the caveats: what the data bear out, what they do
    not, what was not tried."""
    if leads is None:
        return ()
    if leads.failed:
        why = leads.failed.rstrip(".")
        return (f"{leads.by} gave nothing: {why}. The built-in rules decided.",)
    of = {h.dimensions[0]: h for h in hypotheses if h.test is Test.DIMENSION and h.dimensions}
    said: dict[str, list[str]] = {}
    for lead in leads.leads:
        known = of.get(lead.dimension)
        what = _SAID[known.status] if known is not None else _UNTRIED
        what = what if lead.dimension else _UNSPLIT
        said.setdefault(what, []).append(lead.dimension or lead.column)
    parts = [f"{', '.join(dict.fromkeys(names))} {what}" for what, names in said.items()]
    if not parts:
        return ()
    return (f"Supposed by {leads.by}, and measured like every other split: {'; '.join(parts)}.",)


_UNTRIED, _UNSPLIT = "was not tried by itself", "does not split these rows"
_SAID = {
    HypothesisStatus.CONFIRMED: "is borne out by the data",
    HypothesisStatus.RULED_OUT: "is not supported by the data",
    HypothesisStatus.PENDING: _UNTRIED,
    HypothesisStatus.INVESTIGATING: _UNTRIED,
}
