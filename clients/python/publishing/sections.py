"""One section for each frame of a page: what it answers, its doubts, its rows, its proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from html import escape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from assay.common.v1.checks_pb2 import CheckFinding, CheckSeverity
from assay.common.v1.job_pb2 import Job
from clients.python import words_of
from clients.python.cli.declared import describe_twin, twin_of
from clients.python.publishing.article import Article, accepted_note, picture
from clients.python.publishing.cited import CitedFrame
from clients.python.publishing.resolving import Citations, doubt_anchor, section_anchor
from clients.python.publishing.rows import render_rows
from mesh.remarks import changes_reading, is_found
from mesh.text.harmless import harmless

_NOTE = CheckSeverity.CHECK_SEVERITY_NOTE
_ERROR = CheckSeverity.CHECK_SEVERITY_ERROR


def render_frame(cited: CitedFrame, citations: Citations, article: Article) -> str:
    """The section of a frame; cells link back to the bindings that are present in the text. Charts
    that are shown there are not shown again."""
    name, job = cited.name, cited.job
    parts = [f'<section id="{section_anchor(name)}">', f"<h2>{_text(name)}</h2>", *_asked(job)]
    parts.append(f'<p class="soft">{_computed(cited)}</p>')
    if cited.accepted:
        parts.append(f"<p>{accepted_note(name, cited.accepted)}</p>")
    parts += _findings(cited)
    if name not in article.drawn:
        parts += (picture(chart, f"Chart of {name}") for chart in cited.charts)
    if cited.table is None:
        parts.append('<p class="soft">It has no table.</p>')
    else:
        parts.append(render_rows(name, cited.table, citations, article.present))
    parts += _proof(cited)
    return "\n".join([*parts, "</section>"])


def _asked(job: Job) -> Iterator[str]:
    question, written = words_of.question(job), job.analysis.statement
    if not written:
        yield f'<p class="asked">{_text(question)}</p>'
        if job.understood:
            yield f'<p class="soft">Understood as: {_text(job.understood)}</p>'
    else:
        yield '<p class="asked">A statement in SQL, run as it was written</p>'
    statement = written or job.plan.proposal.statement
    if statement:
        yield (
            "<details><summary>Its statement in SQL</summary>"
            f"<pre><code>{_text(statement)}</code></pre></details>"
        )


def _computed(cited: CitedFrame) -> str:
    job = cited.job
    when = job.updated_at.ToDatetime(tzinfo=UTC)
    sources = list(dict.fromkeys(map(_source_name, cited.proof.sources)))
    texts = [f"Computed {when:%Y-%m-%d %H:%M} UTC"]
    texts += [f"over {', '.join(sources)}"] if sources else []
    texts += [f"confidence: {sure}"] if (sure := words_of.sureness(job.answer)) else []
    return _text(" · ".join(texts))


def _findings(cited: CitedFrame) -> Iterator[str]:
    """What is doubted in it first, then what is to be known beside it."""
    job = cited.job
    found = list(job.plan.proposal.findings)
    others = [one for one in job.answer.caveats if not is_found(one)]
    doubts = [_found(cited.name, one) for one in found if one.severity != _NOTE]
    doubts += [f"<li>{_text(one)}</li>" for one in others if changes_reading(one)]
    if cited.accepted and all(one.severity != _ERROR for one in found):
        doubts.insert(0, "<li>A frame that it is computed from has an error in its statement.</li>")
    notes = [_found(cited.name, one) for one in found if one.severity == _NOTE]
    notes += [f"<li>{_text(one)}</li>" for one in others if not changes_reading(one)]
    if (twin := twin_of(job)) is not None:
        told = f"Held against what it is declared to mean: {describe_twin(twin)}"
        notes.append(f"<li>{_text(told)}</li>")
    notes += [f"<li>Not checked: {_text(one)}</li>" for one in job.plan.proposal.not_checked]
    yield from _listed("Doubts", doubts, "doubts")
    yield from _listed("Notes", notes, "soft")


def _listed(heading: str, items: list[str], kind: str) -> Iterator[str]:
    if items:
        yield f'<h3>{heading}</h3>\n<ul class="{kind}">{"".join(items)}</ul>'


def _found(name: str, one: CheckFinding) -> str:
    grave = "error, " if one.severity == _ERROR else ""
    mend = f" Mend: {one.mend}." if one.mend else ""
    words = f"{one.code} ({grave}{one.name}): {one.said}.{mend}"
    return f'<li id="{escape(doubt_anchor(name, one.code))}">{_text(words)}</li>'


def _proof(cited: CitedFrame) -> Iterator[str]:
    proof = cited.proof
    rows = [
        ("job", f"<code>{_text(cited.job.job_id)}</code>"),
        ("bundle", f"<code>{_text(proof.file)}</code>, SHA-256 <code>{proof.sha256}</code>"),
        ("record", f"{proof.entries:,} entries, the last <code>{_text(proof.head)}</code>"),
        ("checkpoint", f"<code>{'<br>'.join(map(_text, _signed(proof.checkpoint)))}</code>"),
    ]
    rows += [("source", _source(one)) for one in proof.sources]
    rows.append(("verified", _checks(f"{one.name}: {one.detail}" for one in proof.checks)))
    yield "<h3>Proof</h3>\n<dl>"
    for label, content in rows:
        yield f"<dt>{label}</dt><dd>{content}</dd>"
    yield "</dl>"


def _signed(checkpoint: str) -> list[str]:
    """What the log signed: its name, its size and the root over its entries."""
    return checkpoint.split("\n\n")[0].split("\n")[:3]


def _source(one: Mapping[str, Any]) -> str:
    name, digest = _source_name(one), one.get("sha256")
    return _text(name) + (f", SHA-256 <code>{_text(str(digest))}</code>" if digest else "")


def _source_name(one: Mapping[str, Any]) -> str:
    """What a source is called; nothing of the folder or the server that it is in."""
    place = urlsplit(str(one.get("place") or "")).path
    return str(one.get("name") or PurePosixPath(place).name or "database")


def _checks(checks: Iterable[str]) -> str:
    return "<br>".join(_text(one) for one in checks)


def _text(text: str) -> str:
    """Words of anybody as HTML."""
    return escape(harmless(text))
