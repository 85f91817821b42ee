"""What a model may look up before it answers: values, what a statement gives, tables left out.

A few calls a question, within the request's policy and its level of disclosure. What comes back is
short, and stands as JSON texts between <data> and </data> where it comes from the data. Nothing is
believed more for having been looked up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mesh.errors import AssayError
from mesh.policy import Disclosure
from mesh.telemetry.tracing import span
from services.planner.adapters.llm.checking import Grounds
from services.planner.adapters.llm.column_text import named, quote_text
from services.planner.adapters.llm.describing import Visible, described, visible
from services.planner.adapters.llm.numbers import known_numbers
from services.planner.domain.analysis.planning import LookUp, PlanningInput
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.evidence import Outcome, ProbedQuery, ProbeState

_VALUES, _PROBLEMS, _TABLES = 10, 5, 5
_TABLE_TOKENS = 1_500
_MOST_COLUMNS = 30
_LONGEST_ASKED, _LONGEST_PROBLEM = 300, 300
_FEWEST_FOR_RANGES = 3
"""Of fewer rows the range is the rows themselves, which only the level `results` tells."""
_ORDERED = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "DATE", "TIME")
_NONE_LEFT = "No look-ups are left: answer with what you know."


@dataclass(frozen=True)
class Offered:
    """A function that a model may call; its parameters are those of `call`."""

    name: str
    about: str
    call: Callable[..., Awaitable[str]]


class LookUps:
    """The look-ups of one decision. `grounds` grow by what was found; `made` says what was."""

    def __init__(
        self, given: PlanningInput, grounds: Grounds, level: Disclosure, most: int
    ) -> None:
        self._given = given
        self._all = visible(given.catalogue, given.request.policy)
        self._level = level
        self._left = most
        self.grounds = grounds
        self.made: list[LookUp] = []

    @property
    def offered(self) -> tuple[Offered, ...]:
        """What may be called at this level of disclosure."""
        if not self._left:
            return ()
        found = []
        if self._level.allows(Disclosure.VALUES):
            about = "Values of a column, given as table.column, that are like a text."
            found.append(Offered("find_values", about, self.find_values))
        if self._level.allows(Disclosure.SHAPES) and self._given.evidence is not None:
            about = "What a SELECT would give: rows, columns, empty shares, ranges; or its error."
            found.append(Offered("try_statement", about, self.try_statement))
        if len(self.grounds.catalogue.tables) < len(self._all.tables):
            about = "Columns of tables that are there and not described, by their names."
            found.append(Offered("describe_tables", about, self.describe_tables))
        return tuple(found)

    async def find_values(self, column: str, text: str) -> str:
        """Values like a text, of a column that the model was told of."""
        return await self._made("find_values", f"{text} in {column}", self._find, column, text)

    async def try_statement(self, statement: str) -> str:
        """Facts of what a statement gives."""
        return await self._made("try_statement", statement, self._try, statement)

    async def describe_tables(self, tables: list[str]) -> str:
        """The columns of tables that the card of the data left out."""
        return await self._made("describe_tables", ", ".join(tables), self._describe, tables)

    async def _made(
        self, call: str, asked: str, work: Callable[..., Awaitable[tuple[str, str]]], *given: Any
    ) -> str:
        if self._left <= 0:
            return _NONE_LEFT
        self._left -= 1
        with span("look up for model", {"assay.lookup": call}) as known_span:
            try:
                answer, found = await work(*given)
            except AssayError as error:
                answer, found = "The data cannot be asked now.", error.reason.code
            known_span.set_attribute("assay.found", found)
        policy = self._given.request.policy
        asked = policy.masked(asked)[:_LONGEST_ASKED]
        self.made.append(LookUp(call=call, asked=asked, found=found))
        return answer if self._left else f"{answer}\n{_NONE_LEFT}"

    async def _find(self, column: str, text: str) -> tuple[str, str]:
        place = _column(column, self.grounds.catalogue)
        if place is None:
            return f"There is no column {column[:80]!r}: write table.column.", "no such column"
        hits = await self._given.lookup([text[:_LONGEST_ASKED]])
        policy = self._given.request.policy
        here = [hit for hit in hits if (hit.table, hit.column) == place]
        clean = [hit for hit in here if policy.match(hit.value) is None][:_VALUES]
        self._learn(clean)
        if not clean:
            return f"No value of {'.'.join(map(named, place))} is like that.", "no value"
        listing = ", ".join(quote_text(hit.value) for hit in clean)
        return f"<data>\n{listing}\n</data>", _counted(len(clean), "value")

    async def _try(self, statement: str) -> tuple[str, str]:
        evidence = self._given.evidence
        problems, types = await asyncio.to_thread(self.grounds.tried, statement)
        if problems or evidence is None:
            why = "\n- ".join(problem[:_LONGEST_PROBLEM] for problem in problems[:_PROBLEMS])
            return f"It cannot be used:\n- {why}", "refused"
        bare = statement.strip().rstrip(";")
        ordered = [name for name, kind in types.items() if kind.startswith(_ORDERED)]
        queries = [ProbedQuery(sql=bare), *_ranges(bare, ordered[:_MOST_COLUMNS])]
        outcomes = await evidence(queries)
        result = outcomes[0]
        if result.state is not ProbeState.OK:
            why = "took too long" if result.state is ProbeState.CUT_OFF else "could not be run"
            return f"It {why}. {result.reason}".strip(), str(result.state)
        rows = _counted(result.rows, "row")
        lines = [f"more than {rows}" if result.more else rows]
        bounds = _bounds(ordered, outcomes[1:]) if self._may_range(result) else {}
        for probed, kind in list(zip(result.columns, types.values(), strict=False))[:_MOST_COLUMNS]:
            empty = f", {100 * probed.empty_share:.0f} % empty" if probed.empty_share else ""
            lines.append(f"{named(probed.name)} {kind}{empty}{bounds.get(probed.name, '')}")
        if self._level.allows(Disclosure.RESULTS):
            lines += [f"row: {', '.join(_cell(cell) for cell in row)}" for row in result.glimpse]
        listing = "\n".join(lines)
        return f"<data>\n{listing}\n</data>", rows

    async def _describe(self, tables: list[str]) -> tuple[str, str]:
        wanted = [table for table in self._all.tables if table.name in tables[:_TABLES]]
        if not wanted:
            return "There are no tables of these names.", "no such table"
        request = self._given.request
        some = Visible(self._all.model_copy(update={"tables": tuple(wanted)}))
        text, shown = await asyncio.to_thread(
            described, some, request.policy, request.intent, (), _TABLE_TOKENS, True, self._level
        )
        known = known_numbers([], shown).joined(self.grounds.known)
        more = _together(self.grounds.catalogue, shown, self._all)
        self.grounds = replace(self.grounds, catalogue=more, known=known)
        return f"<data>\n{text}\n</data>", _counted(len(shown.tables), "table")

    def _may_range(self, result: Outcome) -> bool:
        few = result.rows < _FEWEST_FOR_RANGES
        return not few or self._level.allows(Disclosure.RESULTS)

    def _learn(self, hits: Iterable[ValueHit]) -> None:
        known = known_numbers([], None, hits).joined(self.grounds.known)
        self.grounds = replace(self.grounds, known=known)


def _column(text: str, shown: Catalogue) -> tuple[str, str] | None:
    """The table and column that are meant by table.column, quoted or not."""
    bare = text.replace('"', "").casefold()
    for table in shown.tables:
        for column in table.columns:
            if bare == f"{table.name}.{column.name}".replace('"', "").casefold():
                return table.name, column.name
    return None


def _ranges(statement: str, columns: Sequence[str]) -> list[ProbedQuery]:
    """A query for the least and greatest value of columns of a statement."""
    if not columns:
        return []
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
    ends = ", ".join(f"min({name}), max({name})" for name in quoted)
    return [ProbedQuery(sql=f"SELECT {ends} FROM ({statement}) AS tried")]


def _bounds(columns: Sequence[str], outcomes: Sequence[Outcome]) -> dict[str, str]:
    """The range of each column in words."""
    if not outcomes or not outcomes[0].glimpse:
        return {}
    ends = outcomes[0].glimpse[0]
    pairs = zip(columns, ends[::2], ends[1::2], strict=False)
    return {name: f", {_cell(low)} to {_cell(high)}" for name, low, high in pairs}


def _cell(value: object) -> str:
    """A value as JSON, cut short."""
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    return quote_text(str(value))


def _together(some: Catalogue, more: Catalogue, every: Catalogue) -> Catalogue:
    """Both catalogues' tables, and the references between them."""
    there = {table.name for table in some.tables}
    tables = (*some.tables, *(table for table in more.tables if table.name not in there))
    names = {table.name for table in tables}
    links = tuple(
        link for link in every.relationships if link.from_table in names and link.to_table in names
    )
    return some.model_copy(update={"tables": tables, "relationships": links})


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
