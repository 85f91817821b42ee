"""What becomes of questions in German, French, Spanish and Chinese: `python -m
bench.proposals.languages`.

A played model answers each question of `languages.json` with a right statement, an interpretation
and a sentence in its language. A few of the sentences do not hold ("sank" where sales rose, the
lowest called highest), so that what is left out can be seen. Told are, for each language, how many
answers are the model's, how many words it is said to leave unread, whether the built-in reader
would have told anything surely, and how many sentences are told in that language.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from bench.proposals.checks import Probing
from bench.proposals.oracle import reasoner
from bench.support_catalogue import kept_sources
from mesh.ids import new_id
from mesh.testing.model_server import Answered, model_server
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.analysis.checking import with_findings
from services.planner.domain.analysis.narrate import Narration, narrate
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.data_source import DataSource
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.story import Story
from services.planner.domain.statements.column import ResultColumn
from services.planner.domain.tongues import language_of

_QUESTIONS = Path(__file__).with_suffix(".json")
_DATABASES = Path(__file__).parents[3] / "shared" / "data" / "databases"
_NOW, _WORD = datetime(2025, 1, 1, tzinfo=UTC), re.compile(r"[^\W_]+")


def form(one: dict[str, Any]) -> dict[str, Any]:
    """The played model's form: every word of the question is bound to one fragment."""
    words = dict.fromkeys(word for word in _WORD.findall(one["question"]))
    binding = {"fragment": one["fragment"], "kind": "grouping"}
    return {
        "kind": "answer",
        **{key: one[key] for key in ("interpretation", "statement", "sentences")},
        "bindings": [{"words": word, **binding} for word in words][:40],
    }


def narrate_rows(planning: Planning, given: PlanningInput, rows: Any) -> Narration:
    """The sentences of an answer, from the rows of its statement."""
    proposal = planning.proposal or {}
    count = {"rows": [rows.num_rows]}
    tables = {
        "load": EvidenceTable("load", "c" * 32, "d" * 64, rows),
        "facts": EvidenceTable("facts", "e" * 32, "f" * 64, type(rows).from_pydict(count)),
    }
    story = Story(
        request=given.request,
        understood=planning.understood,
        intent={},
        answer_task="load",
        tables=tables,
        catalogue=given.catalogue,
        answer_rows=rows.num_rows,
        columns=tuple(map(ResultColumn.model_validate, proposal.get("columns", ()))),
        sentences=tuple(proposal.get("sentences", ())),
    )
    return narrate(story, ClaimBook())


async def measure(databases: Path, show: bool) -> dict[str, Counter[str]]:
    """Ask all questions; counts by language."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    sources, opened = kept_sources(), dict[str, Any]()
    async with model_server() as server, reasoner(server) as together:
        for one in json.loads(_QUESTIONS.read_text(encoding="utf-8")):
            path = databases / f"{one['database']}.sqlite"
            if one["database"] not in opened:
                opened[one["database"]] = sources.open_together((path,))
            catalogue, lookup, workspace = opened[one["database"]]
            given = PlanningInput(
                request=AnalysisRequest(
                    request_id=new_id(),
                    intent=one["question"],
                    timestamp=_NOW,
                    assume=True,
                    data_sources=(DataSource(file_path=str(path)),),
                ),
                catalogue=catalogue,
                lookup=lookup,
                today=date(2025, 1, 1),
                evidence=Probing(workspace),
            )
            alone = await RulesReasoner().plan(given)
            server.will(Answered(form(one)))
            planning = await together.plan(given)
            planning = await with_findings(planning, one["question"], catalogue, Probing(workspace))
            here = counted[one["language"]]
            here["asked"] += 1
            here["known as such"] += language_of(one["question"]) == one["language"]
            here["rules sure alone"] += alone.draft is not None and alone.confidence == "high"
            here["by the model"] += planning.by_model
            unread = [a for a in planning.assumptions if a.startswith("W01")]
            here["words told as unread"] += len(unread)
            if not planning.by_model or planning.proposal is None:
                print("NOT BY THE MODEL", one["question"], planning.caveats, planning.failure)
                continue
            with workspace.cursor() as cursor:
                rows = cursor.execute(planning.proposal["statement"]).to_arrow_table()
            narration = narrate_rows(planning, given, rows)
            left = any("did not pass" in caveat for caveat in narration.caveats)
            here["sentences told"] += not left
            if show:
                print(f"{one['question']}\n  = {planning.understood} ({planning.confidence})")
                print(f"  > {narration.text}")
                for remark in (*unread, *narration.caveats):
                    print(f"    {remark}")
    return counted


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", type=Path, default=_DATABASES)
    parser.add_argument("--show", action="store_true", help="every answer")
    given = parser.parse_args()
    for language, counts in asyncio.run(measure(given.databases, given.show)).items():
        print(f"{language}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))


if __name__ == "__main__":
    main()
