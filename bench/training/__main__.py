"""Learns the reader's model by folds over databases, reports, and writes it."""

from __future__ import annotations

import argparse
import pickle
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.reading.sets import FOLDS, Item, data_folder, fold_of, load, sample
from bench.training.calibrating import calibrated
from bench.training.judging import Judged, judge_ranking
from bench.training.learning import locally, pruner, ranker
from bench.training.reporting import local_report, report
from bench.training.stages import Seen, Tried, attempt, by_database, look, side_by_side, spread
from bench.training.writing import write
from services.planner.domain.reader.choice.model import Calibration, ReaderModel

_PHRASINGS = 2


def main() -> None:
    """Reads the options, learns, reports."""
    options = _options()
    began = time.perf_counter()

    def clock(what: str) -> None:
        print(f"{time.perf_counter() - began:6.0f} s  {what}", flush=True)

    items = _questions(options.sets.split(","), options.limit)
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
        _keep(options.keep, items, seen, tried)
    print("in the order of the pruner")
    report(items, tried, {i.id: range(len(tried[i.id].right)) for i in items})
    judged = judge_ranking(items, tried, fold, clock)
    if options.folds_to:
        options.folds_to.mkdir(parents=True, exist_ok=True)
        for k, model in enumerate(models):
            others = [tried[i.id] for i in items if fold[i.id] != k]
            write(_of_fold(model, others, judged, k), options.folds_to / f"fold-{k}.json")
        clock(f"models of the folds written to {options.folds_to}")
    if options.write:
        every, taught = [seen[i.id] for i in items], [tried[i.id] for i in items]
        write(_of_all(every, taught, judged), options.write)
        clock(f"written to {options.write}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="at most so many questions of each set")
    parser.add_argument("--sets", default="dev,train,queries,everyday,short")
    parser.add_argument("--keep", type=Path, help="keep what was seen and tried in this folder")
    parser.add_argument("--write", type=Path, help="write the model of all questions to this file")
    parser.add_argument(
        "--folds-to", type=Path, help="write the models of the folds to this folder"
    )
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def _questions(sets: Sequence[str], limit: int | None) -> list[Item]:
    """Those that stand for themselves, a few phrasings of each."""
    found = load(sets, data_folder(), print)
    return sample(few_phrasings([item for item in found if not item.after]), limit)


def few_phrasings(items: Sequence[Item]) -> list[Item]:
    """At most a few phrasings of each gold."""
    count: dict[str, int] = defaultdict(int)
    kept: list[Item] = []
    for item in items:
        count[item.gold] += 1
        if count[item.gold] <= _PHRASINGS:
            kept.append(item)
    return kept


def _keep(
    folder: Path, items: Sequence[Item], seen: Mapping[str, Seen], tried: Mapping[str, Tried]
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "tried.pickle").open("wb") as file:
        pickle.dump((items, seen, tried), file)


def _of_fold(model: ReaderModel, others: Sequence[Tried], judged: Judged, fold: int) -> ReaderModel:
    """The model for the databases of one fold: nothing in it was learnt from them."""
    return replace(
        model,
        pruner=pruner(others),
        ranker=judged.rankers[fold],
        calibration=Calibration(judged.calibrations[fold]),
    )


def _of_all(seen: Sequence[Seen], tried: Sequence[Tried], judged: Judged) -> ReaderModel:
    """The model that is shipped, calibrated on choices that other databases taught."""
    return replace(
        locally(seen),
        pruner=pruner(tried),
        ranker=ranker(tried),
        calibration=Calibration(calibrated(judged.examples)),
    )


if __name__ == "__main__":
    main()
