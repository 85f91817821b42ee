"""Formulas as people write them, in signs or in words, read as terms.

Names of columns become placeholders first. Words then become signs ("the sum of A and B" becomes
"(A + B)"), and what is left is read by Python's own grammar, of which only arithmetic,
comparisons and one-line conditions are taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import partial

from services.planner.domain.catalogue import Table
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.vocabulary import STOP_WORDS
from services.planner.domain.query.defining.terms import (
    Branch,
    Choice,
    Computed,
    Constant,
    Function,
    Overall,
    Reference,
    Term,
    WholeColumn,
    references,
)

_LONGEST = 300
_COLUMN = r"c_\d+_"
_OPERAND = rf"(?:{_COLUMN}|\d+(?:\.\d+)?|\([^()]*\))"
_LIST = rf"(?P<list>{_OPERAND}(?:\s*(?:,\s*and|,|and|with|by|to|\+)\s*{_OPERAND})+)"
_PAIR = rf"(?P<a>{_OPERAND})\s*(?:and|by|with|to|over|,)\s*(?P<b>{_OPERAND})"
_WORDS: tuple[tuple[str, str], ...] = (
    (r"\b(?:is |are )?(?:greater|more|larger|higher|older) than or equal to\b|\bat least\b", ">="),
    (r"\b(?:is |are )?(?:less|lower|smaller|younger) than or equal to\b|\bat most\b", "<="),
    (r"\b(?:is |are )?(?:greater|more|larger|higher|older) than\b|\b(?:is )?(?:above|over)\b", ">"),
    (r"\b(?:is |are )?(?:less|lower|smaller|younger) than\b|\b(?:is )?(?:below|under)\b", "<"),
    (r"\b(?:is not|does not equal|is not equal to|differs from)\b", "!="),
    (r"\b(?:is equal to|equals|is)\b|(?<![<>=!])=(?!=)", "=="),
    (r"\bplus one\b", "+ 1"),
    (r"\bplus\b|\badded to\b", "+"),
    (r"\bminus\b", "-"),
    (r"\b(?:multiplied by|times)\b|[×·]", "*"),
    (r"\b(?:divided by|per)\b|÷", "/"),
    (r"\^", "**"),
    (r"−", "-"),
    (r"\bto the power of\b", "**"),
    (r"\bsquared\b", "**2"),
    (r"\bcubed\b", "**3"),
)
_PHRASES: tuple[tuple[str, str], ...] = (
    (rf"(?:sum|total)(?: number)? of [a-z ]{{0,40}}\(\s*{_LIST}\s*\)", "+"),
    (rf"(?:sum of|total of|addition of|summing(?: up)?|adding(?: up)?|combining) {_LIST}", "+"),
    (rf"(?:average of|mean of|averaging) {_LIST}", "mean"),
    (rf"(?:product of|multiplying) {_LIST}", "*"),
    (rf"absolute difference (?:between|of) {_PAIR}", "abs(({a})-({b}))"),
    (rf"(?:difference (?:between|of)) {_PAIR}", "(({a})-({b}))"),
    (rf"subtracting (?P<b>{_OPERAND}) from (?P<a>{_OPERAND})", "(({a})-({b}))"),
    (rf"(?:ratio (?:of|between)|quotient of|dividing) {_PAIR}", "(({a})/({b}))"),
    (rf"(?:natural )?log(?:arithm)?(?: transform(?:ation)?)? of (?P<a>{_OPERAND})", "ln({a})"),
    (rf"square root of (?P<a>{_OPERAND})", "sqrt({a})"),
    (rf"square of (?P<a>{_OPERAND})", "(({a})**2)"),
    (rf"absolute value of (?P<a>{_OPERAND})", "abs({a})"),
)
_CONDITIONAL = re.compile(
    r"(?P<yes>'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?)\s+(?:if|when|for|where)\s+(?P<when>.+?)"
    r"(?:,\s*|\s+)(?:(?:and|or)\s+)?(?:(?:else|otherwise)\s+(?P<no>'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?)"
    r"|(?P<last>'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?)\s+(?:otherwise|if not|else))\s*$",
    re.IGNORECASE,
)
_KEYWORDS = re.compile(r"\b(?:and|or|not|if|else)\b", re.IGNORECASE)
_BINARY: Mapping[type[ast.AST], Function] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.Mod: "%",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.And: "and",
    ast.Or: "or",
}
_CALLS: Mapping[str, Function] = {
    "abs": "absolute",
    "sqrt": "root",
    "exp": "exponential",
    "ln": "ln",
    "log": "ln",
    "log2": "log2",
    "log10": "log10",
    "log1p": "ln1p",
}
_STATISTICS: Mapping[str, WholeColumn] = {
    "mean": "mean",
    "average": "mean",
    "median": "median",
    "min": "minimum",
    "max": "maximum",
    "std": "deviation",
}


def formula(text: str, table: Table, earlier: Mapping[str, Term]) -> Term | None:
    """The term that a text states over the columns of a table; None when it states none.

    `earlier` are columns that the question defined before. A column alone is no formula.
    """
    if len(text) > _LONGEST:
        return None
    names: list[Term] = []
    prepared = _with_placeholders(text, table, earlier, names)
    if not names:
        return None
    try:
        tree = ast.parse(_in_signs(prepared), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    term = _term(tree, names)
    if term is None or isinstance(term, Reference | Constant) or not any(references(term)):
        return None
    return term


def spellings(name: str) -> str:
    """A regular expression for the ways a column's name is written, quoted or with spaces."""
    words = [re.escape(word) for word in readable(name).split()]
    return rf"(?:{re.escape(name)}|{'[ _]?'.join(words)})"


def _with_placeholders(
    text: str, table: Table, earlier: Mapping[str, Term], names: list[Term]
) -> str:
    known: dict[str, Term] = {
        c.name: Reference(table=table.name, column=c.name) for c in table.columns
    } | dict(earlier)
    for name in sorted(known, key=len, reverse=True):
        plain = name.lower() not in STOP_WORDS
        pattern = rf"(?:\bthe )?['\"`]{re.escape(name)}['\"`](?: columns?)?" + (
            rf"|(?:\bthe )?(?<![\w']){spellings(name)}(?![\w'])(?: columns?)?" if plain else ""
        )
        text, count = re.subn(pattern, f" c_{len(names)}_ ", text, flags=re.IGNORECASE)
        if count:
            names.append(known[name])
    return text


def _in_signs(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip(" ,:")
    text = re.sub(r"^(?:(?:as|by|the|of|is|whether|both|to be)\s+)+", "", text, flags=re.I)
    text = re.sub(r"\b(?:the|both|columns|features|variables)\b\s*", "", text, flags=re.I)
    for pattern, sentence in _PHRASES:
        text = re.sub(pattern, partial(_find_text, sentence), text, flags=re.I)
    conditional = _CONDITIONAL.search(text)
    for pattern, sign in _WORDS if conditional is None else ():
        text = re.sub(pattern, f" {sign} ", text, flags=re.I)
    if conditional is not None:
        when = conditional.group("when")
        for pattern, sign in _WORDS:
            when = re.sub(pattern, f" {sign} ", when, flags=re.I)
        no = conditional.group("no") or conditional.group("last")
        text = f"({conditional.group('yes')}) if ({when}) else ({no})"
    return re.sub(
        r"\b(and|or|not|if|else)\b", lambda m: m.group().lower(), text, flags=re.I
    ).strip()


def _find_text(text: str, match: re.Match[str]) -> str:
    groups = match.groupdict()
    if "a" in groups:
        return text.format(a=groups["a"], b=groups.get("b") or "")
    operands = re.findall(_OPERAND, groups["list"])
    if text == "mean":
        return f"(({'+'.join(operands)})/{len(operands)})"
    return f"({text.join(operands)})"


def _term(node: ast.expr, names: Sequence[Term]) -> Term | None:
    if isinstance(node, ast.Name):
        place = re.fullmatch(r"c_(\d+)_", node.id)
        return names[int(place.group(1))] if place and int(place.group(1)) < len(names) else None
    if isinstance(node, ast.Constant):
        known = isinstance(node.value, int | float | str) and not isinstance(node.value, bool)
        return Constant(value=node.value) if known else None  # type: ignore[arg-type]
    if isinstance(node, ast.BinOp):
        return _computed(_BINARY.get(type(node.op)), [node.left, node.right], names)
    if isinstance(node, ast.BoolOp):
        return _computed(_BINARY.get(type(node.op)), node.values, names)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _computed(_BINARY.get(type(node.ops[0])), [node.left, *node.comparators], names)
    if isinstance(node, ast.UnaryOp):
        sign: Function | None = (
            "negative"
            if isinstance(node.op, ast.USub)
            else "not"
            if isinstance(node.op, ast.Not)
            else None
        )
        return _computed(sign, [node.operand], names)
    if isinstance(node, ast.IfExp):
        when, then, other = (_term(n, names) for n in (node.test, node.body, node.orelse))
        if when is None or then is None or other is None:
            return None
        return Choice(branches=(Branch(when=when, then=then),), otherwise=other)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        return _called(node.func.id.lower(), node.args[0], names)
    return None


def _called(name: str, argument: ast.expr, names: Sequence[Term]) -> Term | None:
    if name in _STATISTICS:
        of = _term(argument, names)
        return None if of is None else Overall(statistic=_STATISTICS[name], of=of)
    return _computed(_CALLS.get(name), [argument], names)


def _computed(
    function: Function | None, nodes: Sequence[ast.expr], names: Sequence[Term]
) -> Term | None:
    operands = [_term(node, names) for node in nodes]
    if function is None or any(operand is None for operand in operands):
        return None
    return Computed(function=function, operands=tuple(o for o in operands if o is not None))
