"""Finds which text columns hold the words of a question."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rapidfuzz import process
from rapidfuzz.distance import OSA

from mesh.policy import Policy
from mesh.pseudonym import HIDDEN
from mesh.text.stemming import stem
from services.executor.databases.live import live
from services.executor.databases.session import Sessions
from services.executor.databases.values import DatabaseValues
from services.executor.domain.description import ValueHit
from services.executor.engines.workspace import FlatTable, Workspace, WorkspacePool
from services.executor.sources.naming import plain, stemmed
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.sql import count, literal, quoted

if TYPE_CHECKING:
    import duckdb

_MOST_VALUES_PER_COLUMN = 20_000
_MOST_VALUES_FOR_FUZZY = 20_000
_LONGEST_VALUE = 100
_LEAST_LIKENESS = 0.82  # one slip in six letters; a swap of neighbours is one slip
_KEPT = 16

_HIDDEN = re.compile(HIDDEN)
_TIES = re.compile(r"[/&+-]")
Place = tuple[str, str, str]  # table, column, value


def _tied(text: str) -> Iterator[str]:
    """The stems of words that a mark ties together: "it" and "is" of "it/is"."""
    for word in text.split():
        parts = _TIES.split(word)
        if len(parts) > 1:
            yield from (stem(part) for part in parts if part.isalpha() and len(part) > 1)


@dataclass
class _ValueIndex:
    """The distinct values of a workspace's text columns, by how they can be asked for."""

    exact: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    by_stem: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    by_word: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    unindexed: list[tuple[FlatTable, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, table: str, column: str, value: str) -> None:
        text = plain(value)
        if not text:
            return
        place = (table, column, value)
        self.exact[text].append(place)
        stems = " ".join(stem(word) for word in text.split())
        self.by_stem[stems].append(place)
        for word in {*stems.split(), *_tied(text)}:
            self.by_word[word].add(text)


class ValueLookup:
    """Answers `lookup` from an index that is built once for sources and policy."""

    def __init__(self, pool: WorkspacePool, databases: DatabaseValues | None = None) -> None:
        self._pool = pool
        self._databases = databases or DatabaseValues(Sessions())
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, ...], _ValueIndex] = OrderedDict()

    def lookup(
        self,
        sources: Sequence[PreparedSource],
        phrases: Iterable[str],
        policy: Policy,
        limit: int = 10,
    ) -> list[ValueHit]:
        """At most `limit` hits a phrase, best first; case, accents and word endings ignored.

        Scores: 1.0 the same text, 0.95 the same but for endings, below that values that hold all
        words of the phrase (one of two letters only in capitals: "IT"), then misspellings. Columns
        with more than 20,000 distinct values are searched for the exact text only.
        """
        workspace = self._pool.get(sources, policy)
        index = self._index(sources, policy, workspace)
        hits: list[ValueHit] = []
        asked = [phrase for phrase in dict.fromkeys(phrases) if _can_be_a_value(phrase)]
        scanned = self._search(workspace, index, asked)
        for phrase in asked:
            found = _find(index, plain(phrase), short=phrase.isupper()) | scanned[phrase]
            best = sorted(found.items(), key=lambda item: (-item[1], len(item[0][2]), item[0]))
            hits += [
                ValueHit(phrase=phrase, table=t, column=c, value=v, score=round(score, 3))
                for (t, c, v), score in best[:limit]
            ]
        return sorted(hits, key=lambda hit: -hit.score)

    def _search(
        self, workspace: Workspace, index: _ValueIndex, phrases: Sequence[str]
    ) -> dict[str, dict[Place, float]]:
        """Exact hits in the columns that are too large to index: one look a column for all."""
        found: dict[str, dict[Place, float]] = {phrase: {} for phrase in phrases}
        if not index.unindexed or not phrases:
            return found
        wanted = defaultdict(list)
        for phrase in phrases:
            wanted[phrase.strip().lower()].append(phrase)
        with workspace.cursor() as cursor:
            for table, column in index.unindexed:
                if live(table.source) is None:
                    values = _holding(cursor, table.name, column, list(wanted))
                else:
                    values = self._databases.exact(table, column, workspace.policy, list(wanted))
                for value in values:
                    for phrase in wanted[value.lower()]:
                        found[phrase][(table.name, column, value)] = 1.0
        return found

    def _index(
        self, sources: Sequence[PreparedSource], policy: Policy, workspace: Workspace
    ) -> _ValueIndex:
        key = (policy.key, *(source.digest for source in sources))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _build(workspace, self._databases)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


def _can_be_a_value(phrase: str) -> bool:
    text = plain(phrase)
    return len(text) > 1 or text.isalnum()


def _build(workspace: Workspace, databases: DatabaseValues) -> _ValueIndex:
    index = _ValueIndex()
    with workspace.cursor() as cursor:
        for table in workspace.tables:
            for column in table.columns:
                if column.type != "VARCHAR":
                    continue
                if live(table.source) is None:
                    _add_column(cursor, index, table, column.name)
                    continue
                if column.digits:  # whose cells are judged with the column, not one by one
                    continue
                values = databases.distinct(
                    table, column.name, workspace.policy, _MOST_VALUES_PER_COLUMN, _LONGEST_VALUE
                )
                if values is None:
                    index.unindexed.append((table, column.name))
                for value in values or ():
                    index.add(table.name, column.name, value)
    index.texts = sorted(index.exact)
    return index


def _add_column(
    cursor: duckdb.DuckDBPyConnection, index: _ValueIndex, table: FlatTable, column: str
) -> None:
    name, source = quoted(column), quoted(table.name)
    if _about_distinct(cursor, table, column) > _MOST_VALUES_PER_COLUMN:
        index.unindexed.append((table, column))
        return
    # Judged here, once each: the engine would judge every row, and of a million there may be four.
    rows = cursor.execute(f"SELECT DISTINCT {name} FROM {source} ORDER BY 1").fetchall()
    for (value,) in rows:
        if value and len(value) <= _LONGEST_VALUE and not _HIDDEN.search(value):
            index.add(table.name, column, value)


def _about_distinct(cursor: duckdb.DuckDBPyConnection, table: FlatTable, column: str) -> int:
    """How many texts a column has: at most all rows, as was measured when it was read, else
    estimated. What policy replaces does not make them more."""
    if table.stored.rows <= _MOST_VALUES_PER_COLUMN:
        return table.stored.rows
    if (known := table.stored.statistics.get(column)) is not None:
        return known.distinct
    name, source = quoted(column), quoted(table.name)
    return count(cursor, f"SELECT approx_count_distinct({name}) FROM {source}")


def _find(index: _ValueIndex, text: str, *, short: bool) -> dict[Place, float]:
    found: dict[Place, float] = {}

    def keep(places: Iterable[Place], score: float) -> None:
        for place in places:
            found[place] = max(found.get(place, 0.0), score)

    keep(index.exact.get(text, ()), 1.0)
    stems = stemmed(text)
    keep(index.by_stem.get(stems, ()), 0.95)
    words = stems.split()
    if words and len(text) > (1 if short else 2):
        holders = set.intersection(*(index.by_word.get(word, set()) for word in words))
        for holder in holders:
            share = len(text) / max(len(holder), len(text))
            keep(index.exact[holder], (0.65 if holder.startswith(text) else 0.55) + 0.25 * share)
    if not found and len(text) > 3:
        for match, likeness in _misspelt(index, text):
            keep(index.exact[match], 0.8 * likeness)
    return found


def _misspelt(index: _ValueIndex, text: str) -> list[tuple[str, float]]:
    pool = index.texts
    if len(pool) > _MOST_VALUES_FOR_FUZZY:
        pool = [value for value in pool if value[:1] == text[:1]][:_MOST_VALUES_FOR_FUZZY]
    found = process.extract(
        text, pool, scorer=OSA.normalized_similarity, score_cutoff=_LEAST_LIKENESS, limit=5
    )
    return [(match, likeness) for match, likeness, _ in found]


def _holding(
    cursor: duckdb.DuckDBPyConnection, table: str, column: str, texts: Sequence[str]
) -> list[str]:
    name, listed = quoted(column), ", ".join(literal(text) for text in texts)
    rows = cursor.execute(
        f"SELECT DISTINCT {name} FROM {quoted(table)} "
        f"WHERE lower({name}) IN ({listed}) LIMIT {5 * len(texts)}"
    ).fetchall()
    return [str(value) for (value,) in rows]
