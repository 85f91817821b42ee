"""Questions over the shared databases, with truths in SQL that somebody wrote by hand."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bench.support_catalogue import RunSql, Sources
from bench.training.probing import LocalProbe
from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.query.intent import Clarification, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand

DATABASES = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "databases"
TODAY = date(2025, 1, 1)
Rows = list[tuple[Any, ...]]


class Shop:
    """One database, opened as the executor opens it."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self.catalogue: Catalogue
        self.lookup: ValueLookup
        self.run: RunSql
        sources = Sources(home)
        self.catalogue, self.lookup, self.run = sources.open(path)
        self.evidence = LocalProbe(sources.open_together([path])[2])

    async def understood(self, question: str) -> Understood:
        """The settled reading; a question back is a failure."""
        found = await understand(
            question, self.catalogue, self.lookup, today=TODAY, evidence=self.evidence, assume=True
        )
        assert isinstance(found, Understood), found
        return found

    async def asked(self, question: str) -> Clarification:
        """The question that comes back."""
        found = await understand(
            question, self.catalogue, self.lookup, today=TODAY, evidence=self.evidence
        )
        assert isinstance(found, Clarification), found
        return found

    async def rows(self, question: str, *columns: int) -> Rows:
        """The answer's rows, of the given columns only where some are given."""
        query = render((await self.understood(question)).intent, self.catalogue)
        _, rows = self.run(query.text, query.params)
        return [tuple(row[c] for c in columns) if columns else tuple(row) for row in rows]

    def truth(self, sql: str) -> Rows:
        """What SQLite says."""
        with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True) as source:
            return [tuple(row) for row in source.execute(sql).fetchall()]


_OPEN: dict[Path, Shop] = {}
"""Nobody changes a shop: whoever asks one after others finds it read and described."""


def opened(name: str, home: Path) -> Shop:
    """The shared database of that name; skips where it is not there."""
    path = DATABASES / f"{name}.sqlite"
    if not path.exists():
        pytest.skip(f"{path.name} is not among the shared data")
    if path not in _OPEN:
        _OPEN[path] = Shop(path, home)
    return _OPEN[path]


def alike(got: Rows, wanted: Rows) -> None:
    """The same rows in any order, numbers to nine digits."""
    assert len(got) == len(wanted)
    for one, other in zip(sorted(map(_key, got)), sorted(map(_key, wanted)), strict=True):
        assert one == other


def _key(row: tuple[Any, ...]) -> tuple[tuple[str, Any], ...]:
    return tuple(
        ("number", float(f"{float(v):.9g}"))
        if isinstance(v, int | float)
        else ("text", str(v)[:10])
        for v in row
    )
