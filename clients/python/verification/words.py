"""The check of what an answer says: its words, its numbers, and the report that tells them again.

Every number, name and quotation in a text is recorded with its place, and so is what is stated of
cells there. The chain says what was recorded; whether it is so, the frames say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clients.python.verification import layout
from clients.python.verification.checks import sound_frame
from clients.python.verification.reading import Fault, Reading, count, member
from clients.python.verification.report import Evidence, report_fault
from mesh.proof.assertions import PIECES, TEXT, TITLE, Assertion, Known, assertion_of
from mesh.proof.quotation import Quotable, quotable
from mesh.proof.texts import text_fault

_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{64}")
_GAPS = re.compile(
    r"([\d,]+) of ([\d,]+) rows? (?:has|have) no .* neither as highest nor as lowest"
)
_NUMBER = re.compile(r"\d+")
_UNCHECKED = ("reasoning", "sentences")
_MARK = re.compile(rf"{_ID.pattern}|\d{{4}}-\d\d-\d\dT[\d:.]+Z?")


def check_words(reading: Reading) -> str:
    """Nothing is said that the cells do not bear out, in the answer or in its report."""
    found = reading.recorded
    if not found.answered:
        return "there is no answer to be borne out"
    try:
        text, caveats = str(found.end["text"]), [str(caveat) for caveat in found.end["caveats"]]
        assertions = [assertion_of(value) for value in found.end["assertions"]]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Fault(f"the chain records no sound assertions of the answer ({error!r})") from error
    if any(one.place not in (TEXT, TITLE) for one in assertions):
        raise Fault("an assertion is neither of the answer's text nor of its title")
    for digest in sorted(
        {d for one in assertions for d in (one.stated.frame_digest, one.stated.of_digest)} - {""}
    ):
        if digest not in found.frame_digests:
            raise Fault(f"frame {digest[:8]}: something is stated of it, and no call gave it")
        sound_frame(reading, digest)
    known = Known(
        {claim.claim_id: claim for claim in found.claims}, reading.frames, _quotable(reading)
    )
    fault = text_fault(text, TEXT, assertions, known) or _caveat_fault(reading, caveats)
    if fault:
        raise Fault(fault)
    reports = _check_reports(reading, text, caveats, assertions, known)
    stated = sum(one.kind not in PIECES for one in assertions)
    sentence = f" and in {count(reports, 'report')}" if reports else ""
    return f"{count(stated, 'statement')} borne out in the answer{sentence}"


def _check_reports(
    reading: Reading, text: str, caveats: list[str], assertions: list[Assertion], known: Known
) -> int:
    """Hold every report in Markdown against the chain; how many there are."""
    reports = [
        file
        for file in reading.recorded.files.values()
        if file.artifact_type == "report"
        and file.media_type == "text/markdown"
        and file.artifact_id in reading.recorded.end["artifacts"]
    ]
    end = reading.recorded.end
    shown = reading.frames.get(str(end.get("display") or end.get("table") or ""))
    numbers = _numbers(reading.recorded.events) | _numbers([reading.job_id])
    evidence = Evidence(
        text, caveats, assertions, known, shown, numbers, dict(end.get("formats") or {})
    )
    for file in reports:
        content = reading.bundle.text(member(layout.artifact_member, file.content_ref))
        fault = report_fault(content, evidence)
        if fault:
            raise Fault(f"{file.content_ref}: {fault}")
    return len(reports)


def _quotable(reading: Reading) -> Quotable:
    """What the question, the plans and the calls say, and how columns are called.

    Not why a plan was made, which tells of the data, nor ids, times and what is counted beside:
    there are digits enough in these for any number.
    """
    found = reading.recorded
    values = [event for event in found.events if event is not found.end]
    names = (name for frame in reading.frames.values() for name in frame.column_names)
    return quotable(text for text in (*_walk_texts(values), *names) if not _MARK.fullmatch(text))


def _walk_texts(value: Any) -> Iterator[str]:
    """Keys and texts, without the reasons of plans and what a model would have told."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _walk_texts(item if key not in _UNCHECKED else "")
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _walk_texts(item)
    elif isinstance(value, str):
        yield value


def _caveat_fault(reading: Reading, caveats: list[str]) -> str | None:
    """A caveat that counts gaps in the answer counts those of a column of one of its frames."""
    for caveat in caveats:
        found = _GAPS.match(caveat)
        if not found:
            continue
        missing, rows = (int(number.replace(",", "")) for number in found.group(1, 2))
        frames = [frame for frame in reading.frames.values() if frame.num_rows == rows]
        if not any(column.null_count == missing for frame in frames for column in frame.columns):
            return f"the caveat {caveat[:80]!r}: no frame of the answer has such gaps"
    return None


def _numbers(values: Any) -> set[str]:
    """Every run of digits in texts and numbers, with and without the commas between."""
    found: set[str] = set()
    for text in _texts(values):
        found.update(_NUMBER.findall(text))
        if _ID.fullmatch(text):
            found.update(_NUMBER.findall(text[:8]) + _NUMBER.findall(text[:12]))
        found.update(_NUMBER.findall(text.replace(",", "")))
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    else:
        yield str(value)
