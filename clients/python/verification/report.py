"""Whether a report in Markdown says what the chain records, and no number besides.

Its title and its answer are held against their assertions, its table against the frame, its caveats
and claims against the chain. Every other number in it is one that the chain holds, or counts what
is there to be counted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import unescape
from typing import TYPE_CHECKING, Any

from mesh.proof.assertions import TITLE, Assertion, Known
from mesh.proof.claims import ClaimRecord
from mesh.proof.texts import is_called, text_fault
from mesh.text.spelling import shortened, shown

if TYPE_CHECKING:
    import pyarrow as pa

# An escaped sign, or a link: no link begins at an escaped bracket.
_LINK = re.compile(r"\\.|\[((?:\\.|[^\[\]\\])*)\]\(#claim-(\d+)\)")
_ESCAPED = re.compile(r"\\([\\`*_\[\]|~$+=#-])")
_NUMBER = re.compile(r"\d[\d,]*")
_OF_THE_RECORD = re.compile(
    r"[\d,]+ (?:ms|columns?|attempts|rows?|more rows?|more columns|numbers?)\b|"
    r"asked \d{4}-\d\d-\d\d \d\d:\d\d:\d\d|^Planned by .*$",
    re.MULTILINE,
)
_CLAIM = re.compile(r'- <a id="claim-(\d+)"></a>(.*)')
_SIGNED = re.compile(r"[-−]?[\d,]*\.?\d+")


@dataclass(frozen=True)
class Evidence:
    """What a report is held against: what was recorded, and the frame that its table shows.

    `numbers` are all runs of digits that the chain holds.
    """

    text: str
    caveats: Sequence[str]
    assertions: Sequence[Assertion]
    known: Known
    shown: pa.Table | None
    numbers: set[str]
    formats: Mapping[str, str]


def report_fault(content: str, evidence: Evidence) -> str | None:
    """The first thing in the report that is not as it was recorded, or None."""
    title, _, rest = content.partition("\n")
    if not title.startswith("# "):
        return "it has no title"
    linked = _link_fault(content, evidence.known)
    if linked:
        return linked
    fault = text_fault(plain(title[2:]), TITLE, evidence.assertions, evidence.known)
    if fault:
        return fault
    opening, *sections = re.split(r"^## ", rest, flags=re.MULTILINE)
    fault = _opening_fault(opening, plain(title[2:]), evidence)
    for section in sections:
        heading, _, body = section.partition("\n")
        check = _SECTIONS.get(heading, _record_fault)
        fault = fault or check(body, evidence)
    return fault


def plain(line: str) -> str:
    """A line of Markdown as text."""
    text = _LINK.sub(lambda found: found[1] if found[2] else found[0], line)
    return unescape(_ESCAPED.sub(r"\1", text.replace("&#8203;", "")))


def _link_fault(content: str, known: Known) -> str | None:
    for text, number in _LINK.findall(content):
        if not number:
            continue
        claim = known.claims.get(int(number))
        if claim is None or plain(text) != " ".join(claim.text.split()):
            return f"it prints {plain(text)[:60]!r} as claim {number}"
    return None


def _opening_fault(body: str, title: str, evidence: Evidence) -> str | None:
    """The answer, and a picture that is called what the title says."""
    for line in filter(None, body.split("\n")):
        picture = re.fullmatch(r"!\[((?:\\.|[^\]\\])*)\]\(\S+\)", line)
        text, wanted = (plain(picture.group(1)), title) if picture else (plain(line), evidence.text)
        if " ".join(text.split()) != " ".join(wanted.split()):
            return f"it says {text[:80]!r}, the answer does not"
    return None


def _table_fault(body: str, evidence: Evidence) -> str | None:
    """The table's cells are those of the frame, in its order."""
    lines = [line for line in body.split("\n") if line.startswith("|")]
    rest = "\n".join(line for line in body.split("\n") if not line.startswith("|"))
    if lines and evidence.shown is None:
        return "it shows a table, the answer has none"
    if evidence.shown is not None and len(lines) > 2:
        frame = evidence.shown
        for row, line in enumerate(lines[2:]):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if row >= frame.num_rows or len(cells) > frame.num_columns:
                return f"its table has more cells than the frame, in row {row + 1}"
            for position, cell in enumerate(cells):
                value = frame.column(position)[row].as_py()
                if not _is_printed(plain(cell), value, evidence.formats):
                    column = frame.column_names[position]
                    return (
                        f"its table says {plain(cell)[:40]!r} in row {row + 1}, column {column!r}"
                    )
    more = re.search(r"([\d,]+) more rows? in", rest)
    left = (evidence.shown.num_rows - len(lines[2:])) if evidence.shown is not None else 0
    if (more is not None or left) and (more is None or more.group(1) != f"{left:,}"):
        return f"its table leaves out {left:,} rows, and says otherwise"
    return _record_fault(rest, evidence)


def _is_printed(cell: str, value: Any, formats: Mapping[str, str]) -> bool:
    """Whether a cell of a table prints a value, rounded to the digits it shows."""
    if value is None:
        return cell == "–"
    if isinstance(value, date):
        spoken = {
            shown(value),
            f"{value.year}",
            f"{value.year}-{value.month:02}",
            f"{value.year}-Q{(value.month + 2) // 3}",
        }
        return cell in spoken or is_called(cell, value)
    if cell in ("", shortened(shown(value))) or is_called(cell, value):
        return cell != "" or value == ""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return " ".join(cell.split()) == " ".join(shortened(str(value)).split())
    printed = cell.removesuffix(" %").replace(",", "").replace("−", "-")
    if cell.endswith(" %"):
        number *= 100
    if not _SIGNED.fullmatch(printed) or not math.isfinite(number):
        return False
    half = 0.5 / 10 ** len(printed.partition(".")[2])
    return bool(abs(float(printed) - number) <= half * (1 + 1e-9) + abs(number) * 1e-12)


def _caveats_fault(body: str, evidence: Evidence) -> str | None:
    texts = [plain(line[2:]) for line in body.split("\n") if line.startswith("- ")]
    wanted = [" ".join(shortened(caveat, 2_500).split()) for caveat in evidence.caveats]
    same = [" ".join(line.split()) for line in texts] == wanted
    return None if same else "its caveats are not those that the chain records"


def _claims_fault(body: str, evidence: Evidence) -> str | None:
    lines = [line for line in body.split("\n") if line]
    if len(lines) != len(evidence.known.claims):
        return "its claims are not those that the chain records"
    for line in lines:
        found = _CLAIM.fullmatch(line)
        claim = evidence.known.claims.get(int(found.group(1))) if found else None
        if found is None or claim is None or plain(found.group(2)) != _spelled(claim):
            return f"its claims are not those that the chain records: {line[:80]!r}"
    return None


def _spelled(claim: ClaimRecord) -> str:
    where = f"row {claim.row + 1:,}, column {shortened(claim.column, 2_500)}"
    return (
        f"**{shortened(claim.text, 2_500)}** = {shortened(claim.value)}: {where} of frame "
        f"{claim.frame_digest[:12]}, call {claim.call_id[:8]}"
    )


def _record_fault(body: str, evidence: Evidence) -> str | None:
    """Numbers beside the matter are the chain's: ids, arguments, attempts, counts, times taken."""
    for number in _NUMBER.findall(_OF_THE_RECORD.sub("", plain(body))):
        parts = {part for part in number.split(",") if part}
        if number.replace(",", "") not in evidence.numbers and not parts <= evidence.numbers:
            return f"it says {number}, which nothing recorded holds"
    return None


_SECTIONS = {"Table": _table_fault, "Caveats": _caveats_fault, "Claims": _claims_fault}
