"""A statement as the intent that says the same; nothing where none is known to.

What is recovered is rendered again, and believed only where both queries have one canonical form.
Of what that form takes for equal one thing is not so to the last digit: a quotient over nought,
which has no value, is missing in the one and may be "nan" or "inf" in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from mesh.errors import AssayError
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.columns import is_measure
from services.planner.domain.query.from_sql.derived import WorkedOut
from services.planner.domain.query.from_sql.filters import field_of, filters_of
from services.planner.domain.query.from_sql.form import Form, form_of
from services.planner.domain.query.from_sql.joined import Joined
from services.planner.domain.query.from_sql.nodes import (
    AGGREGATES,
    Node,
    NotExpressibleError,
    aggregated,
)
from services.planner.domain.query.from_sql.numbers import Numbers
from services.planner.domain.query.intent import (
    Calculation,
    Dimension,
    Grain,
    Having,
    Intent,
    Operator,
    Order,
    TopOfEach,
)
from services.planner.domain.query.joining.keys import key_of, unique
from services.planner.domain.query.joining.repeats import repeating
from services.planner.domain.query.planning.sql import render
from services.planner.domain.statements.parsing import statement
from services.planner.domain.statements.readable import filled_in

_COMPARED = {
    "gt": Operator.GREATER,
    "ge": Operator.AT_LEAST,
    "lt": Operator.LESS,
    "le": Operator.AT_MOST,
}
_SORT_THEMSELVES = (Calculation.SHARE, Calculation.RANK)
_MOST_SERIES = 2
_LONGEST = 10_000


def intent_of(
    text: str, catalogue: Catalogue, params: Sequence[Any] = (), columns: Sequence[str] = ()
) -> Intent | None:
    """The intent whose query gives the same as a statement of DuckDB's dialect; None where none is
    proven to.

    `params` stand for its question marks, `columns` are the names of its result, in order, which
    the intent's labels are; without them names that the statement gives.
    """
    try:
        tree = _tree(text, params)
        labels = _labels(tree, catalogue, columns)
        form = form_of(tree, catalogue).named(labels)
        intent = Recovered(form, catalogue, labels).intent()
        query = render(intent, catalogue)
        again = _tree(query.text, query.params)
        same = form_of(again, catalogue).named(_labels(again, catalogue)).same_as(form)
    except (NotExpressibleError, AssayError, ValueError, KeyError, RecursionError):
        return None
    return intent if same else None


def _tree(text: str, params: Sequence[Any]) -> exp.Select:
    """The statement with its parameters in their places."""
    if len(text) > _LONGEST:
        raise NotExpressibleError("too long to be looked at")
    tree = statement(filled_in(text, params) if params else text)
    if not isinstance(tree, exp.Select) or tree.find(exp.Placeholder) is not None:
        raise NotExpressibleError("not one SELECT, or one with parameters that have no value")
    return tree


def _labels(tree: exp.Select, catalogue: Catalogue, columns: Sequence[str] = ()) -> list[str]:
    """What the columns of the result are called: those of tables as these spell them."""
    spelt = {c.name.casefold(): c.name for t in catalogue.tables for c in t.columns}
    given = list(columns) or [
        one.alias
        if isinstance(one, exp.Alias)
        else spelt.get(one.name.casefold(), "")
        if isinstance(one, exp.Column)
        else ""
        for one in tree.selects
    ]
    if len(set(map(str.casefold, given))) != len(given) or not all(given):
        raise NotExpressibleError("columns without a name of their own")
    return given


class Recovered:
    """The parts of an intent, found in a form."""

    def __init__(self, form: Form, catalogue: Catalogue, labels: Sequence[str]) -> None:
        if len(labels) != len(form.outputs):
            raise NotExpressibleError("columns that are not all known")
        self._form, self._catalogue = form, catalogue
        self._joined = Joined(form, catalogue)
        real = self._joined.real
        self._numbers = Numbers(catalogue, real, self._counted())
        self._outputs = list(zip(labels, (node for _, node in form.outputs), strict=True))

    def intent(self) -> Intent:
        """The intent of the form. Raises NotExpressibleError where there is none."""
        form, worked = self._form, WorkedOut(self._numbers)
        shown: list[tuple[Node, Dimension]] = []
        for label, node in self._outputs:
            if form.grouped and aggregated(node):
                if node.op in AGGREGATES:
                    worked.add(node, label)
            elif form.grouped or not self._is_value(node):
                dimension = self._numbers.dimension(node, label, grouped=form.grouped)
                shown.append((node, dimension))
            else:
                worked.nodes.append(node)
                worked.measures.append(self._numbers.value(node, label))
        for label, node in self._outputs:
            if form.grouped and aggregated(node) and node.op not in AGGREGATES:
                worked.derive(node, label)
        dimensions = self._with_keys(shown)
        top, usual = self._top(shown, worked)
        order = () if usual else tuple(self._order(one, shown, worked) for one in form.order)
        derived = tuple(known_derived for _, known_derived in worked.derived)
        series = 1 if form.grouped and len(dimensions) == _MOST_SERIES else None
        return Intent(
            base=self._joined.base,
            measures=tuple(worked.measures),
            dimensions=dimensions,
            filters=filters_of(self._joined.where),
            having=self._having(),
            order=order,
            limit=form.limit,
            offset=form.offset,
            joins=self._joined.relations,
            distinct=form.distinct or (bool(form.groups) and not form.grouped),
            derived=derived,
            copies=self._joined.copies,
            series=series,
            top_of_each=top,
        )

    def _top(
        self, shown: Sequence[tuple[Node, Dimension]], worked: WorkedOut
    ) -> tuple[TopOfEach | None, bool]:
        """The first of each, and whether these are told in the usual order of such."""
        ranks = [one for one in self._form.qualify if one.op == "le"]
        if not self._form.qualify:
            return None, False
        window = ranks[0].parts[0] if len(ranks) == 1 else Node("none")
        if window.op != "window" or window.parts[0] != Node("rank") or len(window.parts[2]) != 1:
            raise NotExpressibleError("the first of each in a way that no intent has")
        nodes, most = [node for node, _ in shown], ranks[0].parts[1]
        within = tuple(nodes.index(one) for one in window.parts[1] if one in nodes)
        [value] = window.parts[2]
        if not within or most.op != "number":
            raise NotExpressibleError("the first of all")
        by = self._order(value, shown, worked)
        usual = [*(Node("order", (nodes[at], False)) for at in within)]
        usual.append(Node("order", (window, False)))
        is_usual = list(self._form.order) == usual
        return TopOfEach(within=within, by=by, most=most.parts[0]), is_usual

    def _counted(self) -> str:
        """The table whose rows are counted: one that the joins do not repeat."""
        base, relations = self._joined.base, self._joined.relations
        names = (base, *(relation.right.table for relation in relations))
        whole = (n for n in names if not repeating(n, relations, self._catalogue))
        return next(whole, base)

    def _is_value(self, node: Node) -> bool:
        """Whether a column of single rows is a number that is looked at."""
        known = self._numbers.column(node)
        if known is None:
            return node.op == "product"
        return is_measure(known.role, known.data_type)

    def _with_keys(self, shown: Sequence[tuple[Node, Dimension]]) -> tuple[Dimension, ...]:
        """Dimensions with the key that keeps things of one name apart, where groups have it."""
        left = [key for key in self._form.groups if key not in [node for node, _ in shown]]
        found = [dimension for _, dimension in shown]
        for key in sorted(left, key=repr):
            own = [
                at
                for at, (node, one) in enumerate(shown)
                if one.identity is None
                and found[at].identity is None
                and node.op in ("column", "full name")
                and self._tells(key, _table(node))
            ]
            if not own:
                raise NotExpressibleError("groups that nothing shown tells")
            found[own[0]] = found[own[0]].model_copy(update={"identity": field_of(key)})
        return tuple(found)

    def _tells(self, key: Node, name: str) -> bool:
        """Whether a column tells the things of a table apart: its key, or one that is equal to that
        by a join."""
        table = self._catalogue.table(self._joined.real[name])
        links = [one.parts for one in self._form.where if one.op == "eq" and key in one.parts]
        equal = {key, *(end for ends in links for end in ends)}
        own = [one.parts[1] for one in equal if one.op == "column" and one.parts[0] == name]
        return table is not None and any(
            column in key_of(table) or unique(table, column) for column in own
        )

    def _having(self) -> tuple[Having, ...]:
        return tuple(map(self._having_of, sorted(self._form.having, key=repr)))

    def _having_of(self, node: Node) -> Having:
        operator, of, values = _COMPARED.get(node.op), node.parts[0], node.parts[1:]
        if node.op == "in" and len(node.parts[1]) == 1:
            operator, values = Operator.EQUAL, node.parts[1]
        if node.op == "not" and of.op == "in" and len(of.parts[1]) == 1:
            operator, values, of = Operator.NOT_EQUAL, of.parts[1], of.parts[0]
        if operator is None or values[0].op != "number":
            raise NotExpressibleError("a condition on groups that no intent has")
        measure = self._numbers.measure(of, "number of each group", shown=False)
        return Having(measure=measure, operator=operator, values=(float(values[0].parts[0]),))

    def _order(
        self, one: Node, shown: Sequence[tuple[Node, Dimension]], worked: WorkedOut
    ) -> Order:
        of, descending = one.parts
        dimensions, derived = [node for node, _ in shown], [node for node, _ in worked.derived]
        of, ranks = _weekday(of), tuple[str, ...]()
        if of.op == "place":
            of, ranks = of.parts
        if of in dimensions:
            at = dimensions.index(of)
            return Order(target="dimension", index=at, descending=descending, ranks=ranks)
        if of in derived and derived.index(of) == 0 and not ranks:
            known_derived = worked.derived[0][1]
            if known_derived.calculation in _SORT_THEMSELVES:
                of = worked.nodes[known_derived.of]
            return Order(target="measure", descending=descending)
        if of in worked.nodes and not ranks:
            return Order(target="measure", index=worked.nodes.index(of), descending=descending)
        if self._form.grouped and of.op == "min" and of.parts[1] is None:
            field = field_of(of.parts[0])
            return Order(target="field", field=field, descending=descending, ranks=ranks)
        if of.op in AGGREGATES and not ranks:
            at = worked.add(of, f"sorted by {len(worked.nodes)}", shown=False)
            return Order(target="measure", index=at, descending=descending)
        field = field_of(of)
        return Order(target="field", field=field, descending=descending, ranks=ranks)


def _weekday(node: Node) -> Node:
    """A weekday, where rows go by the places of weekdays."""
    inner = node.parts[0] if node.op == "min" and node.parts[1] is None else node
    if inner.op != "place of weekday":
        return node
    return Node("grain", (Grain.WEEKDAY.value, inner.parts[0]))


def _table(node: Node) -> str:
    first: Node = node.parts[0] if node.op == "full name" else node
    return str(first.parts[0])
