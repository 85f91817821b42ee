"""What the notebook says around its code, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from mesh.text.markdown import plain_words
from services.executor.causal.notebook.arguments import CausalNotebookArguments, Expected


def front(arguments: CausalNotebookArguments, frame_digest: str, data_digest: str) -> str:
    """Title, job and digests."""
    job = arguments.job_id
    lines = [
        f"# {plain_words(arguments.title)}",
        "",
        "This notebook tells a causal study in words and computes its figures again from "
        "`data.parquet`, which lies beside it, with public packages alone.",
        "",
        *(
            [
                f"- Job `{job}`. `assay verify {job}` proves that each step of it was made as "
                "recorded."
            ]
            if job
            else []
        ),
        f"- The data's digest in the job's record: `{frame_digest}`.",
        f"- SHA-256 of `data.parquet`: `{data_digest}`.",
        f"- Seed of all that is drawn at random: {arguments.seed}.",
    ]
    return "\n".join(lines)


def render_estimates(recorded: Iterable[Expected], rows: int) -> str:
    """A table of the estimates that are only told."""
    lines = [
        "## Told, not computed again",
        "",
        "These estimates are as the job recorded them; computing them again would take long code "
        f"or, on the {rows:,} rows of all data sets, many minutes. They do not count among the "
        "figures that came out the same.",
        "",
        "| estimate | | 95 % interval |",
        "| --- | --- | --- |",
        *(
            f"| {plain_words(each.name)} | {each.estimate:.6g} | {each.ci_lower:.6g} to "
            f"{each.ci_upper:.6g} |"
            for each in recorded
        ),
    ]
    return "\n".join(lines)


def lines_of(text: str) -> str:
    """Line by line, with a list's items kept as such."""
    return "\n".join(
        f"- {plain_words(line[2:])}" if line.startswith("- ") else plain_words(line)
        for line in text.splitlines()
    )
