"""The report has the sections that seed 002 asks for, and prints no number without its source."""

from __future__ import annotations

from typing import Any

from services.planner.domain.investigation.comparing import compared
from services.planner.domain.investigation.data_model import AnalysisPlan, DataModel, TableInfo
from services.planner.domain.investigation.hypothesis import HypothesisStatus, Test
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.iteration import (
    ExitReason,
    Finding,
    IterationLog,
    Move,
    NextStep,
    StatusChange,
)
from services.planner.domain.investigation.report import InvestigationReport
from services.planner.domain.investigation.state import Grounded, Investigation
from services.planner.domain.reporting.html import render_html
from services.planner.domain.reporting.markdown import render_markdown
from tests.unit.investigation.frames import CHANCE, NORTH, NOW, TEAMS, change, ground, search
from tests.unit.investigation.test_told import Case


def state(searched: HypothesisStatus = HypothesisStatus.CONFIRMED) -> Investigation:
    """An investigation whose search was judged, and which ended."""
    of, pending = ground(), HypothesisStatus.PENDING
    hypotheses = tuple(
        one.model_copy(update={"status": searched})
        if one.test is Test.SEARCH
        else one.model_copy(update={"status": HypothesisStatus.RULED_OUT})
        for one in first_hypotheses(of, NOW)
    )
    [chosen] = [one for one in hypotheses if one.test is Test.SEARCH]
    log = IterationLog(
        iteration=1,
        decision=Move.ANALYZE,
        code_executed="{}",
        raw_output="x",
        compressed_summary="Searched segments of any depth. Standing out: region North.",
        hypothesis_status_changes=tuple(
            StatusChange(hypothesis=h.hypothesis_id, before=pending, after=h.status)
            for h in hypotheses
        ),
        timestamp=NOW,
    )
    finding = Finding(
        finding_id="find_001",
        iteration=1,
        summary=log.compressed_summary,
        full_output_ref="x",
        hypothesis_affected=chosen.hypothesis_id,
        created_at=NOW,
    )
    model = DataModel(
        tables=(TableInfo(name="orders", row_count=1, column_count=10),),
        recommended_dimensions=of.dimensions,
        inferred_at=NOW,
    )
    plan = AnalysisPlan(steps=(), created_at=NOW)
    grounded = Grounded(ground=of, data_model=model, analysis_plan=plan, hypotheses=hypotheses)
    end = NextStep(move=Move.CONCLUDE, reason="done", exit_reason=ExitReason.CONCLUDE)
    return Investigation(
        grounded=grounded,
        hypotheses=hypotheses,
        iterations=(log,),
        findings=(finding,),
        open_step=end,
        concluded=end.exit_reason,
    )


def report(case: Case, **changed: Any) -> InvestigationReport:
    """The report of a case."""
    of = changed.pop("state", state())
    assert of.grounded is not None
    beside = compared(case.ground, case.told, case.speaker, explained=bool(case.explanations))
    return InvestigationReport(
        job_id="1234567890abcdef",
        headline=case.title,
        answer=case.text,
        compared=beside,
        grounded=of.grounded,
        state=of,
        ledger_of_findings=of.ledger(NOW),
        explanations=case.explanations,
        caveats=changed.get("caveats", ()),
        book=case.book,
        tables=case.tables,
        generated_at=NOW,
    )


def test_every_section_is_there_in_the_order_of_the_specification() -> None:
    text = render_markdown(report(Case(change(), search(NORTH, TEAMS)), caveats=("A note",)))
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        "Metric, periods and change",
        "Data model",
        "Analysis performed",
        "Explanations",
        "What was checked and ruled out",
        "Recommended next steps",
        "Caveats",
        "Claims",
        "Proof",
    ]
    assert "- orders: 1 row, 10 columns" in text
    assert "Generated 2024-04-02 09:30:00" in text


def test_it_opens_with_the_answer_and_nothing_else() -> None:
    case = Case(change(), search(NORTH))
    sections = report(case).sections()
    [only] = sections[0].blocks
    assert sections[0].heading == "" and only.prose == case.text  # type: ignore[union-attr]


def test_next_steps_follow_from_what_was_found() -> None:
    text = render_markdown(report(Case(change(), search(NORTH, TEAMS))))
    assert (
        "Ask whoever knows channel web with region North what changed around 5 March 2024" in text
    )
    assert "Ask why customer segment (missing) has another weight in the whole" in text


def test_what_was_ruled_out_has_its_reason() -> None:
    text = render_markdown(report(Case(change(), search(NORTH))))
    assert "It depends on region: No segment that stands out has it." in text
    assert (
        "Everything moved alike: Beside the segments that stand out, the rest did not move" in text
    )


def test_nothing_found_and_nothing_searched_read_differently() -> None:
    whole = render_markdown(report(Case(change(), search(CHANCE))))
    assert "the whole moved, and no part unlike the rest" in whole
    assert "within what chance moves" not in whole
    nothing = render_markdown(report(Case(change(p=0.4), search(CHANCE))))
    assert "what moved is within what chance moves" in nothing
    pending = state(HypothesisStatus.PENDING)
    unknown = render_markdown(report(Case(change()), state=pending))
    assert "the search for segments did not come to an end" in unknown
    assert "within what chance moves" not in unknown


def test_html_is_one_file_with_the_same_words() -> None:
    html = render_html(report(Case(change(), search(NORTH, TEAMS))))
    assert html.startswith("<!doctype html>") and "<script" not in html
    assert "<h3>Most Likely: channel web with region North moved by itself</h3>" in html
    assert 'href="#claim-' in html and '<ul class="details">\n\n</ul>' not in html
