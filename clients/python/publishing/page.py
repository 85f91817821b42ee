"""A published text as one HTML page that needs nothing else: no script, no font, no other file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from clients.python.publishing.article import Article, render_article
from clients.python.publishing.cited import CitedFrame
from clients.python.publishing.resolving import Citations, Resolved
from clients.python.publishing.sections import render_frame
from mesh.text.harmless import harmless
from mesh.text.page import POLICY

GENERATOR = "assay publish"
"""By which a page of ours is known, and may be replaced."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --line: #d8dee4;
  --paper: #ffffff; --tint: #f4f6f8; --mark: #fff3bf; --link: #0b5cad; --doubt: #a04a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #9aa4ae; --line: #363d45; --paper: #14171a; --tint: #1d2126;
    --mark: #4a3f12; --link: #7cb7ff; --doubt: #ffb366; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 17px/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.8rem; line-height: 1.25; } h2 { font-size: 1.3rem; margin-top: 2.5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
section, .proofs { border-top: 1px solid var(--line); margin-top: 2.5rem; font-size: .9rem; }
section h2, .proofs h2 { margin-top: 1rem; }
a { color: var(--link); } a.from { text-decoration-style: dotted; text-underline-offset: .2em; }
.soft { color: var(--soft); font-size: .9em; } .asked { font-weight: 600; }
.doubts, .accepted { color: var(--doubt); } .accepted { font-size: .85em; }
:target { outline: 2px solid var(--link); outline-offset: 2px; }
code { background: var(--tint); padding: .05rem .25rem; border-radius: 3px; font-size: .85em; }
pre { background: var(--tint); padding: .7rem; overflow-x: auto; white-space: pre-wrap; }
pre code { padding: 0; } img { max-width: 100%; height: auto; background: #ffffff; }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
.wide { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
th[scope=row] { color: var(--soft); font-weight: 400; }
td.cited { background: var(--mark); } a.cited { color: inherit; text-decoration-style: dotted; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .9rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 34rem) { body { padding: 1rem .9rem 3rem; font-size: 16px; }
  dl { display: block; } dd { margin: 0 0 .5rem; } }
@media print { body { max-width: none; padding: 0; font-size: 11pt; } .wide { overflow: visible; }
  tr, img, pre { break-inside: avoid; } h2, h3 { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; } }
"""


@dataclass(frozen=True, slots=True)
class Imprint:
    """What a page says of itself: its name where no heading gives one, when it was made and by
    what, the folder of its proof as one who reads the page names it, and the id by which the mesh
    that keeps it says whether it still stands."""

    name: str
    published: str
    version: str
    proof: str
    publication_id: str = ""


def render_page(
    source: str, citations: Citations, frames: Sequence[CitedFrame], imprint: Imprint
) -> str:
    """The whole page."""
    article = render_article(source, citations, frames)
    title = escape(harmless(article.title or imprint.name))
    parts = [f"<article>\n{article.body}</article>", '<div class="proofs">']
    parts += [*_about(imprint), *_bindings(citations, article), "</div>"]
    parts += (render_frame(one, citations, article) for one in frames)
    parts += _verifying(frames, imprint)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<meta name="generator" content="{GENERATOR}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _about(imprint: Imprint) -> Iterator[str]:
    yield (
        f'<p class="soft">Published {escape(imprint.published)} by Assay {escape(imprint.version)}.'
        " Each number that is underlined leads to the cell that it is from; the text was checked"
        f" against those cells. Proofs are in <code>{escape(harmless(imprint.proof))}</code>."
        f"{_standing(imprint)}</p>"
    )


def _standing(imprint: Imprint) -> str:
    """A file cannot be taken back; whoever has one can ask whether its page was."""
    if not imprint.publication_id:
        return ""
    asked = f"assay page show {imprint.publication_id[:8]}"
    return f" Whether it still stands, <code>{asked}</code> says."


def _bindings(citations: Citations, article: Article) -> Iterator[str]:
    """Each binding in the order of the text, with all places that it is from."""
    listed = [one for one in citations.bindings if one.number in article.present]
    if not listed:
        return
    yield '<h2>Where each number is from</h2>\n<div class="wide"><table><thead><tr>'
    yield "<th>shown</th><th>is</th><th>from</th></tr></thead><tbody>"
    yield from map(_binding, listed)
    yield "</tbody></table></div>"


def _binding(one: Resolved) -> str:
    places = "<br>".join(
        f'<a href="#{escape(target.anchor)}">{escape(harmless(target.name))}</a>'
        + (f": {escape(harmless(target.value))}" if target.value else "")
        for target in one.targets
    )
    return (
        f'<tr id="from:{one.number}"><td><a href="#{one.anchor}">{escape(one.shown)}</a></td>'
        f"<td><code>{escape(one.reference)}</code></td><td>{places}</td></tr>"
    )


def _verifying(frames: Sequence[CitedFrame], imprint: Imprint) -> Iterator[str]:
    if not frames:
        return
    commands = "\n".join(
        f"assay verify {shlex.quote(f'{imprint.proof}/{one.proof.file}')}" for one in frames
    )
    yield '<div class="proofs">\n<h2>How to verify</h2>'
    yield (
        "<p>Each frame has a bundle: its rows, its statement, and the signed record of how they "
        "came to be. It is checked with no server and no data:</p>"
    )
    yield f"<pre><code>{escape(harmless(commands))}</code></pre>"
    yield (
        "<p>The SHA-256 of a bundle is that in the section of its frame. A proof says that the rows"
        " were computed as recorded, from the sources named there; it does not say that those"
        " are right. Who has the log's key from elsewhere adds <code>--log-key</code>.</p></div>"
    )
