"""What each column of a statement's result is, found from the statement, its types and the data.

Whoever wrote a statement, every sentence, table, chart and report of its result goes by this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.proposals.shares import OUTER, bare, in_hundredths, is_part
from services.planner.domain.statements.column import LONGEST_NAME, ColumnGrain, ResultColumn
from services.planner.domain.statements.parsing import statement
from services.planner.domain.statements.proposal import MOST_COLUMNS, Proposal

_NUMBERS = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL", "NUMERIC")
_TIMES = ("DATE", "TIMESTAMP")
_STATED = re.compile(r"unit: (\S.{0,15})")
_DEEPEST = 5
PER_CENT = "%"
_SPELT_PER_CENT = frozenset({"%", "percent", "per cent", "pct", "percentage"})
_PARTS = frozenset("share shares proportion percentage percent percents pct".split())
_AS_IT_STANDS = frozenset("ratio fraction".split())
"""Words for parts of one that are asked for as such: 0.6, and not 60 %."""
_NAMES = frozenset("id key code zip postcode phone".split())
_YEARS = frozenset("year season decade jahr année annee año ano anno 年 年份".split())
_CYCLES: dict[str, ColumnGrain] = {
    "month": "month_of_year",
    "monat": "month_of_year",
    "mois": "month_of_year",
    "mes": "month_of_year",
    "hour": "hour",
}
_PLACES = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile)
_KEEP_UNIT = (
    exp.Sum,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.Median,
    exp.Abs,
    exp.Coalesce,
    exp.Window,
    exp.Filter,
    exp.Neg,
    exp.PercentileCont,
    exp.Quantile,
    exp.AnyValue,
    exp.First,
    exp.Lag,
    exp.Lead,
    *OUTER,
)
_PICKED: dict[str, ColumnGrain] = {
    "year": "year",
    "isoyear": "year",
    "month": "month_of_year",
    "hour": "hour",
}
_CUT: tuple[ColumnGrain, ...] = ("year", "quarter", "month", "week", "day")
WRITTEN: dict[str, ColumnGrain] = {"%Y": "year", "%Y-%m": "month", "%Y-%m-%d": "day"}


def columns_of(
    text: str,
    types: Mapping[str, str],
    catalogue: Catalogue,
    result_columns: tuple[ResultColumn, ...] = (),
) -> tuple[ResultColumn, ...]:
    """The columns that a statement gives, in order, as many as a proposal has room for; `types` are
    DuckDB's, by column. What was said of them stands where neither types nor statement say
    otherwise: what holds no number is no measure, and a year is one whatever it was called."""
    names = {column.name.casefold(): column for column in result_columns}
    made = _Statement(text, catalogue)
    given = [(name, kind) for name, kind in types.items() if len(name) <= LONGEST_NAME]
    return tuple(
        _merged(_found(name, kind, made), names.get(name.casefold()), kind)
        for name, kind in given[:MOST_COLUMNS]
    )


def with_roles(proposal: Proposal, types: Mapping[str, str], catalogue: Catalogue) -> Proposal:
    """The proposal with every column that its statement gives."""
    found = columns_of(proposal.statement, types, catalogue, proposal.columns)
    return proposal.model_copy(update={"columns": found}) if found else proposal


def types_of(schema: pa.Schema) -> dict[str, str]:
    """The types of a frame's columns as DuckDB calls them, as far as roles ask for them."""
    return {field.name: _type(field.type) for field in schema}


def _type(kind: pa.DataType) -> str:
    if pa.types.is_temporal(kind):
        return "TIMESTAMP" if pa.types.is_timestamp(kind) or pa.types.is_date(kind) else "TIME"
    if pa.types.is_integer(kind):
        return "BIGINT"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "DOUBLE"
    return "BOOLEAN" if pa.types.is_boolean(kind) else "VARCHAR"


def is_number_type(kind: str) -> bool:
    """Whether a type of DuckDB's is one of numbers."""
    return "[" not in kind and (kind.startswith(_NUMBERS) or "INT" in kind.partition("(")[0])


def _merged(found: ResultColumn, result_column: ResultColumn | None, kind: str) -> ResultColumn:
    if result_column is None:
        return found
    wrong = result_column.role in ("measure", "share", "rank") and not is_number_type(kind)
    role = found.role if wrong or found.role in ("date", "rank", "key") else result_column.role
    unit = PER_CENT if result_column.unit.casefold() in _SPELT_PER_CENT else result_column.unit
    unit = found.unit if found.unit == PER_CENT or not unit else unit
    parts = role == "share" and unit != PER_CENT and not _AS_IT_STANDS & set(words_of(found.name))
    return found.model_copy(
        update={
            "role": role,
            "unit": unit if role in ("measure", "share") else "",
            "additive": result_column.additive and role == "measure",
            "fraction": parts,
        }
    )


def _found(name: str, kind: str, made: _Statement) -> ResultColumn:
    """What a column is by itself."""
    number, words = is_number_type(kind), words_of(name)
    origins = list(made.origins(name))
    grain = _grain(origins, words, made, number=number)
    if kind.startswith(_TIMES) or grain:
        return ResultColumn(name=name, role="date", grain=grain)
    if any(isinstance(bare(one), _PLACES) for one in origins) and number:
        return ResultColumn(name=name, role="rank")
    if _is_key(origins, words, made, number=number):
        return ResultColumn(name=name, role="key")
    if not number:
        return ResultColumn(name=name, role="label")
    hundred = any(map(in_hundredths, origins))
    unit = PER_CENT if hundred else next(filter(None, map(made.unit, origins)), "")
    share = bool(_PARTS & set(words)) or (not hundred and any(map(is_part, origins)))
    as_it_stands = bool(_AS_IT_STANDS & set(words))
    return ResultColumn(
        name=name,
        role="share" if share else "measure",
        unit=unit,
        fraction=share and not as_it_stands and unit != PER_CENT,
    )


def _grain(
    origins: list[exp.Expr], words: tuple[str, ...], made: _Statement, *, number: bool
) -> ColumnGrain:
    for one in origins:
        if found := _grain_of(bare(one), made):
            return found
    if not number:
        return ""
    if words[-1] in _YEARS or (words[0] in _YEARS and len(words) == 1):
        return "year"
    if words[-2:-1] and words[-1] == "id" and words[-2] in _YEARS:
        return "year"
    return _CYCLES.get(words[-1], "") if len(words) == 1 else ""


def _grain_of(one: exp.Expr, made: _Statement) -> ColumnGrain:
    """The grain of a time that an expression works out."""
    if isinstance(one, exp.Year):
        return "year"
    if isinstance(one, exp.Month):
        return "month_of_year"
    if isinstance(one, exp.Hour):
        return "hour"
    if isinstance(one, exp.Extract):
        return _PICKED.get(one.name.casefold(), "")
    if isinstance(one, exp.Anonymous) and one.name.casefold() in ("date_part", "datepart"):
        part = one.expressions[0].name.casefold() if one.expressions else ""
        return _PICKED.get(part, "")
    if isinstance(one, exp.DateTrunc | exp.TimestampTrunc):
        unit = one.text("unit").casefold()
        return next((grain for grain in _CUT if grain == unit), "")
    if isinstance(one, exp.TimeToStr):
        return WRITTEN.get(one.text("format"), "")
    if isinstance(one, exp.Min | exp.Max | exp.AnyValue | exp.First):
        return _grain_of(bare(one.this), made)
    arithmetic = isinstance(one, exp.Mul | exp.Sub | exp.Floor | exp.IntDiv)
    if arithmetic and any(leaf.this == "10" for leaf in one.find_all(exp.Literal)):
        inner = list(one.find_all(exp.Year, exp.Extract, exp.Column))
        decade = any(made.is_year(part) for part in inner)
        return "year" if decade else ""
    return ""


def _is_key(
    origins: list[exp.Expr], words: tuple[str, ...], made: _Statement, *, number: bool
) -> bool:
    if any(one.find(exp.Count) for one in origins) or not (number or words[-1] in _NAMES):
        return False
    picked = (exp.Min, exp.Max, exp.AnyValue, exp.First)
    plain = [bare(one.this) if isinstance(one, picked) else one for one in map(bare, origins)]
    columns = [made.column(one) for one in plain]
    of_ids = any(column is not None and column.role is ColumnRole.ID for column in columns)
    return of_ids or words[-1] in _NAMES


@dataclass
class _Statement:
    """A statement's names and what they stand for."""

    text: str
    catalogue: Catalogue

    def __post_init__(self) -> None:
        tree = statement(self.text)
        self._aliases: dict[str, list[exp.Expr]] = {}
        self._columns: dict[str, list[Column]] = {}
        for alias in tree.find_all(exp.Alias) if tree is not None else ():
            if not isinstance(alias.this, exp.Query):
                self._aliases.setdefault(alias.alias.casefold(), []).append(alias.this)
        self._unnamed = {
            one.sql("duckdb").casefold(): one
            for select in ([tree] if isinstance(tree, exp.Select) else [])
            for one in select.expressions
            if not isinstance(one, exp.Alias)
        }
        tables = {t.name.casefold() for t in tree.find_all(exp.Table)} if tree is not None else ()
        for table in self.catalogue.tables:
            for column in table.columns if table.name.casefold() in tables else ():
                self._columns.setdefault(column.name.casefold(), []).append(column)

    def origins(self, name: str, depth: int = 0) -> Iterator[exp.Expr]:
        """What a name of the result is worked out as, through queries inside."""
        found = self._aliases.get(name.casefold())
        if found is None:
            found = [exp.column(name)] if name.casefold() in self._columns else []
            found += [self._unnamed[key] for key in [name.casefold()] if key in self._unnamed]
        for one in found:
            inner = bare(one)
            plain = isinstance(inner, exp.Column) and inner.name.casefold() in self._aliases
            if plain and depth < _DEEPEST and inner.name.casefold() != name.casefold():
                yield from self.origins(inner.name, depth + 1)
            else:
                yield one

    def column(self, one: exp.Expr) -> Column | None:
        """The column of the data that an expression is, where its name leaves no doubt."""
        if not isinstance(one, exp.Column):
            return None
        found = self._columns.get(one.name.casefold(), [])
        return found[0] if len(found) == 1 or len({c.unit for c in found}) == 1 else None

    def is_year(self, one: exp.Expr) -> bool:
        """Whether an expression is a year."""
        if isinstance(one, exp.Column):
            inner = [o for o in self.origins(one.name) if not isinstance(o, exp.Column)]
            return words_of(one.name)[-1] in _YEARS or any(self.is_year(bare(o)) for o in inner)
        return isinstance(one, exp.Year) or one.name.casefold() == "year"

    def unit(self, one: exp.Expr, depth: int = 0) -> str:
        """The unit of an expression's values, empty where it is not known."""
        if depth > _DEEPEST:
            return ""
        if isinstance(one, exp.Column):
            if (column := self.column(one)) is not None:
                stated = _STATED.fullmatch(column.comment)
                return column.unit or (stated.group(1) if stated else "")
            inner = self._aliases.get(one.name.casefold(), [])
            units = {self.unit(o, depth + 1) for o in inner}
            return units.pop() if len(units) == 1 else ""
        if isinstance(one, exp.DateDiff):
            return f"{one.text('unit').casefold().rstrip('s') or 'day'}s"
        if isinstance(one, _KEEP_UNIT):
            return self.unit(one.this, depth + 1) if isinstance(one.this, exp.Expr) else ""
        if isinstance(one, exp.Add | exp.Sub):
            units = {self.unit(s, depth + 1) for s in (one.this, one.expression)}
            return units.pop() if len(units) == 1 else ""
        if isinstance(one, exp.Mul):
            units = {self.unit(s, depth + 1) for s in (one.this, one.expression)} - {"", PER_CENT}
            return units.pop() if len(units) == 1 else ""
        return ""
