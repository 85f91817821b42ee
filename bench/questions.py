"""How well questions are read: `python -m bench.questions`; docs/questions.md says what it tells.

`--set` and `--reader` choose what is asked and who answers, `--json FILE` keeps all figures, and
`--failures KIND` shows failures, but none of databases that are held out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.reading.asking import ask_all
from bench.reading.report import failures, printed, written
from bench.reading.sets import SETS, data_folder, fold_of, load, sample


def options() -> argparse.ArgumentParser:
    """What the command understands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder with questions_dev, questions_train")
    parser.add_argument("--set", action="append", choices=SETS, help="may be repeated; else all")
    parser.add_argument("--database", action="append", help="only questions over this database")
    parser.add_argument("--folds", type=int, default=5, help="how many folds of databases to tell")
    parser.add_argument("--fold", type=int, help="only questions of this fold, from 0")
    parser.add_argument("--limit", type=int, help="at most so many questions of each set")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--holdout", action="store_true", help="report what is held out apart")
    parser.add_argument("--failures", help="show failures of a kind, a construct, or 'all'")
    return parser


def main() -> None:
    """Reads the options, asks, prints and writes."""
    parser = options()
    chosen = parser.parse_args()
    folder = chosen.data or data_folder()
    items = sample(load(chosen.set or SETS, folder, _print_line), chosen.limit)
    if chosen.database:
        items = [item for item in items if item.database in chosen.database]
    if chosen.fold is not None:
        items = [i for i in items if fold_of(i.database, chosen.folds) == chosen.fold]
    if not items:
        parser.error(f"no questions to ask in {folder}; set --data or ASSAY_QUESTIONS")
    results = ask_all(items, chosen.processes, _progress)
    if chosen.failures:
        print(failures(results, chosen.failures))
    print(printed(results, folds=chosen.folds, holdout=chosen.holdout))
    if chosen.json:
        chosen.json.write_text(written(results, chosen.folds))


def _print_line(what: str) -> None:
    print(what, file=sys.stderr)


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {of}", end="\n" if done == of else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
