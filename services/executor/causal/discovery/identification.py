"""Which estimands a causal graph identifies, over all graphs that its open edges allow."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.discovery.adjustment import Effect
from services.executor.causal.discovery.earlier import (
    among_earlier,
    causes_and_more,
    causes_of,
    closes,
    with_one_reading,
)
from services.executor.causal.discovery.orientations import (
    MOST_ORIENTATIONS,
    GraphEdge,
    Orientation,
    count,
    orientations,
)

SCHEMA = pa.schema(
    [
        ("strategy", pa.string()),
        ("estimand", pa.string()),
        ("variables", pa.string()),
        ("given", pa.string()),
        ("excluded", pa.string()),
        ("identified", pa.bool_()),
        ("assumptions", pa.string()),
        ("expression", pa.string()),
    ]
)
Row = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """The effect asked for, in each graph that the given one may stand for."""

    treatment: str
    outcome: str
    effects: tuple[Effect, ...]
    decided: tuple[tuple[str, ...], ...]

    def holds(self, valid: Iterable[bool]) -> tuple[bool, str]:
        """Whether it is so in all graphs, and if not, in which it is not."""
        answers = list(valid)
        if all(answers):
            several = len(answers) > 1
            return (
                True,
                f"in all {len(answers)} graphs that its open edges allow" if several else "",
            )
        against = next(d for d, good in zip(self.decided, answers, strict=True) if not good)
        text = ", ".join(against[:3])
        return False, f"only in {sum(answers)} of {len(answers)} graphs; not where {text}"


def identify(
    nodes: Sequence[str],
    edges: Sequence[GraphEdge],
    treatment: str,
    outcome: str,
    latent: Collection[str],
    before: Collection[str] = (),
) -> list[Row]:
    """A row for each estimand; those identified in all graphs first. `before` are columns known to
    have come before the treatment: open edges among them are not followed where there are too many.
    Raises ToolError."""
    _check(nodes, edges, treatment, outcome, latent)
    settled: list[GraphEdge] = []
    if count(edges) > MOST_ORIENTATIONS:
        earlier = set(before) - {treatment, outcome, *latent}
        settled = among_earlier(edges, earlier)
        edges = with_one_reading(edges, earlier)
    if count(edges) > MOST_ORIENTATIONS:
        texts = [f"{e.source} - {e.target}" for e in edges if len(e.readings) > 1]
        return [
            _none(
                f"{len(texts)} edges leave their direction open, more than can be followed: "
                f"{', '.join(texts[:6])}. Say what came first",
                {},
            )
        ]
    graphs = orientations(nodes, edges)
    if not graphs:
        return [_none("its edges run in a circle whatever the open ones are", {})]
    observed = frozenset(nodes) - set(latent)
    effects = tuple(Effect(found.graph, treatment, outcome, observed) for found in graphs)
    question = Question(treatment, outcome, effects, _decided(graphs))
    if settled:
        return _whichever_way(question, len(settled), before)
    rows = [*_backdoors(question), *_instruments(question), *_front_doors(question)]
    rows.sort(key=lambda row: not row["identified"])
    if not any(row["identified"] for row in rows):
        rows.insert(0, _none(_why_not(question, rows), _excluded(question, frozenset())))
    return rows


def _decided(graphs: Sequence[Orientation]) -> tuple[tuple[str, ...], ...]:
    """Of each graph what it has otherwise than some other."""
    shared = set(graphs[0].decided).intersection(*(found.decided for found in graphs))
    return tuple(tuple(d for d in found.decided if d not in shared) for found in graphs)


def _check(
    nodes: Sequence[str],
    edges: Sequence[GraphEdge],
    treatment: str,
    outcome: str,
    latent: Collection[str],
) -> None:
    named = [treatment, outcome, *latent, *(end for e in edges for end in (e.source, e.target))]
    strange = next((name for name in named if name not in nodes), None)
    problem = None
    if strange is not None:
        problem = f'"{strange}" is no node of the graph'
    elif treatment == outcome:
        problem = f'"{treatment}" is both treatment and outcome'
    elif {treatment, outcome} & set(latent):
        problem = "treatment and outcome cannot be latent"
    elif any(edge.source == edge.target for edge in edges):
        problem = "an edge leads from a column to itself"
    if problem:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"The effect cannot be looked for: {problem}.",
            hint="Name treatment, outcome and the ends of edges as the nodes are named.",
            details={"candidates": list(nodes)},
        )


def _backdoors(question: Question) -> list[Row]:
    found: dict[frozenset[str], str] = {}
    several = len(question.effects) > 1
    for effect in question.effects:
        for columns, kind in (
            (effect.smallest(), "from which no column can be left out"),
            (effect.precise(), "which gives the least variance"),
            (causes_of(effect) if several else None, "of all direct causes of the treatment"),
        ):
            if columns is not None:
                found.setdefault(columns, kind)
    rows = []
    for columns, kind in sorted(found.items(), key=lambda item: (len(item[0]), sorted(item[0]))):
        identified, where = question.holds(effect.adjusts(columns) for effect in question.effects)
        rows.append(_backdoor(question, columns, kind, identified, where))
    return rows


def _backdoor(
    question: Question, columns: frozenset[str], kind: str, identified: bool, where: str
) -> Row:
    paths = [bool(effect.causal) for effect in question.effects]
    texts = [
        f"an adjustment set {kind}",
        where,
        "no common cause of treatment and outcome is missing from the graph",
    ]
    if not all(paths):
        texts.append(
            "the graph has no path from treatment to outcome: it says that there is no effect"
            if not any(paths)
            else f"{len(paths) - sum(paths)} of {len(paths)} graphs say that there is no effect"
        )
    beside = f", {', '.join(sorted(columns))}" if columns else ""
    return _row(
        "backdoor",
        "ATE",
        columns,
        _excluded(question, columns),
        identified,
        texts,
        f"E[{question.outcome} | do({question.treatment})] = "
        f"E[E[{question.outcome} | {question.treatment}{beside}]]",
    )


def _whichever_way(question: Question, settled: int, before: Collection[str]) -> list[Row]:
    """Back-door sets that hold whichever way `settled` edges among earlier columns point; of other
    estimands nothing is said, for they may hang on it."""
    if any(set(before) & effect.descendants for effect in question.effects):
        return [_none("its arrows lead from the treatment to what came before it", {})]
    found: dict[frozenset[str], str] = {}
    for effect in question.effects:
        for columns, kind in (
            (causes_of(effect), "of all direct causes of the treatment"),
            (causes_and_more(effect), "of all direct causes of treatment and outcome"),
        ):
            if columns is not None:
                found.setdefault(columns, kind)
    rows = []
    for columns, kind in sorted(found.items(), key=lambda item: (len(item[0]), sorted(item[0]))):
        identified, where = question.holds(closes(effect, columns) for effect in question.effects)
        text = f"whichever way {settled} edges among what came before the treatment point"
        where = f"{where}, {text}" if where else text
        rows.append(_backdoor(question, columns, kind, identified, where))
    rows.sort(key=lambda row: not row["identified"])
    if not any(row["identified"] for row in rows):
        hidden = "not all causes of the treatment are in the data"
        rows.insert(0, _none(hidden if not rows else _why_not(question, rows), {}))
    return rows


def _instruments(question: Question) -> list[Row]:
    each = [effect.instruments for effect in question.effects]
    rows = []
    for name in sorted({name for found in each for name in found}):
        given = next(found[name] for found in each if name in found)
        identified, where = question.holds(found.get(name) == given for found in each)
        beside = f", given {', '.join(sorted(given))}" if given else ""
        bar = f" | {', '.join(sorted(given))}" if given else ""
        rows.append(
            _row(
                "instrument",
                "LATE",
                [name],
                _excluded(question, frozenset(given)),
                identified,
                [
                    f"{name} moves the treatment and the outcome through it alone{beside}",
                    where,
                    "nobody does the opposite of what the instrument asks (monotonicity)",
                ],
                f"cov({question.outcome}, {name}{bar}) / cov({question.treatment}, {name}{bar})",
                given,
            )
        )
    return rows


def _front_doors(question: Question) -> list[Row]:
    each = [effect.front_doors() for effect in question.effects]
    t, y = question.treatment, question.outcome
    rows = []
    for columns in sorted({one for found in each for one in found}, key=sorted):
        identified, where = question.holds(columns in found for found in each)
        text = ", ".join(sorted(columns))
        rows.append(
            _row(
                "frontdoor",
                "ATE",
                columns,
                {},
                identified,
                [
                    f"all of the effect runs through {text}",
                    where,
                    "nothing hidden moves these together with treatment or outcome",
                ],
                f"sum over {text} of P({text} | {t}) "
                f"sum over {t}' of P({y} | {t}', {text}) P({t}')",
            )
        )
    return rows


def _excluded(question: Question, columns: frozenset[str]) -> dict[str, str]:
    """Columns that must stay out of an adjustment, each with the reason; the worst graph counts."""
    found: dict[str, str] = {}
    for effect in question.effects:
        for name in sorted(effect.observed - columns - {question.treatment, question.outcome}):
            if name in effect.causal:
                found[name] = "mediator: a part of the effect runs through it"
            elif name in effect.forbidden or name in effect.descendants:
                found.setdefault(name, "post-treatment: the treatment or what follows it causes it")
            elif effect.adjusts(columns) and not effect.adjusts(columns | {name}):
                found.setdefault(name, "collider: adjusting for it opens a path that was closed")
            elif name in effect.instruments:
                found.setdefault(name, "instrument: adjusting for it widens errors and hidden bias")
    return found


def _why_not(question: Question, rows: Sequence[Row]) -> str:
    import networkx as nx

    if rows:
        return "the graphs that its open edges allow need different estimands; say what came first"
    effect = question.effects[0]
    if question.outcome in nx.ancestors(effect.graph, question.treatment):
        return f'"{question.outcome}" is a cause of "{question.treatment}"'
    path = effect.open_path()
    return f"a path cannot be closed by observed columns: {path}" if path else "no way is open"


def _none(why: str, excluded: dict[str, str]) -> Row:
    return _row("none", "", [], excluded, False, [f"Not identified: {why}"], "")


def _row(
    strategy: str,
    estimand: str,
    variables: Collection[str],
    excluded: dict[str, str],
    identified: bool,
    assumptions: Sequence[str],
    expression: str,
    given: Collection[str] = (),
) -> Row:
    texts = [{"column": name, "reason": why} for name, why in sorted(excluded.items())]
    return {
        "strategy": strategy,
        "estimand": estimand,
        "variables": json.dumps(sorted(variables), ensure_ascii=False),
        "given": json.dumps(sorted(given), ensure_ascii=False),
        "excluded": json.dumps(texts, ensure_ascii=False),
        "identified": identified,
        "assumptions": "; ".join(text for text in assumptions if text) + ".",
        "expression": expression,
    }
