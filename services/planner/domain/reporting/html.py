"""A report as one HTML file that needs nothing else: no script, no font, no file beside it."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from html import escape

from mesh.text.spelling import shortened
from services.planner.domain.answer import Claim
from services.planner.domain.reporting.blocks import (
    Block,
    Bullets,
    ClaimList,
    Code,
    Grid,
    Paragraph,
    Picture,
    ReportSource,
    StepText,
)
from services.planner.domain.reporting.prose import Cited, Ledger, Piece, Prose

_LONGEST_TEXT = 2_500
_SHORT_CELL = 24
# Nothing is loaded and nothing runs, whatever a cell of the data holds.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --line: #d8dee4;
  --paper: #ffffff; --tint: #f4f6f8; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #9aa4ae; --line: #363d45; --paper: #14171a; --tint: #1d2126;
    --link: #7cb7ff; } }
body { margin: 0 auto; max-width: 58rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.answer { font-size: 1.12rem; }
.small, .claims, .details { color: var(--soft); font-size: .88rem; }
a { color: var(--link); text-decoration: none; border-bottom: 1px dotted currentColor; }
img { max-width: 100%; height: auto; background: #ffffff; border-radius: 4px; }
.wide { overflow-x: auto; }
.chart { margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: normal; }
th { font-weight: 600; border-bottom-width: 2px; }
.number { text-align: right; padding-left: .6rem; padding-right: .4rem; }
td.number, td.short { white-space: nowrap; }
pre { background: var(--tint); padding: .7rem .9rem; border-radius: 4px; overflow-x: auto;
  font-size: .85rem; white-space: pre-wrap; }
summary { cursor: pointer; color: var(--soft); font-size: .88rem; }
li:target { background: var(--tint); outline: 2px solid var(--link); }
@media (max-width: 40rem) { body { padding: 1.2rem 1rem 3rem; } h1 { font-size: 1.4rem; }
  .chart img { max-width: none; width: 36rem; }
  .wide th:first-child, .wide td:first-child { position: sticky; left: 0;
    background: var(--paper); }
  pre { font-size: .78rem; } ul { padding-left: 1.2rem; } }
@media print { body { max-width: none; padding: 0; font-size: 11pt; }
  .wide { overflow: visible; } table { font-size: 8pt; }
  h2, h3 { break-after: avoid; } img, table, pre { break-inside: avoid; } }
"""


def render_html(report: ReportSource) -> str:
    """The whole file. Raises UnclaimedNumberError for a number nothing stands behind."""
    title = _prose(report.narration.headline, report.ledger)
    body = [f"<h1>{title}</h1>"]
    for section in report.sections():
        blocks = "\n".join(_block(block, report.ledger) for block in section.blocks)
        if section.heading:
            body.append(f"<section>\n<h2>{escape(section.heading)}</h2>\n{blocks}\n</section>")
        else:
            body.append(f'<section class="answer">\n{blocks}\n</section>')
    plain = escape(report.narration.headline.plain)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{plain}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _prose(prose: Prose, ledger: Ledger) -> str:
    return "".join(_piece(piece, ledger) for piece in prose.pieces)


def _piece(piece: Piece, ledger: Ledger) -> str:
    ledger.check(piece)
    if isinstance(piece, Cited):
        return f'<a href="#claim-{piece.claim_id}">{escape(piece.text)}</a>'
    text = piece.text
    return escape(text if len(text) <= _LONGEST_TEXT else shortened(text, _LONGEST_TEXT))


def _block(block: Block, ledger: Ledger) -> str:
    match block:
        case Paragraph(prose, small):
            kind = ' class="small"' if small else ""
            return f"<p{kind}>{_prose(prose, ledger)}</p>"
        case Bullets(items):
            return _list(_prose(item, ledger) for item in items)
        case Picture():
            return _picture(block, ledger)
        case Grid():
            return _grid(block)
        case Code():
            return _code(block)
        case StepText():
            return _step(block, ledger)
        case ClaimList(claims):
            listed = "\n".join(_claim(claim) for claim in claims)
            return f'<ol class="claims">\n{listed}\n</ol>'


def _list(items: Iterable[str], kind: str = "") -> str:
    body = "\n".join(f"<li>{item}</li>" for item in items)
    return f"<ul{kind}>\n{body}\n</ul>"


def _picture(picture: Picture, ledger: Ledger) -> str:
    for piece in picture.alternative.pieces:
        ledger.check(piece)
    media = escape(picture.artifact.media_type or "image/png")
    data = base64.b64encode(picture.content).decode()
    alternative = escape(picture.alternative.plain)
    image = f'<img alt="{alternative}" src="data:{media};base64,{data}">'
    return f'<div class="wide chart">{image}</div>'


def _grid(grid: Grid) -> str:
    kinds = [' class="number"' if right else "" for right in grid.numeric]
    head = "".join(
        f"<th{kind}>{escape(name)}</th>" for kind, name in zip(kinds, grid.columns, strict=True)
    )
    rows = [
        "<tr>"
        + "".join(
            f"<td{kind or _kept_on_one_line(cell)}>{escape(shortened(cell))}</td>"
            for kind, cell in zip(kinds, row, strict=True)
        )
        + "</tr>"
        for row in grid.rows
    ]
    body = "\n".join(rows)
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _kept_on_one_line(cell: str) -> str:
    """Dates and short names are not broken at their hyphens."""
    return ' class="short"' if len(cell) <= _SHORT_CELL else ""


def _code(code: Code) -> str:
    text = f"<pre><code>{escape(code.text)}</code></pre>"
    if not code.folded:
        return text
    return f"<details><summary>{escape(code.folded)}</summary>{text}</details>"


def _step(step: StepText, ledger: Ledger) -> str:
    details = _list((_prose(detail, ledger) for detail in step.details), ' class="details"')
    details = details if step.details else ""
    codes = "\n".join(_code(code) for code in step.codes)
    return f"<h3>{_prose(step.title, ledger)}</h3>\n{details}\n{codes}"


def _claim(claim: Claim) -> str:
    return (
        f'<li id="claim-{claim.claim_id}" value="{claim.claim_id}">'
        f"<strong>{escape(claim.text)}</strong> = {escape(shortened(claim.value))}: "
        f"row {claim.row + 1:,}, column {escape(shortened(claim.column))} of frame "
        f"<code>{escape(claim.frame_digest[:12])}</code>, call "
        f"<code>{escape(claim.call_id[:8])}</code></li>"
    )
