"""Files of tables that questions are asked of."""

from __future__ import annotations

import datetime
from pathlib import Path

from bench.support_catalogue import Lookup, Sources
from services.executor.engines.workspace import Workspace
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader import read
from services.planner.domain.reader.choice.model import learnt
from services.planner.domain.reader.understand import understand

TODAY = datetime.date(2026, 11, 23)

Rows = list[tuple[object, ...]]


class Tables:
    """Files in a folder, asked together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sources = Sources(folder / "read")

    def write(self, name: str, header: str, rows: list[tuple[object, ...]]) -> None:
        lines = [header, *(",".join("" if v is None else str(v) for v in row) for row in rows)]
        (self.folder / f"{name}.csv").write_text("\n".join(lines) + "\n")

    def opened(self, *names: str) -> tuple[Catalogue, Lookup, Workspace]:
        """The catalogue of files asked together, how values are looked up, and their rows."""
        return self._sources.open_together([self.folder / f"{name}.csv" for name in names])

    async def understood(self, question: str, *names: str) -> Understood | NotUnderstood:
        paths = [self.folder / f"{name}.csv" for name in names]
        catalogue, lookup, _ = self.opened(*names)
        found = await understand(
            question,
            catalogue,
            lookup,
            today=TODAY,
            assume=True,
            evidence=self._sources.evidence(*paths),
        )
        assert not isinstance(found, Clarification)
        return found

    async def sql(self, question: str, *names: str) -> str:
        catalogue, _, _ = self.opened(*names)
        found = await self.understood(question, *names)
        assert isinstance(found, Understood), found
        return render(found.intent, catalogue).text.replace('"', "")

    async def readings(self, question: str, *names: str) -> list[tuple[str, Rows]]:
        """The SQL and the rows of all candidates."""
        catalogue, lookup, workspace = self.opened(*names)
        scene = await read.scene_of(question, catalogue, lookup, today=TODAY)
        weighed = read.weighed_of(read.local_of(scene), learnt())
        found: list[tuple[str, Rows]] = []
        with workspace.cursor() as cursor:
            for one in read.composed(weighed, learnt()):
                assert one.query is not None
                rows = cursor.execute(one.query.text, list(one.query.params)).fetchall()
                found.append((one.query.text.replace('"', ""), rows))
        return found

    async def rows(self, question: str, *names: str) -> list[Rows]:
        """The rows of all candidates."""
        return [rows for _, rows in await self.readings(question, *names)]
