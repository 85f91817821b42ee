"""Faults of conditions on values: what no row has, part of a value, empty cells, spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from services.planner.domain.catalogue import DataType
from services.planner.domain.checks.examples import CATALOGUE_OF_FILMS, SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.literals import Compared, compared, quoted, table_asked, text
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rows,
    Rule,
    Suspicion,
    Weighed,
    counted,
    first,
    numbers,
    settled,
)
from services.planner.domain.checks.statement import Judged
from services.planner.domain.doubt import beyond_case
from services.planner.domain.facts import ValueCount

_EQUAL = (exp.EQ, exp.In)
_LIKE = (exp.Like, exp.ILike)
_FEW = 12
_HARDLY = 0.01
"""The share of rows below which another spelling changes no group much."""
_NO_LETTERS = re.compile(r"[^a-z0-9]+")


def _no_such_value(judged: Judged) -> Iterator[Suspicion]:
    for one in compared(judged, *_EQUAL, *_LIKE, exp.NEQ):
        if isinstance(one.node, exp.NEQ) and not one.literal.name.strip():
            continue  # that no text is empty is taken for granted, and changes nothing
        if one.origin.column.data_type is DataType.STRING and one.literal.is_string:
            yield _of_literal(judged, one)


def _of_literal(judged: Judged, one: Compared) -> Suspicion:
    value, column, table = one.literal.name, one.origin.column, one.origin.table
    name = quoted(column.name)
    if isinstance(one.node, _LIKE):
        operator = "ILIKE" if isinstance(one.node, exp.ILike) else "LIKE"
        condition = f"{name} {operator} {text(value)}"
    elif isinstance(one.column.parent, exp.Lower | exp.Upper):
        condition = f"lower({name}) = {text(value.lower())}"
    else:
        condition = f"{name} = {text(value)}"
    bare = value.strip("%")
    likeness = f"jaro_winkler_similarity(lower({name}), {text(bare.lower())})"
    letters = "".join(word[0] for word in bare.lower().split() if word[0].isalnum())
    if len(letters) > 1:  # "United States" may be written "USA"
        short = f"lower({name}) LIKE {text(letters + '%')} AND length({name}) <= {len(letters) + 1}"
        likeness = f"CASE WHEN {short} THEN 2 ELSE {likeness} END"
    nearest = table_asked(
        one.origin,
        name,
        f"{name} IS NOT NULL",
        f" GROUP BY {name} ORDER BY {likeness} DESC, count(*) DESC, {name} LIMIT 3",
    )
    probes = (table_asked(one.origin, "count(*)", condition), nearest)

    def weigh(answers: Answers) -> Weighed | None:
        found = numbers(answers)
        if found is None or found[0]:
            return None
        near = [str(row[0]) for row in (answers[1] or ()) if row[0] is not None]
        few = column.distinct <= _FEW and len(column.samples) == column.distinct
        known = list(column.samples) if few else near
        holds = "its values are " if few else "the nearest are "
        sentence = f"; {holds}{', '.join(map(text, known))}" if known else ""
        same = [v for v in near if v.casefold().strip() == value.casefold().strip()]
        fix = judged.changed(one.literal, exp.Literal.string(same[0])) if same else ""
        return Weighed(
            f"no row of {table.name} has {column.name} {text(value)}{sentence}",
            f"write {text(same[0])}" if same else "take one of the values that there are",
            fix=fix,
        )

    known = judged.catalogue.facts.column(table.name, column.name)
    if known is not None and known.whole and not isinstance(one.node, _LIKE):
        folded = isinstance(one.column.parent, exp.Lower | exp.Upper)
        alike = {value, value.lower()} if folded else {value}
        if any((v.value.lower() if folded else v.value) in alike for v in known.values):
            return settled(judged.spelled(one.node), weigh, ((1,),))
    return Suspicion(judged.spelled(one.node), weigh, probes)


def _part_of_a_value(judged: Judged) -> Iterator[Suspicion]:
    for one in compared(judged, *_EQUAL):
        if one.origin.column.data_type is DataType.STRING and one.literal.is_string:
            yield _of_part(judged, one)


def _of_part(judged: Judged, one: Compared) -> Suspicion:
    content, column, table = one.literal.name, one.origin.column, one.origin.table
    name = quoted(column.name)
    padded = f"(' ' || regexp_replace(lower({name}), '[^a-z0-9]+', ' ', 'g') || ' ')"
    words = " ".join("".join(c if c.isalnum() else " " for c in content.lower()).split())
    has = f"{padded} LIKE {text(f'% {words} %')} AND lower({name}) <> {text(content.lower())}"
    ask = table_asked(
        one.origin,
        f"{name}, count(*)",
        has,
        f" GROUP BY {name} ORDER BY count(*) DESC, {name} LIMIT 3",
    )

    def weigh(answers: Answers) -> Weighed | None:
        others = [(str(row[0]), float(str(row[1]))) for row in (answers[0] or ())]
        if not others or not words:
            return None
        listed = ", ".join(f"{text(value)} ({counted(count, 'row')})" for value, count in others)
        return Weighed(
            f"{text(content)} is also part of other values of {column.name} in {table.name}: "
            f"{listed}",
            "say whether these are meant, too",
            {"other_values": float(len(others))},
        )

    at = judged.spelled(one.node)
    known = judged.catalogue.facts.column(table.name, column.name)
    if known is not None and known.whole and words.isascii():
        return settled(at, weigh, _having(words, content, known.values))
    return Suspicion(at, weigh, (ask,) if words.isascii() else ())


def _having(words: str, sentence: str, values: Sequence[ValueCount]) -> Rows:
    """As the question of a part of a value, answered by all values that there are."""
    found = [
        one
        for one in values
        if f" {words} " in f" {_NO_LETTERS.sub(' ', one.value.lower())} "
        and one.value.lower() != sentence.lower()
    ]
    found.sort(key=lambda one: (-one.rows, one.value))
    return tuple((one.value, one.rows) for one in found[:3])


def _empty_left_out(judged: Judged) -> Iterator[Suspicion]:
    for one in compared(judged, exp.NEQ, exp.In, exp.Like, exp.ILike):
        if one.negated and one.origin.column.nulls and not _speaks_of_empty(one):
            yield _of_empty(judged, one)
    for block in judged.blocks:
        for node in block.own(exp.In):
            query = node.args.get("query")
            if query is not None and isinstance(node.parent, exp.Not):
                yield _nothing_comes(judged, node, query.unnest())


def _speaks_of_empty(one: Compared) -> bool:
    """Whether the statement says itself what becomes of rows without a value."""
    column = one.column.sql()
    spoken = [node for node in one.block.own(exp.Is) if node.this.sql() == column]
    filled = [node for node in one.block.own(exp.Coalesce) if node.this.sql() == column]
    return bool(spoken or filled)


def _of_empty(judged: Judged, one: Compared) -> Suspicion:
    column, table = one.origin.column, one.origin.table
    ask = table_asked(one.origin, "count(*)", f"{quoted(column.name)} IS NULL")
    whole = one.node.parent if isinstance(one.node.parent, exp.Not) else one.node
    kept = exp.or_(whole.copy(), exp.Is(this=one.column.copy(), expression=exp.Null()))
    fix = judged.changed(whole, exp.paren(kept))

    def weigh(answers: Answers) -> Weighed | None:
        empty = numbers(answers)
        if empty is None or not empty[0]:
            return None
        return Weighed(
            f"{counted(empty[0], 'row')} of {table.name} without {column.name}: the condition "
            "leaves them out as well",
            "keep them with OR … IS NULL, or say that they are left out",
            {"empty": empty[0]},
            fix=fix,
        )

    return Suspicion(judged.spelled(whole), weigh, (ask,))


def _nothing_comes(judged: Judged, node: exp.Expr, query: exp.Expr) -> Suspicion:
    item = query.expressions[0].unalias() if isinstance(query, exp.Select) else None
    asked = query.copy()
    rows = exp.select("count(*)").from_(exp.Subquery(this=asked, alias="listed"))
    name = query.expressions[0].alias_or_name if item is not None else ""
    condition = f"listed.{quoted(name)} IS NULL"
    probe = judged.spelled(judged.with_queries(rows.where(condition), node)) if name else ""

    def weigh(answers: Answers) -> Weighed | None:
        empty = numbers(answers)
        if empty is None or not empty[0]:
            return None
        return Weighed(
            f"the list has {counted(empty[0], 'empty value')}, and nothing is ever NOT IN a list "
            "with an empty value: no row comes",
            "leave empty values out of the list, or use NOT EXISTS",
            {"empty": empty[0]},
            severity=Severity.ERROR,
        )

    return Suspicion(judged.spelled(node), weigh, (probe,) if probe else ())


def _spellings(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for group in block.groups:
            origin = block.origin(group)
            if origin is None or origin.through or origin.column.data_type is not DataType.STRING:
                continue
            known = judged.catalogue.facts.column(origin.table.name, origin.column.name)
            if known is not None and not known.spelled_apart:
                continue
            doubt = judged.catalogue.doubted("spellings", origin.table.name, origin.column.name)
            if doubt is not None and beyond_case(doubt):
                continue  # D04 tells it
            inner = block.asking(exp.alias_(group.copy(), "assay_value"))
            if inner:
                yield _of_spellings(judged.spelled(group), origin.column.name, inner)


def _of_spellings(at: str, column: str, inner: str) -> Suspicion:
    """Asks which of the values that are grouped differ in spelling alone, and how many rows have
    not the usual one of theirs."""
    spelled = f"SELECT assay_value, count(*) AS n FROM ({inner}) AS each_row GROUP BY assay_value"
    ask = (
        f"WITH spelled AS ({spelled}) SELECT min(assay_value), max(assay_value), "
        "sum(sum(n) - max(n)) OVER (), (SELECT sum(n) FROM spelled) FROM spelled WHERE assay_value "
        "IS NOT NULL GROUP BY lower(trim(assay_value)) HAVING count(*) > 1 ORDER BY sum(n) DESC "
        "LIMIT 3"
    )

    def weigh(answers: Answers) -> Weighed | None:
        found = first(answers)
        if found is None:
            return None
        other, every = (float(str(cell)) for cell in found[2:])
        listed = "; ".join(f"{text(str(a))} and {text(str(b))}" for a, b, *_ in answers[0] or ())
        return Weighed(
            f"{column} has values that differ by case or spaces alone and are counted apart: "
            f"{listed}; {counted(other, 'row')} of {every:,.0f} {'is' if other == 1 else 'are'} "
            "spelt otherwise than most",
            "group by lower(trim(…))",
            {"rows": every, "otherwise": other},
            severity=Severity.NOTE if other < _HARDLY * every else Severity.DOUBT,
        )

    return Suspicion(at, weigh, (ask,))


NO_SUCH_VALUE = Rule(
    "F01",
    "no such value",
    Severity.ERROR,
    "A condition asks for a value that the column does not hold: the result is empty or a total "
    "too small, and looks like an answer.",
    _no_such_value,
    (
        Example(
            SHOP,
            (
                "SELECT count(*) FROM customers WHERE city = 'oslo'",
                "SELECT sum(freight) FROM orders WHERE region IN ('North', 'Sout')",
                "SELECT count(*) FROM lines WHERE product LIKE 'Pen%'",
            ),
            (
                "SELECT count(*) FROM customers WHERE city = 'Oslo'",
                "SELECT count(*) FROM customers WHERE lower(city) = 'oslo'",
                "SELECT count(*) FROM lines WHERE product ILIKE 'Pen%'",
            ),
        ),
    ),
)
PART_OF_A_VALUE = Rule(
    "F02",
    "part of a value",
    Severity.NOTE,
    "A value is part of others: rows of 'IT/IS' are not among those of 'IT', nor is 'Decca "
    "Classics' Decca.",
    _part_of_a_value,
    (
        Example(
            CATALOGUE_OF_FILMS,
            (
                "SELECT count(*) FROM films WHERE studio = 'Decca'",
                "SELECT count(*) FROM films WHERE department = 'IT'",
            ),
            (
                "SELECT count(*) FROM films WHERE studio = 'Decca Classics'",
                "SELECT count(*) FROM films WHERE department = 'HR'",
            ),
        ),
    ),
)
EMPTY_LEFT_OUT = Rule(
    "F03",
    "not equal and empty",
    Severity.DOUBT,
    "What is empty is neither equal nor unequal: <>, NOT IN and NOT LIKE leave it out unsaid, and "
    "NOT IN a list with an empty value gives no row at all (SQL:2016, three-valued logic).",
    _empty_left_out,
    (
        Example(
            SHOP,
            (
                "SELECT count(*) FROM orders WHERE region <> 'North'",
                "SELECT count(*) FROM orders WHERE region NOT IN ('North')",
                "SELECT count(*) FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM "
                "orders)",
            ),
            (
                "SELECT count(*) FROM orders WHERE region <> 'North' OR region IS NULL",
                "SELECT count(*) FROM orders WHERE region IS DISTINCT FROM 'North'",
                "SELECT count(*) FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM "
                "orders WHERE customer_id IS NOT NULL)",
                "SELECT count(*) FROM customers WHERE city <> 'Oslo'",
            ),
        ),
    ),
)
SPELLINGS = Rule(
    "F07",
    "spellings",
    Severity.DOUBT,
    "One thing in two spellings is two groups, each with a part of its rows; a note where hardly a "
    "row is spelt otherwise.",
    _spellings,
    (
        Example(
            CATALOGUE_OF_FILMS,
            ("SELECT genre, count(*) FROM films GROUP BY genre",),
            ("SELECT lower(genre), count(*) FROM films GROUP BY 1",),
        ),
    ),
)
RULES = (NO_SUCH_VALUE, PART_OF_A_VALUE, EMPTY_LEFT_OUT, SPELLINGS)
