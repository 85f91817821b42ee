"""Names for the columns of a statement that has given them none.

`count(*)` and `sum("Freight") / 2` are no words: a column that is worked out and bears no name gets
one, behind its expression, and nothing else of the statement is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from services.planner.domain.lexicon.wording import plural
from services.planner.domain.proposals.roles import WRITTEN
from services.planner.domain.proposals.shares import in_hundredths, is_part
from services.planner.domain.reporting.units import parted, spoken
from services.planner.domain.statements.parsing import DIALECT, statement
from services.planner.domain.statements.proposal import AskedTest, Proposal

_OF: dict[type[exp.Expr], str] = {
    exp.Sum: "total",
    exp.Avg: "average",
    exp.Min: "lowest",
    exp.Max: "highest",
    exp.Median: "median",
    exp.Stddev: "standard deviation of",
    exp.StddevSamp: "standard deviation of",
    exp.Variance: "variance of",
}
_TIMES: dict[type[exp.Expr], str] = {
    exp.Year: "year",
    exp.Month: "month",
    exp.Quarter: "quarter",
    exp.Week: "week",
    exp.Day: "day",
    exp.DayOfWeek: "weekday",
    exp.Hour: "hour",
}
_OUTER = (exp.Paren, exp.Cast, exp.TryCast, exp.Round, exp.Coalesce, exp.Lower, exp.Upper, exp.Trim)
_OPENS, _CLOSES = (TokenType.L_PAREN, TokenType.L_BRACKET), (TokenType.R_PAREN, TokenType.R_BRACKET)
_LAST = (
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
    TokenType.HAVING,
    TokenType.QUALIFY,
    TokenType.SEMICOLON,
)
_RESULT = "result"
_INITIALS = 2
"""A name of so few letters says nothing in a sentence, or something else: "average g"."""


def with_names(proposal: Proposal, types: Mapping[str, str]) -> Proposal:
    """The proposal with its statement's columns named; `types` are DuckDB's, by column in order.
    As it is where a binding would no longer be a part of the statement."""
    text, names = named(proposal.statement, types)
    if not names:
        return proposal
    columns = [c.model_copy(update={"name": names.get(c.name, c.name)}) for c in proposal.columns]
    renamed = proposal.model_copy(
        update={"statement": text, "columns": tuple(columns), "test": _renamed(proposal, names)}
    )
    whole = "".join(one.words for one in proposal.bindings)
    return proposal if renamed.problems(whole) != proposal.problems(whole) else renamed


def _renamed(proposal: Proposal, names: Mapping[str, str]) -> AskedTest | None:
    test = proposal.test
    if test is None:
        return None
    values = {
        key: tuple(names.get(name, name) for name in getattr(test, key))
        for key in ("columns", "predictors")
    }
    return test.model_copy(update={**values, "by": names.get(test.by, test.by)})


def named(text: str, types: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The statement with a name for every column that is worked out, and the new names by those
    that DuckDB gives them; as it is where that cannot be done safely."""
    tree = statement(text)
    if not isinstance(tree, exp.Select) or tree.is_star or len(types) != len(tree.expressions):
        return text, {}
    names = _names(tree, list(types.values()))
    ends = _ends(text, len(tree.expressions))
    if not names or len(ends) != len(tree.expressions):
        return text, {}
    written = text
    for place in sorted(names, reverse=True):
        end = ends[place]
        written = f'{written[:end]} AS "{names[place]}"{written[end:]}'
    wanted = tree.copy()
    for place, name in names.items():
        part = wanted.expressions[place]
        part.replace(exp.alias_(part.copy(), name, quoted=True))
    if statement(written) != wanted:
        return text, {}
    called = list(types)
    return written, {called[place]: name for place, name in names.items()}


def _names(tree: exp.Select, types: Sequence[str]) -> dict[int, str]:
    """A name for each of the columns without one, by place. None is a name that the statement has:
    it could stand for something else there."""
    taken = {one.name.casefold() for one in tree.find_all(exp.Identifier)}
    found: dict[int, str] = {}
    for place, one in enumerate(tree.expressions):
        if isinstance(one, exp.Alias | exp.Column | exp.Star) or one.find(exp.Star) is one:
            continue
        name = _name(one, tree, is_time=types[place].startswith(("DATE", "TIME")))
        ways = (name, f"the {name}", *(f"{name} {letter}" for letter in "bcdefghijk"))
        if (free := next((way for way in ways if way.casefold() not in taken), None)) is None:
            return {}
        taken.add(free.casefold())
        found[place] = free
    return found


def _name(one: exp.Expr, tree: exp.Select, *, is_time: bool) -> str:
    """A few words for what an expression works out."""
    while isinstance(one, _OUTER):
        one = one.this
    if isinstance(one, exp.Window) and isinstance(one.this, exp.Sum) and one.args.get("order"):
        return "running total"
    if isinstance(one, exp.Column):
        return _plainly(one.name)
    if isinstance(one, exp.Count):
        return f"number of {_counted(one, tree)}"
    if type(one) in _TIMES:
        return _TIMES[type(one)]
    if isinstance(one, exp.Extract):
        return one.name.casefold()
    if isinstance(one, exp.DateTrunc | exp.TimestampTrunc):
        return one.text("unit").casefold() or _RESULT
    if isinstance(one, exp.DateDiff):
        return f"{one.text('unit').casefold().rstrip('s') or 'day'}s"
    if isinstance(one, exp.Corr):
        return "correlation"
    if type(one) in _OF:
        inner = next(iter(dict.fromkeys(c.name for c in one.find_all(exp.Column))), "")
        several = len({c.name for c in one.find_all(exp.Column)}) != 1
        simple = inner and not several and one.find(exp.Case, exp.DateDiff) is None
        ends = "first" if isinstance(one, exp.Min) else "last" if isinstance(one, exp.Max) else ""
        of = ends if is_time else ""
        what = _plainly(inner) if simple and len(inner) > _INITIALS else ""
        return f"{of or _OF[type(one)]} {what}".removesuffix(" of ").strip()
    if isinstance(one, exp.TimeToStr):
        return WRITTEN.get(one.text("format"), _RESULT)
    return _name_calculation(one, tree)


def _name_calculation(one: exp.Expr, tree: exp.Select) -> str:
    """A word for what is worked out from several numbers."""
    if in_hundredths(one) and not isinstance(one, exp.Sub):
        grown = one.find(exp.Lag) or any(s.expression.this == "1" for s in one.find_all(exp.Sub))
        return "change" if grown else "share"
    if not isinstance(one, exp.Sub | exp.Div | exp.Mul):
        return _RESULT
    sides = [one.this, one.expression]
    if not isinstance(one, exp.Sub) and any(isinstance(side, exp.Literal) for side in sides):
        measured = next((side for side in sides if not isinstance(side, exp.Literal)), one.this)
        name = _name(measured, tree, is_time=False)
        return parted(name)[0] if not name.startswith("number of") else _RESULT
    if isinstance(one, exp.Div):
        return "share" if is_part(one) else "ratio"
    return "difference" if isinstance(one, exp.Sub) else _RESULT


def _plainly(name: str) -> str:
    """A column's name as words in a sentence: a capital alone is none of its meaning."""
    words = spoken(name)
    return words.lower() if words.istitle() else words


def _counted(one: exp.Count, tree: exp.Select) -> str:
    """What a count is of: the rows of the only table, or values that are told apart."""
    if isinstance(one.this, exp.Distinct):
        column = one.this.find(exp.Column)
        return f"different {plural(_plainly(column.name))}" if column is not None else "rows"
    of = tree.args.get("from_") or tree.args.get("from")
    table = of.this if of is not None else None
    if isinstance(table, exp.Table) and not tree.args.get("joins") and not tree.ctes:
        name = spoken(table.name).lower()
        return plural(name) if re.fullmatch(r"[^\W\d][\w ]*", name) else "rows"
    return "rows"


def _ends(text: str, expected: int) -> list[int]:
    """Where each of the outermost columns ends in the text."""
    try:
        tokens = sqlglot.tokenize(text, dialect=DIALECT)
    except SqlglotError:
        return []
    ends: list[int] = []
    before: Token | None = None
    for token in _outermost(tokens):
        if token.token_type is TokenType.COMMA or token.token_type in _LAST:
            ends += [before.end + 1] if before is not None else []
        if token.token_type in _LAST:
            return ends
        before = token
        if len(ends) > expected:
            return []
    return [*ends, before.end + 1] if before is not None else ends


def _outermost(tokens: list[Token]) -> Iterator[Token]:
    """The tokens behind the outermost SELECT; of what stands in brackets, the closing one alone."""
    depth, inside = 0, False
    for token in tokens:
        depth -= token.token_type in _CLOSES
        if inside and (depth == 0 and token.token_type not in _OPENS):
            yield token
        inside = inside or (depth == 0 and token.token_type is TokenType.SELECT)
        depth += token.token_type in _OPENS
