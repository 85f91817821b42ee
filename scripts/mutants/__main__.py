"""Mutation testing of the modules that carry promises: `python -m scripts.mutants [module ...]`.

Each module of tests/mutants.toml is changed in one small way after another, and its tests are run:
a mutant that they let pass is something that no test would notice. Fails when a module's score is
under its floor, or when a mutant is excused that is not there.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
import tomllib
from dataclasses import dataclass, field
from typing import Any

from scripts.mutants.making import Mutant, mutants_of
from scripts.mutants.running import ROOT, NotTestedError, Watched, begin, killed, load, watched

TABLE = "tests/mutants.toml"


@dataclass
class Score:
    """How a module's mutants fared."""

    module: str
    floor: float
    mutants: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    equivalent: int = 0
    stale: list[str] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """How many mutants a test noticed."""
        return self.mutants - self.equivalent - len(self.survivors)

    @property
    def score(self) -> float:
        """Per cent of the mutants that could be noticed, cut to one digit."""
        could = self.mutants - self.equivalent
        return int(1000 * self.killed / could) / 10 if could else 100.0

    @property
    def failed(self) -> bool:
        """Whether this is less than was published."""
        return self.score < self.floor or bool(self.stale)

    def row(self) -> str:
        """A row of the table in docs/testing.md."""
        return (
            f"| `{self.module}` | {self.mutants} | {self.killed} | {len(self.survivors)} "
            f"| {self.equivalent} | {self.score:.1f} |"
        )


def scored(entry: dict[str, Any], jobs: int) -> Score:
    """Run all mutants of a module, `jobs` at a time."""
    path = entry["path"]
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    mutants = mutants_of(tree)
    excused = [one["mutant"] for one in entry.get("equivalent", [])]
    names = {mutant.name for mutant in mutants}
    result = Score(path, entry["floor"], len(mutants))
    result.stale = [name for name in excused if name not in names]
    result.equivalent = len(set(excused) & names)
    seen = watched(path, entry["tests"])
    load(seen.libraries)
    _prove_loaded(path, seen)
    running: dict[int, Mutant] = {}

    def wait() -> None:
        child, status = os.wait()
        mutant = running.pop(child)
        if not killed(f"{path}:{mutant.line}: {mutant.name}", status):
            result.survivors.append(mutant)

    for mutant in mutants:
        tests = seen.of(None if mutant.at_import else mutant.lines)
        if mutant.name in excused:
            continue
        if not tests:
            result.survivors.append(mutant)
            continue
        if len(running) == jobs:
            wait()
        running[begin(path, tree, mutant.apply, tests)] = mutant
    while running:
        wait()
    result.survivors.sort(key=lambda mutant: mutant.line)
    return result


def _prove_loaded(path: str, seen: Watched) -> None:
    """A module that cannot be loaded must be noticed, else no mutant ever is."""
    tree = ast.parse("raise RuntimeError('this mutant is loaded')")
    _, status = os.waitpid(begin(path, tree, lambda: None, seen.of(None)), 0)
    if not killed(path, status):
        raise NotTestedError(f"{path}: its tests do not load what is to be tested")


def main(arguments: list[str]) -> int:
    """Print survivors and scores; 1 where one is under its floor."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", help="files of tests/mutants.toml; else all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    entries = tomllib.loads((ROOT / TABLE).read_text(encoding="utf-8"))["module"]
    strange = set(given.modules) - {entry["path"] for entry in entries}
    if strange:
        parser.error(f"{TABLE} has no {', '.join(sorted(strange))}")
    scores = []
    for entry in entries:
        if given.modules and entry["path"] not in given.modules:
            continue
        try:
            score = scored(entry, given.jobs)
        except NotTestedError as error:
            print(f"mutants: {error}", file=sys.stderr)
            return 1
        scores.append(score)
        for mutant in score.survivors:
            print(f"{score.module}:{mutant.line}: survived: {mutant.name}")
        for name in score.stale:
            print(f"{score.module}: {TABLE} excuses a mutant that is not there: {name}")
        print(score.row(), flush=True)
    print("\n| Module | Mutants | Killed | Survived | Equivalent | Score |")
    print("|---|---:|---:|---:|---:|---:|")
    for score in scores:
        print(score.row())
    for score in scores:
        if score.failed:
            print(f"mutants: {score.module} has {score.score:.1f}, published is {score.floor:.1f}")
    return any(score.failed for score in scores)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
