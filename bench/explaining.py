"""How one question is read: the answer, the best candidates, and what parts the first two.

`python -m bench.explaining shop.sqlite "revenue by month"` prints the reading with its notes, the
first candidates with their scores and queries, and the features that weigh most between the first
two. `--rules TEXT` instead tells which rules rule out drafts whose query contains the text.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from bench.support_catalogue import kept_sources
from bench.training.probing import LocalProbe
from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader import read
from services.planner.domain.reader.asked_of_data import with_evidence
from services.planner.domain.reader.chart.compose import Composer
from services.planner.domain.reader.chart.every_rule import EVERY_RULE
from services.planner.domain.reader.chart.sketches import Draft, drafts
from services.planner.domain.reader.choice.candidate import Candidate, Weighed
from services.planner.domain.reader.choice.features import quick_score
from services.planner.domain.reader.choice.model import ReaderModel, learnt
from services.planner.domain.reader.understand import understand

_SHOWN, _PARTS, _MOST_DRAFTS, _WIDE = 5, 12, 6_000, 300


def main() -> None:
    """Reads the options and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="a database or a file; several with commas")
    parser.add_argument("question")
    parser.add_argument("--today", type=date.fromisoformat, default=date.today())
    parser.add_argument("--rules", metavar="TEXT", help="what rules out queries that contain it")
    options = parser.parse_args()
    paths = tuple(Path(name).resolve() for name in options.source.split(","))
    catalogue, lookup, workspace = kept_sources().open_together(paths)
    telling = _ruled_out if options.rules is not None else _reading
    probe = LocalProbe(workspace)
    asyncio.run(
        telling(options.question, catalogue, lookup, probe, options.today, options.rules or "")
    )


async def _weighed(
    question: str, catalogue: Catalogue, lookup: ValueLookup, today: date, model: ReaderModel
) -> Weighed:
    scene = await read.scene_of(question, catalogue, lookup, today=today)
    return read.weighed_of(read.local_of(scene), model)


async def _reading(
    question: str, catalogue: Catalogue, lookup: ValueLookup, probe: LocalProbe, today: date, _: str
) -> None:
    found = await understand(question, catalogue, lookup, today=today, evidence=probe)
    print(found.model_dump_json(indent=1, include={"summary", "message", "question", "confidence"}))
    for note in getattr(found, "assumptions", ()):
        print("  -", note)
    model = learnt()
    weighed = await _weighed(question, catalogue, lookup, today, model)
    tried = await with_evidence(read.composed(weighed, model), weighed, probe)
    ranked = read.ranked(tried, weighed, model)
    for one in ranked[:_SHOWN]:
        text = one.query.text if one.query is not None else ""
        print(f"{one.score:7.2f}  {' '.join(text.split())[:_WIDE]}")
    if len(ranked) > 1 and model.ranker is not None:
        weights = model.ranker.weights["chart" if weighed.scene.charted else "table"]
        print("between the first two:", ", ".join(_apart(ranked[0], ranked[1], weights)))


def _apart(best: Candidate, second: Candidate, weights: Mapping[str, float]) -> Iterator[str]:
    a, b = best.features, second.features
    worth = {n: weights.get(n, 0.0) * (a.get(n, 0.0) - b.get(n, 0.0)) for n in {*a, *b}}
    for name in sorted(worth, key=lambda n: -abs(worth[n]))[:_PARTS]:
        yield f"{name} {worth[name]:+.2f}"


async def _ruled_out(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    _: LocalProbe,
    today: date,
    wanted: str,
) -> None:
    weighed = await _weighed(question, catalogue, lookup, today, learnt())
    scene = weighed.scene
    composer = Composer(scene.graph, catalogue, scene.scales, scene.called, scene.counted)
    by_rules: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for draft in _all_drafts(weighed):
        intent = composer.intent(draft.sketch)
        text = " ".join(render(intent, catalogue).text.split()) if intent is not None else ""
        if wanted.lower() in text.lower():
            names = [r.__name__ for r in EVERY_RULE if r(draft.sketch, weighed.requirements)]
            by_rules[", ".join(names)].append((quick_score(weighed, draft), text))
    for rules, found in sorted(by_rules.items(), key=lambda one: -max(one[1])[0]):
        score, text = max(found)
        print(f"{rules or 'nothing':40} {len(found):4}  {score:6.2f}  {text[:_WIDE]}")


def _all_drafts(weighed: Weighed) -> Sequence[Draft]:
    roles, chosen = read.assignments(weighed)
    found: dict[object, Draft] = {}
    for draft in drafts(weighed.requirements, roles, chosen, lambda _: True):
        found.setdefault(draft.sketch, draft)
        if len(found) >= _MOST_DRAFTS:
            break
    return list(found.values())


if __name__ == "__main__":
    main()
