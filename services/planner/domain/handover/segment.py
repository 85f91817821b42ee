"""Which segment of an investigation is handed over, and what it is called as a treatment."""

from __future__ import annotations

from dataclasses import dataclass

from mesh.errors import NOTHING_TO_HAND_OVER, AssayError
from services.planner.domain.causal.origin import Origin
from services.planner.domain.investigation.explanation import Explanation
from services.planner.domain.investigation.result import InvestigationResult

Values = tuple[tuple[str, str | None], ...]
_NOT_A_SEGMENT = "it is about no segment whose rows could be held against others"
_MOST_VALUES = 3


@dataclass(frozen=True)
class Segment:
    """Rows of certain values; `period` is the only one of both that has such rows, if there is only
    one. `found_by` says by which explanation or finding, in words."""

    values: Values
    found_by: str
    period: str = ""

    @property
    def name(self) -> str:
        """What membership is called: `region = North, channel = web`."""
        return ", ".join(
            f"{name} = {value if value is not None else 'nothing'}" for name, value in self.values
        ).replace('"', "'")

    @property
    def condition(self) -> str:
        """SQL of a row of the investigation's relation: whether it belongs to the segment."""
        return " AND ".join(
            f"{quoted(name)} IS NULL"
            if value is None
            else f"CAST({quoted(name)} AS VARCHAR) = '{value.replace(chr(39), chr(39) * 2)}'"
            for name, value in self.values
        )


def segment_of(origin: Origin, result: InvestigationResult) -> Segment:
    """The segment that is meant: of the explanation, of the finding, or the first that there is.

    Raises AssayError(NOTHING_TO_HAND_OVER).
    """
    if origin.finding_id:
        return _of_finding(origin.finding_id, result)
    if not result.explanations:
        raise _nothing(
            origin.job_id,
            "found nothing that explains the movement",
            "There is no segment to ask about; ask of columns: --data, --treatment, --outcome.",
        )
    there = [one for one in result.explanations if can_be_handed_over(one)]
    if origin.explanation:
        named = [one for one in result.explanations if one.rank == origin.explanation]
        if not named:
            raise _nothing(
                origin.job_id,
                f"has no explanation {origin.explanation}",
                f"It has explanations 1 to {len(result.explanations)}.",
            )
        if named[0] not in there:
            text = f"cannot hand over explanation {named[0].rank}, {named[0].title}"
            raise _nothing(origin.job_id, f"{text}: {_NOT_A_SEGMENT}", _others(there))
        return _of_explanation(named[0])
    if not there:
        first = result.explanations[0].title
        text = f"explains the movement by {first}: {_NOT_A_SEGMENT}"
        raise _nothing(origin.job_id, text, "Ask of columns: --data, --treatment, --outcome.")
    return _of_explanation(there[0])


def can_be_handed_over(one: Explanation) -> bool:
    """Whether an explanation is about a segment whose rows can be held against others."""
    return 0 < len(one.segment) <= _MOST_VALUES


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _of_explanation(one: Explanation) -> Segment:
    only = {"new": "comparison", "vanished": "baseline"}.get(one.kind, "")
    return Segment(one.segment, f"explanation {one.rank}", only)


def _of_finding(finding_id: str, result: InvestigationResult) -> Segment:
    finding = next((f for f in result.ledger.findings if f.finding_id == finding_id), None)
    if finding is None:
        known = ", ".join(f.finding_id for f in result.ledger.findings) or "none"
        raise _nothing("", f"has no finding {finding_id}", f"Its findings are {known}.")
    about = next(
        (h for h in result.hypotheses if h.hypothesis_id == finding.hypothesis_affected), None
    )
    if about is not None and 0 < len(about.segment) <= _MOST_VALUES:
        return Segment(about.segment, finding_id)
    for one in result.explanations:
        if can_be_handed_over(one) and any(e.finding == finding_id for e in one.evidence):
            found = _of_explanation(one)
            return Segment(found.values, f"{finding_id}, {found.found_by}", found.period)
    there = [one for one in result.explanations if can_be_handed_over(one)]
    raise _nothing("", f"cannot hand over {finding_id}: {_NOT_A_SEGMENT}", _others(there))


def _others(there: list[Explanation]) -> str:
    if not there:
        return "Ask of columns: --data, --treatment, --outcome."
    ranks = ", ".join(str(one.rank) for one in there)
    return f"Of its explanations these can be: {ranks}."


def _nothing(job_id: str, why: str, hint: str) -> AssayError:
    named = f"investigation {job_id[:8]}" if job_id else "the investigation"
    return AssayError(
        NOTHING_TO_HAND_OVER,
        f"{named} {why}",
        hint=hint,
        fields={"causal.origin": "an explanation or a finding about a segment"},
    )
