"""A published text as a notebook: its words, and each cited frame read from its bundle."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from clients.python.notebooks import in_notebook
from clients.python.notebooks.book import Book
from clients.python.publishing.cited import CitedFrame
from clients.python.publishing.footnotes import first_of_each, places_of, shown_text
from clients.python.publishing.page import GENERATOR, Imprint
from clients.python.publishing.resolving import Citations
from clients.python.verification.layout import frame_member
from mesh.text.markdown import plain_words

_PICTURE = re.compile(r"!(?=\[|\Z)")
_TICKS = re.compile("`+")
_TAKEN = frozenset(keyword.kwlist) | {
    "Path",
    "RECORDED",
    "bundled",
    "duckdb",
    "json",
    "opened",
    "pd",
    "plt",
}
"""Names that a frame cannot have in a notebook."""

_META = {"assay": {"generator": GENERATOR}}


def page_notebook(
    source: str, citations: Citations, frames: Sequence[CitedFrame], imprint: Imprint
) -> Book:
    """The notebook of a page. `imprint.proof` is the folder of the bundles as one who stands beside
    the notebook names it."""
    book = Book(imprint.proof)
    book.metadata = _META
    first = first_of_each(citations)
    text = shown_text(
        source, citations, lambda one: f"<sup>{first[one.reference].number}</sup>", _prose
    )
    book.words(text, "", *_about(imprint))
    if first:
        listed = (f"- {one.number}: {places_of(one)}" for one in first.values())
        book.words("## Where each number is from", "", *listed)
    if frames:
        book.setup([in_notebook.bundled])
    for one in frames:
        _show_frame(book, one)
    return book


def is_page_notebook(path: Path) -> bool:
    """Whether a file is a notebook that was made of a page."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return isinstance(told, dict) and told.get("assay") == _META["assay"]


def _prose(text: str) -> str:
    """Words of the author's, whose tags are words and whose pictures are links: Jupyter takes tags
    for HTML, and fetches pictures."""
    return _PICTURE.sub("&#33;", text.replace("<", "&lt;"))


def _about(imprint: Imprint) -> Iterable[str]:
    yield (
        f"*Published {imprint.published} by Assay {imprint.version}; the text was checked against "
        "the cells that its numbers are from. "
        f"Whether it still stands, `assay page show {imprint.publication_id[:8]}` says.*"
    )


def _show_frame(book: Book, one: CitedFrame) -> None:
    job = one.job
    statement = job.analysis.statement or job.plan.proposal.statement
    lines = [f"## {plain_words(one.name)}", ""]
    if one.accepted:
        lines += [f"⚠ It is contested; accepted: {plain_words(one.accepted)}", ""]
    lines += [f"- ⚠ {plain_words(said)}" for said in one.frame.doubts.values()]
    if statement:
        fence = "`" * (2 + max(map(len, _TICKS.findall(statement)), default=1))
        lines += ["", f"{fence}sql", statement, fence, ""]
    lines.append(f"Job `{job.job_id}`, bundle `{one.proof.file}`.")
    book.words(*lines)
    for number, chart in enumerate(one.charts, 1):
        book.image(chart, f"{one.name}-{number}.png", f"Chart of {plain_words(one.name)}")
    if not job.answer.table.digest:
        book.words("It has no table.")
        return
    member = frame_member(job.answer.table.digest)
    given = f"RECORDED / {one.proof.file!r}, {one.proof.sha256!r}, {member!r}"
    name = f"{one.name}_" if one.name in _TAKEN else one.name
    book.code(f"{name} = bundled({given})", name)
