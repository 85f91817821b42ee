"""Tables of figures: who finds how much, who is deceived by chance, by kind, noise and size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bench.root_cause.running import ALL_KINDS, NO_CAUSE, Record
from bench.root_cause.scoring import mean_interval, wilson

LEAD = 0.1
MOST_FALSE = 0.05
_SIZES = (2_000, 20_000, 300_000)


def printed(records: Sequence[Record]) -> str:
    """All tables, as Markdown."""
    parts: list[str] = []
    for form in ("rows", "leaves"):
        some = [record for record in records if record.form == form]
        if some:
            parts += [f"## {form}", "", *_whole(some), "", *_by_kind(some), ""]
            parts += [*_by(some, "noise", lambda r: f"{r.noise}, level {r.level}"), ""]
            parts += [*_by(some, "rows", _size), "", *_short_of_target(some), ""]
    return "\n".join(parts)


def by_kinds(records: Sequence[Record]) -> float:
    """Mean F1 of the kinds' means, so that each kind counts alike; of kinds that have a segment."""
    kinds = {r.kind for r in records if r.kind not in NO_CAUSE}
    means = [_f1([r for r in records if r.kind == kind]) for kind in kinds]
    return sum(means) / len(means) if means else float("nan")


def false_causes(records: Sequence[Record]) -> tuple[int, int]:
    """In how many of the cases without a segment to blame one was blamed (or the finder failed),
    and how many there are."""
    none = [r for r in records if r.kind in NO_CAUSE]
    return sum(bool(r.found or r.error) for r in none), len(none)


def _whole(records: Sequence[Record]) -> Iterator[str]:
    yield "| | mean F1 (95 %) | first found is true | a true one listed | false causes (95 %) | s |"
    yield "|---|---|---|---|---|---|"
    failed: list[str] = []
    for finder, own in _parts(records, lambda r: r.finder):
        caused = [r for r in own if r.kind not in NO_CAUSE]
        mean, low, high = mean_interval([r.f1 for r in caused])
        hits, count = false_causes(own)
        first = sum(r.rank == 1 for r in caused) / max(len(caused), 1)
        there = sum(r.rank is not None for r in caused) / max(len(caused), 1)
        seconds = sorted(r.seconds for r in own)[len(own) // 2]
        yield (
            f"| {finder} | {mean:.3f} ({low:.2f}–{high:.2f}) | {first:.0%} | {there:.0%} "
            f"| {_share(hits, count)} | {seconds:.2f} |"
        )
        errors = sum(bool(r.error) for r in own)
        failed += [f"{finder} failed on {errors} of {len(own)} cases"] if errors else []
    yield ""
    yield from failed


def _by_kind(records: Sequence[Record]) -> Iterator[str]:
    finders = [finder for finder, _ in _parts(records, lambda r: r.finder)]
    yield f"| kind | cases | {' | '.join(finders)} |"
    yield "|---|---|" + "---|" * len(finders)
    for kind in ALL_KINDS:
        own = [r for r in records if r.kind == kind]
        if not own:
            continue
        cells = []
        for finder in finders:
            of_finder = [r for r in own if r.finder == finder]
            hits, count = false_causes(of_finder)
            cells.append(f"{hits}/{count} false" if kind in NO_CAUSE else f"{_f1(of_finder):.2f}")
        yield f"| {kind} | {len(own) // len(finders)} | {' | '.join(cells)} |"


def _by(records: Sequence[Record], title: str, key: Callable[[Record], str]) -> Iterator[str]:
    finders = [finder for finder, _ in _parts(records, lambda r: r.finder)]
    yield f"| {title} | cases | {' | '.join(finders)} | false causes of {finders[0]} |"
    yield "|---|---|" + "---|" * (len(finders) + 1)
    for name, own in sorted(_parts(records, key)):
        cells = []
        for finder in finders:
            caused = [r for r in own if r.finder == finder and r.kind not in NO_CAUSE]
            cells.append(f"{_f1(caused):.2f}" if caused else "–")
        false = _share(*false_causes([r for r in own if r.finder == finders[0]]))
        yield f"| {name} | {len(own) // len(finders)} | {' | '.join(cells)} | {false} |"


def _short_of_target(records: Sequence[Record]) -> Iterator[str]:
    """Where the first finder does not lead each other by 0.1, or blames chance too often."""
    parts = _parts(records, lambda r: r.finder)
    first, own = parts[0]
    for finder, other in parts[1:]:
        lead = by_kinds(own) - by_kinds(other)
        yield f"{first} leads {finder} by {lead:+.3f}{'' if lead >= LEAD else ': short of 0.1'}  "
    for kind in ALL_KINDS:
        ours = [r for r in own if r.kind == kind]
        if not ours:
            continue
        hits, count = false_causes(ours)
        if kind in NO_CAUSE and hits > MOST_FALSE * count:
            yield f"{kind}: false causes in {_share(hits, count)}  "
        ahead = [
            f"{name} {_f1(theirs):.2f}"
            for name, each in parts[1:]
            if (theirs := [r for r in each if r.kind == kind])
            and kind not in NO_CAUSE
            and _f1(ours) < _f1(theirs) + LEAD
        ]
        if ahead:
            yield f"{kind}: {first} {_f1(ours):.2f}, {', '.join(ahead)}  "


def _f1(records: Sequence[Record]) -> float:
    return sum(r.f1 for r in records) / len(records) if records else float("nan")


def _share(hits: int, count: int) -> str:
    if not count:
        return "–"
    low, high = wilson(hits, count)
    return f"{hits / count:.1%} ({low:.1%}–{high:.1%} of {count})"


def _size(record: Record) -> str:
    return next(f"below {size:>7,}" for size in _SIZES if record.rows < size)


def _parts(
    records: Sequence[Record], key: Callable[[Record], str]
) -> list[tuple[str, list[Record]]]:
    out: dict[str, list[Record]] = {}
    for record in records:
        out.setdefault(key(record), []).append(record)
    return list(out.items())
