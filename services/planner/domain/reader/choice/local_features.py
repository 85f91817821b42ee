"""What is seen of one mention, of one proposed condition and of the whole question's wording."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice.overlaps import Overlaps
from services.planner.domain.reader.grammar import aggregation, counting, ordering
from services.planner.domain.reader.grammar.rules import Rule
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.semantics.kinds import Kind

_CLAUSES = frozenset("whose with that who where which have has not".split())
_START, _END = "START", "END"
_SURE, _LIKELY = 0.95, 0.7


class Cues:
    """Which topics are spoken of anywhere, and where; found once a question."""

    def __init__(self, scene: Scene) -> None:
        self.by_name: dict[str, list[int]] = {}
        rules: Sequence[Rule[object]] = (
            *aggregation.RULES,
            *ordering.DIRECTIONS,
            *ordering.SORTING,
            *counting.RULES,
        )
        for cue in scene.words.find(rules):
            self.by_name.setdefault(cue.rule.name, []).append(cue.first)

    def features(self) -> dict[str, float]:
        """One for each topic that is there."""
        return {f"said {name}": 1.0 for name in self.by_name}

    def nearest_before(self, name: str, at: int) -> int:
        """How many words before a place a rule was last found; 99 where it was not."""
        return min((at - place for place in self.by_name.get(name, ()) if place <= at), default=99)


def mention_features(
    scene: Scene, mention: Mention, cues: Cues, overlaps: Overlaps
) -> dict[str, float]:
    """What tells the role of a mention: its words, its column, what stands around it."""
    classes, place = scene.classes, mention.place
    size = len(classes)
    found: dict[str, float] = {
        f"tie {mention.tie}": 1,
        "coverage": mention.coverage,
        "quality": mention.quality,
        "words": mention.words,
        "whole": mention.coverage > _SURE,
        f"kind {place.kind}": 1,
        "number": place.number,
        "text": place.text,
        "key": place.key,
        "unique": place.unique,
        "time": place.time,
        "few values": place.column.distinct <= 10,
        "chart": scene.charted,
        f"last word {place.last}": 1,
        "where": mention.first / max(1, size),
    }
    for step in range(1, 5):
        before = classes[mention.first - step] if mention.first >= step else _START
        after = classes[mention.last + step] if mention.last + step < size else _END
        found[f"before {step} {before}"] = found[f"before {before}"] = 1
        found[f"after {step} {after}"] = 1
        if step < 3:
            found[f"after {after}"] = 1
    found["two before " + " ".join(classes[max(0, mention.first - 2) : mention.first])] = 1
    if scene.charted:
        found[f"chart before {classes[mention.first - 1] if mention.first else _START}"] = 1
    if mention.tie is Tie.ADJECTIVE:
        found[f"adjective {scene.tokens[mention.first].lower}"] = 1
    found |= cues.features()
    for name in ("average", "total", "minimum", "maximum", "kinds", "count", "each", "sorted by"):
        near = cues.nearest_before(name, mention.first)
        if near <= 4:
            found[f"near {name}"] = 1
            found[f"near {name} {near}"] = 1
            if place.number:
                found[f"number near {name}"] = 1
    found["before a clause"] = not (_CLAUSES & set(classes[1 : mention.first]))
    found |= _rivals(scene, mention, overlaps)
    return {name: float(value) for name, value in found.items() if value}


def _rivals(scene: Scene, mention: Mention, overlaps: Overlaps) -> dict[str, float]:
    place, first, last = mention.place, mention.first, mention.last
    beside = [t for t in scene.tables if t.table is place.table and t.coverage > _LIKELY]
    longest = overlaps.longest(mention)
    following = scene.tokens[last + 1 : last + 6]
    return {
        "rival": overlaps.best(mention) - mention.coverage,
        "rivals": min(5, overlaps.as_good(mention)),
        "longer rival": longest - (last - first) if longest else 0,
        "in a value": scene.valued[first] > 0.5,
        "number follows": any(t.number is not None or t.quoted for t in following),
        "value follows": any(scene.valued[t.index] > _LIKELY for t in following[:4]),
        "table spoken of": bool(beside),
        "table distance": min((abs(t.first - first) for t in beside), default=20) / 10,
        "said before": sum(m.first < first for m in scene.by_place[place.index]),
        "said often": sum(m.tie is Tie.NAME for m in scene.by_place[place.index]) - 1,
    }


def proposal_features(
    scene: Scene, one: Proposal, all_of: Sequence[Proposal], cues: Cues
) -> dict[str, float]:
    """What tells whether a proposed condition is meant."""
    classes, first, last = scene.classes, one.first, one.last
    operator = str(one.operator)
    found: dict[str, float] = {
        f"source {one.source}": 1,
        f"operator {operator}": 1,
        f"source {one.source} {operator}": 1,
        "aggregate": one.aggregate is not None,
        "quality": one.quality,
        "coverage": one.coverage,
        "distance": min(one.distance, 20) / 10,
        "table distance": min(one.table_distance, 20) / 10,
        "words": last - first + 1,
        "capital": scene.tokens[first].capital,
        "quoted": scene.tokens[first].quoted,
        "near": one.distance <= 3,
        "chart": scene.charted,
        f"source {one.source} covers {int(one.coverage * 3)}": 1,
        f"source {one.source} near {one.distance <= 4}": 1,
        "denied": one.denied,
        f"denied {one.denied} {operator}": 1,
        f"rule {one.rule}": 1,
        f"rule {one.rule} {operator}": 1,
    }
    for step in range(1, 4):
        before = classes[first - step] if first >= step else _START
        after = classes[last + step] if last + step < len(classes) else _END
        found[f"before {step} {before}"] = found[f"after {step} {after}"] = 1
    found[f"source {one.source} after {classes[first - 1] if first else _START}"] = 1
    rivals = [p for p in all_of if p is not one and p.first <= last and p.last >= first]
    found["rivals"] = min(8, len(rivals))
    found["best rival"] = max((_fit(p) for p in rivals), default=0.0) - _fit(one)
    found["longer rival"] = max((p.last - p.first for p in rivals), default=0) - (last - first)
    found["names a column"] = max(scene.named[first : last + 1], default=0.0)
    found["names a table"] = max(scene.tabled[first : last + 1], default=0.0)
    if one.place is not None:
        found |= _of_column(scene, one)
    for name in ("or", "both", "at least"):
        found[f"said {name}"] = name in cues.by_name
    return {name: float(value) for name, value in found.items() if value}


def _fit(one: Proposal) -> float:
    return one.coverage + one.quality - 0.1 * min(10, one.distance)


def _of_column(scene: Scene, one: Proposal) -> dict[str, float]:
    place = one.place
    assert place is not None
    found: dict[str, float] = {
        "unique": place.unique,
        "key": place.key,
        f"last word {place.last}": 1,
        f"kind {place.kind}": 1,
        "table spoken of": place.table.name in scene.spoken_tables,
        "name column": place.kind is Kind.NAME,
    }
    if one.first:
        found[f"after {scene.classes[one.first - 1]} {place.last}"] = 1
    value = one.values[0] if one.values else None
    if one.source == "number" and place.number and isinstance(value, int | float):
        low, high = place.column.minimum, place.column.maximum
        if low is not None and high is not None:
            found["in range"] = float(low) <= value <= float(high)
        found["a sample"] = f"{value:g}" in place.column.samples
    return found


def wording_features(scene: Scene, cues: Cues, values: int) -> dict[str, float]:
    """The question's wording with names and values left out: runs of one to three words."""
    words: list[str] = []
    for name in scene.classes:
        if not words or words[-1] != name:
            words.append(name)
    found = {"chart" if scene.charted else "no chart": 1.0}
    for size in (1, 2, 3):
        for at in range(len(words) - size + 1):
            found[" ".join(words[at : at + size])] = 1.0
    numbers = sum(t.number is not None for t in scene.tokens)
    columns = len({m.first for m in scene.mentions if m.tie is Tie.NAME and m.coverage > _SURE})
    found[f"{min(values, 3)} values"] = found[f"{min(numbers, 3)} numbers"] = 1.0
    found[f"{min(columns, 5)} columns"] = found[f"{min(len(scene.spoken_tables), 3)} tables"] = 1.0
    found[f"{min(values + numbers, 4)} values or numbers"] = 1.0
    return found | cues.features()
