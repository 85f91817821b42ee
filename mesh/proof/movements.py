"""Whether frames of an investigation bear out what is told of a movement. Pure.

Such frames come in three forms: of the whole (one row a statistic: `statistic`, `value`), of a
search (one row an explanation: `kind`, `segment`, `effect`, …) and of faults of the data
(`severity`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from mesh.proof.assertions import NUMBER, QUOTED, Known, Span, Stated
from mesh.proof.wording import tokens

ALPHA = 0.05
"""Up to this chance, corrected for all that was searched, something stands out."""

_WHOLE = (
    "baseline",
    "unscaled",
    "comparison",
    "difference",
    "relative",
    "low",
    "high",
    "p",
    "year_baseline",
    "year_comparison",
)
_ROLES = {
    "baseline_comparable": "baseline",
    "effect": "difference",
    "share": "relative",
    "p_corrected": "p",
    "p_value": "p",
}
# What is said just before a number, by what it is.
_BEFORE = {
    "baseline": ("from", "forecast"),
    "unscaled": ("",),
    "comparison": ("to", "actual"),
    "difference": ("of", ""),
    "relative": ("or",),
    "low": ("interval",),
    "high": ("to",),
    "p": ("of", "below", "p"),
    "year_baseline": ("from",),
    "year_comparison": ("to",),
}
_SIDES = ("baseline", "comparison")
_KINDS = {"new": "new", "gone": "vanished", "mix": "mix", "alike": "alike"}
_LIKELIHOODS = (("most likely", 1), ("less likely", 10), ("likely", 3), ("possible", 5))


def moved(stated: Stated, span: Span, known: Known) -> str | None:
    """The whole in both periods, its difference, and which way that is."""
    fault, roles = _roles(stated, span, known)
    if fault:
        return fault
    if "difference" not in roles and not {"baseline", "comparison"} <= roles.keys():
        return "it names neither the difference nor both periods"
    if ("unscaled" in roles) != ("scaled" in _words(span)):
        return "what was scaled is told with what it was before, and nothing else"
    change = roles.get("difference")
    if change is None:
        change = roles["comparison"] - roles["baseline"]
    return _way_fault(change, span)


def off_forecast(stated: Stated, span: Span, known: Known) -> str | None:
    """The whole beside its forecast, and on which side of it that lies."""
    numbers = {str(known.cell(stated.frame_digest, row, "statistic")): row for row in stated.rows}
    if known.cell(stated.frame_digest, numbers.get("baseline", -1), "text") != "forecast":
        return "what it is compared with is no forecast"
    return moved(stated, span, known)


def contradicted(stated: Stated, span: Span, known: Known) -> str | None:
    """That the whole did not move as a question takes it to have, by its difference."""
    digest, [row] = stated.frame_digest, stated.rows
    if known.cell(digest, row, "statistic") != "difference":
        return "it is not about the difference"
    change, words = known.cell(digest, row, "value"), _words(span)
    is_so = change >= 0 if "fall" in words else "rise" in words and change <= 0
    return None if is_so else f"the change is {change:.6g}"


def weekdays(stated: Stated, span: Span, known: Known) -> str | None:
    """The difference over the same weekdays alone, with its interval."""
    digest, [row] = stated.frame_digest, stated.rows
    if known.cell(digest, row, "statistic") != "same_weekdays_difference":
        return "it is not about the same weekdays"
    claims = [known.claims[piece.stated.claim_id] for piece, _ in span.of(NUMBER)]
    texts = [claim.column for claim in claims]
    own = all((claim.frame_digest, claim.row) == (digest, row) for claim in claims)
    if not own or texts not in (["value"], ["value", "low", "high"]):
        return "it is told by other numbers"
    return None


def usual(stated: Stated, span: Span, known: Known) -> str | None:
    """Whether so much is seen by chance, with the probability of it."""
    fault, roles = _roles(stated, span, known)
    if fault or set(roles) != {"p"}:
        return fault or "it is about the probability alone"
    seldom = "unusual" in _words(span)
    return None if seldom == (roles["p"] <= ALPHA) else f"its probability is {roles['p']:.3g}"


def explained(stated: Stated, span: Span, known: Known) -> str | None:
    """What one row of a search found: its segment, its kind, its numbers and its place."""
    digest, [row] = stated.frame_digest, stated.rows
    fault, roles = _roles(stated, span, known)
    if fault:
        return fault
    if not _stands_out(known, digest, row):
        return "it does not stand out of chance"
    if fault := _segment_fault(digest, row, span, known):
        return fault
    kind, words = known.cell(digest, row, "kind"), _words(span)
    for word, other in _KINDS.items():
        if (word in words) != (kind == other):
            return f"it is of kind {kind!r}"
    if kind in ("segment", "rate") and {"baseline", "comparison"} <= roles.keys():
        fault = _way_fault(roles["comparison"] - roles["baseline"], span)
    return fault or _likelihood_fault(digest, row, span, known)


def habit(stated: Stated, span: Span, known: Known) -> str | None:
    """That a segment moved no further than between earlier periods, by a row that says so."""
    digest, [row] = stated.frame_digest, stated.rows
    fault, roles = _roles(stated, span, known)
    fault = fault or _segment_fault(digest, row, span, known)
    if fault or known.cell(digest, row, "kind") != "usual":
        return fault or f"it is of kind {known.cell(digest, row, 'kind')!r}"
    if {"baseline", "comparison"} <= roles.keys():
        fault = _way_fault(roles["comparison"] - roles["baseline"], span)
    return fault


def last_year(stated: Stated, span: Span, known: Known) -> str | None:
    """That a segment went the same way a year earlier, by at least half as much."""
    digest, [row] = stated.frame_digest, stated.rows
    fault, roles = _roles(stated, span, known)
    fault = fault or _segment_fault(digest, row, span, known)
    if fault or set(roles) != {"year_baseline", "year_comparison"}:
        return fault or "it is about the year before alone"
    now, then = (
        _part_moved(*(known.cell(digest, row, f"{year}{side}") for side in _SIDES))
        for year in ("", "year_")
    )
    if now * then > 0 and abs(then) >= abs(now) / 2 and known.cell(digest, row, "kind") != "mix":
        return None
    return f"it moved by {now:.3g} now, and by {then:.3g} then"


def at_fault(stated: Stated, span: Span, known: Known) -> str | None:
    """That the data are at fault, by a row that says so."""
    severity = known.cell(stated.frame_digest, stated.rows[0], "severity")
    return None if severity == "fault" else f"its severity is {severity!r}"


def in_doubt(stated: Stated, span: Span, known: Known) -> str | None:
    """That the data are in doubt, by a row that says so."""
    severity = known.cell(stated.frame_digest, stated.rows[0], "severity")
    return None if severity == "doubt" else f"its severity is {severity!r}"


def none_stands_out(stated: Stated, span: Span, known: Known) -> str | None:
    """That a search found nothing beyond chance."""
    rows = range(known.frames[stated.frame_digest].num_rows)
    found = [row for row in rows if _stands_out(known, stated.frame_digest, row)]
    return f"row {found[0]} does" if found else None


def _roles(stated: Stated, span: Span, known: Known) -> tuple[str | None, dict[str, float]]:
    """The numbers that are told, by what they are, or what is wrong with them."""
    digest, found = stated.frame_digest, dict[str, float]()
    for place, (piece, text) in enumerate(span.pieces):
        if piece.kind != NUMBER:
            continue
        claim = known.claims[piece.stated.claim_id]
        if claim.frame_digest != digest or claim.row not in stated.rows:
            return f"{text} is another row's number", {}
        role = _role(known, digest, claim.row, claim.column)
        if role == "baseline" and "baseline" in found:
            if known.cell(digest, claim.row, "statistic") != "baseline":
                return f"{text} is the baseline, and told twice", {}
            role = "unscaled"
        before = span.words_before(place).rstrip().rstrip("+(").rstrip()
        last = before.rpartition(" ")[2].strip("(,;").casefold()
        word = "" if last.endswith(":") else last
        if role not in _WHOLE or word not in _BEFORE[role]:
            return f"{text} is the {role}", {}
        if found and _WHOLE.index(role) <= _WHOLE.index(list(found)[-1]):
            return f"{text} is the {role}, and told after the {list(found)[-1]}", {}
        if role == "p" and _bound_only(known, digest, claim.row) != (last == "below"):
            return "a bound of the probability is told as the probability, or it as a bound", {}
        found[role] = float(known.cell(digest, claim.row, claim.column))
    return None, found


def _role(known: Known, digest: str, row: int, column: str) -> str:
    if column == "value":
        name = str(known.cell(digest, row, "statistic"))
        return _ROLES.get(name, name)
    return _ROLES.get(column, column)


def _bound_only(known: Known, digest: str, row: int) -> bool:
    """Whether the probability is no more than the number says."""
    names = known.frames[digest].column_names
    if "statistic" not in names:
        return bool(known.cell(digest, row, "p_at_most"))
    kinds, values = known.column(digest, "statistic"), known.column(digest, "value")
    return any(v for kind, v in zip(kinds, values, strict=True) if kind == "p_at_most")


def _stands_out(known: Known, digest: str, row: int) -> bool:
    p = known.cell(digest, row, "p_corrected")
    return p is not None and p <= ALPHA and known.cell(digest, row, "kind") != "total"


def _segment(known: Known, digest: str, row: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(known.cell(digest, row, "segment") or "{}")
    return found


def _segment_fault(digest: str, row: int, span: Span, known: Known) -> str | None:
    wanted = [text for item in _segment(known, digest, row).items() for text in item]
    texts = [text for _, text in span.of(QUOTED)]
    if [tokens(text) for text in texts] != [tokens(text) for text in wanted if text is not None]:
        return f"its segment is {known.cell(digest, row, 'segment')}"
    return None


def _part_moved(before: float | None, after: float | None) -> float:
    """A move as a part of the mean of before and after; 0 where one of them is not known."""
    size = (abs(before or 0.0) + abs(after or 0.0)) / 2
    return 0.0 if before is None or after is None or not size else (after - before) / size


def _way_fault(change: float, span: Span) -> str | None:
    words = " ".join(_words(span))
    for text, is_so in (
        ("rose", change > 0),
        ("fell", change < 0),
        ("stayed", change == 0),
        ("above its forecast", change > 0),
        ("below its forecast", change < 0),
        ("is as forecast", change == 0),
    ):
        if f" {text} " in f" {words} " and not is_so:
            return f"the change is {change:.6g}"
    return None


def _likelihood_fault(digest: str, row: int, span: Span, known: Known) -> str | None:
    """The likelihood of an explanation is by its rank; faults of the data may rank before it."""
    effects = known.column(digest, "effect")
    out = [r for r in range(len(effects)) if _stands_out(known, digest, r)]
    ranked = sorted(out, key=lambda r: -abs(effects[r] or 0.0))
    text = " ".join(span.text.casefold().split())
    number = next((most for words, most in _LIKELIHOODS if text.startswith(words)), 10)
    return None if ranked.index(row) < number else "others explain more"


def _words(span: Span) -> Sequence[str]:
    """The words of a stretch that are no pieces of it."""
    text, start = span.text, span.start
    for piece, _ in span.pieces:
        begin, end = piece.start - start, piece.end - start
        text = text[:begin] + " " * (end - begin) + text[end:]
    return "".join(c if c.isalpha() else " " for c in text).casefold().split()


CHECKS: dict[str, Callable[[Stated, Span, Known], str | None]] = {
    "moved": moved,
    "off_forecast": off_forecast,
    "usual": usual,
    "weekdays": weekdays,
    "explained": explained,
    "habit": habit,
    "last_year": last_year,
    "at_fault": at_fault,
    "in_doubt": in_doubt,
    "contradicted": contradicted,
    "none_stands_out": none_stands_out,
}
"""What bears out each kind of statement about a movement."""
