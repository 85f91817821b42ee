"""What each word of a question became in the statement that the built-in reader made of it.

The reader ties words to tables, columns and values. Where such a name stands in the statement is
found in its clauses: the smallest part that holds it is the fragment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from services.planner.domain.lexicon.tokens import Token, tokenise
from services.planner.domain.query.intent import Link
from services.planner.domain.statements.parsing import rendered, statement
from services.planner.domain.statements.proposal import Binding, BindingKind

_MOST = 40
_YEAR, _SEVERAL = 4, 2
_BINDING_TEXTS = {"name": "the same name", "value": "a value in it", "number": "a number"}
_TRUNCATED = (exp.TimestampTrunc, exp.DateTrunc, exp.Extract)
_FIRST = frozenset(
    "top best most highest largest biggest longest greatest first latest newest last".split()
)
_LAST = frozenset("bottom least lowest smallest shortest fewest worst earliest oldest".split())


@dataclass(frozen=True)
class _Clause:
    """A part of a statement that words may have become."""

    kind: BindingKind
    node: exp.Expr
    text: str


def bindings_of(question: str, links: Sequence[Link], text: str) -> tuple[Binding, ...]:
    """The words of the question that the statement shows, each with its fragment. Words of which
    nothing is found in the statement are left out."""
    tree = statement(text)
    if tree is None:
        return ()
    clauses = list(_clauses(tree))
    tokens = tokenise(question)
    found = list(_of_names(question, tokens, tree))
    named = " ".join(one.words for one in found).casefold()
    found += [
        one
        for link in links
        if link.phrase.casefold() not in named and (one := _of_link(link, clauses, tree))
    ]
    found += _of_tokens(tokens, tree, clauses)
    kept: dict[tuple[str, str], Binding] = {}
    for one in found:
        kept.setdefault((one.words.casefold(), one.fragment), one)
    asked = question.casefold()
    inorder = sorted(kept.values(), key=lambda one: asked.find(one.words.casefold()))
    return tuple(inorder)[:_MOST]


def links_by_name(question: str, text: str) -> tuple[Link, ...]:
    """Words of the question that are names of columns or values of a statement, where nothing else
    is known of what they were tied to."""
    tree = statement(text)
    if tree is None:
        return ()
    tokens = tokenise(question)
    stems = [token.stem for token in tokens]
    names = [(column.name, "name") for column in tree.find_all(exp.Column)]
    names += [(one.name, "value") for one in tree.find_all(exp.Literal) if one.is_string]
    links: dict[str, Link] = {}
    for name, reason in names:
        wanted = [token.stem for token in tokenise(name)]
        for start in range(len(stems) - len(wanted) + 1 if wanted else 0):
            if stems[start : start + len(wanted)] == wanted:
                sentence = question[tokens[start].start : tokens[start + len(wanted) - 1].end]
                link = Link(
                    phrase=sentence, target=name, score=1.0, reason=reason, names=("", name)
                )
                links.setdefault(sentence.casefold(), link)
    return tuple(links.values())


def _of_names(question: str, tokens: Sequence[Token], tree: exp.Expr) -> Iterator[Binding]:
    """Columns that are named as the question says: "average order value"."""
    stems = [token.stem for token in tokens]
    for item in tree.expressions if isinstance(tree, exp.Select) else ():
        wanted = [token.stem for token in tokenise(item.alias_or_name)]
        if len(wanted) < _SEVERAL:
            continue
        for start in range(len(stems) - len(wanted) + 1):
            if stems[start : start + len(wanted)] == wanted:
                text = question[tokens[start].start : tokens[start + len(wanted) - 1].end]
                clause = _given(item.unalias())
                yield _bound(text, clause, "the column's name")
                break


def _of_link(link: Link, clauses: Sequence[_Clause], tree: exp.Expr) -> Binding | None:
    fitting = [clause for clause in clauses if _holds(clause.node, link.names)]
    if "a unit of time" in link.reason:
        fitting = [clause for clause in clauses if clause.node.find(*_TRUNCATED)]
    smallest = min(fitting, key=lambda clause: len(clause.text), default=None)
    if smallest is None:
        smallest = _of_table(link, clauses, tree)
    if smallest is None or not link.phrase.strip():
        return None
    return _bound(link.phrase, smallest, _BINDING_TEXTS.get(link.reason, link.reason))


def _bound(words: str, clause: _Clause, because: str) -> Binding:
    return Binding(
        words=words[:200], fragment=clause.text[:600], kind=clause.kind, because=because[:400]
    )


def _of_table(link: Link, clauses: Sequence[_Clause], tree: exp.Expr) -> _Clause | None:
    """Where only a table is named: what its rows are told by, or counted as, or that it is read.
    Where nothing is named, the formula that is meant."""
    if not link.names:
        return next((c for c in clauses if c.kind == "formula" and not _is_window(c.node)), None)
    read = [t for t in tree.find_all(exp.Table) if t.name in link.names]
    known_clauses = [c for c in clauses if c.kind == "grouping" and _all_of(c.node, link.names)]
    counts = [c for c in clauses if c.kind == "metric" and c.node.find(exp.Count, exp.CountIf)]
    if known_clauses or (read and counts):
        return [*known_clauses, *counts][0]
    return _Clause("column", read[0], rendered(read[0].this)) if read else None


def _is_window(node: exp.Expr) -> bool:
    return node.find(exp.Window) is not None


def _all_of(node: exp.Expr, tables: Sequence[str]) -> bool:
    """Whether every column of a part is one of these tables."""
    found = [column.table for column in node.find_all(exp.Column)]
    return bool(found) and all(table in tables for table in found)


def _holds(node: exp.Expr, names: Sequence[str]) -> bool:
    """Whether a part has the column, and each of the values, that words stand for."""
    wanted = [name for name in names[1:] if name]
    if not wanted:
        return False
    there = {one.name.casefold() for one in node.find_all(exp.Column)}
    there |= {one.name.casefold() for one in node.find_all(exp.Literal)}
    return all(name.casefold() in there for name in wanted)


def _clauses(tree: exp.Expr) -> Iterator[_Clause]:
    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            yield _given(item.unalias())
        for name in ("where", "having", "qualify"):
            condition = select.args.get(name)
            for part in _parts(condition.this) if condition is not None else ():
                yield _Clause("calendar" if part.find(exp.Cast) else "value", part, rendered(part))


def _given(node: exp.Expr) -> _Clause:
    if node.find(exp.AggFunc) is None:
        timed = node.find(*_TRUNCATED) is not None
        return _Clause("calendar" if timed else "grouping", node, rendered(node))
    computed = node.find(exp.Binary) is not None
    return _Clause("formula" if computed else "metric", node, rendered(node))


def _parts(condition: exp.Expr) -> list[exp.Expr]:
    inner = condition.unnest()
    if isinstance(inner, exp.And):
        return [*_parts(inner.left), *_parts(inner.right)]
    return [inner]


def _of_tokens(
    tokens: Sequence[Token], tree: exp.Expr, clauses: Sequence[_Clause]
) -> Iterator[Binding]:
    """Years, numbers and words of order, which no name of the data explains."""
    limit, order = tree.args.get("limit"), tree.args.get("order")
    most = limit.expression.name if limit is not None and limit.expression is not None else ""
    for token in tokens:
        if token.text == most and limit is not None:
            fragment, because = f"LIMIT {most}", "how many are asked for"
            yield Binding(words=token.text, fragment=fragment, kind="limit", because=because)
        elif token.lower in _FIRST | _LAST and order is not None and order.expressions:
            first = rendered(order.expressions[0])
            because = "which come first"
            yield Binding(words=token.text, fragment=first[:600], kind="order", because=because)
        elif token.digits:
            year = len(token.text) == _YEAR
            text = f"{token.text}-01-01" if year else token.text
            for clause in clauses:
                held = [one.name for one in clause.node.find_all(exp.Literal)]
                if text in held or token.text in held:
                    yield _bound(token.text, clause, "a year" if year else "a number")
                    break
