"""A causal request completed by what an investigation found: treatment, outcome, rows, order."""

from __future__ import annotations

from collections.abc import Iterable

import sqlglot
from sqlglot import exp

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.policy import Policy
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.handover.measure import RowMeasure, row_measure
from services.planner.domain.handover.segment import Segment, quoted, segment_of
from services.planner.domain.investigation.ground import TIME, Ground
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.result import InvestigationResult

PERIOD = "period"


def handed_over(
    request: CausalRequest, asked: InvestigationRequest, result: InvestigationResult
) -> CausalRequest:
    """The request over the rows of an investigation, within both periods.

    The treatment is whether a row belongs to the segment, the outcome what the row adds to the
    metric, unless the request names columns; time comes before both. Sources, policy and engine are
    the investigation's: a hand-over opens nothing that it could not see.
    Raises AssayError: INVALID_ARGUMENT where the request brings data of its own,
    NOTHING_TO_HAND_OVER, NO_ROW_MEASURE, KNOWLEDGE_INVALID.
    """
    origin = request.origin
    if origin is None:
        raise ValueError("the request comes from no investigation")
    _check_alone(request)
    ground = result.ground
    if request.outcome:  # then the metric need not be told by the row
        segment = segment_of(origin, result)
        measure = RowMeasure(request.outcome, "")
    else:
        segment, measure = segment_of(origin, result), row_measure(ground)
    rows = _Rows(ground, segment, measure, request)
    treatment = request.treatment or segment.name
    text = f"{segment.found_by}, {segment.name}; {rows.description}"
    by = request.modifiers or rows.groups
    return request.model_copy(
        update={
            "origin": Origin(
                job_id=origin.job_id,
                explanation=origin.explanation,
                finding_id=origin.finding_id,
                said=text,
                table=ground.table,
                columns=rows.further,
                of_segment=treatment == segment.name,
            ),
            "treatment": treatment,
            "outcome": rows.outcome,
            "relation": rows.relation,
            "modifiers": by,
            "knowledge": rows.knowledge(treatment),
            "data_sources": asked.data_sources,
            "policy": _joined(request.policy, asked.policy),
            "constraints": request.constraints.model_copy(
                update={"engine": request.constraints.engine or asked.constraints.engine}
            ),
        }
    )


def _check_alone(request: CausalRequest) -> None:
    for name in ("data_sources", "table", "relation"):
        if getattr(request, name):
            what = "the data are those of the investigation that it comes from"
            raise AssayError(
                INVALID_ARGUMENT,
                f"the request names data of its own, and {what}",
                hint="Leave --data, --db, --on and --table out beside --from.",
                fields={f"causal.{name}": "must not be set beside origin"},
            )


def _joined(asked: Policy, before: Policy) -> Policy:
    """A policy that hides whatever either hides. Raises AssayError(INVALID_ARGUMENT) where no
    column is allowed by both: a policy that names none would allow all."""
    allowed = asked.allowed_columns or before.allowed_columns
    if asked.allowed_columns and before.allowed_columns:
        known = {name.casefold() for name in before.allowed_columns}
        allowed = tuple(name for name in asked.allowed_columns if name.casefold() in known)
        if not allowed:
            what = "none of the columns that it allows was allowed to the investigation"
            raise AssayError(
                INVALID_ARGUMENT,
                f"the request sees nothing: {what}",
                hint=f"That saw {', '.join(before.allowed_columns)}.",
                fields={"causal.policy.allowed_columns": "columns that the investigation saw"},
            )
    patterns = dict.fromkeys((*before.blocked_patterns, *asked.blocked_patterns))
    return Policy(
        allowed_columns=allowed,
        blocked_patterns=tuple(patterns),
        disclosure=asked.disclosure.within(before.disclosure),
    )


class _Rows:
    """The SELECT that gives the rows, and what its columns are."""

    def __init__(
        self, ground: Ground, segment: Segment, measure: RowMeasure, request: CausalRequest
    ) -> None:
        self._ground = ground
        self._segment = segment
        self._measure = measure
        self._request = request
        self._treatment = request.treatment or segment.name
        member = {name for name, _ in segment.values}
        # What a segment is made of says of every row whether it belongs: that is no comparison.
        belongs = self._treatment == segment.name
        self._dimensions = [n for n in ground.dimensions if not (belongs and n in member)]
        self._with_segment = self._treatment not in member
        known = {segment.name, PERIOD, self._time, "", *ground.dimensions}
        named = (
            request.treatment,
            request.outcome,
            *request.modifiers,
            *sorted(request.knowledge.columns),
        )
        self.further = tuple(name for name in dict.fromkeys(named) if name not in known)
        self._dimensions += [n for n in dict.fromkeys(named) if belongs and n in member]
        taken = {segment.name, PERIOD, self._time, *self._dimensions, *self.further}
        self.outcome = _free(measure.name, taken) if measure.value else measure.name

    @property
    def groups(self) -> tuple[str, ...]:
        """By what the effect is told where nothing is named: the period, for the investigation
        asked what changed; and the segment, where the treatment is another."""
        found = () if self._segment.period else (PERIOD,)
        apart = self._with_segment and self._treatment != self._segment.name
        return (self._segment.name, *found) if apart else found

    @property
    def _time(self) -> str:
        """What the time is called: by its own name, unless a dimension has that."""
        return _free(self._ground.time or "day", {PERIOD, *self._ground.dimensions})

    @property
    def description(self) -> str:
        """Which rows these are, in words."""
        periods = self._periods()
        days = " and ".join(f"{p.start} to {p.end}" for _, p in periods)
        return f"rows of {self._ground.source_name}, {days}"

    @property
    def relation(self) -> str:
        """One SELECT: membership, outcome, period, time, and what may be adjusted for."""
        day = f'CAST("{TIME}" AS DATE)'
        periods = self._periods()
        within = [f"{day} BETWEEN DATE '{p.start}' AND DATE '{p.end}'" for _, p in periods]
        outputs = []
        if self._with_segment:
            outputs.append(
                f"CASE WHEN {self._segment.condition} THEN 1 ELSE 0 END AS "
                f"{quoted(self._segment.name)}"
            )
        if self._measure.value:
            outputs.append(f"{self._measure.value} AS {quoted(self.outcome)}")
        if len(periods) > 1:  # a day of both counts as compared
            outputs.append(
                f"CASE WHEN {within[1]} THEN 'comparison' ELSE 'baseline' END AS {quoted(PERIOD)}"
            )
        outputs.append(f"{day} AS {quoted(self._time)}")
        outputs += [quoted(name) for name in (*self._dimensions, *self.further)]
        where = f"({' OR '.join(within)})"
        if self._measure.rows:
            where += f" AND {self._measure.rows}"
        inner = self._widened()
        return f"SELECT {', '.join(outputs)} FROM ({inner}) AS assay_rows WHERE {where}"

    def knowledge(self, treatment: str) -> Knowledge:
        """Time before the treatment, and that before the outcome; what the request knows goes
        first. Raises AssayError(KNOWLEDGE_INVALID)."""
        times = (self._time,) if len(self._periods()) < 2 else (self._time, PERIOD)
        known = Knowledge(tiers=(times, (treatment,), (self.outcome,)))
        known_knowledge = self._request.knowledge.joined(known)
        return known_knowledge.checked(self._columns())

    def _columns(self) -> Iterable[str]:
        yield from (self.outcome, PERIOD, self._time)
        if self._with_segment:
            yield self._segment.name
        yield from (*self._dimensions, *self.further)

    def _periods(self) -> list[tuple[str, DateRange]]:
        ground, only = self._ground, self._segment.period
        both = (("baseline", ground.baseline), ("comparison", ground.comparison))
        return [(n, p) for n, p in both if p is not None and only in ("", n)]

    def _widened(self) -> str:
        """The investigation's relation with the further columns of its table that are named."""
        if not self.further:
            return self._ground.relation
        select = sqlglot.parse_one(self._ground.relation, dialect="duckdb")
        for name in self.further:
            column = exp.column(name, table=self._ground.table, quoted=True)
            select = select.select(exp.alias_(column, name, quoted=True))  # type: ignore[attr-defined]
        return str(select.sql(dialect="duckdb"))


def _free(name: str, taken: set[str]) -> str:
    """A name that nothing else has, whatever its case."""
    there = {each.casefold() for each in taken}
    while name.casefold() in there:
        name += "_"
    return name
