"""A report as a Markdown file (CommonMark with tables)."""

from __future__ import annotations

import re
from urllib.parse import quote

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

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_LINE_START = re.compile(r"^(\s*)([-+=#]|\d+(?=[.)](?:\s|$)))")
_LONGEST_TEXT = 2_500


def render_markdown(report: ReportSource) -> str:
    """The whole file. Raises UnclaimedNumberError for a number nothing stands behind."""
    lines = [f"# {_prose(report.narration.headline, report.ledger)}", ""]
    for section in report.sections():
        if section.heading:
            lines += [f"## {section.heading}", ""]
        for block in section.blocks:
            lines += [_block(block, report.ledger), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    """Text as one line that Markdown and HTML inside Markdown leave alone."""
    line = shortened(text, _LONGEST_TEXT).replace("&", "&amp;").replace("<", "&lt;")
    line = line.replace(">", "&gt;").replace("://", ":&#47;&#47;")
    return _SPECIAL.sub(r"\\\1", line)


def _prose(prose: Prose, ledger: Ledger) -> str:
    text = "".join(_piece(piece, ledger) for piece in prose.pieces).strip()
    return held(text)


def held(text: str) -> str:
    """A line of Markdown that opens no list or heading."""
    return _LINE_START.sub(_held, text)


def _held(found: re.Match[str]) -> str:
    """A line's first character, escaped so that it opens no list or heading."""
    mark = found.group(2)
    return f"{mark}&#8203;" if mark.isdigit() else f"\\{mark}"


def _piece(piece: Piece, ledger: Ledger) -> str:
    ledger.check(piece)
    if isinstance(piece, Cited):
        return f"[{escaped(piece.text)}](#claim-{piece.claim_id})"
    body = escaped(piece.text)
    before = " " if piece.text[:1].isspace() else ""
    after = " " if piece.text[-1:].isspace() and piece.text.strip() else ""
    return before + body + after


def _block(block: Block, ledger: Ledger) -> str:
    match block:
        case Paragraph(prose, small):
            text = _prose(prose, ledger)
            return f"<small>{text}</small>" if small else text
        case Bullets(items):
            return "\n".join(f"- {_prose(item, ledger)}" for item in items)
        case Picture():
            return _picture(block, ledger)
        case Grid():
            return _grid(block)
        case Code():
            return _code(block)
        case StepText():
            return _step(block, ledger)
        case ClaimList(claims):
            return "\n".join(_claim(claim) for claim in claims)


def _picture(picture: Picture, ledger: Ledger) -> str:
    for piece in picture.alternative.pieces:
        ledger.check(piece)
    place = f"../../charts/{picture.artifact.request_id}/{picture.file_name}"
    return f"![{escaped(picture.alternative.plain)}]({quote(place)})"


def _grid(grid: Grid) -> str:
    header = "| " + " | ".join(escaped(name) or " " for name in grid.columns) + " |"
    rule = "|" + "|".join(" ---: " if right else " --- " for right in grid.numeric) + "|"
    rows = ["| " + " | ".join(escaped(shortened(cell)) for cell in row) + " |" for row in grid.rows]
    return "\n".join([header, rule, *rows])


def _code(code: Code) -> str:
    longest = max((len(run) for run in re.findall(r"`+", code.text)), default=0)
    fence = "`" * max(3, longest + 1)
    text = f"{fence}{code.language}\n{code.text}\n{fence}"
    if not code.folded:
        return text
    return f"<details><summary>{escaped(code.folded)}</summary>\n\n{text}\n\n</details>"


def _step(step: StepText, ledger: Ledger) -> str:
    lines = [f"**{_prose(step.title, ledger)}**", ""]
    lines += [f"- {_prose(detail, ledger)}" for detail in step.details]
    for code in step.codes:
        lines += ["", _code(code)]
    return "\n".join(lines)


def _claim(claim: Claim) -> str:
    where = f"row {claim.row + 1:,}, column {escaped(claim.column)}"
    return (
        f'- <a id="claim-{claim.claim_id}"></a>**{escaped(claim.text)}** = '
        f"{escaped(shortened(claim.value))}: {where} of frame {claim.frame_digest[:12]}, "
        f"call {claim.call_id[:8]}"
    )
