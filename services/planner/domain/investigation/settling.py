"""What a search says of hypotheses beside its own, and what a dimension says by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from services.planner.domain.investigation.found import ALPHA, Row, rows_of
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus, Test
from services.planner.domain.investigation.iteration import StatusChange
from services.planner.domain.investigation.judgement import (
    CONFIRMED,
    PENDING,
    RULED_OUT,
    Judgement,
    change_of,
)
from services.planner.domain.investigation.seasons import USUAL
from services.planner.domain.investigation.wording import amount, cut, is_share, words_of_name
from services.planner.domain.reporting.evidence import EvidenceTable

_MOST_NAMED = 3
_cut = partial(cut, most=500)


def by_search(
    hypothesis: Hypothesis,
    others: Sequence[Hypothesis],
    out: Sequence[Row],
    moved: Sequence[Row],
    alike: HypothesisStatus,
    rows: Sequence[Row],
) -> list[StatusChange]:
    """How hypotheses stand after a search over everything: `rows` are all of it, `out` what stands
    out, `moved` that and what always moves so, `alike` whether everything moved alike.

    A dimension of a segment that moved unlike the rest matters, alone or beside others; others do
    not. Where nothing moved so, those that came closest stay open, and are looked at by themselves.
    """
    involved = _dimensions_of(moved)
    close = frozenset() if moved else _dimensions_of(closest(rows))
    changes = []
    for one in others:
        status: HypothesisStatus | None = None
        if one.test is Test.SEARCH:
            status = CONFIRMED if out else RULED_OUT
        elif one.test is Test.ALIKE:
            status = alike
        elif one.test is Test.DIMENSION and not close & set(one.dimensions):
            status = CONFIRMED if involved & set(one.dimensions) else RULED_OUT
        if one.test is Test.DIMENSION and one.suspected and status is None:
            status = RULED_OUT  # it was looked at by itself before
        mine = one.hypothesis_id == hypothesis.hypothesis_id
        if status is not None and (one.status is PENDING or mine):
            changes.append(change_of(one, status))
    return changes


def closest(rows: Sequence[Row]) -> list[Row]:
    """Rows of a search that would stand out, had one looked at nothing else."""
    return [
        row
        for row in rows
        if row["kind"] not in ("alike", "total", USUAL)
        and not row.stands_out
        and (p := row.figure("p_value")) is not None
        and p <= ALPHA
    ]


def _dimensions_of(rows: Sequence[Row]) -> frozenset[str]:
    return frozenset(name for row in rows for name, _ in row.segment)


@dataclass(frozen=True)
class Split:
    """What is said of values that were looked at by themselves."""

    tested: str
    alike: str
    apart: str


OF_ROWS = Split("Split the change by", "Its values moved alike", "Moving differently from the rest")


def contributed(
    hypothesis: Hypothesis,
    others: Sequence[Hypothesis],
    table: EvidenceTable,
    ground: Ground,
    words: Split,
) -> Judgement:
    """What the values of one dimension say by themselves.

    One that was suspected is held against its own values. One that a search left open is held
    against all dimensions, and what stands out so is no more than a hint.
    """
    [name] = hypothesis.dimensions
    searched = any(h.test is Test.SEARCH and h.status in (CONFIRMED, RULED_OUT) for h in others)
    tries = 1 if hypothesis.suspected else len(ground.dimensions)
    rows = [row for row in rows_of(table) if row["kind"] == "value"]
    out = [
        row for row in rows if (p := row.figure("p_corrected")) is not None and p * tries <= ALPHA
    ]
    tested = f"{words.tested} {words_of_name(name)}."
    if not out:
        # It may still matter in combination with others: that is for the search to say.
        open_still = "" if searched else " In combination with others it is still to be searched."
        return Judgement(
            _cut(f"{tested} {words.alike}, as far as chance allows to tell.{open_still}"),
            (change_of(hypothesis, RULED_OUT if searched else PENDING),),
        )
    named = "; ".join(
        f"{'(missing)' if row['value'] is None else row['value']} "
        f"{amount(row.figure('difference'), ground.unit, share=is_share(ground))}"
        for row in out[:_MOST_NAMED]
    )
    hint = searched and not hypothesis.suspected
    follows = " Among all that was searched it does not stand out: it stays open." if hint else ""
    return Judgement(
        _cut(f"{tested} {words.apart}: {named}.{follows}"),
        (change_of(hypothesis, PENDING if hint else CONFIRMED),),
        tuple(((name, row["value"]),) for row in out[:_MOST_NAMED]) if hint else (),
        showed=True,
    )
