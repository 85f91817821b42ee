"""A statement held against its twin: both are run, and what they give is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from mesh.errors import AssayError
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import Evidence, Outcome, ProbedQuery, ProbeState
from services.planner.domain.meaning import Meaning, NotCompiledError
from services.planner.domain.proposals.agreeing import LIMITS, UNANSWERED
from services.planner.domain.proposals.comparing import Agreement, Rows, rows_of
from services.planner.domain.proposals.considered import Compared, Considered
from services.planner.domain.proposals.rewriting import compare_as_written
from services.planner.domain.proposals.separating import describe_difference
from services.planner.domain.statements.parsing import rendered, statement
from services.planner.domain.twin.compiling import Twin, compile_twin
from services.planner.domain.twin.differing import find_clauses, find_other_columns
from services.planner.domain.twin.named import Names

TWIN = "twin"
NOT_DECLARED = "meaning: none is declared, so no second statement was compiled"
_MOST_TRIED = 6


@dataclass(frozen=True)
class Held:
    """The twin beside a statement, None where there is none, what was not checked, and both numbers
    where each gives one."""

    beside: Considered | None = None
    not_checked: tuple[str, ...] = ()
    sizes: tuple[float, float] | None = None

    @property
    def differs(self) -> bool:
        """Whether the statement gives something else than what was declared."""
        return self.beside is not None and self.beside.compared in ("differs", "fails")


async def hold(
    text: str, meaning: Meaning, catalogue: Catalogue, evidence: Evidence | None
) -> Held:
    """Hold a statement against what its author declares that it means."""
    if not meaning.is_declared:
        return Held(not_checked=(NOT_DECLARED,))
    try:
        twin = compile_twin(meaning, catalogue)
    except NotCompiledError as error:
        return Held(not_checked=(f"meaning: {error}",))
    own, unlimited = _without_limit(text)
    statements = [twin.statement, *([twin.keeping] if twin.keeping else [])]
    outcomes = await _asked([own, *statements], evidence)
    ours, *theirs = [_rows(one) for one in outcomes] if outcomes else [None]
    if ours is None or not theirs or theirs[0] is None:
        return Held(
            _considered(twin, twin.statement, "not_compared", UNANSWERED), (_unheld(outcomes),)
        )
    found = [(one, _compared(ours, one)) for one in theirs if one is not None]
    unheld = (*unlimited, *_undeclared(ours, found))
    for place, (_, agreement) in enumerate(found):
        if agreement.agrees:
            left = place == 0 and len(found) > 1 and not found[1][1].agrees
            why = _left_out(found[1][0], found[0][0]) if left else ""
            other = find_other_columns(own, twin, catalogue)
            beside = _considered(twin, statements[place], agreement.kind, why, other)
            return Held(beside, unheld)
    apart = describe_difference(ours, found[0][0], found[0][1]) or "other columns"
    clauses = find_clauses(own, twin, catalogue)
    clauses = clauses or await _tried(ours, meaning, twin, catalogue, evidence)
    beside = _considered(twin, twin.statement, "differs", apart, "; ".join(clauses))
    return Held(beside, unheld, _numbers(ours, found[0][0]))


def _considered(
    twin: Twin, text: str, compared: Compared, sentence: str, clause: str = ""
) -> Considered:
    return Considered(
        proposer=TWIN,
        interpretation=twin.interpretation,
        statement=text,
        compared=compared,
        told=sentence,
        clause=clause,
    )


async def _asked(texts: Sequence[str], evidence: Evidence | None) -> Sequence[Outcome]:
    if evidence is None:
        return ()
    try:
        return await evidence([ProbedQuery(sql=text) for text in texts], LIMITS)
    except AssayError:
        return ()


def _rows(outcome: Outcome) -> Rows | None:
    """The rows; None where not all of them were looked at."""
    return rows_of(outcome) if outcome.state is ProbeState.OK and not outcome.more else None


def _unheld(outcomes: Sequence[Outcome]) -> str:
    if any(one.more for one in outcomes):
        return "meaning: there are more rows than are compared (2,000)"
    if any(one.state is ProbeState.FAILED for one in outcomes):
        return "meaning: one of the two statements cannot be run"
    return f"meaning: {UNANSWERED}"


def _compared(ours: Rows, theirs: Rows) -> Agreement:
    """How they compare; what lacks a column of the declared is not the same."""
    found = compare_as_written(ours, theirs)
    missing = len(ours.columns) < len(theirs.columns)
    return Agreement("differs") if found.agrees and missing and ours.count else found


def _undeclared(ours: Rows, found: Sequence[tuple[Rows, Agreement]]) -> list[str]:
    """Columns of the statement that the declaration says nothing of."""
    agreement = next((one for _, one in found if one.agrees and one.pairs), None)
    if agreement is None or agreement.kind != "subset":
        return []
    held = {pair.left for pair in agreement.pairs}
    names = [column.name for place, column in enumerate(ours.columns) if place not in held]
    return [f"column {name}: not declared" for name in names]


def _left_out(keeping: Rows, own: Rows) -> str:
    """Of rows that refer to nothing in a joined table: that they are not there."""
    more = keeping.count - own.count
    rows = f"{more:,} {'row' if more == 1 else 'rows'} more" if more > 0 else "other numbers"
    return f"{rows} where what refers to nothing in a joined table is kept"


def _without_limit(text: str) -> tuple[str, list[str]]:
    """The statement without a limit of its own, which no declaration has."""
    tree = statement(text)
    limit = tree.args.get("limit") if isinstance(tree, exp.Select) else None
    if tree is None or limit is None or tree.args.get("offset"):
        return text, []
    tree.set("limit", None)
    return rendered(tree), ["LIMIT: not declared; the rows were compared without it"]


async def _tried(
    ours: Rows, meaning: Meaning, twin: Twin, catalogue: Catalogue, evidence: Evidence | None
) -> list[str]:
    """The clause by which declaring otherwise would give what the statement gives."""
    ways: list[tuple[str, str]] = []
    for sentence, other in _otherwise(meaning, twin, catalogue):
        try:
            ways.append((sentence, compile_twin(other, catalogue).statement))
        except NotCompiledError:
            continue
    ways = ways[:_MOST_TRIED]
    outcomes = await _asked([text for _, text in ways], evidence) if ways else ()
    for (sentence, _), outcome in zip(ways, outcomes, strict=False):
        rows = _rows(outcome)
        if rows is not None and _compared(ours, rows).agrees:
            return [f"it gives what {sentence} would"]
    return []


def _otherwise(meaning: Meaning, twin: Twin, catalogue: Catalogue) -> list[tuple[str, Meaning]]:
    """Declarations that are near, with how to say what they are."""
    found: list[tuple[str, Meaning]] = []
    names = Names(catalogue)
    if twin.time is not None and (table := catalogue.table(twin.time.table)) is not None:
        for column in table.stored:
            # In quotes, since a name may be no word: "Max Temp (F)".
            name = exp.column(column.name, table=table.name, quoted=True).sql("duckdb")
            if column.name != twin.time.column and names.is_time(names.field(name)):
                called = f"time {table.name}.{column.name}"
                found.append((called, meaning.model_copy(update={"time": name})))
    if meaning.period:
        found.append(("no period", meaning.model_copy(update={"period": ""})))
    for one in meaning.filter:
        kept = tuple(other for other in meaning.filter if other != one)
        found.append((f"no filter {one}", meaning.model_copy(update={"filter": kept})))
    return found


def _numbers(ours: Rows, theirs: Rows) -> tuple[float, float] | None:
    """The one number of each, where each is one row with one number."""
    numbers = []
    for rows in (ours, theirs):
        cells = [c.cells[0] for c in rows.columns if rows.count == 1 and c.numbers]
        if len(cells) != 1 or not isinstance(cells[0], float):
            return None
        numbers.append(cells[0])
    return numbers[0], numbers[1]
