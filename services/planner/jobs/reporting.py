"""The report of a job, stored in each of its forms as soon as it is made."""

from __future__ import annotations

from services.planner.domain.calls import Artifact, partial
from services.planner.domain.jobs.job import Job
from services.planner.domain.reporting.blocks import ReportSource
from services.planner.domain.reporting.html import render_html
from services.planner.domain.reporting.markdown import render_markdown
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.finishing import finished


async def stored_reports(
    with_: Collaborators, context: JobContext, job: Job, report: ReportSource
) -> list[Artifact]:
    """The report as Markdown and as HTML, each kept with the job before the next is made: whoever
    is stopped in between leaves what there is."""
    made: list[Artifact] = []
    for name, media_type, content in (
        ("report.md", "text/markdown", render_markdown(report)),
        ("report.html", "text/html", render_html(report)),
    ):
        about = {"format": media_type.partition("/")[2], "section_count": len(report.sections())}
        file = await finished(
            with_.tools.put_artifact(
                job.job_id, name, "report", media_type, content.encode(), about
            )
        )
        made.append(file)
        kept = (*job.partial_artifacts, *map(partial, made))
        await context.writer.save(job.model_copy(update={"partial_artifacts": kept}))
    return made
