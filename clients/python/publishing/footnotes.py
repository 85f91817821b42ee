"""A published text as plain Markdown: each number with a footnote that names its cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clients.python.publishing.cited import CitedFrame
from clients.python.publishing.resolving import Citations, Resolved
from mesh.prose.bindings import find_asides, parse_text
from mesh.text.markdown import plain_words


def render_footnotes(
    source: str, citations: Citations, frames: Sequence[CitedFrame], proof: str
) -> str:
    """The text without braces, front matter and comments, then its footnotes."""
    text = "".join(_numbered(source, citations)).rstrip("\n")
    by_name = {one.name: one for one in frames}
    notes = [_note(one, by_name, proof) for one in _first_of_each(citations).values()]
    return "\n".join([text, "", *notes]) + "\n" if notes else f"{text}\n"


def _first_of_each(citations: Citations) -> dict[str, Resolved]:
    """One binding for each reference: two that name the same share a footnote."""
    found: dict[str, Resolved] = {}
    for one in citations.bindings:
        found.setdefault(one.reference, one)
    return found


def _numbered(source: str, citations: Citations) -> Iterator[str]:
    first = _first_of_each(citations)
    pieces = [
        (bound.start, bound.end, f"{one.shown}[^{first[one.reference].number}]")
        for bound, one in zip(parse_text(source).bound, citations.bindings, strict=True)
    ]
    pieces += [(one.start, one.end, "") for one in find_asides(source) if one.kind != "code"]
    at = 0
    for start, end, text in sorted(pieces):
        if start < at:
            continue
        yield source[at:start]
        yield text
        at = end
    yield source[at:]


def _note(one: Resolved, frames: dict[str, CitedFrame], proof: str) -> str:
    places = "; ".join(
        plain_words(each.name) + (f": {plain_words(each.value)}" if each.value else "")
        for each in one.targets
    )
    cited = [frames[name] for name in one.frames if name in frames]
    jobs = ", ".join(
        f"job {each.job.job_id[:8]}, {plain_words(proof)}/{each.proof.file}" for each in cited
    )
    accepted = "".join(
        f" {plain_words(each.name)} is contested; accepted: {plain_words(each.accepted)}."
        for each in cited
        if each.accepted
    )
    return f"[^{one.number}]: {places} ({jobs}).{accepted}"
