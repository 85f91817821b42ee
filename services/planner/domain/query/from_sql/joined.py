"""The tables of a form as joins from the one whose rows are told, along known references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.filters import Copy, Field, Relation
from services.planner.domain.query.from_sql.form import Form
from services.planner.domain.query.from_sql.nodes import Node, NotExpressibleError, tables_in
from services.planner.domain.query.joining.references import references_of

Pair = tuple[tuple[str, str], tuple[str, str]]


class Joined:
    """The base, the joins from it in order, and the conditions that are left."""

    def __init__(self, form: Form, catalogue: Catalogue) -> None:
        self.real = dict(form.real)
        self._catalogue = catalogue
        self.copies = tuple(
            Copy(name=name, table=table) for name, table in form.real if name != table
        )
        links = {one for one in form.where if _is_link(one)}
        apart = [name for name, _ in form.optional]
        inner = [name for name in self.real if name not in apart]
        found = [
            trial
            for base in (inner[:1] if apart or self.copies else inner)
            if (trial := self._from(base, inner, links)) is not None
        ]
        if not found:
            raise NotExpressibleError("tables that no known reference joins")
        # As few rows as can be come several times; of equals the table that is read first.
        relations, used = min(found, key=lambda one: sum(r.fans_out for r in one[0]))
        self.base = relations[0].left.table if relations else inner[0]
        self.where = form.where - used
        optional = [self._optional(name, on) for name, on in form.optional]
        self.relations = (*relations, *optional)

    def _from(
        self, base: str, names: Sequence[str], links: set[Node]
    ) -> tuple[list[Relation], set[Node]] | None:
        reached, relations, used = {base}, list[Relation](), set[Node]()
        while missing := [name for name in names if name not in reached]:
            for name in missing:
                own = {
                    one
                    for one in links
                    if name in tables_in(one) and tables_in(one) - {name} <= reached
                }
                if (relation := self._relation(name, own)) is not None:
                    relations.append(relation[0])
                    used |= relation[1]
                    reached.add(name)
                    break
            else:
                return None
        return relations, used

    def _relation(self, name: str, links: Iterable[Node]) -> tuple[Relation, set[Node]] | None:
        """The join that brings a table in, with the conditions that it is."""
        by_table: dict[str, dict[Pair, Node]] = {}
        for link in links:
            ends = [end.parts[0] if end.op == "as text" else end for end in link.parts]
            left, right = sorted(ends, key=lambda end: bool(end.parts[0] == name))
            pair = (left.parts, right.parts)
            by_table.setdefault(left.parts[0], {})[pair] = link
        for table, pairs in by_table.items():
            for relation in self._known(table, name):
                wanted = _pairs(relation)
                if all(pair in pairs for pair in wanted):
                    return relation, {pairs[pair] for pair in wanted}
        return None

    def _optional(self, name: str, on: frozenset[Node]) -> Relation:
        found = self._relation(name, on) if all(map(_is_link, on)) else None
        if found is None or found[1] != set(on):
            raise NotExpressibleError("an optional join with conditions of its own")
        return found[0].model_copy(update={"optional": True})

    def _known(self, left: str, right: str) -> Iterator[Relation]:
        """Every reference between two tables, seen from the left; those of most columns first."""
        known = sorted(references_of(self._catalogue).all, key=lambda one: -len(one.further))
        for one in known:
            further = tuple((there, here) for here, there in one.further)
            ends = (one.child.table, one.parent.table)
            if ends == (self.real[left], self.real[right]):
                yield Relation(
                    left=Field(table=left, column=one.child.column),
                    right=Field(table=right, column=one.parent.column),
                    further=one.further,
                )
            if ends == (self.real[right], self.real[left]):
                yield Relation(
                    left=Field(table=left, column=one.parent.column),
                    right=Field(table=right, column=one.child.column),
                    fans_out=True,
                    further=further,
                )


def _is_link(node: Node) -> bool:
    """Whether a condition is that columns of two tables are equal."""
    plain = node.op == "eq" and all(end.op in ("column", "as text") for end in node.parts)
    return plain and len(tables_in(node)) > 1


def _pairs(relation: Relation) -> list[Pair]:
    left, right = relation.left, relation.right
    columns: Mapping[str, str] = dict([(left.column, right.column), *relation.further])
    return [((left.table, here), (right.table, there)) for here, there in columns.items()]
