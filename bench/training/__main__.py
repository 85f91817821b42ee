"""Learns the reader's model by folds over databases, reports, and writes it."""

from __future__ import annotations

import argparse
import pickle
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.reading.sets import Item, data_folder, fold_of, load, sample
from bench.training.calibrating import RIGHT, calibrated, chosen, reliability, risk, seen_of
from bench.training.fitting import fitted, ranked_weights
from bench.training.stages import (
    Seen,
    Tried,
    attempt,
    by_database,
    look,
    side_by_side,
    spread,
)
from bench.training.writing import write
from services.planner.domain.reader.chart.pieces import Role
from services.planner.domain.reader.choice.linear import LogLinear
from services.planner.domain.reader.choice.model import KINDS, Calibration, Ranker, ReaderModel
from services.planner.domain.reader.choice.shape import HEADS, NO, YES, ShapeModel

FOLDS = 5
AFTERWARDS = frozenset(
    (
        "rank", "score", "below the best", "votes", "candidates", "joins", "multiplied", "nothing",
        "missing", "axis repeats", "same number", "repeated rows", "more rows",
        "repeated rows and p distinct",
    )
)  # fmt: skip
_PHRASINGS = 2


def locally(seen: Sequence[Seen]) -> ReaderModel:
    """The local models from labelled questions."""
    known = [s for s in seen if s.shape]
    roles = fitted(
        [f for s in known for f in s.mentions], [r for s in known for r in s.roles],
        [str(role) for role in Role], seen=3, prior=2.5,
        places=[s.database for s in known for _ in s.mentions],
    )  # fmt: skip
    conditions = fitted(
        [f for s in known for f in s.conditions], [m for s in known for m in s.meant],
        (NO, YES), seen=3, prior=2.5, places=[s.database for s in known for _ in s.conditions],
    )  # fmt: skip
    heads = {
        head: fitted([s.wording for s in known], [s.shape[head] for s in known], choices,
                     seen=4, prior=2.0, rounds=80, places=[s.database for s in known])
        for head, choices in HEADS.items()
    }  # fmt: skip
    return ReaderModel(roles, conditions, ShapeModel(heads))


def ranker(tried: Sequence[Tried], *, names: Callable[[str], bool] = lambda _: True) -> Ranker:
    """The weights of candidates' features, of charts and of tables apart."""
    weights = {}
    for kind in KINDS:
        groups = [
            ([{n: v for n, v in f.items() if names(n)} for f in t.features], t.right)
            for t in tried
            if t.charted == (kind == "chart") and t.features
        ]
        weights[kind] = ranked_weights(groups, prior=1.0)
    return Ranker(weights)


def few_phrasings(items: Sequence[Item]) -> list[Item]:
    """At most a few phrasings of each gold."""
    count: dict[str, int] = defaultdict(int)
    kept: list[Item] = []
    for item in items:
        count[item.gold] += 1
        if count[item.gold] <= _PHRASINGS:
            kept.append(item)
    return kept


def report(items: Sequence[Item], tried: dict[str, Tried], order: dict[str, list[int]]) -> None:
    """Right first, among five, among any; totals and means over databases, by set."""
    for name in sorted({item.set for item in items}):
        mine = [item for item in items if item.set == name]
        line = []
        for most in (1, 2, 5, 10, 30, 1000):
            hits = [any(tried[i.id].right[k] for k in order[i.id][:most]) for i in mine]
            line.append(f"{most} {sum(hits) / len(mine):.3f}")
        by: dict[str, list[bool]] = defaultdict(list)
        extra = []
        for item in mine:
            t, o = tried[item.id], order[item.id]
            by[item.database].append(bool(o) and bool(t.right[o[0]]))
            extra.append(bool(o) and t.judged[o[0]] in ("right", "extra columns"))
        mean = sum(sum(v) / len(v) for v in by.values()) / len(by)
        speed = sum(tried[i.id].seconds for i in mine) / len(mine)
        print(
            f"{name:9} {len(mine):5}  right among first {'  '.join(line)}   over databases "
            f"{mean:.3f}   with extra columns {sum(extra) / len(mine):.3f}   {speed:.3f} s",
            flush=True,
        )


def main() -> None:
    """Reads the options, learns, reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="at most so many questions of each set")
    parser.add_argument("--sets", default="dev,train,queries,everyday")
    parser.add_argument("--keep", type=Path, help="keep what was seen and tried in this folder")
    parser.add_argument("--write", type=Path, help="write the model of all questions to this file")
    parser.add_argument(
        "--folds-to", type=Path, help="write the models of the folds to this folder"
    )
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    began = time.perf_counter()

    def clock(what: str) -> None:
        print(f"{time.perf_counter() - began:6.0f} s  {what}", flush=True)

    found = load(options.sets.split(","), data_folder(), print)
    items = few_phrasings([item for item in found if not item.after])
    items = sample(items, options.limit)
    clock(f"{len(items)} questions")
    seen = {s.item: s for s in spread(by_database(items, lambda _: None), look, options.processes)}
    clock("looked at")
    fold = {item.id: fold_of(item.database, FOLDS) for item in items}
    parts = [[seen[i.id] for i in items if fold[i.id] != k] for k in range(FOLDS)]
    models = side_by_side(locally, parts, options.processes)
    clock("local models of each fold")
    local_report(items, seen, models, fold)
    work = by_database(items, lambda item: models[fold[item.id]])
    tried = {t.item: t for t in spread(work, attempt, options.processes)}
    clock("candidates tried")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        with (options.keep / "tried.pickle").open("wb") as file:
            pickle.dump((items, seen, tried), file)
    plain = {i.id: list(range(len(tried[i.id].right))) for i in items}
    plain = {i.id: list(range(len(tried[i.id].right))) for i in items}
    print("in the order of the pruner")
    report(items, tried, plain)
    judged = judge_ranking(items, tried, fold, clock)
    if options.folds_to:
        options.folds_to.mkdir(parents=True, exist_ok=True)
        for k, model in enumerate(models):
            others = [tried[i.id] for i in items if fold[i.id] != k]
            whole = replace(
                model, pruner=ranker(others, names=known_before), ranker=judged.rankers[k],
                calibration=Calibration(judged.calibrations[k]),
            )  # fmt: skip
            write(whole, options.folds_to / f"fold-{k}.json")
        clock(f"models of the folds written to {options.folds_to}")
    if options.write:
        taught = [tried[i.id] for i in items]
        whole = replace(
            locally([seen[i.id] for i in items]), pruner=ranker(taught, names=known_before),
            ranker=ranker(taught), calibration=Calibration(calibrated(judged.examples)),
        )  # fmt: skip
        write(whole, options.write)
        clock(f"written to {options.write}")


def known_before(name: str) -> bool:
    """Whether a feature is known before a query is run."""
    return not name.startswith(
        ("former", "rows", "no rows", "one row", "chart of", "chart axis")
    ) and (name not in AFTERWARDS)


@dataclass(frozen=True)
class Judged:
    """What calibration saw of each choice and whether it was right; the models of each fold."""

    examples: Sequence[tuple[dict[str, float], bool]]
    rankers: Sequence[Ranker]
    calibrations: Sequence[LogLinear]


def judge_ranking(
    items: Sequence[Item],
    tried: dict[str, Tried],
    fold: dict[str, int],
    clock: Callable[[str], None],
) -> Judged:
    """Ranks each fold by what the others teach, then calibrates likewise, and reports."""
    order: dict[str, list[int]] = {}
    seen: dict[str, dict[str, float]] = {}
    rankers: list[Ranker] = []
    calibrations: list[LogLinear] = []
    for k in range(FOLDS):
        learnt = ranker([tried[i.id] for i in items if fold[i.id] != k])
        rankers.append(learnt)
        for item in items:
            if fold[item.id] == k:
                order[item.id] = chosen(tried[item.id], learnt)[0]
                if order[item.id]:
                    seen[item.id] = seen_of(tried[item.id], learnt)
    clock("ranked")
    report(items, tried, order)
    right = {i.id: bool(order[i.id]) and bool(tried[i.id].right[order[i.id][0]]) for i in items}
    sure: dict[str, float] = {}
    for k in range(FOLDS):
        model = calibrated(
            [(seen[i.id], right[i.id]) for i in items if i.id in seen and fold[i.id] != k]
        )
        calibrations.append(model)
        for item in items:
            if fold[item.id] == k:
                known = seen.get(item.id)
                sure[item.id] = model.probabilities(known)[RIGHT] if known else 0.0
    for name in sorted({item.set for item in items}):
        told = [(sure[i.id], right[i.id]) for i in items if i.set == name]
        print(f"{name:9} right at coverage {risk(told)}\n          {reliability(told)}", flush=True)
    clock("calibrated")
    return Judged([(seen[i.id], right[i.id]) for i in items if i.id in seen], rankers, calibrations)


def local_report(
    items: Sequence[Item],
    seen: dict[str, Seen],
    models: Sequence[ReaderModel],
    fold: dict[str, int],
) -> None:
    """How often each local model is right on databases it has not seen."""
    told: dict[str, list[bool]] = defaultdict(list)
    for item in items:
        s, model = seen[item.id], models[fold[item.id]]
        if not s.shape:
            continue
        shape = model.shape.shape(s.wording)
        for head, choice in s.shape.items():
            odds = shape.odds[head]
            told[head].append(max(odds, key=lambda c: odds[c]) == choice)
        for features, role in zip(s.mentions, s.roles, strict=True):
            odds2 = model.roles.probabilities(features)
            told["role"].append(max(odds2, key=lambda c: odds2[c]) == role)
        for features, meant in zip(s.conditions, s.meant, strict=True):
            told["condition"].append(
                (model.conditions.probabilities(features)[YES] > 0.5) == (meant == YES)
            )
    print("  ".join(f"{name} {sum(v) / len(v):.3f}" for name, v in told.items()), flush=True)


if __name__ == "__main__":
    main()
