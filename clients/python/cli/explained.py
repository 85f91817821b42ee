"""The end of an investigation on the screen: the change, what explains it, what was ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Set
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from assay.common.v1.analysis_pb2 import Answer
from assay.common.v1.findings_pb2 import Hypothesis, HypothesisStatus
from assay.common.v1.investigation_pb2 import Explanation, InvestigationResult, Likelihood
from clients.python.cli.screen import Parts, Screen
from clients.python.cli.words import count, short_id, short_path
from mesh.text.spelling import label_text, shown

if TYPE_CHECKING:
    from assay.common.v1.job_pb2 import Job

_DOUBTING = frozenset({"habit", "last_year"})
_EXPLAINING = frozenset({"explained", "at_fault", "none_stands_out"}) | _DOUBTING
_OF_DIMENSION = "It depends on "
_SEARCHES = frozenset(
    {
        "Some segments moved, alone or in combination",
        "Some segments are off, alone or in combination",  # of leaves with a forecast
    }
)
_NARROW = 76
_LEAST_CHANCE = 0.001
_LEAST_TITLE = 24
_SETTLED = {
    HypothesisStatus.HYPOTHESIS_STATUS_CONFIRMED,
    HypothesisStatus.HYPOTHESIS_STATUS_RULED_OUT,
}


def show_explained(screen: Screen, job: Job) -> None:
    """Print what an investigation came to, but for its files and its proof."""
    answer, found = job.answer, job.investigation_result
    screen.row("change", the_change(answer) or answer.text)
    screen.row("search", Parts(searched(found)))
    if found.explanations:
        width = screen.out.width
        moved = "is off" if job.investigation.leaf else "moved"
        screen.row("why", explanations(found.explanations, answer, narrow=width < _NARROW))
        if any((one.segment or one.onset) and one.kind != "fault" for one in found.explanations):
            screen.row("", Text(f"associational: where it {moved}, not yet why", "dim"))
    elif not found.data_model.recommended_dimensions and not job.investigation.leaf:
        screen.row("why", Text("not known: no column splits it", "yellow"))
    elif not _was_searched(found):
        screen.row("why", Text("not known: the search did not come to an end", "yellow"))
    else:
        screen.row("why", Text("no findings: no segment stands out of chance", "yellow"))
    for sentence in usual_besides(answer):
        screen.row("usual", Text(sentence, "yellow"))
    ruled_out = _named(found.hypotheses, {HypothesisStatus.HYPOTHESIS_STATUS_RULED_OUT})
    if ruled_out:
        screen.row("ruled out", "; ".join(ruled_out))
    left = set(HypothesisStatus.values()) - _SETTLED
    if unsettled := _named(found.hypotheses, left):
        screen.row("open", Text("; ".join(unsettled), "yellow"))
    if handed := next((one for one in found.explanations if one.can_be_handed_over), None):
        asked = f"assay causal --from {short_id(job.job_id)} --explanation {handed.rank}"
        screen.row("next", Text.assemble(("does it cause it?  ", "dim"), asked))


def the_change(answer: Answer) -> str:
    """What the answer says before it comes to explanations."""
    starts = [a.start for a in answer.assertions if a.place == "text" and a.kind in _EXPLAINING]
    return answer.text[: min(starts, default=len(answer.text))].strip()


def usual_besides(answer: Answer) -> list[str]:
    """What the answer says of moves that are no news: a season, or as far as earlier periods
    differ."""
    values = [a for a in answer.assertions if a.place == "text" and a.kind in _DOUBTING]
    return [answer.text[a.start : a.end].strip() for a in values]


def searched(found: InvestigationResult) -> list[str]:
    """How long and how widely it was searched."""
    most = 15
    dimensions = len(found.data_model.recommended_dimensions)
    parts = [f"{found.ledger.total_iterations} of {most} iterations"]
    together = " and their combinations" if dimensions > 1 else ""
    parts.append(f"{count(dimensions, 'dimension')}{together}")
    parts.append(count(len(found.hypotheses), "hypothesis", "hypotheses"))
    return parts


def explanations(found: Iterable[Explanation], answer: Answer, *, narrow: bool) -> Table:
    """An explanation beside its numbers: rank, likelihood, what and since when, effect, part of the
    change, p. What it is has most of the screen, where that is narrow."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right")
    if not narrow:
        grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold", min_width=_LEAST_TITLE)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    for one in found:
        effect, share = _numbers(one, answer)
        likely = _likely(one)
        since = f"since about {label_text(_day(one.onset))}" if one.onset else ""
        cells: list[Text | str] = [str(one.rank)]
        cells += [] if narrow else [Text(likely, "green" if one.rank == 1 else "")]
        title = Text(one.title)
        if since and not narrow:
            title.append(f"\n{since}", "dim")
        cells += [title, effect, share, _probability(one)]
        grid.add_row(*cells)
    return grid


def folders(paths: Iterable[Path]) -> list[str]:
    """Files that are for looking things up, as their folders with how many there are in each."""
    counted: dict[Path, int] = {}
    for path in paths:
        counted[path.parent] = counted.get(path.parent, 0) + 1
    return [f"{short_path(folder)}/ ({count(n, 'file')})" for folder, n in counted.items()]


def _likely(one: Explanation) -> str:
    name = Likelihood.Name(one.likelihood).removeprefix("LIKELIHOOD_")
    return name.replace("_", " ").lower()


def _numbers(one: Explanation, answer: Answer) -> tuple[str, str]:
    """The effect and its part of the change, as the answer's claims print them."""
    claims = {claim.claim_id: claim for claim in answer.claims}
    cited = [claims[i] for item in one.evidence for i in item.claim_ids if i in claims]
    values = {claim.column: claim.text for claim in cited}
    effect, share = values.get("effect", ""), values.get("share", "")
    return ("+" if effect and one.effect.value > 0 else "") + effect, share


def _probability(one: Explanation) -> str:
    if not one.HasField("effect") or not one.effect.HasField("p_value"):
        return ""
    if one.effect.p_value < _LEAST_CHANCE:
        return f"p < {shown(_LEAST_CHANCE)}"
    return f"p {'<' if one.effect.at_most else '='} {shown(one.effect.p_value)}"


def _day(iso: str) -> object:
    from datetime import date

    try:
        return date.fromisoformat(iso)
    except ValueError:
        return iso


def _was_searched(found: InvestigationResult) -> bool:
    """Whether the search over everything was judged; the rules give it this title."""
    return any(h.title in _SEARCHES and h.status in _SETTLED for h in found.hypotheses)


def _named(hypotheses: Iterable[Hypothesis], status: Set[HypothesisStatus.ValueType]) -> list[str]:
    """Hypotheses of some states: dimensions by their names alone, others by what they say."""
    chosen = [h for h in hypotheses if h.status in status]
    titles = [h.title for h in chosen if not h.title.startswith(_OF_DIMENSION)]
    names = [
        h.title.removeprefix(_OF_DIMENSION) for h in chosen if h.title.startswith(_OF_DIMENSION)
    ]
    return [title[:1].lower() + title[1:] for title in titles] + (
        [f"differences by {', '.join(names)}"] if names else []
    )
