"""A job's end, gathered once and shown to people: answer, table, files, proof."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from assay.common.v1.analysis_pb2 import Answer, Artifact, ArtifactType, Deliverable, EmptyReason
from assay.common.v1.job_pb2 import Job, JobState
from assay.gateway.v1.audit_service_pb2 import VerifyJobResponse
from clients.python import words_of
from clients.python.cli.declared import show_declared
from clients.python.cli.effect import show_effect
from clients.python.cli.explained import folders, show_explained
from clients.python.cli.further import show_further
from clients.python.cli.screen import Parts, Screen, labelled
from clients.python.cli.short_links import short_link
from clients.python.cli.table import NOT_CUT, FittedTable
from clients.python.cli.words import count, duration, short_id, short_path
from clients.python.client import AssayClient
from mesh import sureness
from mesh.errors import CANCELLED, INTERNAL, REASONS, AssayError, ExitCode, Kind
from mesh.remarks import changes_reading, is_left_out, without_label

if TYPE_CHECKING:
    import pyarrow as pa

_EMPTY = {
    EmptyReason.EMPTY_REASON_NO_ROWS: ("no rows", ExitCode.ANSWERED),
    EmptyReason.EMPTY_REASON_NOT_PERMITTED: ("not permitted", ExitCode.REFUSED),
    EmptyReason.EMPTY_REASON_TIMED_OUT: ("stopped", ExitCode.COULD_NOT_ANSWER),
    EmptyReason.EMPTY_REASON_NOT_ASKED: ("not asked for", ExitCode.ANSWERED),
}
SURENESS: dict[str, tuple[str, str]] = {
    level: (word, "green" if level == "high" else "yellow")
    for level, word in sureness.WORDS.items()
}
"""How sure an answer is, in a word and its colour."""
_MOST_NOTES = 3  # of a causal job, whose calls are many: the report has them all
_FILE_ORDER = ("chart", "report", "table", "summary")


@dataclass(slots=True)
class Result:
    """What a job came to: its final state, its table, where its files lie, and its proof."""

    job: Job
    table: pa.Table | None = None
    paths: dict[str, Path] = field(default_factory=dict)
    proof: VerifyJobResponse | None = None
    unchecked: str = ""
    """Why the proof could not be checked now; empty where it was, or there is none."""

    @property
    def proven(self) -> bool:
        """Whether nothing was found to be off."""
        return self.proof is None or self.proof.ok

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of asking, for a job that has an answer."""
        if self.unchecked:
            return ExitCode.UNAVAILABLE
        if not self.proven:
            return ExitCode.VERIFICATION_FAILED
        _, code = _EMPTY.get(self.job.answer.empty_reason, ("", ExitCode.ANSWERED))
        return code

    @property
    def artifacts(self) -> list[Artifact]:
        """The answer's; of a job that ended without one, what its steps had made by then."""
        return [*self.job.answer.artifacts, *self.job.partial_artifacts]

    @property
    def files(self) -> list[tuple[Artifact, Path]]:
        """Artifacts with their places, what people look at first coming first."""
        found = [
            (artifact, self.paths[artifact.artifact_id])
            for artifact in self.artifacts
            if artifact.artifact_id in self.paths
        ]
        return sorted(
            found,
            key=lambda item: (
                _FILE_ORDER.index(words_of.artifact_type(item[0].artifact_type))
                if words_of.artifact_type(item[0].artifact_type) in _FILE_ORDER
                else len(_FILE_ORDER)
            ),
        )


def failure_of(job: Job) -> AssayError | None:
    """Why a job that ended has no answer; None when it has one, or has not ended."""
    failure = job.failure
    if job.HasField("failure"):
        reason = REASONS.get(failure.reason, INTERNAL)
        message = failure.message or reason.meaning
        kind, _ = _EMPTY.get(failure.empty_reason, ("", ExitCode.COULD_NOT_ANSWER))
        if kind and not message.lower().startswith(kind):
            message = f"{kind}: {message}"
        return AssayError(reason, message, hint=failure.hint)
    if job.state == JobState.JOB_STATE_CANCELLED:
        return AssayError(CANCELLED, "the job was cancelled")
    if job.state == JobState.JOB_STATE_FAILED:
        return AssayError(INTERNAL, "the job failed and does not say why")
    return None


async def gather(
    client: AssayClient,
    job: Job,
    *,
    whole_table: bool,
    folder: Path | None = None,
) -> Result:
    """Fetch what belongs to a job's end: table rows, files, proof. Raises AssayError.

    Files that were made on another machine come into a folder of the job's in `folder`, by
    default the one that the command runs in. Where the proof cannot be checked now, as while the
    audit service is away, the rest is given without waiting for it.
    """
    result = Result(job)
    for artifact in result.artifacts:
        result.paths[artifact.artifact_id] = await _place(client, job, artifact, folder or Path())
    if not job.HasField("answer"):
        return result
    answer = job.answer
    frame = answer.display if answer.HasField("display") and not whole_table else answer.table
    wanted = job.analysis.deliverables
    nothing_else = not answer.text and not answer.artifacts
    proof = asyncio.ensure_future(client.verify(job.job_id, at_once=True))  # beside the table
    try:
        if frame.digest and (
            not wanted or Deliverable.DELIVERABLE_TABLES in wanted or nothing_else
        ):
            rows = None if whole_table else NOT_CUT
            result.table = await client.read_frame(job.job_id, frame, rows)
        try:
            result.proof = await proof
        except AssayError as error:
            if error.reason.kind is not Kind.UNAVAILABLE:
                raise
            result.unchecked = error.message
    finally:
        proof.cancel()
    return result


async def _place(client: AssayClient, job: Job, artifact: Artifact, folder: Path) -> Path:
    """Where an artifact lies on this machine, fetched if it was made on another."""
    if client.same_machine and artifact.local_path:
        return Path(artifact.local_path)
    return await client.download(artifact, folder / f"assay-{short_id(job.job_id)}")


def show_result(screen: Screen, result: Result, seconds: float | None = None) -> None:
    """Print the answer, its table, its files and its proof.

    `seconds` is what asking took for whoever asked; by default it is told what the job took.
    """
    job, answer = result.job, result.job.answer
    for caveat in filter(changes_reading, answer.caveats):
        if is_left_out(caveat):
            screen.row("left out", without_label(caveat), "yellow")
        else:
            screen.row("note", caveat, "yellow")
    if job.HasField("investigation_result"):
        show_explained(screen, job)
    elif job.HasField("causal_result"):
        show_effect(screen, job)
    else:
        screen.row("answer", _in_words(answer, job.state))
        if sure := SURENESS.get(words_of.confidence(answer)):
            screen.row("confidence", *sure)
    left = [caveat for caveat in answer.caveats if not changes_reading(caveat)]
    most = _MOST_NOTES if job.HasField("causal_result") else len(left)
    for caveat in left[:most]:
        screen.row("note", caveat, "yellow")
    if len(left) > most:
        screen.row("", Text(f"{count(len(left) - most, 'note')} more in the report", "dim"))
    any_rows = answer.empty_reason != EmptyReason.EMPTY_REASON_NO_ROWS
    if any_rows and result.table is not None and result.table.num_rows:
        frame = answer.display if answer.HasField("display") else answer.table
        place = next((path.name for item, path in result.files if _is_table(item)), "")
        screen.space()
        fitted = FittedTable(result.table, frame.rows, place, words_of.formats(answer))
        screen.show(labelled("", fitted))
        screen.space()
    show_declared(screen, job)
    show_further(screen, job, result.files)
    show_files(screen, result)
    screen.row("proof", proof_line(result))
    screen.row("", Parts(ending(job, seconds), "dim"))


def show_files(screen: Screen, result: Result) -> None:
    """Print where a job's files lie; those of a job without an answer are partial.

    Of the full outputs of an investigation's iterations only their folder is told, and the summary
    of an answer not at all: it is what was printed.
    """
    files = [(item, path) for item, path in result.files if not _is_summary(item)]
    folded = list[Path]()
    if result.job.HasField("investigation_result"):
        folded = [path for item, path in result.files if _is_summary(item)]
    charts = [artifact for artifact, _ in files if _is_chart(artifact)]
    for number, (artifact, path) in enumerate(files):
        mark = Text("  partial", "yellow") if is_partial(artifact) else Text()
        name = f"chart{path.suffix}" if charts == [artifact] else ""
        place = short_path(short_link(path, result.job.job_id, name=name))
        screen.line("files" if number == 0 else "", Text(place).append(mark))
    for folder in folders(folded):
        screen.line("", Text(folder, "dim"))


def is_partial(artifact: Artifact) -> bool:
    """Whether a file was made by a job that ended before its answer."""
    return artifact.partial


def _in_words(answer: Answer, state: JobState.ValueType) -> Text:
    kind, _ = _EMPTY.get(answer.empty_reason, ("", ExitCode.ANSWERED))
    text = answer.text
    if answer.empty_reason == EmptyReason.EMPTY_REASON_NOT_ASKED:
        place = "see the files below" if answer.artifacts else "see the table below"
        return Text(f"words were {kind}: {place}", "dim")
    if kind and not text.lower().startswith(kind):
        text = f"{kind}: {text}" if text else kind
    if not text:
        text = "see the files below" if answer.artifacts else "see the table below"
    if state == JobState.JOB_STATE_PARTIAL_SUCCESS and not kind:
        return Text.assemble(("in part: ", "yellow"), text)
    return Text(text, "yellow" if kind else "")


def proof_line(result: Result) -> RenderableType:
    """What was checked, in one line; only the first thing that is off when something is."""
    proof = result.proof
    if result.unchecked:
        return Text(f"not checked: {result.unchecked}", "yellow")
    if proof is None:
        return Text("none", "dim")
    wrong = next((check for check in proof.checks if not check.ok), None)
    if wrong is not None or not proof.ok:
        text = f"{wrong.name}: {wrong.detail}" if wrong else "does not hold"
        return Text(f"✘ {text}", "bold red")
    passed = {check.name for check in proof.checks}
    counted = result.job.HasField("audit_entries")
    parts = [count(result.job.audit_entries, "entry", "entries") if counted else "its record"]
    if {"chain", "tree"} <= passed:
        parts[0] += ", chain and tree valid"
    elif "chain" in passed:
        parts[0] += ", chain valid"
    claims = len(result.job.answer.claims)
    if claims and "claims" in passed:
        parts.append(
            f"{count(claims, 'number')} traced to {'its cell' if claims == 1 else 'their cells'}"
        )
    parts.append(f"assay verify {short_id(result.job.job_id)}")
    return Parts(parts)


def ending(job: Job, seconds: float | None = None) -> list[str]:
    """Time, who decided, and what became of the recipe."""
    took = job.elapsed.ToTimedelta().total_seconds() if seconds is None else seconds
    parts = [duration(took)]
    parts.append(_model(job.answer))
    if job.answer.recipe:
        parts.append(job.answer.recipe)
    return parts


def _model(answer: Answer) -> str:
    """Whether a language model decided, was asked in vain or not at all, and what it took."""
    decided = answer.reasoner not in ("", "rules")
    if not answer.HasField("model_use"):
        return f"model {answer.reasoner}" if decided else "no model used"
    use = answer.model_use
    who = f"model {answer.reasoner}" if decided else f"decided by rules, model {use.model} asked"
    took = f"{use.input_tokens + use.output_tokens:,} tokens"
    return (
        f"{who}, {took}, {use.cost:.4f} {use.currency}"
        if use.HasField("cost")
        else f"{who}, {took}"
    )


def _is_summary(artifact: Artifact) -> bool:
    return artifact.artifact_type == ArtifactType.ARTIFACT_TYPE_SUMMARY


def _is_chart(artifact: Artifact) -> bool:
    return artifact.artifact_type == ArtifactType.ARTIFACT_TYPE_CHART


def _is_table(artifact: Artifact) -> bool:
    return artifact.artifact_type == ArtifactType.ARTIFACT_TYPE_TABLE
