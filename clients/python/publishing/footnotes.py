"""A published text as plain Markdown: each number with a footnote that names its cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from clients.python.publishing.cited import CitedFrame
from clients.python.publishing.resolving import Citations, Resolved
from mesh.prose.bindings import find_asides, parse_text
from mesh.text.markdown import plain_words


def render_footnotes(
    source: str, citations: Citations, frames: Sequence[CitedFrame], proof: str
) -> str:
    """The text without braces, front matter and comments, then its footnotes."""
    first = first_of_each(citations)
    text = shown_text(source, citations, lambda one: f"[^{first[one.reference].number}]")
    by_name = {one.name: one for one in frames}
    notes = [_note(one, by_name, proof) for one in first.values()]
    return "\n".join([text, "", *notes]) + "\n" if notes else f"{text}\n"


def first_of_each(citations: Citations) -> dict[str, Resolved]:
    """One binding for each reference, counted from 1: two that name the same share a footnote."""
    found: dict[str, Resolved] = {}
    for one in citations.bindings:
        found.setdefault(one.reference, replace(one, number=len(found) + 1))
    return found


def shown_text(
    source: str,
    citations: Citations,
    marked: Callable[[Resolved], str],
    prose: Callable[[str], str] = str,
) -> str:
    """The text without braces, front matter and comments: what each binding shows, and its mark.

    `prose` is what becomes of words that are no code.
    """
    pieces = [
        (bound.start, bound.end, f"{prose(one.shown)}{marked(one)}")
        for bound, one in zip(parse_text(source).bound, citations.bindings, strict=True)
    ]
    for one in find_asides(source):
        kept = source[one.start : one.end] if one.kind == "code" else ""
        pieces.append((one.start, one.end, kept))
    return "".join(_filled(source, sorted(pieces), prose)).rstrip("\n")


def _filled(
    source: str, pieces: Sequence[tuple[int, int, str]], prose: Callable[[str], str]
) -> Iterator[str]:
    at = 0
    for start, end, text in pieces:
        if start < at:
            continue
        yield prose(source[at:start])
        yield text
        at = end
    yield prose(source[at:])


def places_of(one: Resolved) -> str:
    """The cells that a binding is from, with what stands there, and how it is reckoned of them
    where it is not one of them."""
    places = "; ".join(
        plain_words(each.name) + (f": {plain_words(each.value)}" if each.value else "")
        for each in one.targets
    )
    told = len(one.targets) == 1 and (one.targets[0].value or one.reference.startswith("doubt "))
    return places if told else f"{plain_words(one.reference)}, from {places}"


def _note(one: Resolved, frames: dict[str, CitedFrame], proof: str) -> str:
    cited = [frames[name] for name in one.frames if name in frames]
    jobs = ", ".join(
        f"job {each.job.job_id[:8]}, {plain_words(proof)}/{each.proof.file}" for each in cited
    )
    accepted = "".join(
        f" {plain_words(each.name)} is contested; accepted: {plain_words(each.accepted)}."
        for each in cited
        if each.accepted
    )
    return f"[^{one.number}]: {places_of(one)} ({jobs}).{accepted}"
