"""An investigation on the screen: what is found as it comes, then explanations in aligned lines."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from assay.common.v1 import analysis_pb2, findings_pb2, investigation_pb2, job_pb2
from clients.python.cli.explained import show_explained
from clients.python.cli.result import Result, show_files
from clients.python.cli.screen import Screen
from clients.python.cli.searching import Searching

RULED_OUT = findings_pb2.HYPOTHESIS_STATUS_RULED_OUT
CONFIRMED = findings_pb2.HYPOTHESIS_STATUS_CONFIRMED
SEARCH = "Some segments moved, alone or in combination"
TEXT = "Amount fell from 9 in May to 7 in June. Most likely: region North, an effect of -2."


def hypothesis(number: int, title: str, status: int) -> findings_pb2.Hypothesis:
    return findings_pb2.Hypothesis(
        hypothesis_id=f"hyp_{number:03d}",
        title=title,
        status=findings_pb2.HypothesisStatus.ValueType(status),
    )


def job(*, found: bool = True, searched: int = CONFIRMED) -> job_pb2.Job:
    """An investigation that ended, with two explanations or none."""
    explanations = [
        investigation_pb2.Explanation(
            rank=1,
            title="channel web with region North moved by itself",
            kind="segment",
            likelihood=investigation_pb2.LIKELIHOOD_MOST_LIKELY,
            onset="2024-03-05",
            evidence=[investigation_pb2.ExplanationEvidence(claim_ids=[1, 2])],
            effect=investigation_pb2.ExplanationEffect(value=-2.0, p_value=0.01, at_most=True),
        ),
        investigation_pb2.Explanation(
            rank=2,
            title="The data: missing days on 2024-03-09",
            kind="fault",
            likelihood=investigation_pb2.LIKELIHOOD_LIKELY,
        ),
    ]
    claims = [
        analysis_pb2.Claim(claim_id=1, text="-2", column="effect"),
        analysis_pb2.Claim(claim_id=2, text="79 %", column="share"),
    ]
    start = TEXT.index("Most likely")
    said = analysis_pb2.Assertion(kind="explained", place="text", start=start, end=len(TEXT))
    names = ("It depends on price", "It depends on customer segment")
    hypotheses = [
        hypothesis(1, "The data changed, not what they are about", RULED_OUT),
        hypothesis(2, SEARCH, searched),
        *(hypothesis(n, name, RULED_OUT) for n, name in enumerate(names, 3)),
    ]
    ended = job_pb2.Job(job_id="a" * 32, state=job_pb2.JOB_STATE_COMPLETED)
    ended.answer.CopyFrom(analysis_pb2.Answer(text=TEXT, claims=claims, assertions=[said]))
    ended.investigation_result.CopyFrom(
        investigation_pb2.InvestigationResult(
            hypotheses=hypotheses,
            explanations=explanations if found else [],
            ledger=investigation_pb2.FindingsLedger(total_iterations=7),
            data_model=investigation_pb2.DataModel(recommended_dimensions=["region"]),
        )
    )
    return ended


def shown(ended: job_pb2.Job, width: int) -> list[str]:
    """The lines on a screen of that width."""
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, markup=False, emoji=False)
    show_explained(Screen(out=console), ended)
    return [line.rstrip() for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_change_then_why_then_what_was_ruled_out_at_any_width(width: int) -> None:
    lines = shown(job(), width)
    assert max(map(len, lines)) <= width
    labels = [line.split("  ")[0] for line in lines if not line.startswith(" ")]
    assert labels == ["change", "search", "why", "ruled out"]
    text = "\n".join(lines)
    assert "Most likely: region" not in text  # which the lines below tell
    assert "p < 0.01" in text and "-2" in text and "79 %" in text
    assert ("since about 5 March 2024" in text) == (width > 76)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_what_explains_is_readable_beside_long_numbers(width: int) -> None:
    ended = job()
    long = ended.investigation_result.explanations[0]
    long.title, long.effect.p_value, long.effect.at_most = "Changed mix: country US", 1e-14, False
    told = shown(ended, width)
    assert any("Changed mix: country US" in line for line in told), told
    assert "p < 0.001" in "\n".join(told)


def test_what_was_ruled_out_names_dimensions_once() -> None:
    told = " ".join(" ".join(shown(job(), 200)).split())
    assert (
        "ruled out the data changed, not what they are about; differences by price, "
        "customer segment"
    ) in told


def test_without_explanations_it_is_said_whether_there_was_a_search_at_all() -> None:
    assert "no findings" in "\n".join(shown(job(found=False, searched=RULED_OUT), 100))
    pending = findings_pb2.HYPOTHESIS_STATUS_PENDING
    told = "\n".join(shown(job(found=False, searched=pending), 100))
    assert "not known: the search did not come to an end" in told
    assert "open" in told and "no findings" not in told


def test_full_outputs_are_told_by_their_folder(tmp_path: object) -> None:
    from pathlib import Path

    ended, result = job(), Result(job())
    for number in (1, 2):
        item = ended.answer.artifacts.add()
        item.artifact_id = f"s{number}"
        item.artifact_type = analysis_pb2.ARTIFACT_TYPE_SUMMARY
    result = Result(ended, paths={f"s{n}": Path(f"/far/summaries/{n}.txt") for n in (1, 2)})
    file = io.StringIO()
    show_files(Screen(out=Console(file=file, width=100)), result)
    assert file.getvalue().split() == ["/far/summaries/", "(2", "files)"]


def test_a_finding_is_shown_with_how_its_hypothesis_stands_after_it() -> None:
    searching = Searching()
    pending = findings_pb2.HYPOTHESIS_STATUS_PENDING
    events = [
        job_pb2.JobEvent(hypothesis=hypothesis(1, "It depends on price", pending)),
        job_pb2.JobEvent(hypothesis=hypothesis(2, SEARCH, pending)),
        job_pb2.JobEvent(
            finding=findings_pb2.Finding(
                iteration=1, summary="Split by price: nothing.", hypothesis_affected="hyp_001"
            )
        ),
        job_pb2.JobEvent(hypothesis=hypothesis(1, "It depends on price", RULED_OUT)),
        job_pb2.JobEvent(
            finding=findings_pb2.Finding(
                iteration=2, summary="Searched.", hypothesis_affected="hyp_002"
            )
        ),
        job_pb2.JobEvent(state=job_pb2.JOB_STATE_COMPLETED),
    ]
    lines = [
        (label, text.plain) for event in events for label, text in searching.render_event(event)
    ]
    assert lines == [
        (
            "suspects",
            "2 hypotheses: some segments moved, alone or in combination; it depends on price",
        ),
        ("found", "Split by price: nothing.  ruled out"),
        ("", "Searched."),
    ]


def test_the_last_lines_say_how_to_ask_what_the_segment_does() -> None:
    ended = job()
    assert not any(line.startswith("next") for line in shown(ended, 100))
    ended.investigation_result.explanations[0].can_be_handed_over = True

    lines = shown(ended, 100)

    [line] = [line for line in lines if line.startswith("next")]
    assert line.endswith("assay causal --from aaaaaaaa --explanation 1")
    assert lines[-1] == line
