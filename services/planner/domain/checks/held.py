"""Faults of what a table holds: rows that are none, rows loaded twice, lists in one text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sqlglot import exp

from mesh.repairs import option_of
from mesh.text.total_labels import LABELS
from services.planner.domain.catalogue import Column, DataType, Table
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.literals import compared, quoted, table_asked, text
from services.planner.domain.checks.relations import keys_of
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    amount,
    certain,
    counted,
    first,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged, Origin
from services.planner.domain.evidence import Value
from services.planner.domain.semantics.kinds import Kind, kind_of

_MOST_COLUMNS = 12
_MOST_ROWS = 2_000_000
"""Beyond this not every cell is looked at: it takes too long."""
_BY_CHANCE, _CLEARLY = 0.1, 5.0
"""The most rows that may be alike by chance for the data to be asked, as a share, and how many
times as many must be for it to be told."""
_LISTED = ("|", ";", ",", "/")
_MOSTLY_SHARED, _OFTEN = 0.5, 0.1
_COUNTED = (exp.Sum, exp.Avg, exp.Count, exp.CountIf)
_SAME = 0.01
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_MOST_NUMBERS = 6
_LEVELS = (1, 2, 3)
"""A grand total beside totals of groups comes to twice what all other rows do."""


def _aggregated(block: Block) -> Iterator[tuple[str, Table, exp.AggFunc]]:
    """Each table whose rows an aggregate adds up or counts, with the first that does."""
    seen: set[str] = set()
    for node in sorted(block.aggregates, key=lambda n: not isinstance(n, exp.Sum)):
        if not isinstance(node, _COUNTED) or isinstance(node.this, exp.Distinct):
            continue
        named = {column.table for column in node.find_all(exp.Column)} or set(block.sources)
        for alias in sorted(named - seen):
            source = block.sources.get(alias)
            if isinstance(source, Table):
                seen.add(alias)
                yield alias, source, node


def _no_rows(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for alias, table, node in _aggregated(block):
            texts = [c for c in table.stored if _may_label(c, table, judged)][:_MOST_COLUMNS]
            if texts and table.rows <= _MOST_ROWS:
                yield _labelled(judged, block, alias, table, node, texts)


def _may_label(column: Column, table: Table, judged: Judged) -> bool:
    """Whether a cell of a column may be what a total is called: none is, where that was counted."""
    known = judged.catalogue.facts.column(table.name, column.name)
    counted_none = known is not None and not known.labels
    return column.data_type is DataType.STRING and column.distinct != 1 and not counted_none


def _labelled(
    judged: Judged,
    block: Block,
    alias: str,
    table: Table,
    node: exp.AggFunc,
    texts: list[Column],
) -> Suspicion:
    some = exp.or_(*(_is_none(alias, column) for column in texts))
    others = exp.Not(this=exp.func("coalesce", exp.paren(some.copy()), exp.false()))
    rows = _filtered(exp.Count(this=exp.Star()), some)
    probe = block.asking(_filtered(node, some), _filtered(node, others), rows)
    added = [
        column
        for column in table.stored
        # What a sample alone is known of is read where there is anything to find.
        if column.data_type in _NUMBERS and kind_of(column, table) != Kind.ID and not column.unread
    ]
    whole = f"{alias}.*" if len(block.sources) > 1 else table.name

    def weigh(answers: Answers) -> Weighed | None:
        flags, labels = first(answers), first(answers, 1)
        if flags is None or labels is None or not flags[2] or not flags[1]:
            return None
        labelled, rest, count = (float(str(cell or 0)) for cell in flags)
        column, sure = _of_labels(table, texts, labels)
        if column is None:
            return None
        same = isinstance(node, exp.Sum) and abs(labelled - rest) <= _SAME * abs(rest)
        name = column.name.casefold()
        grouped = any(isinstance(g, exp.Column) and g.name == name for g in block.groups)
        are = _is_none(alias, column)
        missing = exp.Is(this=are.this.copy(), expression=exp.Null())
        kept = block.select.copy().where(exp.paren(exp.or_(missing, exp.Not(this=are))))
        severity = Severity.ERROR if same else Severity.DOUBT
        return Weighed(
            f"{counted(count, 'row')} of {whole} with the {column.name} of a total or a heading "
            f"among those of {judged.spelled(node)}: {amount(labelled)} beside {amount(rest)} of "
            "all others",
            f"leave out rows whose {column.name} is a total or a heading",
            {"rows": count, "labelled": labelled, "others": rest},
            fix=judged.changed(block.select, kept),
            severity=Severity.NOTE if grouped or not sure else severity,
        )

    probes = (probe, _labels_asked(table, texts, added[:_MOST_NUMBERS])) if probe else ()
    return Suspicion(judged.spelled(node), weigh, probes)


def _labels_asked(table: Table, texts: list[Column], added: list[Column]) -> str:
    """A question to a table: in how many rows two texts (or the only one) are their columns' names,
    for each text in how many it is such a name or a total's, and what each number comes to in rows
    that are called totals and in all others."""
    listed = ", ".join(map(text, LABELS))
    read = [f"lower(trim({quoted(column.name)}))" for column in texts]
    heads = " + ".join(
        f"coalesce(({one} = {text(column.name.casefold())})::INT, 0)"
        for one, column in zip(read, texts, strict=True)
    )
    totals = [f"{one} IN ({listed})" for one in read]
    some = f"coalesce({' OR '.join(totals)}, FALSE)"
    head = f"{heads} >= {min(len(texts), 2)}"
    asked = [f"count(*) FILTER (WHERE {head})"]
    for one, total, column in zip(read, totals, texts, strict=True):
        named = f"{one} = {text(column.name.casefold())}"
        asked.append(f"count(*) FILTER (WHERE {total} OR ({named} AND {head}))")
    place = quoted(table.name)
    for column in added:
        summed = f"sum({quoted(column.name)})"
        labelled = f"{summed} FILTER (WHERE {some})"
        asked += [labelled, f"(SELECT {summed} FROM {place}) - coalesce({labelled}, 0)"]
    # Every cell is looked at once; all else is asked of the few rows in which there is something.
    either = " OR ".join(
        f"{one} IN ({listed}, {text(column.name.casefold())})"
        for one, column in zip(read, texts, strict=True)
    )
    return f"SELECT {', '.join(asked)} FROM {place} WHERE {either}"


def _of_labels(
    table: Table, texts: list[Column], labels: Sequence[Value]
) -> tuple[Column | None, bool]:
    """The column that calls rows totals or headings, and whether they are: by what they add up to,
    or as one of few things of which each comes again and again. A company may be called Total."""
    heads, *values = (float(str(cell or 0)) for cell in labels)
    totals, sums = values[: len(texts)], values[len(texts) :]
    most = max(totals)
    if not most:
        return None, False
    column = texts[totals.index(most)]
    again = most > 1 and column.distinct <= table.rows / most
    pairs = zip(sums[::2], sums[1::2], strict=True)
    adds_up = any(
        rest and any(abs(total - n * rest) <= _SAME * abs(n * rest) for n in _LEVELS)
        for total, rest in pairs
    )
    return column, bool(heads) or again or adds_up


def _is_none(alias: str, column: Column) -> exp.In:
    """The condition that a row is a total or the heading repeated, by this column."""
    name = exp.column(column.name.casefold(), table=alias)
    labels = dict.fromkeys((*LABELS, column.name.casefold()))
    value = exp.Lower(this=exp.Trim(this=name))
    return exp.In(this=value, expressions=[exp.Literal.string(label) for label in labels])


def _filtered(node: exp.Expr, condition: exp.Expr) -> exp.Expr:
    return exp.Filter(this=node.copy(), expression=exp.Where(this=condition.copy()))


def _double_load(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for _, table, node in _aggregated(block):
            if keys_of(table, judged.catalogue) or not 1 < table.rows <= _MOST_ROWS:
                continue
            known = judged.catalogue.facts.of(table.name)
            if known is not None and known.repeated_rows == 0:
                continue
            if _alike_by_chance(table) < _BY_CHANCE:
                yield _loaded(judged, table, node)


def _alike_by_chance(table: Table) -> float:
    """The share of rows that would be alike if values came together at random."""
    ways = sum(math.log(max(column.distinct, 1)) for column in table.stored)
    return math.exp(min(math.log(table.rows) - math.log(2) - ways, 0.0))


def _loaded(judged: Judged, table: Table, node: exp.AggFunc) -> Suspicion:
    names = ", ".join(quoted(column.name) for column in table.stored)
    probe = (
        f"SELECT sum(n), count(*), count(*) FILTER (WHERE n > 1) FROM (SELECT count(*) AS n FROM "
        f"{quoted(table.name)} GROUP BY {names}) AS each_row"
    )

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or not values[2]:
            return None
        rows, apart, twice = values
        if rows - apart < _CLEARLY * _alike_by_chance(table) * rows:
            return None
        return Weighed(
            f"{counted(rows - apart, 'row')} of {table.name} are whole rows again, of {rows:,.0f}: "
            f"{judged.spelled(node)} takes {counted(twice, 'row')} more than once",
            f"read (SELECT DISTINCT * FROM {table.name}) where they were loaded twice",
            {"rows": rows, "rows_once": apart},
        )

    return Suspicion(judged.spelled(node), weigh, (probe,))


def _lists(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in [*block.groups, *_distinct_counted(block)]:
            origin = block.origin(node)
            if origin is not None and not origin.through:
                yield from _of_lists(judged, judged.spelled(node), origin)
    for one in compared(judged, exp.EQ, exp.In):
        if one.literal.is_string:
            value = one.literal.name
            yield from _of_lists(judged, judged.spelled(one.node), one.origin, value)


def _of_lists(judged: Judged, at: str, origin: Origin, sentence: str = "") -> Iterator[Suspicion]:
    """What is suspected of a column that is grouped by, or compared with a text."""
    doubt = judged.catalogue.doubted("lists", origin.table.name, origin.column.name)
    mark = _mark(origin.column)
    mend = ""
    if doubt is not None and doubt.repairs:
        first = doubt.repairs[0]
        mend = f"read it with --read {option_of(first.kind, first.column, first.value)}"
    if doubt is not None and (not mark or all(one.startswith("[") for one in doubt.examples)):
        yield certain(at, f"{doubt.said}: {doubt.changes}", mend)
    elif mark and mark not in sentence:
        yield _listed(at, origin, mark, sentence, mend)


def _distinct_counted(block: Block) -> Iterator[exp.Expr]:
    for node in block.aggregates:
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
            yield from node.this.expressions


def _mark(column: Column) -> str:
    """What stands between the parts of a column's values, as its samples show; else empty."""
    if column.data_type is not DataType.STRING:
        return ""
    return next((m for m in _LISTED if any(m in sample for sample in column.samples)), "")


def _listed(at: str, origin: Origin, mark: str, sentence: str, mend: str) -> Suspicion:
    """Asks whether what stands second in values stands first in others: then they are lists."""
    name, column, table = quoted(origin.column.name), origin.column, origin.table
    one, two = (f"lower(trim(split_part({name}, {text(mark)}, {n})))" for n in (1, 2))
    firsts = f"SELECT {one} FROM {quoted(table.name)}"
    padded = f"{text(mark)} || replace(lower({name}), {text(mark + ' ')}, {text(mark)}) || "
    inside = f"contains({padded}{text(mark)}, {text(mark + sentence.lower() + mark)})"
    probe = table_asked(
        origin,
        f"count({name}), count(*) FILTER (WHERE {two} <> ''), count(DISTINCT {two}) FILTER (WHERE "
        f"{two} <> ''), count(DISTINCT {two}) FILTER (WHERE {two} <> '' AND {two} IN ({firsts})), "
        f"count(*) FILTER (WHERE {inside} AND lower({name}) <> {text(sentence.lower())})",
    )

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None:
            return None
        rows, several, parts, shared, left_out = values
        if (
            several < _OFTEN * rows
            or shared < _MOSTLY_SHARED * parts
            or (sentence and not left_out)
        ):
            return None
        what = f"{counted(several, 'row')} of {table.name} hold several {column.name} in one text"
        sizes = {"rows": rows, "lists": several}
        if sentence:
            return Weighed(
                f"{what}, and {counted(left_out, 'row')} with {text(sentence)} among others are "
                "left out",
                mend
                or f"list_contains(string_split({column.name}, {text(mark)}), {text(sentence)})",
                sizes | {"left_out": left_out},
            )
        return Weighed(
            f"{what}, which counts as a value of its own",
            mend or f"group by the parts: unnest(string_split({column.name}, {text(mark)}))",
            sizes,
        )

    return Suspicion(at, weigh, (probe,))


_TOTALLED = {
    "sales": "region,amount\nNorth,10\nSouth,20\nEast,5\nTotal,35\n",
    "votes": "region,party\nNorth,Blue\nregion,party\nSouth,Red\nNorth,Red\n",
    "brands": "brand,litres\nShell,4\nTotale,8\nEsso,3\n",
    "jobless": "sex,year,rate\n"
    + "".join(
        f"{sex},{year},{rate}\n"
        for year in (2020, 2021, 2022)
        for sex, rate in (("Men", 4.5), ("Women", 5.5), ("Total", 5.0))
    ),
}
_READ = "".join(f"{'ab'[i % 2]},{i * 1.25},{i}:05\n" for i in range(8))
_FILMS = {
    "films": (
        "title,genres,place\nAsh,Drama|Comedy,Oslo/NO\nBay,Drama,Rome/IT\nCut,Comedy|Action,Bari/IT"
        "\nDew,Action|Drama,Moss/NO\nElm,Comedy,Nice/FR\n"
    )
}
NO_ROWS = Rule(
    "D01",
    "rows that are none",
    Severity.DOUBT,
    "A row of totals, or the heading repeated, among the rows that are added or counted: every "
    "amount counts twice (Wickham, Tidy data, 2014, sec. 3). An error where the total's row is "
    "what all others add up to, a note where the name may be that of a thing, as of a company.",
    _no_rows,
    (
        Example(
            _TOTALLED,
            (
                "SELECT sum(amount) FROM sales",
                "SELECT avg(s.amount) FROM sales s",
                "SELECT count(*) FROM votes",
                "SELECT region, sum(amount) FROM sales GROUP BY region",
                "SELECT year, avg(rate) FROM jobless GROUP BY year",
            ),
            (
                "SELECT sum(amount) FROM sales WHERE region <> 'Total'",
                "SELECT sum(amount) FROM sales WHERE region = 'Total'",
                "SELECT sum(litres) FROM brands",
                "SELECT count(*) FROM votes WHERE party = 'Red'",
            ),
        ),
    ),
)
DOUBLE_LOAD = Rule(
    "D02",
    "double load",
    Severity.DOUBT,
    "Whole rows that are there twice, in a table without a key and of values that do not come "
    "together by chance, were likely loaded twice: sums and counts are too large.",
    _double_load,
    (
        Example(
            {
                "readings": f"sensor,value,at\n{_READ}{_READ}",
                "once": f"sensor,value,at\n{_READ}a,1.25,9:06\n",
                "dice": "die\n1\n2\n2\n6\n6\n1\n",
            },
            ("SELECT sum(value) FROM readings", "SELECT sensor, count(*) FROM readings GROUP BY 1"),
            (
                "SELECT max(value) FROM readings",
                "SELECT sum(value) FROM once",
                "SELECT count(*) FROM dice",
                "SELECT count(*) FROM (SELECT DISTINCT * FROM readings) t",
            ),
        ),
    ),
)
LISTS = Rule(
    "D03",
    "lists",
    Severity.DOUBT,
    "A list in one text is no value: 'Drama|Comedy' is a group of its own and not among the "
    "dramas (first normal form: Codd, 1970). Told where what stands second in some values stands "
    "first in others.",
    _lists,
    (
        Example(
            _FILMS,
            (
                "SELECT genres, count(*) FROM films GROUP BY genres",
                "SELECT count(DISTINCT genres) FROM films",
                "SELECT count(*) FROM films WHERE genres = 'Drama'",
            ),
            (
                "SELECT place, count(*) FROM films GROUP BY place",
                "SELECT g, count(*) FROM (SELECT unnest(string_split(genres, '|')) AS g FROM "
                "films) t GROUP BY g",
                "SELECT count(*) FROM films WHERE genres LIKE '%Drama%'",
            ),
        ),
        Example(SHOP, (), ("SELECT region, count(*) FROM orders GROUP BY region",)),
    ),
)
RULES = (NO_ROWS, DOUBLE_LOAD, LISTS)
