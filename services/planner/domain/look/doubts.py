"""What to doubt of sources before anything is asked of them, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.doubt import Doubt, Use, gravest_first
from services.planner.domain.facts import TimeFacts
from services.planner.domain.look.kinds import SemanticKind
from services.planner.domain.look.look import Findings, TableFindings, TableLook

_MOST_SPELLINGS = 3
_FEW_MISSING = 0.25
"""Where more periods than this share have no row, times are not of that grain."""


def doubts_of(
    catalogue: Catalogue, findings: Findings, tables: Sequence[TableLook]
) -> tuple[Doubt, ...]:
    """What the executor saw in the data, and what was measured and seen of every table."""
    found = list(catalogue.doubts)
    known = {(doubt.table, doubt.column, doubt.code) for doubt in found}
    for table in tables:
        more = (*_measured(table, catalogue), *_seen(table, findings.of(table.name)))
        found += [one for one in more if (one.table, one.column, one.code) not in known]
    return gravest_first(found)


def _measured(table: TableLook, catalogue: Catalogue) -> Iterator[Doubt]:
    """What was counted and changes totals: rows that refer to nothing, rows again, periods without
    rows."""
    facts, known = catalogue.facts, catalogue.facts.of(table.name)
    for one in facts.references:
        if one.from_table == table.name and one.orphans:
            of = f"{one.orphans:,} of {one.filled:,} rows" + ("" if one.exact else " of a sample")
            share = one.orphans / one.filled
            yield Doubt(
                code="orphans",
                table=table.name,
                column=one.from_column,
                rows=one.orphans,
                share=share,
                said=f"{one.from_column}: {of} go with no row of {one.to_table}",
                changes="what is joined to that table lacks them",
                uses=(Use.GROUPED,),
                weight=min(1.0, 0.4 + share),
            )
    if known is None:
        return
    if known.repeated_rows:
        yield Doubt(
            code="repeated-rows",
            table=table.name,
            rows=known.repeated_rows,
            share=known.repeated_rows / known.rows,
            said=f"{known.repeated_rows:,} of {known.rows:,} rows are whole rows again",
            changes="sums and counts, if they were loaded twice",
            uses=(Use.ROWS,),
            weight=0.5,
        )
    elif table.rows and not known.keys and table.name not in facts.unfinished:
        text = "nothing found that tells its rows apart"
        yield Doubt(code="no-key", table=table.name, said=text, weight=0.3)
    for time in known.times if known.exact else ():
        if text := _uncovered(time):
            yield Doubt(
                code="periods",
                table=table.name,
                column=time.column,
                said=f"{time.column}: {text}",
                changes="comparisons of periods",
                uses=(Use.GROUPED,),
                weight=0.2,
            )


def _uncovered(time: TimeFacts) -> str:
    """Which periods of a column of times have no row or only a part of theirs, in words: at the
    coarsest grain that lacks some, of those that have several."""
    texts = []
    for grain in reversed(time.coverage):
        whole = grain.periods + grain.missing
        if grain.missing and grain.missing <= _FEW_MISSING * whole:
            such = ", ".join(grain.examples)
            texts.append(f"no row in {grain.missing:,} of {whole:,} {grain.grain}s, such as {such}")
            break
    parts = [(c, which) for c in time.coverage if c.periods > 1 for which in ("first", "last")]
    cut = [(c.grain, w) for c, w in parts if not getattr(c, f"{w}_whole")]
    ends = {"first": f"begins {time.first}", "last": f"ends {time.last}"}
    for which in ("first", "last"):
        if grains := [grain for grain, w in cut if w == which]:
            texts.append(f"the {which} {' and '.join(grains)} {ends[which]}")
    return "; ".join(texts)


def _seen(table: TableLook, seen: TableFindings) -> Iterator[Doubt]:
    """What a close look at the rows shows."""
    times = [c.name for c in table.columns if c.kind is SemanticKind.TIME]
    parts = [c.name for c in table.columns if c.kind is SemanticKind.DATE_PART]
    if len(times) > 1 and not table.time_column:
        yield _of_times(table, f"{len(times)} time columns: {', '.join(times)}")
    elif times and len(parts) > 1:
        yield _of_times(table, f"2 time columns: {'/'.join(parts)}, {times[0]}")
    for found in seen.columns:
        for text, n in found.missing:
            yield Doubt(
                code="missing-mark",
                table=table.name,
                column=found.column,
                rows=n,
                share=n / table.rows if table.rows else 0.0,
                examples=(text,),
                said=f'{found.column} "{text}" {_times(n)}',
                changes="it is a group of its own",
                uses=(Use.GROUPED,),
                weight=0.3,
            )
        for values in found.spellings:
            yield Doubt(
                code="spellings",
                table=table.name,
                column=found.column,
                examples=values[:_MOST_SPELLINGS],
                said=f"{found.column}: {_quoted(values)} differ by case or spaces alone",
                changes="each is a group of its own",
                uses=(Use.GROUPED, Use.FILTERED),
                weight=0.4,
            )


def _of_times(table: TableLook, text: str) -> Doubt:
    return Doubt(code="several-times", table=table.name, said=text, weight=0.3)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _quoted(values: tuple[str, ...]) -> str:
    texts = [f'"{value}"' for value in values[:_MOST_SPELLINGS]]
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
