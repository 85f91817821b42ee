"""A test of whether two columns go together, asked in words of cause: it shows an association, and
which study would show more."""

from __future__ import annotations

import re
import shlex
from urllib.parse import urlsplit

from services.planner.domain.data_source import DataSource
from services.planner.domain.query.intent import Field, Statistic
from services.planner.domain.reporting.story import Story

_OF_CAUSE = re.compile(
    r"\b(?:affect|influenc|impact|driv(?:e|es|en|ing)\b|determin|caus|effects?\b|depend|matters?\b"
    r"|relat(?:e|ion)|associat|link(?:s|ed)?\b|connect)",
    re.IGNORECASE,
)


def describe_association(story: Story) -> tuple[str, ...]:
    """One caveat where a question of what one column does to another was answered by whether they
    go together; none for other questions and other tests."""
    statistic = story.reading.statistic if story.reading is not None else None
    pair = _pair(statistic) if statistic is not None else None
    if pair is None or not _OF_CAUSE.search(story.request.question):
        return ()
    cause, outcome = pair
    return (
        f"This tells an association: whether {outcome.column} goes with {cause.column}, not what "
        f"{cause.column} does to it. That, or that these data cannot tell it, is for "
        f"{_command(story, cause, outcome)}",
    )


def _pair(statistic: Statistic) -> tuple[Field, Field] | None:
    """What may act and on what; of a link that has no direction in the order of the question."""
    explaining = statistic.predictors or ((statistic.by,) if statistic.by is not None else ())
    if explaining and statistic.columns:
        return (explaining[0], statistic.columns[0]) if len(explaining) == 1 else None
    return (statistic.columns[0], statistic.columns[1]) if len(statistic.columns) == 2 else None


def _command(story: Story, cause: Field, outcome: Field) -> str:
    sources = story.request.data_sources
    if cause.table != outcome.table or len(sources) != 1 or not sources[0].label:
        return "assay causal, of a table that has both."
    words = [
        "assay",
        "causal",
        *_source(sources[0]),
        "--table",
        cause.table,
        "--treatment",
        cause.column,
        "--outcome",
        outcome.column,
    ]
    return shlex.join(words)


def _source(source: DataSource) -> tuple[str, str]:
    """How a source is named to a command, without the folders of a machine that may be another."""
    if not source.connection_string:
        return "--data", source.label
    scheme = urlsplit(source.connection_string).scheme
    local = scheme.partition("+")[0] in ("sqlite", "duckdb")
    return "--db", f"{scheme}:///{source.label}" if local else source.address
