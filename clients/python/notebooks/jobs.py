"""Jobs as cells: what was asked, how it was read, its rows computed again, and held against the
recorded ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.common.v1.analysis_pb2 import ArtifactType
from assay.common.v1.job_pb2 import Job
from clients.python import words_of
from clients.python.cli.result import Result, failure_of
from clients.python.notebooks import in_notebook
from clients.python.notebooks.book import Book, literal
from clients.python.notebooks.reading import opening_code, tables_of
from mesh.proof.recorded import Recorded
from mesh.remarks import changes_reading
from mesh.text.markdown import plain_words

if TYPE_CHECKING:
    import pyarrow as pa

_SEARCHED = frozenset({"total", "alike", "segment", "new", "vanished"})


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """A job with what is recorded of it: its chain, and the rows of its answer and its search."""

    result: Result
    recorded: Recorded
    head: str
    rows: pa.Table | None = None
    searched: pa.Table | None = None
    changed: pa.Table | None = None

    @property
    def job(self) -> Job:
        """The job itself."""
        return self.result.job

    @property
    def relation(self) -> dict[str, Any]:
        """The arguments of an investigation's first step: its rows and its periods."""
        return next(
            (
                dict(call.arguments)
                for call in self.recorded.calls.values()
                if "relation" in call.arguments
            ),
            {},
        )


def written(
    title: str, recorded_jobs: Sequence[RecordedJob], folder: str, uploads: Mapping[str, str]
) -> Book:
    """The notebook of some jobs, in their order; `uploads` are the places of uploaded files."""
    book = Book(folder)
    book.words(
        f"# {plain_words(title)}",
        "",
        "Each answer is told as it was recorded, and its rows are computed again from the sources "
        "with DuckDB and pandas, without Assay. A cell fails where they differ.",
        "",
        *(
            f"- Job `{one.job.job_id}`: {len(one.recorded.events)} entries, the last with the hash "
            f"`{one.head}`; `assay verify {one.job.job_id[:8]} --recompute` checks all of it."
            for one in recorded_jobs
        ),
    )
    functions: list[Callable[..., Any]] = [
        in_notebook.same,
        in_notebook.plain,
        in_notebook.in_order,
    ]
    investigated = {one.job.HasField("investigation_result") for one in recorded_jobs}
    functions += [in_notebook.drawn] if False in investigated else []
    functions += [in_notebook.moved] if True in investigated else []
    book.setup(functions)
    _open(book, recorded_jobs, uploads)
    for one in recorded_jobs:
        _tell(book, one)
        if one.job.HasField("investigation_result"):
            _search_again(book, one)
        elif one.job.HasField("answer"):
            _compute_again(book, one)
    return book


def _open(book: Book, recorded_jobs: Sequence[RecordedJob], uploads: Mapping[str, str]) -> None:
    made: dict[str, str] = {}
    for one in recorded_jobs:
        for table in tables_of(_statements(one)):
            sources = words_of.work(one.job).data_sources
            made.setdefault(table, opening_code(table, sources, one.job.answer, uploads))
    if made:
        book.words("## The data", "", "Mend the places here where the files lie elsewhere.")
        book.code(*made.values())


def _statements(one: RecordedJob) -> Iterable[str]:
    if one.relation:
        return [str(one.relation["relation"])]
    return [step.statement.readable for step in one.job.steps if step.HasField("statement")]


def _tell(book: Book, one: RecordedJob) -> None:
    """Question, reading and doubts before the answer."""
    job, answer = one.job, one.job.answer
    lines = [f"## {plain_words(words_of.question(job))}", ""]
    if job.understood:
        lines += [f"**Read as** {plain_words(job.understood)}", ""]
    sure = words_of.sureness(answer)
    lines += [f"**Confidence**: {sure}", ""] if sure else []
    lines += [f"- ⚠ {plain_words(one)}" for one in answer.caveats if changes_reading(one)]
    lines += ["", plain_words(answer.text), ""]
    lines += [f"- {plain_words(one)}" for one in answer.caveats if not changes_reading(one)]
    if (failed := failure_of(job)) is not None:
        lines += [f"Not answered: `{failed.reason.code}`, {plain_words(failed.message)}"]
    if job.HasField("clarification"):
        lines += [f"It asked back: {plain_words(job.clarification.question)}"]
    book.words(*lines)
    for artifact, path in one.result.files:
        if artifact.artifact_type == ArtifactType.ARTIFACT_TYPE_CHART and path.suffix == ".png":
            book.picture(path, "The chart as it was recorded")


def _compute_again(book: Book, one: RecordedJob) -> None:
    job, rows = one.job, one.rows
    task = job.plan.answer_task
    step = next((s for s in job.steps if s.task_id == task and s.HasField("statement")), None)
    if step is None or rows is None:
        book.words(
            "The rows of this answer come from a step that is no query, and are not computed again "
            f"here: `assay verify {job.job_id[:8]} --recompute` does."
        )
        if rows is not None:
            book.code(book.keep(rows))
        return
    book.code(f"rows = opened.sql({literal(step.statement.readable)}).df()", "rows")
    for plotted in job.plan.subtasks:
        asked = json.loads(plotted.arguments_json or "{}")
        if plotted.tool_name == "plot.render" and asked.get("input") == task and asked.get("y_col"):
            given = (asked["type"], asked["x_col"], asked["y_col"], asked.get("series_col"))
            text = ", ".join(map(repr, given))
            book.code(f"drawn(rows, {text}, title={asked.get('title', '')!r})")
            break
    hidden = job.analysis.policy
    if hidden.allowed_columns or hidden.blocked_patterns:
        book.words("A policy hid columns or cells when this was asked; the files show them.")
    book.words(f"The recorded rows have the digest `{job.answer.table.digest}`.")
    book.code(f"same(rows, {book.keep(rows)})")


def _search_again(book: Book, one: RecordedJob) -> None:
    """The metric of each segment in both periods; what chance would find is not drawn again."""
    short = one.job.job_id[:8]
    found, changed, asked = one.searched, one.changed, one.relation
    if found is None or changed is None or not asked or "baseline" not in asked:
        book.words(
            "The figures of this investigation are not computed again here: "
            f"`assay verify {short} --recompute` does."
        )
        return
    import pyarrow.compute as pc

    book.words(
        "What the metric was in both periods, for everything and for each segment that was told, "
        "is computed again here. **Not computed again** are expected values, intervals, "
        "probabilities (they are of placebo searches), parts of mix and rate, and when it began: "
        f"`assay verify {short} --recompute` makes all calls again."
    )
    kept = found.filter(pc.is_in(found["kind"], value_set=_array(_SEARCHED)))
    statistics = dict(
        zip(changed["statistic"].to_pylist(), changed["value"].to_pylist(), strict=True)
    )
    before, after = statistics.get("baseline"), statistics.get("baseline_comparable")
    scale = after / before if before and after else 1.0
    periods = [(asked[name]["start"], asked[name]["end"]) for name in ("baseline", "comparison")]
    value = kept.select(["segment", "baseline", "comparison"])
    book.code(
        f"recorded = {book.keep(value)}",
        f"relation = {literal(str(asked['relation']))}",
        f"rows = moved(relation, {asked['time']!r}, recorded['segment'], {periods[0]}, "
        f"{periods[1]}, {scale!r}, {bool(asked.get('denominator'))})",
        "rows.insert(0, 'segment', recorded['segment'])",
        "rows",
    )
    book.code("same(rows, recorded)")


def _array(names: Iterable[str]) -> Any:
    import pyarrow as pa

    return pa.array(sorted(names))


def causal_files(result: Result) -> list[Path]:
    """The notebook that a causal job made, and the data beside it; none where it made none."""
    wanted = ("notebook.ipynb", "data.parquet")
    return [path for _, path in result.files if path.name in wanted]
