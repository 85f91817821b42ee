"""Mutants of a module: the same tree with one small thing wrong, such as a check left out.

What is changed is what a promise is made of: comparisons, conditions, returns, raises, calls for
their effect, parts of tuples and tables, keyword arguments, validators. The words of messages,
types and logging are left alone. Nothing is written to disk.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Change = tuple[ast.AST | None, str]
"""What stands in a node's place (None: nothing does), and how that is said."""

_SWAPPED: dict[type, type] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitXor: ast.BitAnd,
}
_FOLDING = {"casefold", "lower", "upper", "strip"}
_LISTING = {"where", "and_", "or_", "min", "max"}  # calls of which each argument counts
_SILENT = {"log", "logging", "failpoint"}  # called for no effect that anything promises
_DECLARING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Mutant:
    """One change of a tree: `parent`'s `field` becomes `value`. `lines` are its statement's."""

    name: str
    line: int
    lines: range
    at_import: bool
    parent: ast.AST
    field: str
    value: Any

    def apply(self) -> None:
        """Change the tree that it was made of."""
        setattr(self.parent, self.field, self.value)


def mutants_of(tree: ast.Module) -> list[Mutant]:
    """The mutants of a module, in its order, each with a name of its own."""
    maker = _Maker()
    maker.inside(tree)
    return maker.found


def describe(node: ast.AST) -> str:
    """A node's source on one line."""
    return " ".join(ast.unparse(node).split())


class _Maker:
    """Walks a tree; keeps the mutants it finds."""

    def __init__(self) -> None:
        self.found: list[Mutant] = []
        self._names: dict[str, int] = {}
        self._scope: list[str] = []
        self._functions = 0
        self._lines = range(0)
        self._types = False
        self._words = False

    def inside(self, node: ast.AST) -> None:
        """Find the mutants of all that a node holds."""
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                self._visit(node, field, value, lambda new: new)
            elif isinstance(value, list):
                for place, item in enumerate(value):
                    if isinstance(item, ast.AST):
                        self._visit(node, field, item, _in_list(value, place))

    def _visit(
        self, parent: ast.AST, field: str, node: ast.AST, put: Callable[[ast.AST | None], Any]
    ) -> None:
        if _skipped(node):
            return
        before = self._scope[:], self._functions, self._lines, self._types, self._words
        if isinstance(node, ast.stmt):
            self._lines = _own_lines(node)
        if field in ("annotation", "returns") or (field == "slice" and _is_type(parent)):
            self._types = True
        elif isinstance(node, ast.Call):
            self._types = False
        self._words = self._words or _is_message(node)
        torn = isinstance(node, ast.Tuple) and _taken_apart(parent)
        for new, what in [*_in_place(parent, field, node), *([] if torn else _changes(node))]:
            if not self._types and not (self._words and not isinstance(node, ast.stmt)):
                self._found(parent, field, put(new), node, what)
        if isinstance(node, _DECLARING):
            self._scope.append(node.name)
        at_body = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        self._functions += at_body
        self.inside(node)
        self._scope, self._functions, self._lines, self._types, self._words = before

    def _found(self, parent: ast.AST, field: str, value: Any, node: ast.AST, what: str) -> None:
        name = f"{'.'.join(self._scope) or 'module'}: {what}"
        count = self._names[name] = self._names.get(name, 0) + 1
        name += f" ({count})" if count > 1 else ""
        line = getattr(node, "lineno", self._lines.start)
        at_import = not self._functions or field in ("decorator_list", "defaults")
        self.found.append(Mutant(name, line, self._lines, at_import, parent, field, value))


def _in_list(items: list[Any], place: int) -> Callable[[ast.AST | None], list[Any]]:
    return lambda new: items[:place] + ([] if new is None else [new]) + items[place + 1 :]


def _own_lines(node: ast.stmt) -> range:
    """The lines of a statement, of one that holds others only those of its head."""
    body = getattr(node, "body", None)
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return range(node.lineno, max(last, node.lineno) + 1)


def _skipped(node: ast.AST) -> bool:
    """What means nothing at run time, or only to who reads logs."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case (
            ast.Expr(value=ast.Constant()) | ast.Expr(value=ast.Call(func=ast.Name(id="failpoint")))
        ):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in _SILENT
    return _called(node) == "dataclass"


def _is_type(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and describe(node.value) in (
        "Annotated",
        "Callable",
        "dict",
        "frozenset",
        "list",
        "tuple",
    )


def _taken_apart(node: ast.AST) -> bool:
    """Whether a tuple in it is given to names, or compared part by part, so that none can lack."""
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
    )


def _is_message(node: ast.AST) -> bool:
    """Whether a node holds words for people: its parts are not changed, itself may be."""
    if isinstance(node, ast.Return):
        value = node.value
        texts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        return isinstance(texts[0], ast.JoinedStr)
    called = _called(node)
    return isinstance(node, ast.Raise) or called.endswith(("Error", "Fault", "_denied", "_fault"))


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _in_place(parent: ast.AST, field: str, node: ast.AST) -> Iterator[Change]:
    """What a node becomes because of where it stands: conditions hold never and always."""
    if field == "test" and isinstance(parent, (ast.If, ast.IfExp, ast.While)):
        test = describe(parent.test)
        yield ast.Constant(False), f"if {test} → never"
        if not isinstance(parent, ast.While):
            yield ast.Constant(True), f"if {test} → always"
    if field == "ifs":
        yield None, "condition of a comprehension left out"
    if field == "decorator_list" and isinstance(node, ast.Call):
        yield None, f"without @{describe(node)}"


def _changes(node: ast.AST) -> Iterator[Change]:
    """What stands in a node's place because of what it is."""
    yield from _of_statement(node) if isinstance(node, ast.stmt) else _of_expression(node)


def _of_statement(node: ast.stmt) -> Iterator[Change]:
    match node:
        case ast.AugAssign():
            yield from _swapped(node)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield ast.Return(ast.Constant(None)), f"{describe(node)} → None"
        case ast.Raise() | ast.Expr():
            yield ast.Pass(), f"{describe(node)} left out"
        case ast.Break():
            yield ast.Continue(), "break → continue"
        case ast.Continue():
            yield ast.Break(), "continue → break"
            yield ast.Pass(), "continue left out"


def _of_expression(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from _compared(node)
        case ast.BoolOp():
            for place, value in enumerate(node.values):
                rest = node.values[:place] + node.values[place + 1 :]
                new = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield new, f"{describe(node)} without {describe(value)}"
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand, f"{describe(node)} → {describe(node.operand)}"
        case ast.BinOp(op=ast.BitOr() | ast.BitAnd()):
            yield node.left, f"{describe(node)} → {describe(node.left)}"
            yield node.right, f"{describe(node)} → {describe(node.right)}"
        case ast.BinOp():
            yield from _swapped(node)
        case ast.Constant(value=bool() | int() | float() as value):
            new_value = not value if isinstance(value, bool) else value + 1
            yield ast.Constant(new_value), f"{value!r} → {new_value!r}"
        case ast.Call():
            yield from _called_otherwise(node)
        case ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()) | ast.Set() | ast.JoinedStr():
            yield from _shortened(node)
        case ast.Dict():
            for place, key in enumerate(node.keys):
                table = copy.copy(node)
                table.keys = node.keys[:place] + node.keys[place + 1 :]
                table.values = node.values[:place] + node.values[place + 1 :]
                yield table, f"table without {describe(key or node.values[place])}"


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _compared(node: ast.Compare) -> Iterator[Change]:
    for place, op in enumerate(node.ops):
        new = copy.copy(node)
        new.ops = [*node.ops[:place], _SWAPPED[type(op)](), *node.ops[place + 1 :]]
        yield new, f"{describe(node)} → {describe(new)}"
    match node:
        case ast.Compare(left=ast.Tuple() as left, comparators=[ast.Tuple()]):
            for place in range(len(left.elts)):
                new = copy.deepcopy(node)
                del new.left.elts[place], new.comparators[0].elts[place]  # type: ignore[attr-defined]
                yield new, f"{describe(node)} without {describe(left.elts[place])}"


def _swapped(node: ast.BinOp | ast.AugAssign) -> Iterator[Change]:
    if isinstance(node, ast.BinOp) and any(
        isinstance(one, ast.JoinedStr)
        or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in (node.left, node.right)
    ):
        return
    new = copy.copy(node)
    swapped = _SWAPPED.get(type(node.op))
    if swapped is not None:
        new.op = swapped()
        yield new, f"{describe(node)} → {describe(new)}"


def _called_otherwise(node: ast.Call) -> Iterator[Change]:
    for place, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            new = copy.copy(node)
            new.keywords = node.keywords[:place] + node.keywords[place + 1 :]
            yield new, f"{describe(node.func)}(…) without {describe(keyword)}"
    name = _called(node)
    if isinstance(node.func, ast.Attribute) and name in _FOLDING and not node.args:
        yield node.func.value, f"{describe(node)} → {describe(node.func.value)}"
    if name in _LISTING:
        for place, argument in enumerate(node.args):
            new = copy.copy(node)
            new.args = node.args[:place] + node.args[place + 1 :]
            alone = not new.args and isinstance(node.func, ast.Attribute)
            rest = node.func.value if alone and isinstance(node.func, ast.Attribute) else new
            yield rest, f"{name}(…) without {describe(argument)}"


def _shortened(node: ast.Tuple | ast.List | ast.Set | ast.JoinedStr) -> Iterator[Change]:
    field = "values" if isinstance(node, ast.JoinedStr) else "elts"
    parts: list[ast.expr] = getattr(node, field)
    for place, part in enumerate(parts):
        fixed = isinstance(node, ast.JoinedStr) and isinstance(part, ast.Constant)
        if len(parts) > 1 and not fixed:
            new = copy.copy(node)
            setattr(new, field, parts[:place] + parts[place + 1 :])
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            yield new, f"{describe(node)} without {describe(inner)}"
