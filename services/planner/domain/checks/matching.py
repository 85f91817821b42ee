"""Faults of values that are to be equal: keys that hardly meet, numbers that lose their digits."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.literals import quoted, text
from services.planner.domain.checks.relations import conditions
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    certain,
    counted,
    first,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged, Origin
from services.planner.domain.semantics.kinds import Kind, kind_of

_FEWEST_SHARED = 0.1
_FEWEST_VALUES = 5
_EXACT = 2**53
"""Above this a floating-point number cannot tell every whole number from the next (IEEE 754)."""
_NUMERIC = (DataType.INTEGER, DataType.FLOAT)
_EQUALS = (exp.EQ, exp.NullSafeEQ)


def _weak_keys(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for node in conditions(block):
            if not isinstance(node, _EQUALS):
                continue
            one, other = _plain(block, node.left), _plain(block, node.right)
            if one is None or other is None or one.table is other.table:
                continue
            if _all_meet(node, one, other, judged.catalogue):
                continue
            kinds = {one.column.data_type, other.column.data_type}
            if DataType.STRING in kinds or not _known(one, other, judged.catalogue):
                yield _weak(judged, node, one, other)


def _all_meet(node: exp.Binary, one: Origin, other: Origin, catalogue: Catalogue) -> bool:
    """Whether it was measured that every value of one column is among the other's as it is."""
    if not isinstance(node.left, exp.Column) or not isinstance(node.right, exp.Column):
        return False
    ends = ((one.table.name, one.column.name), (other.table.name, other.column.name))
    found = [catalogue.facts.reference(*a, *b) for a, b in (ends, ends[::-1])]
    return any(known and known.exact and known.filled and not known.orphans for known in found)


def _plain(block: Block, node: exp.Expr) -> Origin | None:
    """The column of a table that one side of a condition is, cast or not."""
    inner = _uncast(node)
    origin = block.origin(inner)
    return origin if origin is not None and not origin.through else None


def _uncast(node: exp.Expr) -> exp.Expr:
    inner = node.unnest()
    while isinstance(inner, exp.Cast | exp.TryCast):
        inner = inner.this.unnest()
    return inner


def _known(one: Origin, other: Origin, catalogue: Catalogue) -> bool:
    """Whether the one column is known to refer to the other."""
    ends = {(one.table.name, one.column.name), (other.table.name, other.column.name)}
    for link in catalogue.relationships:
        pairs = ((link.from_column, link.to_column), *link.further)
        if any({(link.from_table, a), (link.to_table, b)} == ends for a, b in pairs):
            return True
    return False


def _weak(judged: Judged, node: exp.Binary, one: Origin, other: Origin) -> Suspicion:
    left, right = _written(node.left), _written(node.right)
    probes = (_shared(one, other, left, right), _shared(other, one, right, left))
    fixed = node.copy()
    for side in ("this", "expression"):
        fixed.set(side, exp.maybe_parse(_alike(judged.spelled(node.args[side])), dialect="duckdb"))
    texts = one.column.data_type is other.column.data_type is DataType.STRING

    def weigh(answers: Answers) -> Weighed | None:
        values = [numbers(answers, which) for which in (0, 1)]
        if None in values:
            return None
        (here, met, alike, apart), (there, met_back, alike_back, apart_back) = values  # type: ignore[misc]
        names = (
            f"{one.column.name} of {one.table.name} and {other.column.name} of {other.table.name}"
        )
        sizes = {"values": here, "other_values": there, "shared": max(met, met_back)}
        gained = max(alike - met, alike_back - met_back)
        safe = texts and apart == here and apart_back == there
        if gained > 0:
            return Weighed(
                f"{counted(gained, 'value')} of {names} differ in case, spaces or leading zeros "
                f"alone and do not meet; {met:,.0f} of {here:,.0f} do",
                "compare them in one spelling",
                sizes | {"alike": alike},
                fix=judged.changed(node, fixed) if safe else "",
                severity=None if met else Severity.ERROR,
            )
        few = met < _FEWEST_SHARED * here and met_back < _FEWEST_SHARED * there
        if not few or min(here, there) < _FEWEST_VALUES:
            return None
        return Weighed(
            f"{names} share {met:,.0f} of {here:,.0f} and {there:,.0f} values",
            "join by columns that hold the same things",
            sizes,
            severity=None if met else Severity.ERROR,
        )

    return Suspicion(judged.spelled(node), weigh, probes)


def _alike(value: str) -> str:
    """A value as it compares where case, spaces and leading zeros do not count."""
    lower = f"lower(trim(CAST({value} AS TEXT)))"
    return rf"regexp_replace(regexp_replace({lower}, '\.0+$', ''), '^0+([0-9])', '\1')"


def _written(side: exp.Expr) -> str:
    """What one side makes of a value of its column, with `{}` in the column's place."""
    if not isinstance(side.unnest(), exp.Cast | exp.TryCast):
        return "{}"
    kind = side.unnest().args["to"].sql("duckdb")
    return f"TRY_CAST({{}} AS {kind})"


def _shared(here: Origin, there: Origin, own: str, theirs: str) -> str:
    """How many values of a column there are, how many of them the other has, as they are and
    without regard to their spelling, and how many stay apart so."""
    name, far = quoted(here.column.name), quoted(there.column.name)
    table, other = quoted(here.table.name), quoted(there.table.name)
    if here.column.data_type is not there.column.data_type and own == theirs:
        own = theirs = "TRY_CAST({} AS DOUBLE)"
    own, theirs = own.format("v"), theirs.format(far)
    return (
        f"SELECT count(*), count(*) FILTER (WHERE {own} IN (SELECT {theirs} FROM {other})), "
        f"count(*) FILTER (WHERE {_alike('v')} IN (SELECT {_alike(far)} FROM {other})), "
        f"count(DISTINCT {_alike('v')}) FROM (SELECT DISTINCT {name} AS v FROM {table} "
        f"WHERE {name} IS NOT NULL) AS each_value"
    )


def _inexact(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        compared = [*block.own(*_EQUALS, exp.In), *block.groups]
        for node in compared:
            for side in _sides(node):
                origin = _plain(block, side)
                if origin is None:
                    continue
                if origin.column.data_type is DataType.STRING and _as_number(block, node, side):
                    yield _zeros(judged, node, origin)
                elif origin.column.data_type is DataType.FLOAT and _beyond(origin):
                    yield certain(
                        judged.spelled(node),
                        f"{origin.column.name} holds whole numbers up to {origin.column.maximum} "
                        "as floating-point numbers, which cannot be told from their neighbours "
                        "above 2^53",
                        "hold them as whole numbers or texts",
                    )
        for cast in block.own(exp.Cast, exp.TryCast):
            yield from _rounded(judged, block, cast)


def _sides(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, _EQUALS):
        return [node.left, node.right]
    return [node.this] if isinstance(node, exp.In) else [node]


def _beyond(origin: Origin) -> bool:
    """Whether a column has whole numbers that a floating-point number cannot hold, and they name
    things rather than tell how much."""
    try:
        ends = (float(origin.column.minimum or 0), float(origin.column.maximum or 0))
    except ValueError:
        return False
    named = kind_of(origin.column, origin.table) is Kind.ID
    return named and max(map(abs, ends)) >= _EXACT


def _as_number(block: Block, node: exp.Expr, side: exp.Expr) -> bool:
    """Whether a column of texts is compared or grouped as numbers."""
    kind = side.unnest()
    others = node.expressions if isinstance(node, exp.In) else _sides(node)
    sides = [_plain(block, other) for other in others]
    if len(sides) > 1 and all(o and o.column.data_type is DataType.STRING for o in sides):
        return False  # both are: their zeros are left out on purpose
    if isinstance(kind, exp.Cast | exp.TryCast):
        return bool(kind.is_type(*exp.DataType.NUMERIC_TYPES))
    for other in others:
        bare = other.unnest()
        origin = block.origin(bare)
        if isinstance(bare, exp.Literal) and not bare.is_string:
            return True
        if origin is not None and origin.column.data_type in _NUMERIC:
            return True
    return False


def _zeros(judged: Judged, node: exp.Expr, origin: Origin) -> Suspicion:
    """The suspicion that texts which differ by leading zeros are taken for one number."""
    name, table = quoted(origin.column.name), quoted(origin.table.name)
    zeros = f"count(DISTINCT {name}) FILTER (WHERE regexp_full_match({name}, '0[0-9]+'))"
    same = (
        f"SELECT min({name}), max({name}) FROM {table} WHERE TRY_CAST({name} AS BIGINT) IS NOT "
        f"NULL GROUP BY TRY_CAST({name} AS BIGINT) HAVING count(DISTINCT {name}) > 1 ORDER BY 1 "
        "LIMIT 3"
    )

    def weigh(answers: Answers) -> Weighed | None:
        led, two = numbers(answers), first(answers, 1)
        if led is None or not led[0]:
            return None
        if two is None:
            return Weighed(
                f"{counted(led[0], 'value')} of {origin.column.name} begin with a zero, which is "
                "lost where texts are compared as numbers",
                "compare them as texts",
                {"zeros": led[0]},
                severity=Severity.NOTE,
            )
        return Weighed(
            f"{origin.column.name} holds texts that are one number and not one value: "
            f"{text(str(two[0]))} and {text(str(two[1]))}",
            "compare them as texts",
            {"zeros": led[0]},
        )

    asked = f"SELECT {zeros} FROM {table}"
    return Suspicion(judged.spelled(node), weigh, (asked, same))


def _rounded(judged: Judged, block: Block, cast: exp.Expr) -> Iterator[Suspicion]:
    origin = block.origin(cast.this.unnest())
    floating = cast.is_type(exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT)
    if origin is None or origin.column.data_type is not DataType.INTEGER or not floating:
        return
    if _beyond(origin):
        compared = isinstance(cast.parent, exp.EQ | exp.In | exp.Group)
        yield certain(
            judged.spelled(cast),
            f"{origin.column.name} holds whole numbers up to {origin.column.maximum}: above 2^53 a "
            "floating-point number cannot tell one from the next",
            "compare them as they are",
            judged.changed(cast, cast.this) if compared else "",
        )


_CODES = {
    "shops": "shop_id:text,town\n00017,Oslo\n00018,Bergen\n00019,Moss\n00020,Hamar\n00021,Bodo\n",
    "sales": "sale_id,shop:text,amount\n1,17,5.0\n2,17,6.0\n3,18,2.5\n4,20,1.0\n5,19,4.0\n",
    "towns": "town,county\noslo,Oslo\nBERGEN,Vestland\nMoss,Ostfold\nHamar,Innlandet\n",
    "stores": "store_id:text,town\n00017,Oslo\n17,Bergen\n18,Moss\n",
}
WEAK_KEY = Rule(
    "J04",
    "weak key",
    Severity.DOUBT,
    "Columns that are joined and hardly share a value, or whose values differ in case, spaces or "
    "leading zeros: rows that belong together do not meet (record linkage: Christen, Data "
    "Matching, 2012, ch. 3). Told with the fix where the spelling makes no two values one.",
    _weak_keys,
    (
        Example(
            _CODES,
            (
                "SELECT sum(s.amount) FROM sales s LEFT JOIN shops h ON h.shop_id = s.shop",
                "SELECT t.county, count(*) FROM shops h JOIN towns t ON t.town = h.town GROUP BY 1",
            ),
            (
                "SELECT sum(s.amount) FROM sales s JOIN shops h ON CAST(h.shop_id AS BIGINT) = "
                "CAST(s.shop AS BIGINT)",
                "SELECT t.county, count(*) FROM shops h JOIN towns t ON lower(t.town) = "
                "lower(h.town) GROUP BY 1",
            ),
        ),
        Example(
            {
                "trips": "trip_id,driver\n" + "".join(f"{i},{i % 7 + 100}\n" for i in range(20)),
                "people": "person_id,badge\n" + "".join(f"{i},{i + 99}\n" for i in range(20)),
            },
            ("SELECT count(*) FROM trips t JOIN people p ON p.person_id = t.driver",),
            ("SELECT count(*) FROM trips t JOIN people p ON p.badge = t.driver",),
        ),
    ),
)
EXACT_NUMBERS = Rule(
    "F05",
    "exact numbers",
    Severity.DOUBT,
    "Codes are texts: compared as numbers '017' and '17' are one. Whole numbers beyond 2^53 are no "
    "floating-point numbers: 9007199254740993 becomes 9007199254740992 (IEEE 754).",
    _inexact,
    (
        Example(
            _CODES,
            (
                "SELECT town FROM stores WHERE CAST(store_id AS INT) = 17",
                "SELECT CAST(store_id AS INT), count(*) FROM stores GROUP BY 1",
            ),
            (
                "SELECT town FROM stores WHERE store_id = '17'",
                "SELECT sum(amount) FROM sales WHERE CAST(shop AS INT) = 17",
            ),
        ),
        Example(
            {
                "posts": "post_id,words\n9007199254740993,5\n9007199254740992,6\n",
                "small": "post_id,words\n993,5\n992,6\n",
            },
            ("SELECT words FROM posts WHERE CAST(post_id AS DOUBLE) = 9007199254740993",),
            (
                "SELECT words FROM posts WHERE post_id = 9007199254740993",
                "SELECT words FROM small WHERE CAST(post_id AS DOUBLE) = 993",
            ),
        ),
    ),
)
RULES = (WEAK_KEY, EXACT_NUMBERS)
